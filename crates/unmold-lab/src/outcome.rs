//! Results of experiments: tables and plots, written as text, JSON, HTML and Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::chart::{Plot, escape};

/// A value in a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A number and how many decimals to show.
    Number(f64, usize),
    /// Not measured.
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

    /// Rounded, so that results do not depend on the last bits of a sum.
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
    /// Only in the report and its JSON: too long for a terminal.
    Report,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Title.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether the table holds times. They differ from run to run and are kept out of the results
    /// that are compared.
    pub timed: bool,
    /// Where it is shown.
    pub place: Place,
}

impl Table {
    /// An empty table.
    pub fn new(title: &str, columns: &[&str]) -> Table {
        Table {
            title: title.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows: Vec::new(),
            timed: false,
            place: Place::Everywhere,
        }
    }

    /// Marks the table as holding times.
    pub fn timed(self) -> Table {
        Table { timed: true, ..self }
    }

    /// Shows the table only in the report.
    pub fn in_report_only(self) -> Table {
        Table { place: Place::Report, ..self }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        assert_eq!(
            cells.len(),
            self.columns.len(),
            "a row of {} needs a cell for every column",
            self.title
        );
        self.rows.push(cells);
    }

    /// The table as text in aligned columns.
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

    /// The table as Markdown.
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

    /// The table as JSON: title, columns and rows.
    pub fn json(&self) -> Value {
        let rows: Vec<Vec<Value>> =
            self.rows.iter().map(|row| row.iter().map(Cell::json).collect()).collect();
        json!({"title": self.title, "columns": self.columns, "rows": rows})
    }
}

/// Description of an experiment, for readers of its results.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it measures.
    pub title: &'static str,
    /// The table or figure of a paper that it reproduces, with the paper's numbers.
    pub paper: &'static str,
    /// How our results differ from the paper's, and where they are worse.
    pub reading: &'static str,
}

/// Tables and plots of one experiment.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The experiment.
    pub about: About,
    /// The command that reproduces it.
    pub command: String,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its plots.
    pub plots: Vec<Plot>,
    /// Guards that do not hold, as `SET PAGES`.
    pub broken: BTreeSet<String>,
}

impl Outcome {
    /// An empty outcome.
    pub fn new(about: About, command: String) -> Outcome {
        Outcome { about, command, tables: Vec::new(), plots: Vec::new(), broken: BTreeSet::new() }
    }

    /// The table with the title of `table`, which is added if there is none yet.
    pub fn table(&mut self, table: Table) -> &mut Table {
        let found = self.tables.iter().position(|other| other.title == table.title);
        let at = found.unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }

    /// The plot with the name of `plot`, which is added if there is none yet.
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
    /// The command that reproduces it.
    pub command: String,
    /// One line for each set: name, pages, hash.
    pub sets: Vec<String>,
    /// The outcome of each experiment.
    pub outcomes: Vec<Outcome>,
    /// Seconds that each experiment took.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Report {
    /// Everything but the times, as JSON: the same in every run on the same data.
    pub fn json(&self) -> Value {
        self.tables_as_json(false)
    }

    /// The tables of times, and the run time of each experiment, as JSON.
    pub fn times(&self) -> Value {
        let mut times = self.tables_as_json(true);
        times["running"] = self.running().json();
        times
    }

    /// The run time of each experiment.
    pub fn running(&self) -> Table {
        let title =
            "Run time of each experiment; shared work counts for the first one that needs it";
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

    /// One HTML page with everything, plots included.
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

    /// Markdown without plots, times and long tables, to be kept under version control.
    pub fn markdown(&self) -> String {
        let head = format!(
            "Written by `{}`; do not edit. `docs/evaluation.md` explains what is measured and how \
             to run each part.",
            self.command
        );
        let mut out = format!("# Results\n\n{}\n", wrap(&head));
        for set in &self.sets {
            let _ = writeln!(out, "* {set}");
        }
        for outcome in &self.outcomes {
            let about = outcome.about;
            let (paper, reading) = (
                wrap(&format!("*Paper:* {}", about.paper)),
                wrap(&format!("*Reading:* {}", about.reading)),
            );
            let (title, command) = (about.title, &outcome.command);
            let _ = write!(out, "\n## {title}\n`{command}`\n\n{paper}\n{reading}");
            let kept = |table: &&Table| table.place == Place::Everywhere && !table.timed;
            for table in outcome.tables.iter().filter(kept) {
                let title = wrap(&format!("**{}**", table.title));
                let _ = write!(out, "\n{title}\n{}", table.markdown());
            }
        }
        out
    }
}

fn push_outcome(out: &mut String, outcome: &Outcome) {
    let about = outcome.about;
    let _ = write!(
        out,
        "<h2 id=\"{}\">{}</h2>\n<p><code>{}</code></p>\
         <p><b>Paper:</b> {}</p><p><b>Reading:</b> {}</p>\n",
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
            "<figure>{}<figcaption><a href=\"{name}.svg\">SVG</a> \
             <a href=\"{name}.png\">PNG</a></figcaption></figure>",
            plot.svg(),
            name = plot.name
        );
    }
}

const HTML_HEAD: &str = "<!doctype html>\n<html lang=en><meta charset=utf-8>\
<title>unmold: evaluation</title>\n<style>\
body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:.5em 0}\
th,td{border-bottom:1px solid #ccc;padding:.15em .6em;text-align:left}\
td.n{text-align:right;font-variant-numeric:tabular-nums}\
code{background:#eee;padding:.1em .3em}figure{margin:1em 0}nav a{margin-right:1em}</style>\n";

/// Longest line of prose in Markdown.
const COLUMNS: usize = 100;

/// Breaks a paragraph into lines of at most [`COLUMNS`] characters.
fn wrap(paragraph: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > COLUMNS {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
    out
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
                command: "unmold-lab eval".to_owned(),
                tables: vec![table, times],
                ..Outcome::new(about, String::new())
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

    #[test]
    fn prose_is_wrapped() {
        assert_eq!(wrap("one two"), "one two\n");
        let (word, long) = ("w".repeat(60), "l".repeat(120));
        assert_eq!(wrap(&format!("{word} é {word} {long}")), format!("{word} é\n{word}\n{long}\n"));
        assert_eq!(wrap(&format!("{0} {0}", "w".repeat(50))).lines().count(), 2, "101 columns");
    }
}
