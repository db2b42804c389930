//! Draws small charts as SVG.

use maud::{Markup, PreEscaped, html};
use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 160.0;
/// Maximum number of points of a line.
const MAX_POINTS: usize = 200;

/// Draws the values in order as a line; `top` is the value at the upper edge.
pub fn line(values: &[f64], top: f64, label: &str) -> Markup {
    let thinned = thin(values);
    let last = (thinned.len().max(2) - 1) as f64;
    let mut points = String::new();
    for (at, value) in thinned.iter().enumerate() {
        let x = 4.0 + at as f64 / last * (WIDTH - 8.0);
        let y = 4.0 + (1.0 - (value / top.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)) * (HEIGHT - 8.0);
        let _ = write!(points, "{x:.1},{y:.1} ");
    }
    html! {
        svg.chart viewBox=(format!("0 0 {WIDTH} {HEIGHT}"))
            width=(WIDTH) height=(HEIGHT) role="img" aria-label=(label) {
            line.axis x1="0" y1=(HEIGHT - 3.0) x2=(WIDTH) y2=(HEIGHT - 3.0) {}
            line.axis x1="0" y1="3" x2=(WIDTH) y2="3" stroke-dasharray="4 4" {}
            polyline.line points=(points.trim_end()) {}
        }
    }
}

/// Averages runs of neighbours to limit the number of points.
fn thin(values: &[f64]) -> Vec<f64> {
    let size = values.len().div_ceil(MAX_POINTS).max(1);
    values.chunks(size).map(|run| run.iter().sum::<f64>() / run.len() as f64).collect()
}

const MAP_LABEL: &str =
    "treemap of the templates: area is the number of pages, darker is a higher template share";

/// A rectangle of the treemap.
pub struct Cell {
    pub size: f64,
    /// From 0 to 1, shown as colour.
    pub shade: f64,
    pub label: String,
    pub title: String,
    pub link: Option<String>,
}

/// Draws a treemap: each rectangle in turn takes its share of the longer side of what is left. The
/// cells must be sorted by size, largest first.
pub fn treemap(cells: &[Cell]) -> Markup {
    const MAP_HEIGHT: f64 = 220.0;
    let (mut x, mut y, mut width, mut height) = (0.0, 0.0, WIDTH, MAP_HEIGHT);
    let mut left: f64 = cells.iter().map(|cell| cell.size).sum();
    let mut out = String::new();
    for cell in cells {
        let share = if left > 0.0 { cell.size / left } else { 0.0 };
        left -= cell.size;
        let (w, h) =
            if width >= height { (width * share, height) } else { (width, height * share) };
        out.push_str(&rectangle(cell, x, y, w, h).into_string());
        if width >= height {
            x += w;
            width -= w;
        } else {
            y += h;
            height -= h;
        }
    }
    html! {
        svg.chart viewBox=(format!("0 0 {WIDTH} {MAP_HEIGHT}"))
            width=(WIDTH) height=(MAP_HEIGHT) role="group" aria-label=(MAP_LABEL) {
            (PreEscaped(out))
        }
    }
}

fn tenths(length: f64) -> String {
    format!("{length:.1}")
}

fn rectangle(cell: &Cell, x: f64, y: f64, width: f64, height: f64) -> Markup {
    let fill =
        format!("hsl(205 {:.0}% {:.0}%)", 40.0 + 30.0 * cell.shade, 82.0 - 42.0 * cell.shade);
    let ink = if cell.shade > 0.55 { "on-dark" } else { "on-light" };
    let fits = width > 46.0 && height > 22.0;
    let letters = ((width - 12.0) / 7.2).max(0.0) as usize;
    // The number after `#` is enough to identify a template of a site.
    let short = cell.label.rfind('#').map_or("", |at| &cell.label[at..]);
    let label = if cell.label.chars().count() <= letters { &cell.label } else { short };
    let drawn = html! {
        rect.cell x=(tenths(x)) y=(tenths(y)) width=(tenths(width)) height=(tenths(height))
            fill=(fill) { title { (cell.title) } }
        @if fits { text x=(tenths(x + 6.0)) y=(tenths(y + 17.0)) class=(ink) { (label) } }
    };
    html! {
        @match &cell.link {
            Some(link) => a href=(link) aria-label=(cell.title) { (drawn) },
            None => (drawn),
        }
    }
}
