//! Learns the template of a site from a folder of its pages and strips it from all of them.
//!
//!     cargo run -p unmold --example clean_folder -- fixtures/wiki/pages

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "an example reads and prints")]

mod folder;

use unmold::{Settings, learn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("give a folder of HTML files of one site")?;
    let pages = folder::pages(folder.as_ref())?;
    let template = learn(pages.iter().map(|(_, page)| page), &Settings::default())?;
    for (name, page) in &pages {
        println!("==> {name}\n{}\n", template.clean(page).text);
    }
    Ok(())
}
