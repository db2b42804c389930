//! Errors in the words of the Python package.
//!
//! What the library and the store say may name the command and its flags, which Python users do not
//! have; only such messages are replaced here.

use std::error::Error;

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use unmold::methods::OtherModel;
use unmold::template::ReadError;
use unmold_store::StoreError;

/// `error` of a row without a page.
pub const NULL_HTML: &str = "\"html\" is null";
/// `error` of a page that made the library panic.
pub const INTERNAL: &str = "internal error while stripping: please report this page";

/// `error` of a page that was cut at the limit.
pub fn too_long(limit: usize) -> String {
    format!("longer than {limit} bytes, only the beginning was read: raise max_page_bytes")
}

pub fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// A text that is not a usable template file.
pub fn unreadable_template(error: &ReadError) -> PyErr {
    value_error(match error {
        ReadError::Foreign => {
            "this is not a template file: give what `to_json` or `save` wrote".to_owned()
        }
        ReadError::OtherModel { site, reason } => return other_model(site, reason),
        other => other.to_string(),
    })
}

/// A template that this release cannot apply.
pub fn other_model(site: &str, error: &OtherModel) -> PyErr {
    value_error(format!(
        "the template of {site} was learned with model {}, and this release has model {}: learn \
         it again with `learn` or `learn_sites`",
        error.found, error.ours
    ))
}

/// A store that cannot be used.
pub fn unusable_store(error: &StoreError) -> PyErr {
    match error {
        StoreError::Damaged { site, version, reason } => PyOSError::new_err(format!(
            "version {version} of {site} is damaged ({reason}): learn it again and put it"
        )),
        other => os_error(other),
    }
}

/// A file that cannot be used: the message of the error, followed by those of its causes.
pub fn os_error(error: &dyn Error) -> PyErr {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let message = causes.fold(error.to_string(), |message, cause| format!("{message}: {cause}"));
    PyOSError::new_err(message)
}
