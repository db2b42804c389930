//! Line charts, histograms and bar charts. A plot becomes one list of shapes, which is written as
//! SVG or as PNG.

use std::fmt::Write;

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

/// A named series of points, from left to right.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// Type of a plot.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Lines over a logarithmic x axis.
    Curves,
    /// Bars side by side; all series have the same x values.
    Bars,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Name of its files, without extension.
    pub name: String,
    /// Title.
    pub title: String,
    /// Label of the x axis.
    pub x: String,
    /// Label of the y axis.
    pub y: String,
    /// The y axis goes up to at least this value.
    pub min_top: f64,
    /// Curves or bars.
    pub kind: Kind,
    /// The series.
    pub lines: Vec<Line>,
    /// Names of the bars, which are then at x = 0, 1, 2 and so on.
    pub names: Vec<String>,
    /// Whether the plot shows times, which differ from run to run.
    pub timed: bool,
}

/// Margins: values of the y axis on the left, the legend on the right.
const MARGINS: f64 = 400.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 60.0;
const MIN_PLOT_WIDTH: f64 = 460.0;
const PLOT_HEIGHT: f64 = 300.0;
const STEPS: usize = 5;
/// Colours that people with most kinds of colour vision can tell apart (Okabe and Ito).
const COLOURS: [[u8; 3]; 8] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x00, 0x00, 0x00],
    [0x99, 0x99, 0x99],
];
const BLACK: [u8; 3] = [0, 0, 0];
const GREY: [u8; 3] = [0xdd, 0xdd, 0xdd];

