//! Finds the pages that are worth labelling.

use anyhow::{Result, bail};
use unmold::teach::{Budget, Question};

use crate::input::Input;
use crate::learning::LearnOptions;
use crate::report::Report;
use crate::sampling::{SampleSize, draw};
use crate::stream::{Messages, ReadOptions};
use crate::templates::Templates;

/// How many pages to ask about.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Of each kind of page.
    pub per_kind: usize,
    /// In all.
    pub budget: Option<usize>,
}

/// The pages of all sites that tell most when they are labelled, site by site. Sites that have a
/// template are asked only for what its labels do not cover.
pub fn plan(
    input: &Input,
    read: &ReadOptions,
    options: &LearnOptions,
    known: Option<&Templates>,
    plan: PlanOptions,
    report: &mut Report,
) -> Result<Vec<Question>> {
    let SampleSize::Pages(number) = options.sample else {
        bail!("a plan needs a sample: pass a number to --sample");
    };
    report.learns();
    let seed = options.settings.seed;
    let samples = draw(input, read, number, seed, Messages::Show, report)?;
    let mut sites: Vec<(Vec<Question>, usize)> = Vec::new();
    samples.map_sites(
        options.max_sample_bytes,
        |site, sample| -> Result<(Vec<Question>, usize)> {
            let known = known.map(|known| known.for_site(site)).transpose()?.flatten();
            let learned = match &known {
                Some(_) => None,
                None => Some(options.learn_site(site, sample)?),
            };
            let Some(template) = known.as_deref().or(learned.as_ref()) else {
                bail!("no template")
            };
            let pages: Vec<(&str, &unmold::Page)> =
                sample.ids.iter().copied().zip(sample.pages.iter().copied()).collect();
            Ok((template.questions(&pages, Budget { of_kind: plan.per_kind }), pages.len()))
        },
        |site, asked| {
            match asked {
                Some(Ok(asked)) => sites.push(asked),
                Some(Err(error)) => report.note(&format!("site {site}: {error:#}")),
                None => report.failure(&site, "internal error: please report this site"),
            }
            Ok(())
        },
    )?;
    Ok(within_budget(sites, plan.budget))
}

/// The questions that tell most about all sites together, site by site.
fn within_budget(sites: Vec<(Vec<Question>, usize)>, budget: Option<usize>) -> Vec<Question> {
    let mut questions: Vec<(f64, usize, Question)> = Vec::new();
    for (asked, pages) in sites {
        for question in asked {
            questions.push((question.covers * pages as f64, questions.len(), question));
        }
    }
    if let Some(budget) = budget {
        questions.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        questions.truncate(budget);
        questions.sort_by_key(|question| question.1);
    }
    questions.into_iter().map(|(_, _, question)| question).collect()
}
