//! Reads arbitrary bytes as a WARC archive: yields pages or problems, terminates, and never panics.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use unmold_input::{Format, Found, Input, InputOptions};

fuzz_target!(|bytes: &[u8]| {
    let mut file =
        tempfile::Builder::new().suffix(".warc").tempfile().expect("temporary file can be created");
    file.write_all(bytes).expect("temporary file is writable");
    let options = InputOptions { site: None, max_page_bytes: 1 << 16, format: Some(Format::Warc) };
    let Ok(input) = Input::open(&[file.path().to_owned()], &options) else { return };
    for found in input.read() {
        if let Found::Page(page) = found {
            assert!(page.bytes.len() <= (1 << 16) + 1);
        }
    }
});
