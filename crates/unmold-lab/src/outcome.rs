//! What an experiment found: tables and plots, and the ways they are written.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::chart::Plot;

/// A value in a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number, shown with so many decimals.
    Number(f64, usize),
    /// Nothing was measured.
    Nothing,
}

impl Cell {
    /// A score, shown with three decimals.
    pub fn score(value: f64) -> Cell {
        Cell::Number(value, 3)
    }

    /// A score that may be missing.
    pub fn score_if_any(value: Option<f64>) -> Cell {
        value.map_or(Cell::Nothing, Cell::score)
    }

    /// A count.
    pub fn count(value: usize) -> Cell {
        Cell::Number(value as f64, 0)
    }

    fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(value, decimals) => format!("{value:.decimals$}"),
            Cell::Nothing => "–".to_owned(),
        }
    }

    /// Rounded, so that the last bits of a sum never make a difference.
    fn json(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Number(value, _) if value.is_finite() => json!((value * 1e6).round() / 1e6),
            Cell::Number(..) | Cell::Nothing => Value::Null,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Cell {
        Cell::Text(text.clone())
    }
}

/// Where a table is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Everywhere.
    Everywhere,
    /// In the report and its JSON only: too long for a terminal.
    Report,
}

/// Rows under a heading.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// The table holds times, which differ from run to run: kept out of the results that are
    /// compared.
    pub timed: bool,
    /// Where it is shown.
    pub place: Place,
}

impl Table {
    /// A table without rows.
    pub fn new(title: &str, columns: &[&str]) -> Table {
        Table {
            title: title.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows: Vec::new(),
            timed: false,
            place: Place::Everywhere,
        }
    }

    /// The same, marked as holding times.
    pub fn timed(self) -> Table {
        Table { timed: true, ..self }
    }

    /// The same, shown in the report only.
    pub fn in_report_only(self) -> Table {
        Table { place: Place::Report, ..self }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column of {}", self.title);
        self.rows.push(cells);
    }

    /// Columns of even width.
    pub fn text(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
        let width = |column: usize| {
            let cells = shown.iter().map(|row| row[column].chars().count());
            cells.chain([self.columns[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = format!("{}\n", self.title);
        for row in std::iter::once(&self.columns).chain(&shown) {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
            out.push_str(cells.join("  ").trim_end());
            out.push('\n');
        }
        out
    }

    /// A table of Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = line(self.columns.clone());
        out.push_str(&format!("|{}\n", "---|".repeat(self.columns.len())));
        for row in &self.rows {
            out.push_str(&line(row.iter().map(|cell| cell.shown().replace('|', "\\|")).collect()));
        }
        out
    }

    fn html(&self) -> String {
        let mut out = String::from("<table><thead><tr>");
        for column in &self.columns {
            let _ = write!(out, "<th>{}", escape(column));
        }
        out.push_str("</thead><tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for cell in row {
                let class = if matches!(cell, Cell::Text(_)) { "" } else { " class=n" };
                let _ = write!(out, "<td{class}>{}", escape(&cell.shown()));
            }
            out.push('\n');
        }
        out.push_str("</tbody></table>\n");
        out
    }

    /// Title, columns and rows.
    pub fn json(&self) -> Value {
        let rows: Vec<Vec<Value>> =
            self.rows.iter().map(|row| row.iter().map(Cell::json).collect()).collect();
        json!({"title": self.title, "columns": self.columns, "rows": rows})
    }
}

/// What an experiment is, for whoever reads its results.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The word to type.
    pub name: &'static str,
    /// What is measured.
    pub title: &'static str,
    /// Which table or figure of which paper it repeats, with the paper's numbers.
    pub paper: &'static str,
    /// What differs from the paper, and where we are worse.
    pub reading: &'static str,
}

/// Tables and plots of one experiment.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which experiment.
    pub about: About,
    /// The command that repeats it.
    pub command: String,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its plots.
    pub plots: Vec<Plot>,
}

impl Outcome {
    /// An experiment that found nothing yet.
    pub fn new(about: About, command: String) -> Outcome {
        Outcome { about, command, tables: Vec::new(), plots: Vec::new() }
    }

    /// The table with the title of `table`, which becomes one if there is none yet.
    pub fn table(&mut self, table: Table) -> &mut Table {
        let found = self.tables.iter().position(|other| other.title == table.title);
        let at = found.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }

    /// The plot with the name of `plot`, which becomes one if there is none yet.
    pub fn plot(&mut self, plot: Plot) -> &mut Plot {
        let found = self.plots.iter().position(|other| other.name == plot.name);
        let at = found.unwrap_or_else(|| {
            self.plots.push(plot);
            self.plots.len() - 1
        });
        &mut self.plots[at]
    }
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The command that repeats it.
    pub command: String,
    /// One line for each set: name, pages, hash.
    pub sets: Vec<String>,
    /// Each experiment that was run.
    pub outcomes: Vec<Outcome>,
    /// Seconds that each experiment took.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Report {
    /// Everything but times: the same in every run on the same data.
    pub fn json(&self) -> Value {
        self.tables_as_json(false)
    }

    /// The tables with times, and how long each experiment took.
    pub fn times(&self) -> Value {
        let mut times = self.tables_as_json(true);
        times["running"] = self.running().json();
        times
    }

    /// How long each experiment took.
    pub fn running(&self) -> Table {
        let title = "Seconds of each experiment; what several need is counted for the first";
        let mut table = Table::new(title, &["experiment", "seconds"]).timed();
        for &(name, seconds) in &self.seconds {
            table.row(vec![name.into(), Cell::Number(seconds, 1)]);
        }
        let all = self.seconds.iter().map(|(_, seconds)| seconds).sum();
        table.row(vec!["all".into(), Cell::Number(all, 1)]);
        table
    }

