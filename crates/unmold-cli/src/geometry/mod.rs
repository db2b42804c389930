//! Where does a browser put each node? Boxes recorded once, read by `unmold sections --geometry`.

mod align;
mod boxes;
#[cfg(unix)]
mod browser;
mod compare;

pub use align::align;
pub use boxes::{BoxFile, PageBoxes};
#[cfg(unix)]
pub use browser::{Browser, find as find_browser};
pub use compare::Comparison;
