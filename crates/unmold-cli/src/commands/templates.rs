//! `unmold templates`: lists and edits the templates in a store.

use std::path::Path;

use anyhow::{Result, anyhow};
use unmold::{Template, TemplateSet};
use unmold_store::{Entry, Store};

use super::show::show_template;
use crate::args::{TemplatesArgs, TemplatesVerb};
use crate::exit::Exit;
use crate::output::{Sink, print_text};
use crate::report::say;
use crate::templates::{Replace, open_store, write_templates};

pub fn run(args: &TemplatesArgs) -> Result<Exit> {
    match &args.verb {
        TemplatesVerb::List { store, all } => print_text(&list(&open_store(store)?, *all)?)?,
        TemplatesVerb::Show { store, site, version } => {
            print_text(&show_template(&find(&open_store(store)?, site, *version)?))?;
        }
        TemplatesVerb::Export { store, sites, output } => {
            return export(&open_store(store)?, sites, output.as_deref());
        }
        TemplatesVerb::Rm { store, old: true, .. } => {
            let removed = open_store(store)?.remove_old()?;
            say(&format!("removed {removed} old versions"));
        }
        TemplatesVerb::Rm { store, sites, version, .. } => {
            remove(&mut open_store(store)?, sites, *version)?
        }
    }
    Ok(Exit::AllDone)
}

fn list(store: &Store, all: bool) -> Result<String> {
    let entries = store.list()?;
    let is_newest =
        |at: usize, entry: &Entry| entries.get(at + 1).is_none_or(|next| next.site != entry.site);
    let shown = entries.iter().enumerate().filter(|&(at, entry)| all || is_newest(at, entry));
    let widest = entries.iter().map(|entry| entry.site.chars().count()).max().unwrap_or(0).max(4);
    let mut out = format!(
        "{:widest$}  version  templates  pages  method           bytes    stored (UTC)\n",
        "site"
    );
    for (_, Entry { site, version, stored_at, method, templates, pages, bytes, .. }) in shown {
        out.push_str(&format!(
            "{site:widest$}  {version:7}  {templates:9}  {pages:5}  {method:15}  {bytes:7}  {stored_at}\n"
        ));
    }
    Ok(out)
}

fn find(store: &Store, site: &str, version: Option<u32>) -> Result<Template> {
    let found = match version {
        Some(version) => store.get_version(site, version)?,
        None => store.get_of_any_model(site)?,
    };
    found.ok_or_else(|| missing(site, version))
}

fn missing(site: &str, version: Option<u32>) -> anyhow::Error {
    match version {
        Some(version) => {
            anyhow!("the store has no version {version} of {site:?}: `list --all` shows them")
        }
        None => anyhow!("the store has no site {site:?}: `list` shows them"),
    }
}

/// Without names all sites are exported. Damaged ones are then reported and left out.
fn export(store: &Store, sites: &[String], output: Option<&Path>) -> Result<Exit> {
    let (templates, damaged) = if sites.is_empty() {
        store.get_all()?
    } else {
        let found = sites.iter().map(|site| find(store, site, None));
        (found.collect::<Result<TemplateSet>>()?, Vec::new())
    };
    match output {
        Some(path) => write_templates(path, &templates, Replace::Templates)?,
        None => {
            let mut sink = Sink::create(None)?;
            sink.write(templates.to_json().as_bytes())?;
            sink.finish()?;
        }
    }
    for error in &damaged {
        say(&error.to_string());
    }
    Ok(if damaged.is_empty() { Exit::AllDone } else { Exit::SomeFailed })
}

fn remove(store: &mut Store, sites: &[String], version: Option<u32>) -> Result<()> {
    // All are looked up first: a misspelt name should not leave half of the work done.
    for site in sites {
        if !store.contains(site, version)? {
            return Err(missing(site, version));
        }
    }
    for site in sites {
        store.remove(site, version)?;
    }
    Ok(())
}
