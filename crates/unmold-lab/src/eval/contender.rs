//! What is compared: the methods with their settings, and two baselines.

use unmold::cluster::Clustering;
use unmold::methods::Serial;
use unmold::pipeline::{AutoTemplate, Model};
use unmold::{
    Auto, Keep, LearnError, LearnedTemplate, Marks, MethodName, Page, Sample, Settings, Template,
};

use super::folds;
use super::line_frequency::LineFrequency;

/// What is compared.
#[derive(Clone, Debug)]
pub enum Contender {
    /// Nothing is stripped.
    Full,
    /// The floor: a text that is on at least half of the pages is template.
    LineFrequency,
    /// A method with its settings, one template for the site.
    Method(Settings),
    /// The default with other weights than the library's.
    Auto(Auto, &'static Model),
    /// A method with a template for each cluster of pages.
    Clustered(Settings, Clustering),
}

/// A contender by its name: a baseline, a method, or a method with its paper's settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContenderName {
    /// Nothing is stripped.
    Full,
    /// The floor.
    LineFrequency,
    /// The default, which keeps all that is unique.
    AutoAllUnique,
    /// The default, which keeps the article only.
    AutoArticle,
    /// A method with our settings.
    Method(MethodName),
    /// A method with its paper's settings.
    Paper(MethodName),
}

impl ContenderName {
    /// All contenders, baselines first.
    pub fn all() -> Vec<ContenderName> {
        let of_method = |&method: &MethodName| {
            let paper = method.has_paper().then_some(ContenderName::Paper(method));
            let is_auto = method == MethodName::Auto;
            let all_unique = is_auto.then_some(ContenderName::AutoAllUnique);
            let article = is_auto.then_some(ContenderName::AutoArticle);
            [Some(ContenderName::Method(method)), all_unique, article, paper].into_iter().flatten()
        };
        [ContenderName::Full, ContenderName::LineFrequency]
            .into_iter()
            .chain(MethodName::ALL.iter().flat_map(of_method))
            .collect()
    }

    /// The name in tables and flags.
    pub fn name(self) -> String {
        match self {
            ContenderName::Full => "full".to_owned(),
            ContenderName::LineFrequency => "line-frequency".to_owned(),
            ContenderName::AutoAllUnique => "auto-all-unique".to_owned(),
            ContenderName::AutoArticle => "auto-article".to_owned(),
            ContenderName::Method(method) => method.name().to_owned(),
            ContenderName::Paper(method) => format!("{method}-paper"),
        }
    }

    /// The contender itself.
    pub fn contender(self) -> Contender {
        let settings = |method| Settings::default().with_method(method);
        match self {
            ContenderName::Full => Contender::Full,
            ContenderName::LineFrequency => Contender::LineFrequency,
            ContenderName::AutoAllUnique => {
                Contender::Method(settings(MethodName::Auto).with_keep(Keep::AllUnique))
            }
            ContenderName::AutoArticle => {
                Contender::Method(settings(MethodName::Auto).with_keep(Keep::Article))
            }
            // Its templates are those of clusters.
            ContenderName::Method(method @ MethodName::PageClusters) => {
                Contender::Clustered(settings(method), Clustering::default())
            }
            ContenderName::Method(method) => Contender::Method(settings(method)),
            ContenderName::Paper(method @ MethodName::PageClusters) => {
                Contender::Clustered(settings(method).with_paper(true), Clustering::paper())
            }
            ContenderName::Paper(method) => Contender::Method(settings(method).with_paper(true)),
        }
    }
}

impl Contender {
    /// The contender for one site: the default is scored with weights that were fitted without it.
    pub fn for_site(&self, set: &str, site: &str) -> Contender {
        match self {
            Contender::Method(settings) if settings.method == MethodName::Auto => {
                let auto = Auto { keep: settings.keep, kind: settings.kind };
                Contender::Auto(auto, folds::model_without(set, site))
            }
            other => other.clone(),
        }
    }

    /// The method that it is; `None` for baselines.
    pub fn method(&self) -> Option<MethodName> {
        match self {
            Contender::Full | Contender::LineFrequency => None,
            Contender::Auto(..) => Some(MethodName::Auto),
            Contender::Method(settings) | Contender::Clustered(settings, _) => {
                Some(settings.method)
            }
        }
    }

