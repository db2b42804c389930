//! `unmold show`: a page or a template for a person to read.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use unmold::cluster::{PathTemplate, TemplatePath};
use unmold::methods::{AlignmentTemplate, ChunkTemplate, PatternTemplate, TreeTemplate};
use unmold::pipeline::AutoTemplate;
use unmold::template::ReadError;
use unmold::{Learned, Limits, Marks, NodeId, Page, Template, TemplateSet};
use unmold_store::looks_like_store;

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::templates::read_templates;

pub fn run(args: &ShowArgs) -> Result<Exit> {
    let bytes = std::fs::read(&args.file)
        .with_context(|| format!("cannot read {}", args.file.display()))?;
    let shown = match as_templates(&args.file, &bytes)? {
        Some(templates) => show_templates(&templates),
        None => {
            let page = Page::parse(&bytes, &Limits::default());
            match &args.template {
                None => show_page(&page, None, false),
                Some(file) => {
                    let templates = read_templates(file)?;
                    let template = choose(&templates, &page, args)?;
                    show_page(&page, Some((template, &template.mark(&page))), args.explain)
                }
            }
        }
    };
    std::io::stdout().write_all(shown.as_bytes()).context("cannot write to standard output")?;
    Ok(Exit::AllDone)
}

/// The templates of the file, or `None` if it is some other file: a page.
fn as_templates(path: &Path, bytes: &[u8]) -> Result<Option<TemplateSet>> {
    if path.extension().is_some_and(|extension| extension == "zst") || looks_like_store(bytes) {
        return read_templates(path).map(Some);
    }
    match TemplateSet::from_json(bytes) {
        Ok(templates) => Ok(Some(templates)),
        Err(ReadError::Foreign) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot use {}", path.display())),
    }
}

fn choose<'a>(templates: &'a TemplateSet, page: &Page, args: &ShowArgs) -> Result<&'a Template> {
    let folder = args.file.canonicalize().ok().and_then(|path| {
        path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
    });
    let site = args.site.clone().or(folder).unwrap_or_default();
    match (templates.for_page(&site, page), templates.templates()) {
        (Some((template, _)), _) => Ok(template),
        (None, [only]) if args.site.is_none() => Ok(only),
        (None, all) => {
            let names: Vec<&str> =
                all.iter().map(|template| template.site.as_str()).take(10).collect();
            bail!("no template for the site {site:?}: give one of {} with --site", names.join(", "))
        }
    }
}

pub fn show_templates(templates: &TemplateSet) -> String {
    let mut out = String::new();
    for template in templates.templates() {
        match &template.learned {
            Learned::ChunkFrequency(chunks) => show_chunks(&template.name, chunks, &mut out),
            Learned::Alignment(sequence) => show_sequence(&template.name, sequence, &mut out),
            Learned::TreeMapping(trees) => show_trees(&template.name, trees, &mut out),
            Learned::Auto(parts) => show_parts(&template.name, parts, &mut out),
            Learned::TreePattern(patterns) => show_patterns(&template.name, patterns, &mut out),
            Learned::PageClusters(paths) => show_paths(&template.name, paths, &mut out),
            _ => continue,
        }
    }
    out
}

/// The most common chunks first.
fn show_chunks(name: &str, template: &ChunkTemplate, out: &mut String) {
    let _ = writeln!(
        out,
        "{name}: chunk-frequency, learned from {} pages, template on more than {}",
        template.pages(),
        template.threshold()
    );
    let mut chunks: Vec<_> = template.chunks().iter().collect();
    chunks.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.text.cmp(&b.text)));
    for chunk in chunks {
        let _ = writeln!(out, "{:>6} of {}  {}", chunk.pages, template.pages(), chunk.text);
    }
}

/// The texts in the order in which they stand.
fn show_parts(name: &str, template: &AutoTemplate, out: &mut String) {
    let (pages, known) = (template.pages(), template.known());
    let _ = writeln!(
        out,
        "{name}: auto, learned from {pages} pages, {known} texts, places and positions known"
    );
    for part in template.parts() {
        let _ = writeln!(out, "{:>6} of {pages}  {}", part.pages, part.text);
    }
}

/// The tokens in their order, each with its support.
fn show_sequence(name: &str, template: &AlignmentTemplate, out: &mut String) {
    let _ = writeln!(
        out,
        "{name}: alignment, learned from {} pages, template on at least {}",
        template.pages(),
        template.threshold()
    );
    for token in template.tokens() {
        let _ = writeln!(out, "{:>6} of {}  {}", token.pages, template.pages(), token.token);
    }
}

