//! Strips pages in a server: the template was learned before, is read once and shared by threads.
//!
//!     cargo run -p unmold --example stored_template -- fixtures/wiki/pages

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "an example reads and prints")]

mod folder;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use unmold::{Page, Settings, Template, learn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("give a folder of HTML files of one site")?;
    let pages = folder::pages(folder.as_ref())?;

    // Once, when the site is crawled: learn and store.
    let stored = learn(pages.iter().map(|(_, page)| page), &Settings::default())?.to_json();

    // In the server: read once, then apply from any thread. A template of another release whose
    // weights differ is refused here, with the advice to learn again.
    let template = Arc::new(Template::from_json(stored.as_bytes())?);
    let (requests, queue) = channel::<(String, Page)>();
    let worker = {
        let template = Arc::clone(&template);
        thread::spawn(move || {
            for (name, page) in queue {
                let clean = template.clean(&page);
                // A page that lacks much of the template comes from a redesigned site.
                let fit = clean.template_match.unwrap_or(0.0);
                println!("{name}: {} characters, match {fit:.2}", clean.text.chars().count());
            }
        })
    };
    for page in pages {
        requests.send(page)?;
    }
    drop(requests);
    worker.join().map_err(|_| "the worker panicked")?;
    Ok(())
}
