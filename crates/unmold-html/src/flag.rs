//! Flags that say what is unusual about a page.

use serde::{Deserialize, Serialize};

/// Something unusual about a page. A flagged page is never dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Flag {
    /// The page exceeds one of the [`Limits`](crate::Limits) and was read without a tree; see
    /// [`Page::over_limit`](crate::Page::over_limit).
    TooLarge,
    /// Not a text file: nothing was read.
    Binary,
    /// No visible text and no image.
    Empty,
    /// Some bytes are invalid in the page's charset and were replaced by U+FFFD.
    BadCharset,
    /// The site has too few pages to learn a template: nothing was stripped.
    NoTemplate,
    /// The whole page is template: nothing is left.
    AllTemplate,
    /// Nearly all of the page is template: what is left is a line or two.
    NearlyEmpty,
    /// The page fits none of the site's clusters; the template of the nearest was used.
    Unclustered,
    /// The only page of its site: judged without other pages to compare with.
    SinglePage,
    /// The sample of the site was over its memory budget: the template was learned from fewer
    /// pages.
    OverBudget,
    /// Pages of the site are labelled, but none that is laid out like this one: the default
    /// decided.
    Unlabelled,
}

impl Flag {
    /// The flag's name in output records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Flag::TooLarge => "too_large",
            Flag::Binary => "binary",
            Flag::Empty => "empty",
            Flag::BadCharset => "bad_charset",
            Flag::NoTemplate => "no_template",
            Flag::AllTemplate => "all_template",
            Flag::NearlyEmpty => "nearly_empty",
            Flag::Unclustered => "unclustered",
            Flag::SinglePage => "single_page",
            Flag::OverBudget => "over_budget",
            Flag::Unlabelled => "unlabelled",
        }
    }
}