enum Shape {
    /// A straight line of the frame or the legend.
    Rule {
        from: (f64, f64),
        to: (f64, f64),
        colour: [u8; 3],
        width: f64,
        dashed: bool,
    },
    Line {
        points: Vec<(f64, f64)>,
        colour: [u8; 3],
        width: f64,
        dashed: bool,
    },
    Bar {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        colour: [u8; 3],
    },
    Text {
        x: f64,
        y: f64,
        anchor: Anchor,
        text: String,
    },
    /// A name under a bar, rotated to read upwards; it ends at the point.
    Name {
        x: f64,
        y: f64,
        text: String,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// Width of a five-digit number under the x axis.
const TICK_WIDTH: f64 = 38.0;
/// Height of a line of text, and width of a character.
const LINE_HEIGHT: f64 = 18.0;
const LETTER_WIDTH: f64 = 9.0;

impl Plot {
    /// An empty line chart.
    pub fn curves(name: &str, title: &str, x: &str, y: &str) -> Plot {
        Plot {
            name: name.to_owned(),
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            min_top: 1.0,
            kind: Kind::Curves,
            lines: Vec::new(),
            names: Vec::new(),
            timed: false,
        }
    }

    /// An empty bar chart.
    pub fn bars(name: &str, title: &str, x: &str, y: &str) -> Plot {
        Plot { kind: Kind::Bars, min_top: 0.0, ..Plot::curves(name, title, x, y) }
    }

    /// Marks the plot as showing times.
    pub fn timed(self) -> Plot {
        Plot { timed: true, min_top: 0.0, ..self }
    }

    /// Adds a point to the line of this name.
    pub fn point(&mut self, line: &str, x: f64, y: f64) {
        match self.lines.iter_mut().find(|other| other.name == line) {
            Some(line) => line.points.push((x, y)),
            None => self.lines.push(Line { name: line.to_owned(), points: vec![(x, y)] }),
        }
    }

    /// Adds a bar to the series of this name.
    pub fn named_bar(&mut self, line: &str, name: &str, y: f64) {
        let known = self.names.iter().position(|other| other == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.point(line, place as f64, y);
    }

    /// Width that leaves room for a name under each bar.
    fn plot_width(&self) -> f64 {
        (LINE_HEIGHT * self.names.len() as f64).max(MIN_PLOT_WIDTH)
    }

    fn width(&self) -> f64 {
        self.plot_width() + MARGINS
    }

    fn height(&self) -> f64 {
        let longest = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let legend = TOP + LINE_HEIGHT * (self.lines.len() + 1) as f64;
        (HEIGHT + LETTER_WIDTH * longest as f64).max(legend)
    }

    fn shapes(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        self.push_frame(&mut shapes);
        for (index, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            // Colours repeat after eight series: dashes tell the repeats apart.
            let dashed = index >= COLOURS.len();
            match self.kind {
                Kind::Curves => {
                    let points =
                        line.points.iter().map(|&(x, y)| (self.x_at(x), self.y_at(y))).collect();
                    shapes.push(Shape::Line { points, colour, width: 2.0, dashed });
                }
                Kind::Bars => self.push_bars(index, line, colour, &mut shapes),
            }
            let y = TOP + LINE_HEIGHT * index as f64 + 8.0;
            let x = LEFT + self.plot_width() + 16.0;
            shapes.push(Shape::Rule {
                from: (x, y),
                to: (x + 20.0, y),
                colour,
                width: 3.0,
                dashed,
            });
            shapes.push(text(x + 26.0, y + 4.0, Anchor::Start, &line.name));
        }
        shapes
    }

    fn push_frame(&self, shapes: &mut Vec<Shape>) {
        shapes.push(text(LEFT, 22.0, Anchor::Start, &self.title));
        shapes.push(text(LEFT, TOP - 16.0, Anchor::Start, &self.y));
        shapes.push(text(
            LEFT + self.plot_width() / 2.0,
            self.height() - 26.0,
            Anchor::Middle,
            &self.x,
        ));
        for step in 0..=STEPS {
            let value = self.top() * step as f64 / STEPS as f64;
            let y = self.y_at(value);
            let colour = if step == 0 { BLACK } else { GREY };
            shapes.push(Shape::Rule {
                from: (LEFT, y),
                to: (LEFT + self.plot_width(), y),
                colour,
                width: 1.0,
                dashed: false,
            });
            shapes.push(text(LEFT - 8.0, y + 4.0, Anchor::End, &short(value)));
        }
        if self.names.is_empty() {
            for x in self.ticks() {
                shapes.push(text(
                    self.x_at(x),
                    TOP + PLOT_HEIGHT + 20.0,
                    Anchor::Middle,
                    &short(x),
                ));
            }
        }
        for (place, name) in self.names.iter().enumerate() {
            let (x, y) = (self.x_at(place as f64), TOP + PLOT_HEIGHT + 8.0);
            shapes.push(Shape::Name { x, y, text: name.clone() });
        }
    }

    fn push_bars(&self, index: usize, line: &Line, colour: [u8; 3], shapes: &mut Vec<Shape>) {
        let places = self.all_x().len().max(1) as f64;
        let width = self.plot_width() / places * 0.84 / self.lines.len() as f64;
        for &(x, y) in &line.points {
            let left = self.x_at(x) - width * self.lines.len() as f64 / 2.0 + width * index as f64;
            let top = self.y_at(y);
            shapes.push(Shape::Bar {
                x: left,
                y: top,
                width,
                height: TOP + PLOT_HEIGHT - top,
                colour,
            });
        }
    }

    fn all_x(&self) -> Vec<f64> {
        let mut all: Vec<f64> =
            self.lines.iter().flat_map(|line| &line.points).map(|point| point.0).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// The x values whose labels do not overlap the previous one.
    fn ticks(&self) -> Vec<f64> {
        let mut ticks = self.all_x();
        let mut free = f64::NEG_INFINITY;
        ticks.retain(|&x| {
            let fits = self.x_at(x) >= free;
            if fits {
                free = self.x_at(x) + TICK_WIDTH;
            }
            fits
        });
        ticks
    }

    fn top(&self) -> f64 {
        let values = self.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let top = values.fold(self.min_top, f64::max);
        if top > 0.0 { top } else { 1.0 }
    }

    fn x_at(&self, x: f64) -> f64 {
        let all = self.all_x();
        if self.kind == Kind::Bars {
            let place = all.iter().position(|&other| other == x).unwrap_or(0) as f64;
            return LEFT + self.plot_width() * (place + 0.5) / all.len().max(1) as f64;
        }
        let (Some(&first), Some(&last)) = (all.first(), all.last()) else { return LEFT };
        let scale = |x: f64| x.max(f64::MIN_POSITIVE).ln();
        let range = scale(last) - scale(first);
        if range == 0.0 {
            LEFT + self.plot_width() / 2.0
        } else {
            LEFT + self.plot_width() * (scale(x) - scale(first)) / range
        }
    }

    fn y_at(&self, y: f64) -> f64 {
        TOP + PLOT_HEIGHT * (1.0 - y / self.top())
    }

    /// Renders the plot as SVG.
    pub fn svg(&self) -> String {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            self.width(),
            self.height()
        );
        for shape in self.shapes() {
            push_svg(&mut out, &shape);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Renders the plot as PNG.
    pub fn png(&self) -> Vec<u8> {
        let Some(mut pixels) = Pixmap::new(self.width() as u32, self.height() as u32) else {
            return Vec::new();
        };
        pixels.fill(Color::WHITE);
        for shape in self.shapes() {
            paint(&mut pixels, &shape);
        }
        pixels.encode_png().unwrap_or_default()
    }
}

fn text(x: f64, y: f64, anchor: Anchor, text: &str) -> Shape {
    Shape::Text { x, y, anchor, text: text.to_owned() }
}

fn short(value: f64) -> String {
    if value == value.round() || value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

fn push_svg(out: &mut String, shape: &Shape) {
    let hex = |[r, g, b]: [u8; 3]| format!("#{r:02x}{g:02x}{b:02x}");
    let _ = match shape {
        Shape::Rule { from, to, colour, width, dashed } => {
            let dash = if *dashed { " stroke-dasharray=\"5 3\"" } else { "" };
            let ((x, y), (to_x, to_y)) = (from, to);
            writeln!(
                out,
                "<path d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\" \
                 stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
                hex(*colour)
            )
        }
        Shape::Line { points, colour, width, dashed } => {
            let points: Vec<String> =
                points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let dash = if *dashed { " stroke-dasharray=\"5 3\"" } else { "" };
            writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" \
                 stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
                points.join(" "),
                hex(*colour)
            )
        }
        Shape::Bar { x, y, width, height, colour } => writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" \
             width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            hex(*colour)
        ),
        Shape::Text { x, y, anchor, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
                escape(text)
            )
        }
        Shape::Name { x, y, text } => writeln!(
            out,
            "<text transform=\"translate({:.1} {y:.1}) rotate(-90)\" text-anchor=\"end\">{}</text>",
            x + 4.0,
            escape(text)
        ),
    };
}

fn paint(pixels: &mut Pixmap, shape: &Shape) {
    match shape {
        Shape::Rule { from, to, colour, width, dashed } => {
            paint_line(pixels, &[*from, *to], *colour, *width, *dashed);
        }
        Shape::Line { points, colour, width, dashed } => {
            paint_line(pixels, points, *colour, *width, *dashed)
        }
        Shape::Bar { x, y, width, height, colour } => {
            let rect = tiny_skia::Rect::from_xywh(
                *x as f32,
                *y as f32,
                *width as f32,
                height.max(0.0) as f32,
            );
            if let Some(rect) = rect {
                let path = PathBuilder::from_rect(rect);
                pixels.fill_path(
                    &path,
                    &solid(*colour),
                    FillRule::Winding,
                    Transform::identity(),
                    None,
                );
            }
        }
        Shape::Text { x, y, anchor, text } => paint_text(pixels, *x, *y, *anchor, text),
        Shape::Name { x, y, text } => paint_name(pixels, *x, *y, text),
    }
}

fn paint_line(
    pixels: &mut Pixmap,
    points: &[(f64, f64)],
    colour: [u8; 3],
    width: f64,
    dashed: bool,
) {
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        if index == 0 { path.move_to(x as f32, y as f32) } else { path.line_to(x as f32, y as f32) }
    }
    // tiny-skia does not draw a path of a single point, which has no bounds.
    let Some(path) = path.finish() else { return };
    let dash = if dashed { StrokeDash::new(vec![5.0, 3.0], 0.0) } else { None };
    let stroke = Stroke { width: width as f32, dash, ..Stroke::default() };
    pixels.stroke_path(&path, &solid(colour), &stroke, Transform::identity(), None);
}

fn solid(colour: [u8; 3]) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour[0], colour[1], colour[2], 255);
    paint
}

