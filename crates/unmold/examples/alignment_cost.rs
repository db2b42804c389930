//! Measures the time of alignment on synthetic pages:
//! `cargo run --release -p unmold --example alignment_cost`
//!
//! Pages of about 2000 tokens share a menu, a sidebar and a footer, and differ in their articles.
//! The example learns from 2 to 128 of them, with the default and with the paper's settings, on one
//! thread; then it marks one page.

// The library does no I/O; a measurement reads the clock.
#![allow(clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use unmold::LearnedTemplate;
use unmold::{Alignment, Limits, Method, Page, Sample};

const RUNS: usize = 5;

fn main() {
    let pages: Vec<Page> = (0..=128).map(page).collect();
    println!("settings  pages  learning  marking a page  tokens of the template");
    for (name, settings) in [("default", Alignment::default()), ("paper", Alignment::paper())] {
        for number in [2, 4, 8, 16, 32, 64, 128] {
            let settings = Alignment { pages: number, ..settings.clone() };
            let sample = Sample::new(&pages[..number]);
            let (learning, learned) = fastest(|| settings.learn(&sample));
            let Ok(template) = learned else { continue };
            let (marking, _) = fastest(|| template.mark(&pages[128]));
            println!(
                "{name:8}  {number:5}  {learning:8.1?}  {marking:14.1?}  {}",
                template.tokens().len()
            );
        }
    }
}

/// The shortest of a few runs, because other load on the machine only adds time.
fn fastest<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = work();
        (start.elapsed(), result)
    };
    let mut best = timed();
    for _ in 1..RUNS {
        let next = timed();
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

fn page(number: usize) -> Page {
    let list = |name: &str, entries: usize| -> String {
        let entries: String = (0..entries)
            .map(|n| format!("<li><a href='/{name}/{n}'>{name} {n}</a></li>"))
            .collect();
        format!("<ul>{entries}</ul>")
    };
    let paragraphs: String = (0..180 + number * 7 % 40)
        .map(|n| {
            format!("<p>Paragraph {n} of article {number} <b>says {}</b></p>", n * 31 + number)
        })
        .collect();
    let html = format!(
        "<title>Article {number}</title>{}<h1>Article {number}</h1>{paragraphs}{}{}",
        list("menu", 40),
        list("related", 60),
        list("imprint", 20)
    );
    Page::parse(html.as_bytes(), &Limits::default())
}
