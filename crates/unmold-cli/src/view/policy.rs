//! Content security policies: what the browser may do with each response.

use base64::Engine;
use sha2::{Digest, Sha256};

use super::assets;

fn hash_of(script: &str) -> String {
    format!(
        "'sha256-{}'",
        base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script.as_bytes()))
    )
}

/// Policy of the viewer's own pages: only its own scripts, styles and frame.
pub fn of_page(base: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; frame-src {base}/; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'"
    )
}

/// Policy of the document in the frame: one script, allowed by its hash, in a sandbox without an
/// origin; images, styles and fonts from the input only; no connections, frames or forms.
pub fn of_frame(base: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline' {base}/files/; \
         img-src {base}/files/ data:; font-src {base}/files/ data:; form-action 'none'; \
         base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts",
        hash_of(assets::FRAME_JS)
    )
}

/// Policy of an input file: allows nothing if it is opened directly.
pub const OF_FILE: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Policy of the frame's document in a report, where all resources are embedded.
pub fn of_exported_frame() -> String {
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; \
         font-src data:; form-action 'none'; base-uri 'none'",
        hash_of(assets::FRAME_JS)
    )
}

/// Policy of a viewer page in a report.
pub fn of_exported_page() -> String {
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; \
         frame-src 'self' file:; form-action 'none'; base-uri 'none'",
        hash_of(assets::VIEW_JS)
    )
}
