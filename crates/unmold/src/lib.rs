//! Takes web pages out of their moulds: learns the template that the pages of a site share (menus,
//! banners, footers) and strips it, leaving what is unique to each page.
//!
//! Start with [`Page`]: parse a few pages of one site, learn with a [`Method`], then mark and
//! [`strip`] any page.
//!
//! ```
//! use unmold::{ChunkFrequency, Limits, Method, Page, Sample, strip};
//!
//! let site = ["tea", "cake", "jam"].map(|word| {
//!     let html = format!("<nav>Home Shop Contact</nav><p>All about {word}.</p><footer>Imprint</footer>");
//!     Page::parse(html.as_bytes(), &Limits::default())
//! });
//! let template = ChunkFrequency::default().learn(&Sample::new(&site))?;
//! let marks = ChunkFrequency::mark(&template, &site[0]);
//! assert_eq!(strip(&site[0], &marks).text(), "All about tea.");
//! # Ok::<(), unmold::LearnError>(())
//! ```
//!
//! The library is pure: bytes in, values out. It opens no files, starts no threads, reads no clock
//! and prints nothing.

#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod cluster;
pub mod dedup;
mod marks;
pub mod methods;
pub mod metrics;
pub mod pipeline;
pub mod rules;
pub mod sections;
pub mod site;
mod strip;
pub mod template;

pub use marks::Marks;
pub use methods::{
    Alignment, ChunkFrequency, LearnError, Method, Sample, TreeMapping, TreePattern,
};
pub use pipeline::{Auto, Keep};
pub use strip::{Stripped, strip};
pub use template::{Learned, Template, TemplateSet};
pub use unmold_html as page;
pub use unmold_html::{Flag, Limits, NodeId, NodeRange, Page, ParseOptions};
