//! The views of a page: tinted next to its clean text, and split into sections.

use anyhow::{Context, Result};
use maud::{Markup, PreEscaped, html};
use serde::Serialize;
use unmold::sections::{Areas, Section, Sectioning, lists, sections};
use unmold::{Flag, KindTemplate, Marks, MethodName, NodeId, strip};

use super::frame::{self, Frame, permille};
use super::layout::{Links, Shell, percent};
use super::state::{Analysis, Viewer, number_of};
use super::survey::meaning;

/// Data for the script: arrays with one entry per node, except `names` and `reasons`.
#[derive(Serialize)]
struct Nodes<'a> {
    parents: Vec<NodeId>,
    names: Vec<&'a str>,
    /// Index into `names`.
    name: Vec<usize>,
    /// In thousandths.
    value: Vec<u32>,
    reasons: Vec<String>,
    /// Index into `reasons`, -1 for none.
    why: Vec<i64>,
}

#[derive(Serialize)]
struct SectionBox<'a> {
    nodes: &'a [NodeId],
    importance: f64,
}

impl Viewer {
    /// Shows the page with its controls.
    pub fn page_page(
        &self,
        links: Links,
        number: u32,
        method: Option<MethodName>,
    ) -> Result<String> {
        let entry = self.entry(number)?;
        let analysis = self.analyse(number, method)?;
        let site = self.catalog.site_of(entry);
        let kind = analysis.kind();
        let mut shell = self.page_shell(links, number, &analysis)?;
        let by = method.map(|method| format!("?method={method}")).unwrap_or_default();
        if !links.exported {
            shell.data.push(("nodes", format!("nodes-{number}{by}")));
            let query = if by.is_empty() { "?" } else { &by };
            shell.data.push(("text", format!("text-{number}{query}")));
        }
        let threshold = analysis.explanation.marks.threshold();
        shell.data.push(("threshold", permille(threshold).to_string()));
        // With a server the script loads the text later: a long text would delay the first paint.
        let inline = links.exported.then(|| strip(&analysis.page, &analysis.explanation.marks));
        let shown = analysis.page.title().unwrap_or(&entry.id);
        let frame_address = format!("{}{by}", links.to("frame", number));
        let slider = format!("{:.0}", (threshold * 100.0).clamp(1.0, 100.0));
        let content = html! {
            h1 { (shown) }
            p.small.soft {
                span.path { (entry.url.as_deref().unwrap_or(&entry.id)) } " · site " (site.name)
                @if let Some(kind) = kind {
                    " · template "
                    @if method.is_none() {
                        @let number = number_of(&self.templates(), kind.name()).unwrap_or(0);
                        a href=(links.to("template", number)) { (kind.name()) }
                    }
                    @else { (kind.name()) " by " (kind.learned().method()) }
                    @if let Some(share) = analysis.clean.template_match {
                        " · match " (percent(share))
                    }
                }
                " · " (percent(analysis.clean.content_share)) " of the text is content"
                @for flag in &analysis.clean.flags {
                    " " span.flag title=(meaning(*flag)) { (flag.name()) }
                }
            }
            div.controls {
                (self.pager(links, number, &by)?)
                label {
                    "Threshold "
                    input #threshold type="range" min="1" max="100" value=(slider)
                        aria-describedby="legend";
                    output #threshold-shown for="threshold" { (format!("{threshold:.2}")) }
                }
                label { input #tint type="checkbox" checked; "Tint" }
                span.legend #legend {
                    span.t { "template" } span.u { "uncertain" } span.c { "content" }
                }
                a href=(links.to("sections", number)) { "Sections" }
            }
            @if !links.exported { (self.methods(number, method, &analysis)) }
            div.split {
                iframe #frame title=(format!("Page {shown}, tinted")) src=(frame_address)
                    sandbox="allow-scripts" referrerpolicy="no-referrer" {}
                div {
                    (why_panel())
                    (self.correct_panel(links, method, kind.is_some()))
                    section.panel aria-label="Clean text" {
                        fieldset.controls { legend { h2 { "Clean text" } }
                            label { input type="radio" name="format" value="text" checked; "text" }
                            label { input type="radio" name="format" value="markdown"; "Markdown" }
                        }
                        pre.clean data-format="text" tabindex="0" aria-label="clean text" {
                            @if let Some(inline) = &inline { (inline.text()) }
                        }
                        pre.clean data-format="markdown" tabindex="0"
                            aria-label="clean Markdown" hidden {
                            @if let Some(inline) = &inline { (inline.markdown()) }
                        }
                    }
                    details.panel { summary { span #shares { "Regions" } } ul #regions {} }
                }
            }
            @if links.exported {
                script #nodes type="application/json" {
                    (inline_json(&self.nodes_json(number, method)?))
                }
            }
        };
        Ok(shell.page(&content))
    }

    fn page_shell(&self, links: Links, number: u32, analysis: &Analysis) -> Result<Shell> {
        let entry = self.entry(number)?;
        let site = self.catalog.site_of(entry);
        Ok(Shell {
            links,
            title: analysis.page.title().unwrap_or(&entry.id).to_owned(),
            breadcrumbs: vec![(site.name.clone(), links.to("site", entry.site))],
            data: vec![("page", number.to_string())],
            reading: false,
            search: self.can_search(),
        })
    }

    /// Links to the previous and next page in input order. The script maps keys to them.
    fn pager(&self, links: Links, number: u32, by: &str) -> Result<Markup> {
        let entry = self.entry(number)?;
        let pages = &self.catalog.site_of(entry).pages;
        let at =
            pages.binary_search(&number).ok().context("the page is not in the list of its site")?;
        let before = at.checked_sub(1).map(|at| pages[at]);
        let after = pages.get(at + 1).copied();
        let address = |page: Option<u32>| {
            let page = page.filter(|page| !links.exported || self.exported.contains(page));
            page.map(|page| format!("{}{by}", links.to("page", page)))
        };
        Ok(html! {
            nav.controls aria-label="Pages of the site" {
                @if let Some(address) = address(before) {
                    a rel="prev" href=(address) title="key k or ←" { "← Previous" }
                }
                span.small { (at + 1) " of " (pages.len()) }
                @if let Some(address) = address(after) {
                    a rel="next" href=(address) title="key j or →" { "Next →" }
                }
            }
        })
    }

    fn methods(&self, number: u32, method: Option<MethodName>, analysis: &Analysis) -> Markup {
        let own = self.analyse(number, None).ok();
        let method_of = |kind: &KindTemplate| kind.learned().method();
        let own = own.as_ref().and_then(|own| own.kind()).map(method_of);
        let current = analysis.kind().map(method_of);
        html! {
            nav aria-label="Methods" { ul.methods {
                @for &name in MethodName::ALL {
                    @let is_own = own == Some(name);
                    @let query = if is_own { String::new() } else { format!("?method={name}") };
                    @let is_current = method.or(current) == Some(name);
                    li {
                        a href=(format!("page-{number}{query}"))
                            aria-current=[is_current.then_some("true")] {
                            (name) @if is_own { " (in use)" }
                        }
                    }
                }
            } }
        }
    }

    fn correct_panel(
        &self,
        links: Links,
        method: Option<MethodName>,
        has_template: bool,
    ) -> Markup {
        html! {
            section.panel #correct aria-label="Correct" {
                h2 { "Correct" }
                @if links.exported {
                    p.small {
                        "This is a static report. Run " code { "unmold view" }
                        " to correct templates."
                    }
                }
                @else if method.is_some() {
                    p.small { "Only the templates in use can be corrected: select their method." }
                }
                @else if !has_template { p.small { "The page has no template." } }
                @else {
                    p.small {
                        "Click a region of the page, or select one in the list below. "
                        "The correction applies to all pages of this template."
                    }
                    p.path #picked aria-live="polite" { "nothing selected" }
                    p { button type="button" value="wider" disabled { "Select parent" } }
                    fieldset.controls { legend.small { "Apply to" }
                        label {
                            input type="radio" name="scope" value="place" checked; "this place"
                        }
                        label {
                            input type="radio" name="scope" value="text"; "this text, anywhere"
                        }
                    }
                    p {
                        button type="button" value="content" disabled { "Content" } " "
                        button type="button" value="template" disabled { "Template" } " "
                        button type="button" value="learned" disabled { "As learned" }
                    }
                    @if !self.has_file() {
                        p.small.soft {
                            "Without a template file (-t), corrections are lost when the viewer "
                            "stops."
                        }
                    }
                }
                p #status role="status" {}
            }
        }
    }