    fn tables_as_json(&self, timed: bool) -> Value {
        let experiments: Vec<Value> = self
            .outcomes
            .iter()
            .map(|outcome| {
                let tables =
                    outcome.tables.iter().filter(|table| table.timed == timed).map(Table::json);
                json!({"experiment": outcome.about.name, "tables": tables.collect::<Vec<_>>()})
            })
            .collect();
        json!({"sets": self.sets, "experiments": experiments})
    }

    /// One page with everything, plots inside.
    pub fn html(&self) -> String {
        let mut out = String::from(HTML_HEAD);
        let _ = write!(
            out,
            "<h1>unmold: evaluation</h1>\n<p><code>{}</code></p><ul>",
            escape(&self.command)
        );
        for set in &self.sets {
            let _ = write!(out, "<li>{}", escape(set));
        }
        out.push_str("</ul>\n<nav>");
        for outcome in &self.outcomes {
            let about = outcome.about;
            let _ = write!(out, "<a href=\"#{}\">{}</a> ", about.name, escape(about.title));
        }
        out.push_str("</nav>\n");
        for outcome in &self.outcomes {
            push_outcome(&mut out, outcome);
        }
        let running = self.running();
        let _ = write!(out, "<h2>{}</h2>{}", escape(&running.title), running.html());
        out.push_str("</html>\n");
        out
    }

    /// The same without plots, times and long tables, for a file that is kept under version
    /// control.
    pub fn markdown(&self) -> String {
        let mut out = format!(
            "# Results\n\nWritten by `{}`; not to be edited. `docs/evaluation.md` says what is measured, and how to run each part.\n\n",
            self.command
        );
        for set in &self.sets {
            let _ = writeln!(out, "* {set}");
        }
        for outcome in &self.outcomes {
            let about = outcome.about;
            let _ = write!(
                out,
                "\n## {}\n`{}`\n\n*Paper:* {}\n\n*Reading:* {}\n",
                about.title, outcome.command, about.paper, about.reading
            );
            let kept = |table: &&Table| table.place == Place::Everywhere && !table.timed;
            for table in outcome.tables.iter().filter(kept) {
                let _ = write!(out, "\n**{}**\n\n{}", table.title, table.markdown());
            }
        }
        out
    }
}

fn push_outcome(out: &mut String, outcome: &Outcome) {
    let about = outcome.about;
    let _ = write!(
        out,
        "<h2 id=\"{}\">{}</h2>\n<p><code>{}</code></p><p><b>Paper:</b> {}</p><p><b>Reading:</b> {}</p>\n",
        about.name,
        escape(about.title),
        escape(&outcome.command),
        escape(about.paper),
        escape(about.reading)
    );
    for table in &outcome.tables {
        if table.place == Place::Report {
            let _ = write!(
                out,
                "<details><summary>{}</summary>{}</details>",
                escape(&table.title),
                table.html()
            );
        } else {
            let _ = write!(out, "<h3>{}</h3>{}", escape(&table.title), table.html());
        }
    }
    for plot in &outcome.plots {
        let _ = writeln!(
            out,
            "<figure>{}<figcaption><a href=\"{name}.svg\">SVG</a> <a href=\"{name}.png\">PNG</a></figcaption></figure>",
            plot.svg(),
            name = plot.name
        );
    }
}

const HTML_HEAD: &str = "<!doctype html>\n<html lang=en><meta charset=utf-8><title>unmold: evaluation</title>\n<style>\
body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}table{border-collapse:collapse;margin:.5em 0}\
th,td{border-bottom:1px solid #ccc;padding:.15em .6em;text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}\
code{background:#eee;padding:.1em .3em}figure{margin:1em 0}nav a{margin-right:1em}</style>\n";

/// Text for HTML and SVG.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut table = Table::new("A < B", &["set", "F"]);
        table.row(vec!["one".into(), Cell::score(0.12345)]);
        table.row(vec!["another | one".into(), Cell::Nothing]);
        let mut times = Table::new("Times", &["s"]).timed();
        times.row(vec![Cell::Number(1.5, 1)]);
        let about = About { name: "x", title: "X", paper: "0.5", reading: "worse" };
        Report {
            command: "unmold-lab eval --all".to_owned(),
            sets: vec!["one: 1 page".to_owned()],
            outcomes: vec![Outcome {
                about,
                command: "unmold-lab eval".to_owned(),
                tables: vec![table, times],
                plots: Vec::new(),
            }],
            seconds: vec![("x", 2.5)],
        }
    }

    #[test]
    fn text_has_columns() {
        let report = report();
        assert_eq!(
            report.outcomes[0].tables[0].text(),
            "A < B\nset            F\none            0.123\nanother | one  –\n"
        );
    }

    #[test]
    fn times_stay_out_of_what_is_compared() {
        let report = report();
        assert_eq!(report.json()["experiments"][0]["tables"][0]["rows"][0][1], 0.12345);
        assert!(!report.json().to_string().contains("Times"));
        assert!(!report.markdown().contains("Times"));
        assert!(report.times().to_string().contains("Times"));
        assert_eq!(report.times()["running"]["rows"][0], json!(["x", 2.5]));
        assert!(!report.json().to_string().contains("2.5"));
    }

    #[test]
    fn html_and_markdown_are_escaped() {
        let report = report();
        assert!(report.html().contains("A &lt; B"));
        assert!(report.markdown().contains("another \\| one | – |"));
    }
}
