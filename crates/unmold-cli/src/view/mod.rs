//! `unmold view`: shows in a browser what is template and what is content.
//!
//! | file | purpose |
//! |---|---|
//! | `catalog` | lists the pages and reads their bytes on demand |
//! | `state` | holds pages, templates and caches; applies corrections |
//! | `survey`, `surveyor` | hold and collect statistics of all pages in the background |
//! | `server`, `connection`, `policy` | check requests and restrict what clients and browser may do |
//! | `frame`, `css`, `resources` | show a page without running or fetching anything from it |
//! | `site_view`, `page_view`, `template_view`, `records_view`, `search_view` | one view each |
//! | `layout`, `chart`, `assets` | shared by all views |
//! | `export` | writes a static report |
//!
//! `docs/viewer.md` describes the viewer and its security.

mod assets;
mod catalog;
mod chart;
mod connection;
mod css;
mod export;
mod frame;
mod layout;
mod page_view;
mod policy;
mod records_view;
mod resources;
#[cfg(feature = "search")]
mod search_view;
mod server;
mod site_view;
mod state;
mod survey;
mod surveyor;
mod sync;
mod template_view;
#[cfg(test)]
mod tests;

pub use catalog::Catalog;
pub use export::write as export;
pub use server::Server;
pub use state::Viewer;
pub use surveyor::run as survey;
