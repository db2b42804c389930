//! Parses web pages of any quality into an immutable tree of elements and cleaned text.
//!
//! [`Page::parse`] takes the bytes of a page, in whatever charset they are, and returns a [`Page`].
//! Scripts, styles, comments and hidden elements are left out, adjacent texts are joined and white
//! space is collapsed.
//!
//! ```
//! use unmold_html::{Limits, Page, Tag};
//!
//! let html = b"<title>Tea</title><script>track()</script><p>Green <b>tea</b>\n is steeped.";
//! let page = Page::parse(html, &Limits::default());
//! assert_eq!(page.title(), Some("Tea"));
//!
//! let paragraph = page.body().find(|&id| page.tag(id) == Tag::P).unwrap();
//! assert_eq!(page.path(paragraph), "html/body/p");
//! assert_eq!(page.joined_text(page.subtree(paragraph)), "Green tea is steeped.");
//! ```
//!
//! # Invariants
//!
//! * **Parsing never fails.** Any bytes give a page with at least a root. What is unusual about a
//!   page (binary data, broken charset, over a limit) is [flagged](Page::flags).
//! * **Document order.** A [`NodeId`] is a position in document order; a subtree is a range of ids.
//! * **No recursion on depth.** Loops use explicit stacks, so that deep pages cannot overflow the
//!   call stack.
//! * **Bounded work.** [`Limits`] hold while parsing. There is no time limit: with a clock, the
//!   same page could give different results on different days.
//! * **One tree.** The fast parser builds the tree that html5ever builds, or leaves the page to
//!   html5ever and says why ([`Page::fallback`]).
//! * **No I/O.** Bytes in, values out: no files, environment, clock, threads or printing. The lints
//!   in `clippy.toml` check this.

#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod arena;
mod chunk;
mod decode;
mod fallback;
mod fast;
mod flag;
mod flat;
mod guard;
#[doc(hidden)]
pub mod hash;
mod label;
mod limits;
mod linked_data;
mod names;
mod node;
mod noscript;
mod options;
mod page;
mod path;
mod sink;
mod tag;
mod tree;
mod words;

pub use arena::Gap;
pub use chunk::{Chunk, Delimiters};
pub use fallback::FallbackReason;
pub use flag::Flag;
pub use label::{Interner, LabelProfile};
#[doc(hidden)]
pub use label::{content_attributes, push_link, push_without_numbers_of_sentence, subtree_hashes};
pub use limits::{Limits, OverLimit};
pub use node::{NodeId, NodeRange};
pub use options::{ParseOptions, Parser};
pub use page::Page;
pub use path::XPaths;
pub use tag::{Flow, Tag};
pub use words::{comparison_form, is_word_character, word_key, words};
#[doc(hidden)]
pub use words::{for_each_word_hash, number_of_words};
