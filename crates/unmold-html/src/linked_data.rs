//! JSON-LD: what a page says about itself in a script that runs nothing.

use memchr::{memchr, memmem, memrchr};

/// Blocks beyond this number, and longer ones, are left out: pages have a few short ones.
const MAX_BLOCKS: usize = 8;
const MAX_BYTES: usize = 64 << 10;

/// The contents of `<script type="application/ld+json">`, in order.
pub(super) fn find(html: &str) -> Vec<String> {
    let bytes = html.as_bytes();
    memmem::find_iter(bytes, b"application/ld+json")
        .filter_map(|at| {
            let tag = memrchr(b'<', &bytes[..at])?;
            let name = bytes.get(tag + 1..tag + 7)?;
            let start = at + memchr(b'>', &bytes[at..])? + 1;
            let end = start + memmem::find(&bytes[start..], b"</")?;
            let fits = name.eq_ignore_ascii_case(b"script") && end - start <= MAX_BYTES;
            fits.then(|| html[start..end].trim().to_owned())
        })
        .take(MAX_BLOCKS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_in_scripts_only() {
        let html = "<script type='application/ld+json'> {\"a\":1} </script>\
                    <SCRIPT id=x type=\"application/ld+json\" async>[2]</SCRIPT>\
                    <p data-type=application/ld+json>no</p><script type=application/ld+json>";
        assert_eq!(find(html), ["{\"a\":1}", "[2]"]);
        assert!(find("application/ld+json").is_empty());
    }
}
