//! Small figures, drawn as SVG by hand.

use maud::{Markup, PreEscaped, html};
use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 160.0;
/// Points of a line: pages are many, pixels few.
const POINTS: usize = 200;

/// Values against their order, as a line; `top` is the value at the upper edge.
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
        svg.chart viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img" aria-label=(label) {
            line.axis x1="0" y1=(HEIGHT - 3.0) x2=(WIDTH) y2=(HEIGHT - 3.0) {}
            line.axis x1="0" y1="3" x2=(WIDTH) y2="3" stroke-dasharray="4 4" {}
            polyline.line points=(points.trim_end()) {}
        }
    }
}

/// Means of runs of neighbours, so that there are few points and none is lost.
fn thin(values: &[f64]) -> Vec<f64> {
    let size = values.len().div_ceil(POINTS).max(1);
    values.chunks(size).map(|run| run.iter().sum::<f64>() / run.len() as f64).collect()
}

/// A rectangle of the map.
pub struct Cell {
    pub size: f64,
    /// From 0 to 1, shown as colour.
    pub shade: f64,
    pub label: String,
    pub title: String,
    pub link: Option<String>,
}

/// Rectangles as large as what they stand for, the largest first: each takes its part of the longer
/// side.
pub fn map(cells: &[Cell]) -> Markup {
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
        svg.chart viewBox=(format!("0 0 {WIDTH} {MAP_HEIGHT}")) width=(WIDTH) height=(MAP_HEIGHT) role="group" aria-label="map of the templates: as large as they have pages, darker the more of them is template" {
            (PreEscaped(out))
        }
    }
}

fn rectangle(cell: &Cell, x: f64, y: f64, width: f64, height: f64) -> Markup {
    let fill =
        format!("hsl(205 {:.0}% {:.0}%)", 40.0 + 30.0 * cell.shade, 82.0 - 42.0 * cell.shade);
    let ink = if cell.shade > 0.55 { "on-dark" } else { "on-light" };
    let fits = width > 46.0 && height > 22.0;
    let letters = ((width - 12.0) / 7.2).max(0.0) as usize;
    // The number tells templates of one site apart.
    let short = cell.label.rfind('#').map_or("", |at| &cell.label[at..]);
    let label = if cell.label.chars().count() <= letters { &cell.label } else { short };
    let drawn = html! {
        rect.cell x=(format!("{x:.1}")) y=(format!("{y:.1}")) width=(format!("{width:.1}")) height=(format!("{height:.1}")) fill=(fill) { title { (cell.title) } }
        @if fits { text x=(format!("{:.1}", x + 6.0)) y=(format!("{:.1}", y + 17.0)) class=(ink) { (label) } }
    };
    html! {
        @match &cell.link {
            Some(link) => a href=(link) aria-label=(cell.title) { (drawn) },
            None => (drawn),
        }
    }
}