    /// Returns the data of all nodes for the script.
    pub fn nodes_json(&self, number: u32, method: Option<MethodName>) -> Result<String> {
        let analysis = self.analyse(number, method)?;
        let page = &analysis.page;
        let (reasons, of_nodes) = analysis.reasons();
        let mut names: Vec<&str> = page.nodes().map(|id| page.tag_name(id)).collect();
        names.sort_unstable();
        names.dedup();
        let nodes = Nodes {
            parents: page.nodes().map(|id| page.parent(id).unwrap_or(NodeId::ROOT)).collect(),
            name: page
                .nodes()
                .map(|id| names.binary_search(&page.tag_name(id)).unwrap_or(0))
                .collect(),
            value: page.nodes().map(|id| permille(analysis.explanation.marks.value(id))).collect(),
            why: of_nodes
                .into_iter()
                .map(|number| number.map_or(-1, |number| number as i64))
                .collect(),
            names,
            reasons,
        };
        serde_json::to_string(&nodes).context("cannot serialize the nodes of the page")
    }

    /// Returns the clean text of the page, optionally at another threshold.
    pub fn text(
        &self,
        number: u32,
        method: Option<MethodName>,
        markdown: bool,
        threshold: Option<u32>,
    ) -> Result<String> {
        let analysis = self.analyse(number, method)?;
        let marks = match threshold {
            Some(threshold) => {
                let threshold = (threshold as f32 / 1000.0).clamp(f32::MIN_POSITIVE, 1.0);
                analysis.explanation.marks.at_threshold(threshold)
            }
            None => analysis.explanation.marks.clone(),
        };
        let stripped = strip(&analysis.page, &marks);
        Ok(if markdown { stripped.markdown() } else { stripped.text() })
    }

