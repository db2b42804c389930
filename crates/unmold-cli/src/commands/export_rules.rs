//! `unmold export-rules`: writes a template as selectors for other tools.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use serde::Serialize;
use unmold::Marks;
use unmold::rules::{Rule, Rules, find_rules};

use crate::args::{ExportRulesArgs, RulesFormat};
use crate::exit::Exit;
use crate::learning::learn;
use crate::output::{Content, Guard, Sink, printable_text};
use crate::report::Report;
use crate::sampling::{SampleSize, draw};
use crate::stream::{Messages, use_threads};
use crate::templates::Templates;

/// The rules of a site. Fields may be added but are never renamed.
#[derive(Serialize)]
struct SiteRecord<'a> {
    site: &'a str,
    /// Number of pages that the rules were checked on.
    pages: u32,
    template_words: u64,
    template_taken: u64,
    content_words: u64,
    content_taken: u64,
    rules: Vec<RuleRecord>,
}

#[derive(Serialize)]
struct RuleRecord {
    css: String,
    xpath: String,
    /// Number of pages with a match.
    pages: u32,
    template_words: u64,
    content_words: u64,
}

pub fn run(args: &ExportRulesArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let SampleSize::Pages(number) = args.method.sample else {
        bail!("rules are checked on a sample: pass a number to --sample");
    };
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    args.template.iter().for_each(|file| guard.reads(file));
    guard.file("-o", args.output.as_deref(), Content::Any)?;
    let input = args.input.open(&report)?;
    let templates = match &args.template {
        Some(file) => Templates::open(file)?,
        None => learn(&input, &read, &args.method.options()?, Messages::Hide, &mut report)?.into(),
    };
    let samples = draw(&input, &read, number, args.method.seed, Messages::Show, &mut report)?;
    let mut out = String::new();
    samples.map_sites(
        args.method.max_sample_bytes,
        |site, sample| -> Result<Option<Rules>> {
            let pages = &sample.pages;
            let Some(template) = templates.for_site(site)? else { return Ok(None) };
            let marks: Vec<Marks> = pages.iter().map(|page| template.mark(page)).collect();
            Ok(Some(find_rules(pages.iter().copied().zip(&marks))))
        },
        |site, rules| {
            let rules =
                match rules.unwrap_or_else(|| bail!("internal error: please report this site")) {
                    Ok(rules) => rules,
                    Err(error) => {
                        report.failure(&site, &format!("{error:#}"));
                        return Ok(());
                    }
                };
            let Some(rules) = rules else {
                report.note(&format!("site {site}: no template, no rules"));
                return Ok(());
            };
            if rules.rules.is_empty() {
                report
                    .note(&format!("site {site}: no id or class separates template from content"));
            }
            write(&site, &rules, args.format, &mut out)
        },
    )?;
    let mut sink = Sink::create(args.output.as_deref())?;
    sink.write(printable_text(&out).as_bytes())?;
    sink.finish()?;
    Ok(report.finish())
}

fn write(site: &str, rules: &Rules, format: RulesFormat, out: &mut String) -> Result<()> {
    let css = || rules.rules.iter().map(|rule| rule.selector.css()).collect::<Vec<_>>();
    let xpaths = || rules.rules.iter().map(|rule| rule.selector.xpath()).collect::<Vec<_>>();
    match format {
        RulesFormat::Table => out.push_str(&table(site, rules)),
        RulesFormat::Json => writeln!(out, "{}", serde_json::to_string(&record(site, rules))?)?,
        RulesFormat::Css => css().iter().try_for_each(|rule| writeln!(out, "{rule}"))?,
        RulesFormat::Xpath => xpaths().iter().try_for_each(|rule| writeln!(out, "{rule}"))?,
        RulesFormat::Trafilatura => writeln!(out, "{}", serde_json::to_string(&xpaths())?)?,
        RulesFormat::Crawl4ai => writeln!(out, "{}", css().join(", "))?,
        RulesFormat::Ftr => {
            writeln!(out, "# {site}: {}", summary(rules))?;
            for rule in &rules.rules {
                writeln!(out, "# on {} of {} pages", rule.pages, rules.pages)?;
                writeln!(out, "strip: {}", rule.selector.xpath())?;
            }
        }
    }
    Ok(())
}

fn table(site: &str, rules: &Rules) -> String {
    let mut out = format!("{site}: {}\n", summary(rules));
    for Rule { selector, pages, template_words, content_words, .. } in &rules.rules {
        let _ = writeln!(
            out,
            "{pages:>6} of {}  {template_words:>7} words of template, {content_words} of content  {}",
            rules.pages,
            selector.css()
        );
    }
    out
}

/// Summarizes the effect of all rules on the sample.
fn summary(rules: &Rules) -> String {
    let percent = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
    format!(
        "{} rules take {:.1} % of the template and {:.2} % of the content of {} pages",
        rules.rules.len(),
        percent(rules.template_taken, rules.template_words),
        percent(rules.content_taken, rules.content_words),
        rules.pages
    )
}

fn record<'a>(site: &'a str, rules: &Rules) -> SiteRecord<'a> {
    let rule = |rule: &Rule| RuleRecord {
        css: rule.selector.css(),
        xpath: rule.selector.xpath(),
        pages: rule.pages,
        template_words: rule.template_words,
        content_words: rule.content_words,
    };
    SiteRecord {
        site,
        pages: rules.pages,
        template_words: rules.template_words,
        template_taken: rules.template_taken,
        content_words: rules.content_words,
        content_taken: rules.content_taken,
        rules: rules.rules.iter().map(rule).collect(),
    }
}
