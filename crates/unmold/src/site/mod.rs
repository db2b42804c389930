//! From the pages of a site to its template and to clean pages: what the command and the Python
//! package share, so that both give the same rows.
//!
//! ```
//! use unmold::site::{Choice, Cleaning, Draw, Lot, Serial, clean_page};
//! use unmold::{Limits, Page};
//!
//! let mut draw = Draw::new(100);
//! for word in ["tea", "cake", "jam"] {
//!     let html = format!("<nav>Home Shop Contact</nav><p>All about {word}.</p><footer>Imprint</footer>");
//!     draw.insert(Lot::new(html.as_bytes(), word, 0), word, Page::parse(html.as_bytes(), &Limits::default()));
//! }
//! let pages: Vec<Page> = draw.into_pages().collect();
//! let pages: Vec<&Page> = pages.iter().collect();
//! let choice = Choice { method: "chunk-frequency".parse()?, ..Choice::default() };
//! let templates = choice.settings().learn_site("shop", &pages, choice.clustering().as_ref(), &Serial)?;
//! let clean = clean_page(&templates, "shop", pages[0], &Cleaning::default());
//! assert!(clean.text.starts_with("All about"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod clean;
mod draw;
mod drift;
mod explain;
mod pattern;
mod settings;

pub use choice::{Choice, MethodName};
pub use clean::{CleanPage, Cleaning, Form, Judged, clean_page, judge_page};
pub use draw::{Draw, Lot};
pub use drift::{Fit, fits};
pub use explain::Explained;
pub use pattern::url_pattern;
pub use settings::{Runner, Serial, Settings};
