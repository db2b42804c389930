//! Line charts as SVG, for figures like those of the papers.

use std::fmt::Write;

/// One line of a chart.
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const PLOT_WIDTH: f64 = 420.0;
const PLOT_HEIGHT: f64 = 300.0;
/// Colours that differ for most kinds of colour vision (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// A chart with a logarithmic x axis (base 2) and a y axis from 0 to the largest value, at least `least_top`.
pub fn line_chart(title: &str, x_label: &str, y_label: &str, least_top: f64, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let left = points().map(|(x, _)| x.log2()).fold(f64::INFINITY, f64::min);
    let right = points().map(|(x, _)| x.log2()).fold(left + 1e-9, f64::max);
    let top = points().map(|(_, y)| y).fold(least_top, f64::max);
    let x_at = |x: f64| LEFT + PLOT_WIDTH * (x.log2() - left) / (right - left);
    let y_at = |y: f64| TOP + PLOT_HEIGHT * (1.0 - y / top);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n",
        escape(title)
    );
    for step in 0..=5 {
        let y = top * f64::from(step) / 5.0;
        let at = y_at(y);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}h{PLOT_WIDTH}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{y:.2}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    let mut ticks: Vec<f64> = points().map(|(x, _)| x).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    for x in ticks {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text>",
            x_at(x),
            TOP + PLOT_HEIGHT + 18.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        LEFT + PLOT_WIDTH / 2.0,
        TOP + PLOT_HEIGHT + 40.0,
        escape(x_label),
        TOP + PLOT_HEIGHT / 2.0,
        escape(y_label)
    );
    for (index, line) in lines.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let path: Vec<String> =
            line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", x_at(x), y_at(y))).collect();
        // Colours come round after eight lines: dashes tell the rounds apart.
        let dash = if index < COLOURS.len() { "" } else { " stroke-dasharray=\"5 3\"" };
        let at = TOP + 16.0 * index as f64 + 8.0;
        let legend = LEFT + PLOT_WIDTH + 16.0;
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n\
             <path d=\"M{legend} {at}h20\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/><text x=\"{}\" y=\"{}\">{}</text>",
            path.join(" "),
            legend + 26.0,
            at + 4.0,
            escape(&line.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A chart of one bar for each name, from 0 to 1.
pub fn bar_chart(title: &str, y_label: &str, bars: &[(String, f64)]) -> String {
    const BAR: f64 = 22.0;
    const NAMES: f64 = 130.0;
    let (width, height) = (LEFT + BAR * bars.len() as f64 + 20.0, TOP + PLOT_HEIGHT + NAMES);
    let y_at = |y: f64| TOP + PLOT_HEIGHT * (1.0 - y.clamp(0.0, 1.0));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n",
        escape(title)
    );
    for step in 0..=5 {
        let y = f64::from(step) / 5.0;
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}h{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{y:.1}</text>",
            width - LEFT - 20.0,
            LEFT - 6.0,
            y_at(y) + 4.0,
            at = y_at(y),
        );
    }
    let _ = writeln!(
        out,
        "<text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        TOP + PLOT_HEIGHT / 2.0,
        escape(y_label)
    );
    for (number, (name, value)) in bars.iter().enumerate() {
        let (x, y) = (LEFT + BAR * number as f64 + 4.0, y_at(*value));
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>\n\
             <text transform=\"translate({:.1} {:.1}) rotate(-60)\" text-anchor=\"end\">{}</text>",
            BAR - 6.0,
            TOP + PLOT_HEIGHT - y,
            COLOURS[0],
            x + 12.0,
            TOP + PLOT_HEIGHT + 14.0,
            escape(name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_is_higher_and_more_is_further_right() {
        let lines = [Line { name: "a<b".to_owned(), points: vec![(2.0, 0.5), (8.0, 1.0)] }];
        let chart = line_chart("t", "x", "y", 1.0, &lines);
        assert!(chart.contains("points=\"60.0,190.0 480.0,40.0\""), "{chart}");
        assert!(chart.contains("a&lt;b"));
    }

    #[test]
    fn more_is_a_longer_bar() {
        let chart = bar_chart("t", "y", &[("a".to_owned(), 0.5), ("b".to_owned(), 1.0)]);
        assert!(chart.contains("y=\"190.0\" width=\"16.0\" height=\"150.0\""), "{chart}");
        assert!(chart.contains("y=\"40.0\" width=\"16.0\" height=\"300.0\""), "{chart}");
    }
}
