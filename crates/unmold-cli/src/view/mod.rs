//! What is template? `unmold view` shows it in a browser.
//!
//! | file | the question it answers |
//! |---|---|
//! | `catalog` | which pages are there, and how are the bytes of one got again? |
//! | `state` | what is known of pages and templates, and how is it corrected? |
//! | `survey` | what do all pages look like, without anybody waiting for it? |
//! | `server`, `policy` | who may ask for what, and what may a browser do with it? |
//! | `frame`, `css`, `resources` | how is a page shown as it looks without anything of it running or being fetched? |
//! | `site_view`, `page_view`, `template_view`, `search_view` | one file for each view |
//! | `layout`, `chart`, `assets` | what do all views have? |
//! | `export` | how is the same passed on as files? |
//!
//! `docs/viewer.md` says more, above all about safety.

mod assets;
mod catalog;
mod chart;
mod css;
mod export;
mod frame;
mod layout;
mod page_view;
mod policy;
mod resources;
#[cfg(feature = "search")]
mod search_view;
mod server;
mod site_view;
mod state;
mod survey;
mod template_view;
#[cfg(test)]
mod tests;

pub use catalog::Catalog;
pub use export::write as export;
pub use server::Server;
pub use state::Viewer;
pub use survey::run as survey;
