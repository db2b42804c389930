//! Scripts, styles and the icon, embedded in the binary. There is no build step.

/// The only script that runs in the frame.
pub const FRAME_JS: &str = include_str!("frame.js");
pub const FRAME_CSS: &str = include_str!("frame.css");
pub const VIEW_JS: &str = include_str!("view.js");
pub const ICON: &str = include_str!("icon.svg");
pub const VIEW_CSS: &str = include_str!("view.css");
