//! Any bytes as a template store: refused with a reason, or read as far as it is not damaged.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use unmold_store::{Store, StoreReader, unpack};

fuzz_target!(|bytes: &[u8]| {
    let _ = unpack(bytes);
    let mut file = tempfile::Builder::new().suffix(".db").tempfile().expect("a temporary file");
    // A page of SQLite's header, so that some inputs get further.
    file.write_all(b"SQLite format 3\0").and_then(|()| file.write_all(bytes)).expect("written");
    if let Ok(reader) = StoreReader::open(file.path()) {
        let _ = reader.get("site");
    }
    if let Ok(store) = Store::open_to_read(file.path()) {
        let _ = store.get_all();
        let _ = store.list();
    }
});
