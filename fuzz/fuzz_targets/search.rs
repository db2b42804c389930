//! Any query: answered or refused, by both engines.

#![no_main]

#[path = "../../crates/unmold-cli/src/search/engine.rs"]
#[allow(dead_code)]
mod engine;

mod pages {
    /// What the command indexes of a page.
    pub struct Searchable {
        pub id: String,
        pub url: Option<String>,
        pub site: String,
        pub title: Option<String>,
        pub content: String,
        pub template_text: String,
        pub whole: String,
    }
}

use std::sync::OnceLock;

use engine::{Engine, Texts, Writer};
use libfuzzer_sys::fuzz_target;
use pages::Searchable;

const WORDS: [&str; 8] = ["tea", "lighthouse", "bread", "NOT", "über", "日本", "42", "a.b-c"];

fn index() -> Engine {
    let folder = tempfile::tempdir().expect("a folder").keep().join("index");
    let mut writer = Writer::create(&folder).expect("an index");
    for number in 0..40 {
        let content = format!("{} {} {number}", WORDS[number % 8], WORDS[number / 5]);
        let page = Searchable {
            id: format!("page-{number}"),
            url: Some(format!("http://site{}.example/{number}", number % 3)),
            site: format!("site{}.example", number % 3),
            title: Some(WORDS[number % 7].to_owned()),
            whole: format!("Home Shop {content}"),
            content,
            template_text: "Home Shop".to_owned(),
        };
        writer.add(&page).expect("added");
    }
    writer.finish().expect("written");
    Engine::open(&folder).expect("our own index")
}

/// The engine turns panics of tantivy into errors, and fuzzing must let it: tantivy has debug
/// assertions that do not hold for a phrase with a prefix beside other words.
fn allow_caught_panics() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_caught = panic.location().is_some_and(|at| at.file().contains("tantivy"));
        if !is_caught {
            abort(panic);
        }
    }));
}

fuzz_target!(|bytes: &[u8]| {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| {
        allow_caught_panics();
        index()
    });
    let query = String::from_utf8_lossy(bytes);
    let _ = engine.choose(&query);
    for texts in [Texts::Whole, Texts::Clean] {
        if let Ok(hits) = engine.search(&query, texts, 5) {
            assert!(hits.len() <= 5);
        }
    }
});
