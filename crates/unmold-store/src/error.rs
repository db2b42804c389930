//! Why a store cannot be used.

use std::path::PathBuf;

/// Why a store cannot be used, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file does not exist or cannot be opened.
    #[error(
        "cannot open the template store {path}: check that it exists and that you may read and \
         write the file and its folder"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
    /// The file cannot be created.
    #[error(
        "cannot create the template store {path}: check that its folder exists and that you may \
         write to it"
    )]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Some other file.
    #[error("{path} is not a template store: give the path of one, or of a new file")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The store was written by a newer release.
    #[error(
        "the template store {path} has version {found}, this release reads up to {known}: \
         update unmold"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The newest version that this release reads.
        known: i32,
    },
    /// The templates of one site cannot be decoded. Other sites are not affected.
    #[error(
        "version {version} of {site} is damaged ({reason}): remove it from the store, or store a \
         new version"
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
    #[error("the template of {site} cannot be used: {reason}")]
    OtherModel {
        /// The site.
        site: String,
        /// Which weights.
        reason: unmold::methods::OtherModel,
    },
    /// Templates could not be compressed.
    #[error("cannot compress templates")]
    Compress(#[source] std::io::Error),
    /// Any other failure of the database.
    #[error("the template store cannot be used: check free disk space and that it is not damaged")]
    Database(#[from] rusqlite::Error),
}
