//! Computes the area of each node, as laid out by a browser or estimated from the markup alone.
//!
//! The estimate takes into account tables, widths in pixels, the sizes of headings and pictures,
//! and the lengths of texts. It ignores style sheets, so columns made by them are stacked. The
//! order of sizes survives, which is all that sections need (`docs/sections.md` compares it with a
//! browser).

use crate::page::{Flow, NodeId, Page, Tag};

/// Width of the window in pixels.
const WINDOW: f64 = 1024.0;
/// Width of a character.
const CHARACTER: f64 = 8.0;
/// Height of a line.
const LINE: f64 = 18.0;
const PICTURE: (f64, f64) = (120.0, 90.0);
const CONTROL: (f64, f64) = (150.0, 24.0);
/// Default size of a frame or video in browsers.
const FRAME: (f64, f64) = (300.0, 150.0);
/// Upper limit for sizes given by attributes.
const MAX_SIZE: f64 = 10_000.0;

/// The area of each node, in square pixels.
#[derive(Clone, PartialEq, Debug)]
pub struct Areas {
    areas: Vec<f64>,
    /// Area of what a leaf shows: its text or picture, not the box around it.
    leaves: Vec<f64>,
    page: f64,
}

impl Areas {
    /// The area of a node's box.
    pub fn area(&self, id: NodeId) -> f64 {
        self.areas[id.index()]
    }

    /// The area of what a leaf shows.
    pub fn leaf(&self, id: NodeId) -> f64 {
        self.leaves[id.index()]
    }

    /// The area of the page.
    pub fn page(&self) -> f64 {
        self.page
    }

    /// Estimates the areas from the markup alone.
    #[must_use]
    pub fn estimate(page: &Page) -> Areas {
        let mut estimate = Estimate::new(page);
        estimate.lay_out();
        estimate.measure();
        let areas = estimate.areas;
        let body = page.body().next().map_or(0.0, |body| areas[body.index()]);
        Areas { leaves: areas.clone(), areas, page: body }
    }

    /// Uses a browser's boxes: width and height of each node, or `None` for nodes that are hidden
    /// or missing from the browser's tree. The page is as large as its body or `size`, whichever is
    /// larger. A leaf with a missing or empty box gets its estimated area.
    #[must_use]
    pub fn of_boxes(page: &Page, boxes: &[Option<(f64, f64)>], size: (f64, f64)) -> Areas {
        let estimate = Areas::estimate(page);
        let area =
            |id: NodeId| boxes[id.index()].map(|(width, height)| width.max(0.0) * height.max(0.0));
        let leaves = page
            .nodes()
            .map(|id| area(id).filter(|&area| area > 0.0).unwrap_or_else(|| estimate.leaf(id)))
            .collect();
        let areas: Vec<f64> = page.nodes().map(|id| area(id).unwrap_or(0.0)).collect();
        let body = page.body().next().map_or(0.0, |body| areas[body.index()]);
        Areas { areas, leaves, page: body.max(size.0 * size.1) }
    }
}

/// How a node is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Takes up no space.
    None,
    /// Part of a line.
    Inline,
    /// Contains lines and blocks.
    Block,
    /// Stacks its rows vertically.
    Rows,
    /// Puts its cells side by side.
    Row,
}

struct Estimate<'a> {
    page: &'a Page,
    modes: Vec<Mode>,
    widths: Vec<f64>,
    /// Scale of the font.
    scales: Vec<f64>,
    areas: Vec<f64>,
    heights: Vec<f64>,
}

