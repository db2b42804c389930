//! From the pages of a site to its template and to clean pages: what the command, the Python
//! package and the viewer share, so that all give the same records.

mod budget;
mod clean;
mod drift;
mod language;
mod learn;
mod metadata;
mod pattern;
mod record;
mod sampler;

pub use budget::SampleBudget;
pub use clean::{CleanOptions, Comments, TextFormat, clean_page};
pub use drift::Fit;
pub use learn::learn;
pub use metadata::{Metadata, MetadataPlaces};
pub use pattern::url_pattern;
pub use record::{CleanPage, Explained, Field, FieldType, Record, Value};
pub use sampler::{SampleKey, Sampler};
