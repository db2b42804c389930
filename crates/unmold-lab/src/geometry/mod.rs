//! Records where a browser puts each node, for `unmold sections --geometry`.

pub mod align;
#[cfg(unix)]
pub mod browser;