    /// Returns the document for the frame.
    pub fn frame(
        &self,
        number: u32,
        method: Option<MethodName>,
        resources: &dyn frame::Resources,
        policy: Option<&str>,
    ) -> Result<String> {
        let analysis = self.analyse(number, method)?;
        Ok(frame::write(&Frame {
            page: &analysis.page,
            marks: &analysis.explanation.marks,
            styles: &analysis.styles,
            resources,
            policy,
        }))
    }

    /// Shows the sections of a page as boxes, coloured by importance.
    pub fn sections_page(&self, links: Links, number: u32) -> Result<String> {
        let analysis = self.analyse(number, None)?;
        let settings = Sectioning::default();
        let found = cut(&analysis, &settings);
        let mut shell = self.page_shell(links, number, &analysis)?;
        let shown = shell.title.clone();
        shell.breadcrumbs.push(("Page".to_owned(), links.to("page", number)));
        shell.title = format!("Sections · {shown}");
        shell
            .data
            .push(("threshold", permille(analysis.explanation.marks.threshold()).to_string()));
        let boxes: Vec<SectionBox> = found
            .iter()
            .map(|section| SectionBox { nodes: &section.nodes, importance: section.importance })
            .collect();
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|&a, &b| found[b].importance.total_cmp(&found[a].importance).then(a.cmp(&b)));
        let content = html! {
            h1 { "Sections of " (shown) }
            p.small.soft {
                "Boxes by importance: green is main content, red is noise (below "
                (settings.noisy_below) "). Areas are estimated from the markup."
            }
            div.split {
                iframe #frame title="Page with its sections" src=(links.to("frame", number))
                    sandbox="allow-scripts" referrerpolicy="no-referrer" {}
                ol.sections aria-label="Sections, most important first" {
                    @for at in order {
                        @let section = &found[at];
                        @let class = format!("i{:.0}", section.importance * 10.0);
                        li { button type="button" data-section-number=(at) class=(class) {
                            strong { (format!("{:.2}", section.importance)) }
                            " " (section.kind.name())
                            @if section.importance < settings.noisy_below { " · noise" }
                            " · area " (percent(section.area_share))
                            ", text " (percent(section.text_share))
                            ", links " (percent(section.link_share))
                            br; span.soft { (beginning(&analysis, section)) }
                        } }
                    }
                }
            }
            script #sections type="application/json" {
                (inline_json(&serde_json::to_string(&boxes)?))
            }
        };
        Ok(shell.page(&content))
    }
}

/// Escapes JSON for a `script` element.
pub(super) fn inline_json(json: &str) -> PreEscaped<String> {
    PreEscaped(json.replace('<', "\\u003c"))
}

fn why_panel() -> Markup {
    html! {
        section.panel #why aria-label="Why" {
            h2 { "Why" }
            p #why-verdict aria-live="polite" { "Point at a region of the page." }
            p.small #why-reason {}
            p.path #why-path {}
        }
    }
}

fn cut(analysis: &Analysis, settings: &Sectioning) -> Vec<Section> {
    let page = &analysis.page;
    let (marks, lists) = match analysis.kind() {
        Some(kind) => kind.mark_with_lists(page),
        None => (Marks::none(page), lists(page)),
    };
    if page.flags().contains(&Flag::Binary) {
        return Vec::new();
    }
    sections(page, &marks, &lists, &Areas::estimate(page), settings)
}

fn beginning(analysis: &Analysis, section: &Section) -> String {
    let mut text = String::new();
    for id in section.texts(&analysis.page) {
        text.push_str(analysis.page.text(id));
        text.push(' ');
        if text.len() > 400 {
            break;
        }
    }
    text.chars().take(90).collect()
}
