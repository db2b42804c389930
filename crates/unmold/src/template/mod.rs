//! What was learned about a site, and how it is stored.

mod clusters;
mod file;
mod images;
mod kind;
mod node_path;
mod overrides;
mod set;
mod site;

pub use clusters::SiteClusters;
pub use file::{ReadError, VERSION};
pub use images::{TemplateImage, TemplateImages};
pub use kind::KindTemplate;
pub use node_path::{NodePath, PathError};
pub use overrides::{Override, OverrideVerdict, Overrides, Selector, text_key};
pub use set::TemplateSet;
pub use site::Template;

pub(crate) use kind::thousandths;