    /// The method with its paper's settings, where there are such.
    pub fn paper(&self) -> Option<Contender> {
        let Contender::Method(settings) = self else { return None };
        let has_paper = settings.method.has_paper();
        has_paper.then(|| Contender::Method(settings.clone().with_paper(true)))
    }

    /// Whether it has the settings of a paper.
    pub fn is_paper(&self) -> bool {
        match self {
            Contender::Method(settings) | Contender::Clustered(settings, _) => settings.paper,
            _ => false,
        }
    }

    /// The contender with its limit on pages raised or lowered to the point of a curve.
    pub fn learning_from(&self, pages: usize) -> Contender {
        match self {
            Contender::Method(settings) => {
                Contender::Method(settings.clone().with_pages(Some(pages)))
            }
            Contender::Clustered(settings, clustering) => {
                Contender::Clustered(settings.clone().with_pages(Some(pages)), clustering.clone())
            }
            other => other.clone(),
        }
    }

    /// Learns from `sample`.
    ///
    /// # Errors
    /// The pages are too few for the method.
    pub fn learn<'a>(&self, sample: &[&'a Page]) -> Result<Marker<'a>, LearnError> {
        Ok(match self {
            Contender::Full => Marker::Full,
            Contender::LineFrequency => Marker::LineFrequency(LineFrequency::learn(sample)),
            Contender::Clustered(settings, clustering) => {
                Marker::Template(Box::new(settings.learn_by_kind("", sample, clustering, &Serial)?))
            }
            Contender::Auto(settings, model) => {
                let sample = Sample::without_duplicates(sample.iter().copied());
                Marker::Auto(Box::new(settings.learn_with_model(&sample, model)?), model)
            }
            Contender::Method(settings) => {
                let settings = settings.clone().with_cluster(Some(false));
                Marker::Template(Box::new(settings.learn_site("", sample, &Serial)?))
            }
        })
    }

    /// Like [`Contender::learn`], but nothing is template where the pages are too few for the
    /// method, as with `unmold clean`: there are sets of single pages.
    ///
    /// # Errors
    /// Any other than too few pages.
    pub fn learn_or_nothing<'a>(&self, sample: &[&'a Page]) -> Result<Marker<'a>, LearnError> {
        match self.learn(sample) {
            Err(LearnError::NotEnoughPages { .. }) => Ok(Marker::Full),
            learned => learned,
        }
    }
}

/// What a contender has learned.
pub enum Marker<'a> {
    /// Nothing: every text stays.
    Full,
    /// The pages that have each text.
    LineFrequency(LineFrequency<'a>),
    /// The template of a method.
    Template(Box<Template>),
    /// The template of the default, and the weights it is marked with.
    Auto(Box<AutoTemplate>, &'static Model),
}

impl Marker<'_> {
    /// Marks a page.
    pub fn mark(&self, page: &Page) -> Marks {
        match self {
            Marker::Full => Marks::none(page),
            Marker::LineFrequency(template) => template.mark(page),
            Marker::Template(template) => template.mark(page),
            Marker::Auto(template, model) => template.mark_with(page, model),
        }
    }

    /// Number of parts of the template, where it has parts.
    pub fn parts(&self) -> usize {
        match self {
            Marker::Full => 0,
            Marker::LineFrequency(template) => template.parts(),
            Marker::Template(template) => {
                template.kinds().iter().map(|kind| kind.learned().parts().len()).sum()
            }
            Marker::Auto(template, _) => template.parts().len(),
        }
    }

    /// The text of the template, in any order.
    pub fn text(&self) -> String {
        match self {
            Marker::Full => String::new(),
            Marker::LineFrequency(template) => template.texts().collect::<Vec<_>>().join("\n"),
            Marker::Template(template) => {
                let texts = template.kinds().iter().map(|kind| kind.learned().text());
                texts.collect::<Vec<_>>().join("\n")
            }
            Marker::Auto(template, _) => template.text(),
        }
    }

    /// The template of a method.
    pub fn template(&self) -> Option<&Template> {
        match self {
            Marker::Template(template) => Some(template),
            _ => None,
        }
    }
}
