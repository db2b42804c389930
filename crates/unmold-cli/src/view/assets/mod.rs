//! What the browser gets beside the pages: written by hand, embedded, nothing to build.

/// Runs in the frame, the only script that does.
pub const FRAME_JS: &str = include_str!("frame.js");
pub const FRAME_CSS: &str = include_str!("frame.css");
pub const VIEW_JS: &str = include_str!("view.js");
/// A cake half out of its mould.
pub const ICON: &str = include_str!("icon.svg");
pub const VIEW_CSS: &str = include_str!("view.css");
