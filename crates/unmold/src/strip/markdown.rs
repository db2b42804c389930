//! CommonMark.

use super::Stripped;

pub(super) fn write(stripped: &Stripped) -> String {
    stripped.text()
}