fn paint_text(pixels: &mut Pixmap, x: f64, y: f64, anchor: Anchor, text: &str) {
    let length = inked_width(text) as f64;
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - length / 2.0,
        Anchor::End => x - length,
    };
    let (left, top) = (left.round() as i64, (y - 12.0).round() as i64);
    for_each_inked(text, |column, row, ink| darken(pixels, left + column, top + row, ink));
}

/// Text rotated by a quarter turn to the left, ending at the point.
fn paint_name(pixels: &mut Pixmap, x: f64, y: f64, text: &str) {
    let (left, bottom) = ((x - 8.0).round() as i64, y.round() as i64 + inked_width(text));
    for_each_inked(text, |column, row, ink| darken(pixels, left + row, bottom - column, ink));
}

const LETTERS: RasterHeight = RasterHeight::Size16;

fn inked_width(text: &str) -> i64 {
    (text.chars().count() * get_raster_width(FontWeight::Regular, LETTERS)) as i64
}

/// Calls `paint` with the column, row and grey value of each pixel of the text. Glyphs come as
/// bitmaps, so no font file is needed.
fn for_each_inked(text: &str, mut paint: impl FnMut(i64, i64, u8)) {
    let advance = get_raster_width(FontWeight::Regular, LETTERS);
    for (index, letter) in text.chars().enumerate() {
        let Some(glyph) = get_raster(letter, FontWeight::Regular, LETTERS)
            .or_else(|| get_raster('?', FontWeight::Regular, LETTERS))
        else {
            continue;
        };
        for (row, line) in glyph.raster().iter().enumerate() {
            for (column, &ink) in line.iter().enumerate().filter(|&(_, &ink)| ink > 0) {
                paint((index * advance + column) as i64, row as i64, ink);
            }
        }
    }
}

