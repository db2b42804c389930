//! What can go wrong with a store, and what to do.

use std::path::PathBuf;

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Not there, or not ours to open.
    #[error(
        "cannot open the template store {path}: does it exist, and may you read and write it and its folder?"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
    /// Some other file.
    #[error("{path} is not a template store: give a file that `unmold learn` wrote, or a new one")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Written by a newer release.
    #[error(
        "the template store {path} has version {found}, this release reads up to {known}: update unmold"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The last version that is read.
        known: i32,
    },
    /// Ours, but broken.
    #[error(
        "version {version} of {site} is damaged ({reason}): remove it with `unmold templates rm` or learn again"
    )]
    Damaged {
        /// The site.
        site: String,
        /// The version.
        version: u32,
        /// What is wrong.
        reason: String,
    },
    /// Learned with other weights than those of this release.
    #[error("the template of {site} cannot be used: {source}")]
    OtherModel {
        /// The site.
        site: String,
        /// Which weights.
        source: unmold::methods::OtherModel,
    },
    /// Templates could not be compressed.
    #[error("cannot compress templates")]
    Compress(#[source] std::io::Error),
    /// Any other failure of the database.
    #[error("the template store cannot be used")]
    Database(#[from] rusqlite::Error),
}
