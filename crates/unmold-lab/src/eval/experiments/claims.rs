//! Do the claims hold? Counted from the tables of the other experiments, so that it is true of the
//! run that is reported.

use std::collections::BTreeMap;

use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "claims",
    title: "Which claims hold",
    paper: "Tree mapping (2006): classification and clustering get better when templates are removed. Alignment (2011): so does clustering by furthest point first. Chunk frequency (2003): so does search. \
            Ours: each method beats line frequency, and nothing of a page without a template is lost.",
    reading: "Counted from the tables below: a claim holds where the value is higher than the one it is compared with, by any amount.",
};

/// A claim: values of a table of an experiment are higher for a method than for what it is compared
/// with.
struct Claim {
    what: &'static str,
    experiment: &'static str,
    /// How the title of the table begins.
    table: &'static str,
    measure: &'static str,
    /// What is compared with.
    rival: Rival,
}

#[derive(Clone, Copy)]
enum Rival {
    /// The row of this name.
    Named(&'static str),
    /// The best of the tools that are not ours.
    OtherTools,
    /// The best of the methods that the default is made of, less what is allowed.
    SingleMethods,
}

/// So much the default may be below the best single method.
const ALLOWED: f64 = 0.005;

const CLAIMS: &[Claim] = &[
    Claim {
        what: "content F1 is above line frequency's",
        experiment: "scores",
        table: "Means over sites",
        measure: "content F1",
        rival: Rival::Named("line-frequency"),
    },
    Claim {
        what: "template F is above line frequency's",
        experiment: "scores",
        table: "Means over sites",
        measure: "template F1",
        rival: Rival::Named("line-frequency"),
    },
    Claim {
        what: "content F1 is not below that of any single method by .005",
        experiment: "scores",
        table: "Means over sites",
        measure: "content F1",
        rival: Rival::SingleMethods,
    },
    Claim {
        what: "template F is not below that of any single method by .005",
        experiment: "scores",
        table: "Means over sites",
        measure: "template F1",
        rival: Rival::SingleMethods,
    },
    Claim {
        what: "no single method keeps more values, but for .005",
        experiment: "scores",
        table: "Means over sites",
        measure: "retention",
        rival: Rival::SingleMethods,
    },
    Claim {
        what: "content F1 is above that of every other tool",
        experiment: "peers",
        table: "Means over sites",
        measure: "content F1",
        rival: Rival::OtherTools,
    },
    Claim {
        what: "more values are kept than by any other tool",
        experiment: "peers",
        table: "Means over sites",
        measure: "retention",
        rival: Rival::OtherTools,
    },
    Claim {
        what: "accuracy of Naive Bayes rises, 5-fold",
        experiment: "classification",
        table: "All classes",
        measure: "5-fold accuracy",
        rival: Rival::Named("before"),
    },
    Claim {
        what: "accuracy of Naive Bayes rises, one site left out",
        experiment: "classification",
        table: "All classes",
        measure: "site left out accuracy",
        rival: Rival::Named("before"),
    },
    Claim {
        what: "F of pairs of classes rises, sites crossed",
        experiment: "classification",
        table: "Pairs of classes: (1)",
        measure: "3: F",
        rival: Rival::Named("before"),
    },
    Claim {
        what: "NMI of K-means rises",
        experiment: "k-means",
        table: "Means over runs",
        measure: "NMI",
        rival: Rival::Named("before"),
    },
    Claim {
        what: "NMI of furthest point first rises",
        experiment: "fpf",
        table: "Means over 50",
        measure: "NMI",
        rival: Rival::Named("before"),
    },
    Claim {
        what: "precision at 10 of BM25 rises",
        experiment: "search",
        table: "BM25",
        measure: "P@10",
        rival: Rival::Named("before"),
    },
];

/// Where a claim holds for a method, and where not.
#[derive(Default)]
struct Verdict {
    holds: Vec<String>,
    fails: Vec<String>,
}

/// The claims that can be judged by these outcomes, if there are any.
pub fn outcome(outcomes: &[Outcome], command: &str) -> Option<Outcome> {
    let mut found = Outcome::new(ABOUT, command.to_owned());
    for claim in CLAIMS {
        let outcome = outcomes.iter().find(|outcome| outcome.about.name == claim.experiment);
        let table = outcome
            .and_then(|o| o.tables.iter().find(|table| table.title.starts_with(claim.table)));
        for (method, verdict) in table.map(|table| judge(claim, table)).unwrap_or_default() {
            let columns = ["claim", "experiment", "method", "holds for", "of", "not for"];
            let all = verdict.holds.len() + verdict.fails.len();
            found.table(Table::new("Claims", &columns)).row(vec![
                claim.what.into(),
                claim.experiment.into(),
                (&method).into(),
                Cell::count(verdict.holds.len()),
                Cell::count(all),
                (&verdict.fails.join(", ")).into(),
            ]);
        }
    }
    (!found.tables.is_empty()).then_some(found)
}

fn judge(claim: &Claim, table: &Table) -> Vec<(String, Verdict)> {
    let column = |names: &[&str]| {
        names.iter().find_map(|name| table.columns.iter().position(|column| column == name))
    };
    let columns = (column(&["task", "group", "set"]), column(&["method", "engine", "tool"]));
    let ((Some(place), Some(method)), Some(measure)) = (columns, column(&[claim.measure])) else {
        return Vec::new();
    };
    let mut values: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for row in &table.rows {
        if let (Cell::Text(place), Cell::Text(method), Cell::Number(value, _)) =
            (&row[place], &row[method], &row[measure])
        {
            values.entry(place).or_default().push((method, *value));
        }
    }
    let mut verdicts: Vec<(String, Verdict)> = Vec::new();
    for (place, values) in values {
        let Some(rival) = rival_value(claim.rival, &values) else { continue };
        for (method, value) in values.iter().filter(|(method, _)| is_judged(claim.rival, method)) {
            let method = method.trim_start_matches("unmold ");
            let at = verdicts.iter().position(|(name, _)| name == method).unwrap_or_else(|| {
                verdicts.push((method.to_owned(), Verdict::default()));
                verdicts.len() - 1
            });
            let verdict = &mut verdicts[at].1;
            let side = if *value > rival { &mut verdict.holds } else { &mut verdict.fails };
            side.push(place.to_owned());
        }
    }
    verdicts
}

fn rival_value(rival: Rival, values: &[(&str, f64)]) -> Option<f64> {
    let rivals = values.iter().filter(|(method, _)| is_rival(rival, method));
    let best = rivals.map(|(_, value)| *value).reduce(f64::max)?;
    Some(if matches!(rival, Rival::SingleMethods) { best - ALLOWED } else { best })
}

fn is_rival(rival: Rival, method: &str) -> bool {
    match rival {
        Rival::Named(name) => method == name,
        Rival::OtherTools => !method.starts_with("unmold "),
        Rival::SingleMethods => !method.starts_with("auto") && !method.ends_with("full"),
    }
}

/// Not what is compared with, nor whole pages, nor engines that choose between two.
fn is_judged(rival: Rival, method: &str) -> bool {
    !is_rival(rival, method) && !method.ends_with("full") && !method.contains(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_counted_place_by_place() {
        let about = About { name: "search", title: "", paper: "", reading: "" };
        let mut search = Outcome::new(about, String::new());
        let columns = ["group", "engine", "P@10"];
        for (group, engine, value) in [
            ("cars", "before", 0.5),
            ("cars", "auto", 0.6),
            ("cars", "auto, best", 0.9),
            ("films", "before", 0.5),
            ("films", "auto", 0.5),
        ] {
            let row = vec![group.into(), engine.into(), Cell::score(value)];
            search.table(Table::new("BM25, means", &columns)).row(row);
        }
        let found = outcome(&[search], "unmold-lab eval").expect("a claim");
        assert_eq!(found.tables.len(), 1);
        let row = &found.tables[0].rows;
        assert_eq!(row.len(), 1, "{row:?}");
        assert_eq!(row[0][2..], ["auto".into(), Cell::count(1), Cell::count(2), "films".into()]);
        assert!(outcome(&[], "").is_none());
    }

    #[test]
    fn the_default_may_be_a_little_below_the_best_method() {
        let values = [("auto", 0.897), ("full", 0.99), ("alignment", 0.9), ("line-frequency", 0.8)];
        let least = rival_value(Rival::SingleMethods, &values).expect("methods");
        assert!(least < 0.897 && least > 0.894, "{least}");
        let judged: Vec<&str> = values
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| is_judged(Rival::SingleMethods, name))
            .collect();
        assert_eq!(judged, ["auto"]);
    }
}