fn darken(pixels: &mut Pixmap, x: i64, y: i64, ink: u8) {
    let (width, height) = (i64::from(pixels.width()), i64::from(pixels.height()));
    if (0..width).contains(&x) && (0..height).contains(&y) {
        let at = ((y * width + x) * 4) as usize;
        for value in &mut pixels.data_mut()[at..at + 3] {
            *value = (u32::from(*value) * u32::from(255 - ink) / 255) as u8;
        }
    }
}

/// Escapes text for HTML and SVG.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(kind: Kind, points: Vec<(f64, f64)>) -> Plot {
        Plot {
            name: "p".to_owned(),
            title: "Téa".to_owned(),
            x: "pages".to_owned(),
            y: "F".to_owned(),
            min_top: 1.0,
            kind,
            lines: vec![Line { name: "a<b".to_owned(), points }],
            names: Vec::new(),
            timed: false,
        }
    }

    #[test]
    fn better_is_higher_and_more_is_further_right() {
        let svg = plot(Kind::Curves, vec![(2.0, 0.5), (8.0, 1.0)]).svg();
        assert!(svg.contains("points=\"70.0,210.0 530.0,60.0\""), "{svg}");
        assert!(svg.contains("a&lt;b"));
    }

    #[test]
    fn png_shows_what_svg_says() {
        let bytes = plot(Kind::Bars, vec![(0.5, 0.5), (0.6, 1.0)]).png();
        let image = Pixmap::decode_png(&bytes).expect("a PNG");
        let colour =
            |x, y| image.pixel(x, y).map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
        // The second bar fills the right half to the top, the first the left half to the middle.
        assert_eq!(colour(415, 70), Some(COLOURS[0]));
        assert_eq!(colour(185, 350), Some(COLOURS[0]));
        assert_eq!(colour(185, 75), Some([255; 3]));
        assert!(
            image.pixels().iter().any(|pixel| pixel.red() < 100 && pixel.red() == pixel.green()),
            "text is black"
        );
    }

    #[test]
    fn bars_have_names_and_room_for_them() {
        let mut plot = Plot::bars("p", "Noise", "site", "share");
        for site in 0..40 {
            plot.named_bar("found", &format!("site number {site}"), 0.5);
        }
        plot.named_bar("true", "site number 7", 1.0);
        let (svg, image) = (plot.svg(), Pixmap::decode_png(&plot.png()).expect("a PNG"));
        assert_eq!(svg.matches("rotate(-90)").count(), 40);
        assert_eq!(svg.matches("fill=\"#0072b2\"").count(), 40);
        assert!(svg.contains(">site number 39</text>") && !svg.contains(">39</text>"));
        assert_eq!(
            (f64::from(image.width()), f64::from(image.height())),
            (plot.width(), plot.height())
        );
        // The names are below the frame, and nothing is cut off at the lower edge.
        let is_blank = |rows: std::ops::Range<u32>| {
            rows.flat_map(|y| (0..image.width()).map(move |x| (x, y)))
                .all(|(x, y)| image.pixel(x, y).is_some_and(|pixel| pixel.red() == 255))
        };
        assert!(!is_blank(380..400) && is_blank(image.height() - 8..image.height()));
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        for kind in [Kind::Curves, Kind::Bars] {
            for points in [vec![], vec![(1.0, 0.0)], vec![(0.0, 0.0), (0.0, f64::NAN)]] {
                let plot = plot(kind.clone(), points);
                assert!(plot.svg().ends_with("</svg>\n") && !plot.png().is_empty());
            }
        }
    }
}
