//! `unmold search`: searches an index and prints the best pages first.

use anyhow::Result;

use crate::args::SearchArgs;
use crate::exit::Exit;

#[cfg(feature = "search")]
pub fn run(args: &SearchArgs) -> Result<Exit> {
    use std::io::Write;

    use crate::args::EngineName;
    use crate::search::{Engine, Texts};

    let (engine, query) = (Engine::open(&args.index)?, args.query.join(" "));
    let texts = match args.engine {
        EngineName::Whole => Texts::Whole,
        EngineName::Clean => Texts::Clean,
        EngineName::Switch => engine.choose(&query)?,
    };
    let hits = engine.search(&query, texts, args.limit)?;
    let mut out = std::io::stdout().lock();
    for (rank, hit) in hits.iter().enumerate() {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(hit)?)?;
        } else {
            let title = if hit.title.is_empty() { &hit.id } else { &hit.title };
            writeln!(
                out,
                "{:2}  {:7.3}  {title}\n             {}\n             {}",
                rank + 1,
                hit.score,
                hit.url,
                hit.snippet
            )?;
        }
    }
    if hits.is_empty() {
        if !args.json {
            eprintln!("unmold: no page contains any of these words");
        }
        return Ok(Exit::SomeFailed);
    }
    Ok(Exit::AllDone)
}

#[cfg(not(feature = "search"))]
pub fn run(_: &SearchArgs) -> Result<Exit> {
    anyhow::bail!(
        "built without search: run `cargo install --path crates/unmold-cli --features search`"
    )
}
