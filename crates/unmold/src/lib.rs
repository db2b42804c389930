//! Removes the boilerplate that the pages of a web site share: menus, banners, footers, sidebars.
//!
//! [`learn`] looks at some pages of a site and gives a [`Template`]; [`Template::clean`] strips it
//! from any page of the site, and [`Template::explain`] says why each text stays or goes.
//!
//! ```
//! use unmold::{Page, Settings, learn};
//!
//! let pages: Vec<Page> = ["Tea", "Cake", "Jam", "Bread"].map(site::page).into();
//! let template = learn(&pages, &Settings::default())?;
//! assert_eq!(template.clean(&pages[0]).text, site::ABOUT_TEA);
//! # mod site { include!("../examples/site/pages.rs"); }
//! # Ok::<(), unmold::LearnError>(())
//! ```
//!
//! `examples/` has more: a folder, a WARC file, explanations, a server. Templates are kept in files
//! ([`Template::to_json`]); [`TemplateSet`] holds those of many sites. [`MethodName`] lists the
//! methods; `docs/methods/` describes them.
//!
//! The library is pure: bytes in, values out. It opens no files, starts no threads, reads no clock
//! and prints nothing.

#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod cluster;
pub mod dedup;
mod marks;
pub mod methods;
// For unmold-lab, which scores results; not part of the interface.
#[doc(hidden)]
pub mod metrics;
pub mod pipeline;
pub mod records;
mod registry;
pub mod rules;
pub mod sections;
mod settings;
pub mod site;
mod strip;
pub mod switching;
pub mod teach;
pub mod template;

pub use marks::{Marks, Source};
pub use methods::{
    Alignment, ChunkFrequency, Explanation, LearnError, LearnedTemplate, Method, Sample,
    TreeMapping, TreePattern, Verdict,
};
pub use pipeline::{Auto, Keep, PageKind};
pub use registry::{Learned, MethodName, UnknownMethod};
pub use settings::{Settings, SettingsError};
pub use site::{
    CleanOptions, CleanPage, Comments, Metadata, Record, TextFormat, clean_page, learn,
};
pub use strip::{Images, Links, Stripped, WriteOptions, strip};
pub use template::{KindTemplate, Template, TemplateSet};
pub use unmold_html as page;
pub use unmold_html::{Flag, Limits, NodeId, NodeRange, Page, ParseOptions};
