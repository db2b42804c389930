//! `unmold sections`: splits pages into sections and rates their importance.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;
use unmold::page::XPaths;
use unmold::sections::{Areas, Section, SectionRecord, Sectioning, first_line, lists, sections};
use unmold::{Flag, Marks, NodeId, Page, TemplateSet};

use crate::args::{SectionsArgs, SectionsFormat};
use crate::exit::Exit;
use crate::geometry::{BoxFile, Comparison};
use crate::input::{InputEvent, RawPage};
use crate::learning::learn;
use crate::output::{Content, Guard, Sink, printable_text};
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_event, use_threads};
use crate::templates::read_templates;

/// The sections of one page. Fields may be added but are never renamed.
#[derive(Serialize)]
struct PageSections {
    id: String,
    url: Option<String>,
    site: String,
    template: Option<String>,
    /// `browser` or `estimate`.
    areas: &'static str,
    sections: Vec<SectionRecord>,
    flags: Vec<Flag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl PageSections {
    /// The record of input that could not be read, or of a page that could not be split.
    fn failed(id: String, site: String, error: String) -> PageSections {
        PageSections {
            id,
            url: None,
            site,
            template: None,
            areas: "estimate",
            sections: Vec::new(),
            flags: Vec::new(),
            error: Some(error),
        }
    }

    fn line(&self) -> Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// The sections of a page in all output formats.
struct Examined {
    record: PageSections,
    tree: String,
    comparison: Option<Comparison>,
    /// The recorded layout belongs to another page.
    misfit: bool,
}

pub fn run(args: &SectionsArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    check_output(args)?;
    let input = args.input.open(&report)?;
    let boxes = args.geometry.as_deref().map(BoxFile::read).transpose()?;
    let templates = match &args.template {
        Some(file) => read_templates(file)?,
        None => {
            let options = args.method.options_for_sections()?;
            learn(&input, &read, &options, Messages::Hide, &mut report)?
        }
    };
    let sink = Sink::create(args.output.as_deref())?;
    let compared = args.compare.then(Vec::new);
    let mut output = SectionsOutput { sink, format: args.format, compared };
    let work = |raw: &RawPage| examine(raw, &read, args, &templates, boxes.as_ref());
    for_each_event(&input, Messages::Show, &mut report, work, |event, found, report| {
        match (event, found) {
            (InputEvent::Page(raw), Some(found)) => output.write(&raw, found, report),
            (InputEvent::Page(raw), None) => {
                output.write_failure(raw.id, raw.site, INTERNAL_ERROR.to_owned(), report)
            }
            (InputEvent::Problem { place, what }, _) => {
                output.write_failure(place, String::new(), what, report)
            }
            (InputEvent::Skipped { place, why }, _) => {
                report.skipped(&place, why);
                Ok(())
            }
        }
    })?;
    output.finish()?;
    Ok(report.finish())
}

const INTERNAL_ERROR: &str = "internal error while splitting: please report this page";

/// Where the sections go.
struct SectionsOutput {
    sink: Sink,
    format: SectionsFormat,
    /// Layouts to compare instead of writing sections: the site of each page and its comparison.
    compared: Option<Vec<(String, Comparison)>>,
}

impl SectionsOutput {
    fn write(&mut self, raw: &RawPage, found: Examined, report: &mut Report) -> Result<()> {
        if let Some(error) = &found.record.error {
            report.failure(&raw.id, error);
        }
        if found.misfit {
            report.failure(
                &raw.id,
                "the recorded layout is of another page: run `unmold-lab geometry` again with the \
                 same flags",
            );
        }
        if let Some(compared) = &mut self.compared {
            compared.extend(found.comparison.map(|comparison| (raw.site.clone(), comparison)));
            return Ok(());
        }
        report.wrote(1);
        match self.format {
            SectionsFormat::Jsonl => self.sink.write(&found.record.line()?),
            SectionsFormat::Tree => self.sink.write(printable_text(&found.tree).as_bytes()),
        }
    }

    /// An outline has no place for failures: they are only reported.
    fn write_failure(
        &mut self,
        id: String,
        site: String,
        what: String,
        report: &mut Report,
    ) -> Result<()> {
        report.failure(&id, &what);
        if self.format != SectionsFormat::Jsonl || self.compared.is_some() {
            return Ok(());
        }
        self.sink.write(&PageSections::failed(id, site, what).line()?)
    }

    fn finish(mut self) -> Result<()> {
        if let Some(compared) = &self.compared {
            self.sink.write(Comparison::table(compared).as_bytes())?;
        }
        self.sink.finish()
    }
}

fn check_output(args: &SectionsArgs) -> Result<()> {
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    args.template.iter().chain(&args.geometry).for_each(|file| guard.reads(file));
    let lines = args.format == SectionsFormat::Jsonl && !args.compare;
    let content = if lines { Content::Lines(&["id", "site", "sections"]) } else { Content::Any };
    guard.file("-o", args.output.as_deref(), content)
}

fn examine(
    raw: &RawPage,
    read: &ReadOptions,
    args: &SectionsArgs,
    templates: &TemplateSet,
    boxes: Option<&BoxFile>,
) -> Examined {
    let page = read.parse(raw);
    let kind = templates.get(&raw.site).map(|template| template.kind_of(&page).0);
    let (marks, lists) = match kind {
        Some(kind) => kind.mark_with_lists(&page),
        None => (Marks::none(&page), lists(&page)),
    };
    let settings = args.sectioning();
    let measured = boxes.and_then(|boxes| boxes.areas(&raw.id, &page));
    let misfit = boxes.is_some_and(|boxes| boxes.has(&raw.id)) && measured.is_none();
    let estimated = Areas::estimate(&page);
    let cut = |areas: &Areas| sections(&page, &marks, &lists, areas, &settings);
    let found = cut(measured.as_ref().unwrap_or(&estimated));
    let comparison = measured.as_ref().filter(|_| args.compare).map(|measured| {
        Comparison::of(
            &page,
            (&estimated, &cut(&estimated)),
            (measured, &found),
            settings.noisy_below,
        )
    });
    let paths = page.xpaths();
    let mut flags = page.flags().to_vec();
    if kind.is_none() {
        flags.push(Flag::NoTemplate);
    }
    let record = PageSections {
        id: raw.id.clone(),
        url: raw.url.clone(),
        site: raw.site.clone(),
        template: kind.map(|kind| kind.name().to_owned()),
        areas: if measured.is_some() { "browser" } else { "estimate" },
        sections: found
            .iter()
            .map(|section| SectionRecord::new(&page, &paths, section, &settings))
            .collect(),
        flags,
        error: page.flags().contains(&Flag::Binary).then(|| "not a text file".to_owned()),
    };
    Examined {
        tree: outline(&page, &paths, &raw.id, &found, &settings),
        record,
        comparison,
        misfit,
    }
}

/// Formats the sections as an outline, below the elements that contain them. `-` marks noise, `+`
/// the rest.
fn outline(
    page: &Page,
    paths: &XPaths,
    id: &str,
    found: &[Section],
    settings: &Sectioning,
) -> String {
    let mut out = format!("==> {id} <==\n");
    let mut open: Vec<NodeId> = Vec::new();
    for section in found {
        let mut chain: Vec<NodeId> = page.ancestors(section.nodes[0]).collect();
        chain.reverse();
        let same = open.iter().zip(&chain).take_while(|(a, b)| a == b).count();
        for (depth, &element) in chain.iter().enumerate().skip(same) {
            let _ = writeln!(
                out,
                "        {:indent$}{}",
                "",
                paths.step(element),
                indent = 2 * depth.min(40)
            );
        }
        let mark = if section.importance < settings.noisy_below { '-' } else { '+' };
        let (indent, count) = (2 * chain.len().min(40), section.nodes.len());
        let times = if count > 1 { format!(" ×{count}") } else { String::new() };
        let _ = writeln!(
            out,
            "{mark} {:5.2} {:indent$}{}{times} · {} · area {:.0} %, text {:.0} % · {}",
            section.importance,
            "",
            paths.step(section.nodes[0]),
            section.kind.name(),
            100.0 * section.area_share,
            100.0 * section.text_share,
            first_line(page, section),
        );
        open = chain;
    }
    out.push('\n');
    out
}
