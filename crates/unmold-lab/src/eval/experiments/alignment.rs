//! Alignment against t, the number of pages it aligns.

use anyhow::Result;
use unmold::MethodName;

use super::bench::Bench;
use super::curve::larger_sites;
use crate::chart::Plot;
use crate::eval::contender::Contender;
use crate::eval::score::SetScores;
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "alignment",
    title: "Alignment: precision, recall, tokens and time against t",
    paper: "Alignment (2011), table 2, P/R and tags at t = 2 and t = 16: PI .720/.940 · 915 and .855/.868 · 697, Ansa .681/.973 · 2651 and .856/.908 · 1909, \
            Wikipedia .155/.946 · 3012 and .906/.931 · 480, allMusic .119/.950 · 2242 and .702/.936 · 377. Figure 2(b): time linear in t.",
    reading: "The paper keeps what half of the aligned pages have, so its template shrinks with t, and recall falls; so it does here with the paper's settings (`alignment-paper`). Our default keeps what is on 18 % of \
              the pages (at least two): its template grows with t, and recall with it, up to t = 16. Precision is high from t = 2 on, where the paper's is .12 to .72: a token of ours has to be on two pages. Recall is lower than the \
              paper's: it is of all words outside the content, also of those that stand on one page only, where the paper's truth is the template that a person cut out. Few sites of dragnet and cleanportaleval have \
              more than 16 pages. Time to learn grows with t, as in the paper.",
};

/// The paper's values of t.
const SIZES: [usize; 5] = [2, 4, 8, 16, 32];

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() || bench.is_repeated {
        return Ok(());
    }
    for (name, contender) in bench.setup.strippers() {
        if contender.method() != Some(MethodName::Alignment) {
            continue;
        }
        measure(bench, outcome, name, contender)?;
        if let Some(paper) = contender.paper().filter(|_| !name.ends_with("-paper")) {
            measure(bench, outcome, &format!("{name}-paper"), &paper)?;
        }
    }
    Ok(())
}

fn measure(bench: &Bench, outcome: &mut Outcome, name: &str, contender: &Contender) -> Result<()> {
    for t in SIZES.into_iter().filter(|&t| t < bench.most_pages()) {
        bench.tell(&format!("{name}, t = {t}"));
        let scores = bench.score_each(&contender.learning_from(t), t)?;
        push_rows(bench, outcome, name, t, &larger_sites(bench, &scores, t));
    }
    Ok(())
}

fn push_rows(bench: &Bench, outcome: &mut Outcome, name: &str, t: usize, scores: &SetScores) {
    let measures = ["template P", "template R", "template F1"];
    let columns = |place| [&["set", "method", "t", place][..], &measures, &["tokens"]].concat();
    let value = |measure: &str| scores.mean.get(measure).copied().unwrap_or(0.0);
    let mut row =
        vec![bench.set.into(), name.into(), Cell::count(t), Cell::count(scores.sites.len())];
    row.extend(measures.map(|measure| Cell::score(value(measure))));
    row.push(Cell::Number(value("template parts"), 0));
    outcome.table(Table::new("Means over sites with more pages", &columns("sites"))).row(row);
    for site in &scores.sites {
        let mut row = vec![bench.set.into(), name.into(), Cell::count(t), (&site.site).into()];
        row.extend(measures.map(|measure| Cell::score_if_any(site.scores.get(measure).copied())));
        row.push(Cell::Number(site.scores.get("template parts").copied().unwrap_or(0.0), 0));
        outcome.table(Table::new("Each site", &columns("site")).in_report_only()).row(row);
    }
    let seconds = scores.learning().as_secs_f64();
    let columns = ["set", "method", "t", "sites", "seconds"];
    outcome.table(Table::new("Seconds to learn, sum over sites", &columns).timed()).row(vec![
        bench.set.into(),
        name.into(),
        Cell::count(t),
        Cell::count(scores.sites.len()),
        Cell::Number(seconds, 2),
    ]);
    let (set, t) = (bench.set, t as f64);
    for (file, title, measure, y) in [
        ("scores", "precision and recall", "template P", "P"),
        ("scores", "precision and recall", "template R", "R"),
        ("tokens", "tokens of the template", "template parts", ""),
    ] {
        let line = format!("{name} {y}");
        let plot = Plot::curves(
            &format!("alignment-{file}-{set}"),
            &format!("{set}: {title} against t"),
            "t",
            "mean over sites",
        );
        outcome.plot(plot).point(line.trim_end(), t, value(measure));
    }
    let title = format!("{set}: time to learn against t, sum over sites");
    let plot = Plot::curves(&format!("alignment-time-{set}"), &title, "t", "seconds").timed();
    outcome.plot(plot).point(name, t, seconds);
}
