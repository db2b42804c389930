//! Any bytes are an archive: pages or problems, never a panic, and reading ends.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use unmold_input::{Format, Found, Input, InputOptions};

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::Builder::new().suffix(".warc").tempfile().expect("a temporary file");
    file.write_all(bytes).expect("written");
    let options = InputOptions { site: None, max_page_bytes: 1 << 16, format: Some(Format::Warc) };
    let Ok(input) = Input::open(&[file.path().to_owned()], &options) else { return };
    for found in input.read() {
        if let Found::Page(page) = found {
            assert!(page.bytes.len() <= (1 << 16) + 1);
        }
    }
});
