//! Cuts a page into sections, from the body down.

use super::area::Areas;
use super::section::SectionKind;
use super::settings::{Layout, Sectioning};
use crate::methods::ListPlace;
use crate::page::{Flow, NodeId, Page, Tag};

/// The kind of a section and its top nodes.
pub(super) type Segment = (SectionKind, Vec<NodeId>);

/// The sections in document order.
pub(super) fn segment(
    page: &Page,
    lists: &[Option<ListPlace>],
    areas: &Areas,
    settings: &Sectioning,
) -> Vec<Segment> {
    let Some(body) = page.body().next() else { return Vec::new() };
    let lists = real_lists(page, lists, settings);
    // Number of list entries before each node, to test quickly whether a subtree holds one.
    let mut entries_before = vec![0u32];
    for list in &lists {
        entries_before.push(entries_before[entries_before.len() - 1] + u32::from(list.is_some()));
    }
    let mut cutter =
        Cutter { page, lists, entries_before, areas, settings, found: Vec::new(), run: Vec::new() };
    cutter.cut(body);
    cutter.found
}

/// The list of each node, ignoring lists with too few entries on this page.
fn real_lists(page: &Page, lists: &[Option<ListPlace>], settings: &Sectioning) -> Vec<Option<u32>> {
    let mut real = vec![None; page.len() as usize];
    for parent in page.nodes() {
        let children: Vec<NodeId> = page.children(parent).collect();
        for run in children.chunk_by(|&a, &b| same_list(lists, a, b)) {
            let Some(place) = lists[run[0].index()] else { continue };
            let entries = run.iter().filter(|&&id| lists[id.index()] == Some(place)).count();
            let is_inline_run =
                run.iter().all(|&id| page.tag(id).flow() != Flow::Block || page.tag(id) == Tag::BR);
            if entries >= settings.min_entries && (settings.inline_lists || !is_inline_run) {
                run.iter().for_each(|&id| real[id.index()] = Some(place.list));
            }
        }
    }
    real
}

fn same_list(lists: &[Option<ListPlace>], a: NodeId, b: NodeId) -> bool {
    lists[a.index()].is_some_and(|a| lists[b.index()].is_some_and(|b| a.list == b.list))
}

struct Cutter<'a> {
    page: &'a Page,
    lists: Vec<Option<u32>>,
    entries_before: Vec<u32>,
    areas: &'a Areas,
    settings: &'a Sectioning,
    found: Vec<Segment>,
    /// Siblings collected for the next section.
    run: Vec<NodeId>,
}

/// A pending step; the next one is at the end of the stack.
enum Task {
    Cut(NodeId),
    /// Adds the node to the run.
    Run(NodeId),
    End(SectionKind),
}

impl Cutter<'_> {
    fn cut(&mut self, body: NodeId) {
        let mut tasks = vec![Task::Cut(body)];
        while let Some(next) = tasks.pop() {
            match next {
                Task::Run(id) => self.run.push(id),
                Task::End(kind) => {
                    let run = std::mem::take(&mut self.run);
                    if !run.is_empty() {
                        self.found.push((kind, run));
                    }
                }
                Task::Cut(id) => {
                    let mut parts = self.parts(id, id == body);
                    parts.reverse();
                    tasks.append(&mut parts);
                }
            }
        }
    }

    /// The steps that cut a node into sections.
    fn parts(&self, id: NodeId, is_body: bool) -> Vec<Task> {
        let is_large = self.is_large(id);
        let layout =
            self.page.children(id).any(|child| self.is_layout(child) && self.is_large(child));
        let separated = self.page.children(id).any(|child| is_separator(self.page.tag(child)));
        if is_body || is_large && layout || self.holds_list(id) {
            self.children(id)
        } else if is_large && separated {
            self.between_separators(id)
        } else {
            vec![Task::Run(id), Task::End(SectionKind::Block)]
        }
    }

    /// Makes lists and inline runs sections and cuts the other children further.
    fn children(&self, id: NodeId) -> Vec<Task> {
        let inline_ends = || Task::End(SectionKind::InlineRun);
        let mut parts = Vec::new();
        let mut current: Option<u32> = None;
        for child in self.page.children(id) {
            let list = self.lists[child.index()];
            if list != current {
                parts.push(match current {
                    Some(_) => Task::End(SectionKind::RepeatedList),
                    None => inline_ends(),
                });
                current = list;
            }
            let tag = self.page.tag(child);
            if list.is_some() || is_inline(tag) && !self.holds_list(child) {
                parts.push(Task::Run(child));
            } else {
                parts.push(inline_ends());
                if !is_separator(tag) {
                    parts.push(Task::Cut(child));
                }
            }
        }
        parts.push(match current {
            Some(_) => Task::End(SectionKind::RepeatedList),
            None => inline_ends(),
        });
        parts
    }

    fn between_separators(&self, id: NodeId) -> Vec<Task> {
        let mut parts = Vec::new();
        for child in self.page.children(id) {
            parts.push(if is_separator(self.page.tag(child)) {
                Task::End(SectionKind::BetweenSeparators)
            } else {
                Task::Run(child)
            });
        }
        parts.push(Task::End(SectionKind::BetweenSeparators));
        parts
    }

    fn is_large(&self, id: NodeId) -> bool {
        let page = self.areas.page();
        page > 0.0 && self.areas.area(id) / page > self.settings.large_area
    }

    fn is_layout(&self, id: NodeId) -> bool {
        match self.page.tag(id) {
            Tag::TABLE | Tag::DIV => true,
            Tag::SECTION
            | Tag::MAIN
            | Tag::ARTICLE
            | Tag::ASIDE
            | Tag::NAV
            | Tag::HEADER
            | Tag::FOOTER
            | Tag::FORM => self.settings.layout == Layout::Modern,
            _ => false,
        }
    }

    /// Whether the subtree of the node contains an entry of a list.
    fn holds_list(&self, id: NodeId) -> bool {
        let nodes = self.page.subtree(id);
        self.entries_before[nodes.end.index()] > self.entries_before[nodes.start.index()]
    }
}

fn is_separator(tag: Tag) -> bool {
    matches!(tag, Tag::HR | Tag::FRAMESET)
}

/// Text, and elements that only change its appearance.
fn is_inline(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::TEXT
            | Tag::B
            | Tag::EM
            | Tag::I
            | Tag::STRONG
            | Tag::FONT
            | Tag::SPAN
            | Tag::A
            | Tag::BR
            | Tag::U
            | Tag::SMALL
    )
}
