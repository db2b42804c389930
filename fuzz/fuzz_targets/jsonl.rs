//! Reads any bytes as a JSONL file: pages or problems, never a panic, and reading ends.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use unmold_input::{Format, Input, InputEvent, InputOptions};

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a temporary file");
    file.write_all(bytes).expect("written");
    let options = InputOptions::default().with_max_page_bytes(1 << 16).with_format(Format::Jsonl);
    let Ok(input) = Input::open(&[file.path().to_owned()], &options) else { return };
    for event in input.read() {
        if let InputEvent::Page(page) = event {
            assert!(page.bytes.len() <= (1 << 16) + 1);
        }
    }
});
