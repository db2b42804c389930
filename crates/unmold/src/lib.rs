//! Takes web pages out of their moulds: learns the template that the pages of a site share and strips it.
//!
//! Start with [`Page`].

mod marks;
pub mod page;
mod strip;

pub use marks::Marks;
pub use page::{Flag, Limits, NodeId, Page, ParseOptions};
pub use strip::{Stripped, strip};