impl<'a> Estimate<'a> {
    fn new(page: &'a Page) -> Estimate<'a> {
        let zeros = || vec![0.0; page.len() as usize];
        Estimate {
            page,
            modes: vec![Mode::None; page.len() as usize],
            widths: zeros(),
            scales: zeros(),
            areas: zeros(),
            heights: zeros(),
        }
    }

    /// Sets modes and widths, from the root down.
    fn lay_out(&mut self) {
        self.open_block(NodeId::ROOT, WINDOW, 1.0);
        for parent in self.page.nodes() {
            let at = parent.index();
            let (width, scale) = (self.widths[at], self.scales[at]);
            match self.modes[at] {
                Mode::None => {}
                Mode::Inline => {
                    for child in self.page.children(parent) {
                        self.open_inline(child, scale);
                    }
                }
                Mode::Row => self.open_cells(parent, width, scale),
                Mode::Rows => {
                    for child in
                        self.page.children(parent).filter(|&child| !self.page.is_text(child))
                    {
                        self.open_block(child, width, scale);
                    }
                }
                Mode::Block => {
                    for child in self.page.children(parent) {
                        if is_inline(self.page.tag(child)) {
                            self.open_inline(child, scale);
                        } else {
                            self.open_block(child, width, scale);
                        }
                    }
                }
            }
        }
    }

    fn open_inline(&mut self, id: NodeId, scale: f64) {
        if !is_hidden(self.page.tag(id)) {
            self.modes[id.index()] = Mode::Inline;
            self.scales[id.index()] = scale;
        }
    }

    fn open_block(&mut self, id: NodeId, width: f64, scale: f64) {
        let tag = self.page.tag(id);
        self.modes[id.index()] = match tag {
            Tag::HEAD => Mode::None,
            _ if is_hidden(tag) => Mode::None,
            Tag::TABLE | Tag::TBODY | Tag::THEAD | Tag::TFOOT => Mode::Rows,
            Tag::TR => Mode::Row,
            _ => Mode::Block,
        };
        self.widths[id.index()] =
            self.pixels(id, "width").map_or(width, |own| own.min(width)).max(1.0);
        self.scales[id.index()] = scale
            * match tag {
                Tag::H1 => 2.0,
                Tag::H2 => 1.5,
                Tag::H3 => 1.17,
                _ => 1.0,
            };
    }

    /// Cells without a width share what is left.
    fn open_cells(&mut self, row: NodeId, width: f64, scale: f64) {
        let cells: Vec<NodeId> = self.cells(row).collect();
        let fixed: Vec<Option<f64>> =
            cells.iter().map(|&cell| self.pixels(cell, "width")).collect();
        let free = fixed.iter().filter(|width| width.is_none()).count();
        let left = (width - fixed.iter().flatten().sum::<f64>()).max(0.0);
        let share = if free == 0 { 0.0 } else { (left / free as f64).floor() };
        for (&cell, fixed) in cells.iter().zip(fixed) {
            self.open_block(cell, fixed.unwrap_or(share).max(1.0), scale);
            self.widths[cell.index()] = fixed.unwrap_or(share);
        }
    }

    fn cells(&self, row: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let page = self.page;
        page.children(row).filter(move |&child| matches!(page.tag(child), Tag::TD | Tag::TH))
    }

    /// Computes areas and heights, from the leaves up.
    fn measure(&mut self) {
        for id in self.page.nodes().rev() {
            let at = id.index();
            match self.modes[at] {
                Mode::None => {}
                Mode::Inline => (self.areas[at], self.heights[at]) = self.inline(id),
                Mode::Block | Mode::Rows | Mode::Row => {
                    let height = match self.modes[at] {
                        Mode::Rows => {
                            self.page.children(id).map(|child| self.heights[child.index()]).sum()
                        }
                        Mode::Row => self
                            .cells(id)
                            .map(|cell| self.heights[cell.index()])
                            .fold(0.0, f64::max),
                        _ if self.page.tag(id) == Tag::HR => LINE,
                        _ => self.stacked(id),
                    };
                    self.heights[at] = height.max(self.pixels(id, "height").unwrap_or(0.0));
                    self.areas[at] = self.widths[at] * self.heights[at];
                    if self.modes[at] == Mode::Row {
                        for cell in self.cells(id).collect::<Vec<_>>() {
                            self.areas[cell.index()] = self.widths[cell.index()] * height;
                        }
                    }
                }
            }
        }
    }

    /// Area of an inline node, and the height of the tallest picture in it.
    fn inline(&self, id: NodeId) -> (f64, f64) {
        let scale = self.scales[id.index()];
        let sized = |(width, height): (f64, f64)| {
            let width = self.pixels(id, "width").unwrap_or(width);
            let height = self.pixels(id, "height").unwrap_or(height);
            (width * height, height)
        };
        match self.page.tag(id) {
            Tag::TEXT => {
                let characters = self.page.text(id).chars().count() as f64;
                ((characters * CHARACTER * LINE * scale * scale).floor(), 0.0)
            }
            Tag::IMG => sized(PICTURE),
            Tag::IFRAME | Tag::VIDEO | Tag::OBJECT | Tag::EMBED | Tag::CANVAS => sized(FRAME),
            Tag::INPUT | Tag::SELECT | Tag::BUTTON | Tag::TEXTAREA => (CONTROL.0 * CONTROL.1, 0.0),
            _ => self.page.children(id).fold((0.0, 0.0), |(area, height), child| {
                (area + self.areas[child.index()], height.max(self.heights[child.index()]))
            }),
        }
    }

    /// Height of a node's lines and blocks.
    fn stacked(&self, id: NodeId) -> f64 {
        let (width, scale) = (self.widths[id.index()].max(1.0), self.scales[id.index()]);
        let lines = |area: f64, breaks: f64, tallest: f64| {
            let lines = (area / (width * LINE * scale)).ceil().max(breaks);
            (lines * (LINE * scale).floor()).max(tallest)
        };
        let (mut height, mut area, mut breaks, mut tallest) = (0.0, 0.0, 0.0, 0.0f64);
        for child in self.page.children(id) {
            if self.modes[child.index()] == Mode::Inline {
                area += self.areas[child.index()];
                tallest = tallest.max(self.heights[child.index()]);
                breaks += f64::from(u8::from(self.page.tag(child) == Tag::BR));
                continue;
            }
            height += lines(area, breaks, tallest) + self.heights[child.index()];
            (area, breaks, tallest) = (0.0, 0.0, 0.0);
        }
        height + lines(area, breaks, tallest)
    }

    /// Value of an attribute in pixels.
    fn pixels(&self, id: NodeId, name: &str) -> Option<f64> {
        let value = self.page.attribute(id, name)?.trim();
        let value = value.strip_suffix("px").unwrap_or(value).trim_end();
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| value.parse().unwrap_or(MAX_SIZE).min(MAX_SIZE))
    }
}

fn is_inline(tag: Tag) -> bool {
    tag == Tag::BR || tag.flow() != Flow::Block
}

/// Elements that are never shown.
fn is_hidden(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::TITLE | Tag::META | Tag::LINK | Tag::BASE | Tag::DATALIST | Tag::AREA | Tag::PARAM
    ) || tag.is_never_shown()
}
