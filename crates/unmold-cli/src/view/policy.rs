//! What may a browser do with what it gets? The content security policies, from which everything
//! else follows.

use base64::Engine;
use sha2::{Digest, Sha256};

use super::assets;

fn hash_of(script: &str) -> String {
    format!(
        "'sha256-{}'",
        base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script.as_bytes()))
    )
}

/// The viewer's own pages: what is ours, and a frame that is.
pub fn of_page(base: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         frame-src {base}/; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The document in the frame: one script, known by its hash, in a sandbox without an origin;
/// pictures, styles and fonts from the input only; no connections, frames, forms.
pub fn of_frame(base: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline' {base}/files/; img-src {base}/files/ data:; \
         font-src {base}/files/ data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts",
        hash_of(assets::FRAME_JS)
    )
}

/// A file of the input: nothing at all, should somebody open it by itself.
pub const OF_FILE: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The frame's document on disk, where everything it shows is inside.
pub fn of_exported_frame() -> String {
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'",
        hash_of(assets::FRAME_JS)
    )
}

/// A page of the viewer on disk.
pub fn of_exported_page() -> String {
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; frame-src 'self' file:; form-action 'none'; base-uri 'none'",
        hash_of(assets::VIEW_JS)
    )
}
