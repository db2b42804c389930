//! Says for each block of a page why it stays or goes.
//!
//!     cargo run -p unmold --example explain_page -- fixtures/wiki/pages callow-lighthouse.html

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "an example reads and prints")]

mod folder;

use std::path::PathBuf;

use unmold::{Limits, Page, Settings, learn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("give a folder of HTML files of one site")?);
    let file = arguments.next().ok_or("give the name of one of its pages")?;

    let pages: Vec<Page> = folder::pages(&folder)?.into_iter().map(|(_, page)| page).collect();
    let template = learn(&pages, &Settings::default())?;
    let page = Page::parse(&std::fs::read(folder.join(file))?, &Limits::default());
    for verdict in template.explain(&page).verdicts {
        let sign = if verdict.is_template { '-' } else { '+' };
        println!("{sign} {:.2} {}", verdict.value, page.joined_text(verdict.nodes));
        println!("       {}", verdict.why);
    }
    Ok(())
}
