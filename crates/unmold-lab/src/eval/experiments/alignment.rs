//! Scores, size and time of alignment against t, the number of aligned pages.

use anyhow::Result;
use rayon::prelude::*;
use unmold::{KindTemplate, Learned, MethodName, Page};

use super::bench::Bench;
use super::curve::larger_sites;
use crate::chart::Plot;
use crate::eval::contender::Contender;
use crate::eval::gold_template::TemplateTokens;
use crate::eval::labelled::LabelledSite;
use crate::eval::score::{Draw, SetScores};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "alignment",
    title: "Alignment: precision, recall, tokens and time against t",
    paper: "\
        Alignment (2011), table 2, P/R and number of tags at t = 2 and t = 16: PI .720/.940 · 915 \
        and .855/.868 · 697, Ansa .681/.973 · 2651 and .856/.908 · 1909, Wikipedia .155/.946 · \
        3012 and .906/.931 · 480, allMusic .119/.950 · 2242 and .702/.936 · 377. Figure 2(b): time \
        is linear in t.",
    reading: "\
        The first table is the paper's table 2: tokens of the template against those of the \
        template that the labels give. With the paper's settings (`alignment-paper`) precision \
        rises with t (sites .504 to .962, docs .189 to .801) and recall falls (.898 to .784, .999 \
        to .764), and the template shrinks from more tokens than a page has to about those of the \
        labels, all as in the paper; t = 16 is no peak here: F is highest at t = 32. Our default \
        keeps three of sixteen pages' tokens, also those of content that repeats, so by this \
        measure its precision falls with t. The other tables count the words that the template \
        removes from other pages, where that does no harm. The paper keeps what half of the \
        aligned pages have, so its template shrinks as t grows, and recall falls. Our default \
        keeps what is on 18 % of the pages (at least two): its template grows with t, and \
        so does recall, up to t = 16. Precision is high from t = 2 on, where the paper's is .12 to \
        .72, because a token must be on two pages. Recall is lower than the paper's because it \
        counts all words outside the content, including those that are on one page only; the \
        paper's truth is a template that a person cut out. Few sites of dragnet and \
        cleanportaleval have more than 16 pages. The time to learn grows with t, as in the paper.",
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
        if let Some((name, paper)) = bench.setup.paper_of(name, contender) {
            measure(bench, outcome, &name, &paper)?;
        }
    }
    Ok(())
}

fn measure(bench: &Bench, outcome: &mut Outcome, name: &str, contender: &Contender) -> Result<()> {
    for t in SIZES.into_iter().filter(|&t| t < bench.max_pages()) {
        bench.tell(&format!("{name}, t = {t}"));
        let contender = contender.learning_from(t);
        push_templates(bench, outcome, name, t, &contender)?;
        let scores = bench.score_each(&contender, t)?;
        push_rows(bench, outcome, name, t, &larger_sites(bench, &scores, t));
    }
    Ok(())
}

/// Table 2 of the paper: the tokens of the template against those of the labels.
fn push_templates(
    bench: &Bench,
    outcome: &mut Outcome,
    name: &str,
    t: usize,
    contender: &Contender,
) -> Result<()> {
    let draw = Draw { sample: Some(t), seed: Some(bench.setup.seed), ..Draw::default() };
    let larger = bench.sites.par_iter().filter(|site| site.pages.len() > t);
    let compare = |site: &LabelledSite| -> Result<Option<TemplateTokens>> {
        let pages: Vec<&Page> = draw.groups(site)[0][..t].iter().map(|page| &page.1).collect();
        let learned = contender.learn_or_nothing(&pages)?;
        let kind = learned.template().and_then(|template| template.kinds().first());
        Ok(match kind.map(KindTemplate::learned) {
            Some(Learned::Alignment(template)) => Some(TemplateTokens::of(site, template)),
            _ => None,
        })
    };
    let sites: Vec<TemplateTokens> =
        larger.map(compare).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    if sites.is_empty() {
        return Ok(());
    }
    let mean = |value: fn(&TemplateTokens) -> f64| {
        sites.iter().map(value).sum::<f64>() / sites.len() as f64
    };
    let f1 = mean(|site| site.agreement.f1);
    let columns = [
        "set",
        "method",
        "t",
        "sites",
        "precision",
        "recall",
        "F",
        "tokens",
        "true tokens",
        "tokens of a page",
    ];
    let row = vec![
        bench.set.into(),
        name.into(),
        Cell::count(t),
        Cell::count(sites.len()),
        Cell::score(mean(|site| site.agreement.precision)),
        Cell::score(mean(|site| site.agreement.recall)),
        Cell::score(f1),
        Cell::Number(mean(|site| site.found as f64), 0),
        Cell::Number(mean(|site| site.truth as f64), 0),
        Cell::Number(mean(|site| site.of_page), 0),
    ];
    let title = "The template itself: its tokens against those of the labels, means over sites";
    outcome.table(Table::new(title, &columns)).row(row);
    let plot = Plot::curves(
        &format!("alignment-template-{}", bench.set),
        &format!("{}: F of the template's tokens against t", bench.set),
        "t",
        "mean over sites",
    );
    outcome.plot(plot).point(name, t as f64, f1);
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