/// The paths, sorted, each with its text and its support.
fn show_paths(name: &str, template: &PathTemplate, out: &mut String) {
    let _ = writeln!(out, "{name}: page-clusters, learned from {} pages", template.pages());
    for TemplatePath { path, text, pages } in template.paths() {
        let text = text.as_deref().map(|text| format!("  {text:?}")).unwrap_or_default();
        let _ = writeln!(out, "{pages:>6} of {}  {path}{text}", template.pages());
    }
}

/// Each tree, indented, with the support of every node.
fn show_trees(name: &str, template: &TreeTemplate, out: &mut String) {
    let _ = writeln!(out, "{name}: tree-mapping, learned from {} pages", template.pages());
    for (number, tree) in (1..).zip(template.trees()) {
        let _ = writeln!(
            out,
            "tree {number}, template on at least {} of {} pages",
            tree.threshold, tree.pages
        );
        for node in &tree.nodes {
            let indent = 2 * node.depth.min(60) as usize;
            let shown =
                if node.text.is_empty() { node.tag.clone() } else { format!("{:?}", node.text) };
            let _ = writeln!(out, "{:>6} of {}  {:indent$}{shown}", node.pages, tree.pages, "");
        }
    }
}

/// Each pattern, then what is found at its parts, with supports.
fn show_patterns(name: &str, template: &PatternTemplate, out: &mut String) {
    let _ = writeln!(
        out,
        "{name}: tree-pattern, learned from {} pages, {} left out",
        template.pages(),
        template.foreign_pages()
    );
    let mut first = 0;
    for (number, pattern) in template.patterns().iter().enumerate() {
        let _ = writeln!(out, "pattern {}, of {} pages:", number + 1, pattern.pages);
        out.push_str(&template.outline(number, 100));
        let _ = writeln!(
            out,
            "found again and again, at parts on at least {} pages:",
            pattern.least_pages
        );
        for (id, part) in (first..).zip(&pattern.parts) {
            if part.pages < pattern.least_pages || part.features.is_empty() {
                continue;
            }
            let _ = writeln!(out, "{}", template.describe(id).unwrap_or_default());
            for feature in &part.features {
                let _ = writeln!(out, "{:>6} of {}  {}", feature.pages, part.pages, feature.value);
            }
        }
        first += pattern.parts.len() as u32;
    }
}

/// The tree, indented; with marks, `-` before what goes and `+` before what stays.
fn show_page(page: &Page, marks: Option<(&Template, &Marks)>, explain: bool) -> String {
    let mut out = String::new();
    let verdicts = match marks {
        Some((Template { learned: Learned::Auto(template), .. }, _)) if explain => {
            template.explain(page)
        }
        _ => Vec::new(),
    };
    let said = marks.filter(|_| explain).map(|(template, _)| template.overrides.of_nodes(page));
    for flag in page.flags() {
        let _ = writeln!(out, "flag: {}", flag.name());
    }
    for id in page.nodes() {
        if let Some((_, marks)) = marks {
            let sign = if marks.is_template(id) { '-' } else { '+' };
            let _ = write!(out, "{sign} {:4.2} ", marks.value(id));
        }
        let indent = 2 * page.depth(id).min(60) as usize;
        let _ = writeln!(out, "{:indent$}{}", "", node(page, id));
        if let Some((template, marks)) = marks.filter(|_| explain && page.is_text(id)) {
            let verdict = verdicts.iter().find(|verdict| verdict.nodes.contains(id));
            let correction = said.as_ref().and_then(|said| said[id.index()]);
            let why = match (correction, verdict, marks.source(id)) {
                (Some(one), _, _) => format!("somebody said so (override {})", one.serial),
                (None, Some(verdict), _) => verdict.reasons.clone(),
                (None, None, Some(source)) => template.describe(source),
                (None, None, None) => "nothing in the template says this".to_owned(),
            };
            let _ = writeln!(out, "       {:indent$}  because: {why}", "");
        }
    }
    out
}

fn node(page: &Page, id: NodeId) -> String {
    if page.is_text(id) {
        return format!("{:?}", page.text(id));
    }
    let mut shown = page.tag_name(id).to_owned();
    if let Some(name) = page.attribute(id, "id") {
        let _ = write!(shown, "#{name}");
    }
    for class in page.attribute(id, "class").unwrap_or("").split_whitespace() {
        let _ = write!(shown, ".{class}");
    }
    shown
}
