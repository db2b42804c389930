//! Bar charts with a name under each bar, as SVG.

use std::fmt::Write;

const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const PLOT_HEIGHT: f64 = 300.0;

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
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#0072b2\"/>\n\
             <text transform=\"translate({:.1} {:.1}) rotate(-60)\" text-anchor=\"end\">{}</text>",
            BAR - 6.0,
            TOP + PLOT_HEIGHT - y,
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
