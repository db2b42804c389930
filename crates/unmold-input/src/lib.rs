//! Reads web pages from folders, single files, WARC, JSONL, Parquet and standard input.
//!
//! Start with [`Input::open`], which checks every path and finds out its format, then
//! [`Input::read`], which gives the pages in a fixed order and may be called again.
//!
//! ```
//! use unmold_input::{Input, InputEvent, InputOptions};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("tea.html"), "<p>All about tea.")?;
//! let input = Input::open(&[folder.path().to_owned()], &InputOptions::default())?;
//! for event in input.read() {
//!     match event {
//!         InputEvent::Page(page) => assert_eq!(page.id, "tea.html"),
//!         InputEvent::Skipped { place, why } => println!("{place}: {why}"),
//!         InputEvent::Problem { place, what } => eprintln!("{place}: {what}"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything is streamed: at any time one page (or one line, or one small Parquet batch) is in
//! memory. The only thing that grows is the sorted list of names in the folder being walked.
//!
//! A bad file or record is an [`InputEvent::Problem`], and reading goes on after it. The time it
//! takes to do so is linear in the size of the file, whatever the file holds.
//!
//! | file | what it does |
//! |---|---|
//! | `input` | opens inputs and reads them one after the other |
//! | `source`, `peek` | reads bytes, counts them, looks ahead |
//! | `format`, `compression` | tells what a file holds |
//! | `origin`, `host` | makes a page out of bytes: its id, its site |
//! | `folder`, `warc`, `jsonl`, `parquet` | finds the pages in a container |
//! | `sites`, `evidence` | decides which pages of a folder are one site |
//! | `members`, `trial` | decompresses a file member by member, past damage |
//! | `head`, `http`, `coding` | takes an HTTP response apart |

mod coding;
mod compression;
mod error;
mod evidence;
mod extent;
mod folder;
#[cfg(feature = "parquet")]
mod footer;
mod format;
mod head;
mod host;
mod http;
mod input;
mod jsonl;
mod members;
mod options;
mod origin;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod peek;
mod sites;
mod source;
mod trial;
mod warc;

pub use error::InputError;
pub use folder::{FolderPage, read_page_file};
pub use format::Format;
pub use host::host_of;
pub use input::{Input, Listed};
pub use options::{Columns, DEFAULT_MAX_PAGE_BYTES, InputOptions};
pub use page::{InputEvent, RawPage};
pub use sites::SiteBy;

#[cfg(test)]
mod tests;
