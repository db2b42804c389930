//! Takes web pages out of their moulds: learns the template that the pages of a site share and strips it.
//!
//! Start with [`Page`].

pub mod page;

pub use page::{Flag, Limits, NodeId, Page, ParseOptions};
