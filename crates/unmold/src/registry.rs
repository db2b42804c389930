//! The list of methods: the only place that names them all.
//!
//! To add a method, write its file in `methods/`, add its line here, and document it in
//! `docs/methods/`. The command's flags, the template file, the viewer, Python and the evaluation
//! follow from this list; `tests/registry.rs` checks that.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::cluster::{Assigner, PathTemplate, PathTemplates};
use crate::methods::{
    Alignment, AlignmentTemplate, ChunkFrequency, ChunkTemplate, LearnError, LearnedTemplate,
    Method, PageByPage, PatternTemplate, Runner, Sample, TreeMapping, TreePattern, TreeTemplate,
};
use crate::page::Page;
use crate::pipeline::{Auto, AutoTemplate};
use crate::settings::Settings;

/// Expands the list into the types that depend on it.
macro_rules! registry {
    ($(
        #[doc = $summary:literal]
        $variant:ident $name:literal: $method:ty => $template:ty {
            settings: $settings:expr,
            clusters: $clusters:expr,
            paper: $paper:literal,
            limits_pages: $limits_pages:literal,
        }
    )+) => {
        /// A method by its name.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum MethodName {
            $( #[doc = $summary] $variant, )+
        }

        impl MethodName {
            /// All methods, the default first.
            pub const ALL: &[MethodName] = &[$( MethodName::$variant ),+];

            /// The name, as flags, files and records have it.
            pub fn name(self) -> &'static str {
                match self { $( MethodName::$variant => $name, )+ }
            }

            /// What the method looks at, in a few words.
            pub fn summary(self) -> &'static str {
                match self { $( MethodName::$variant => $summary.trim_ascii(), )+ }
            }

            /// Whether [`Settings::paper`] means something for it: the default has no paper.
            pub fn has_paper(self) -> bool {
                match self { $( MethodName::$variant => $paper, )+ }
            }

            /// Whether [`Settings::pages`] means something for it: some methods learn from all
            /// pages they are given.
            pub fn limits_pages(self) -> bool {
                match self { $( MethodName::$variant => $limits_pages, )+ }
            }

            /// Whether the method learns a template for each cluster of pages unless told
            /// otherwise.
            pub(crate) fn clusters(self, settings: &Settings) -> bool {
                let clusters: fn(&Settings) -> bool = match self {
                    $( MethodName::$variant => $clusters, )+
                };
                clusters(settings)
            }
        }

        /// What a method learned, tagged with the method's name.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[serde(tag = "method")]
        #[allow(missing_docs, reason = "each variant is named after its method")]
        #[allow(clippy::large_enum_variant, reason = "there is one for each kind of page of a site")]
        pub enum Learned {
            $( #[serde(rename = $name)] $variant($template), )+
        }

        impl Learned {
            /// The method that learned it.
            pub fn method(&self) -> MethodName {
                match self { $( Learned::$variant(_) => MethodName::$variant, )+ }
            }

            fn template(&self) -> &(dyn LearnedTemplate + 'static) {
                match self { $( Learned::$variant(template) => template, )+ }
            }
        }

        /// A method with its settings, ready to learn.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyMethod {
            $( $variant($method), )+
        }

        impl AnyMethod {
            /// The method that the settings name.
            pub fn new(settings: &Settings) -> AnyMethod {
                match settings.method {
                    $( MethodName::$variant => {
                        let method: fn(&Settings) -> $method = $settings;
                        AnyMethod::$variant(method(settings))
                    } )+
                }
            }

            /// [`Method::learn_with`].
            pub fn learn(
                &self,
                sample: &Sample,
                runner: &dyn Runner,
            ) -> Result<Learned, LearnError> {
                match self {
                    $( AnyMethod::$variant(method) => {
                        Method::learn_with(method, sample, runner).map(Learned::$variant)
                    } )+
                }
            }

            /// [`Method::learn_cluster`].
            pub fn learn_cluster(
                &self,
                sample: &Sample,
                site: &Assigner,
                runner: &dyn Runner,
            ) -> Result<Learned, LearnError> {
                match self {
                    $( AnyMethod::$variant(method) => {
                        Method::learn_cluster(method, sample, site, runner).map(Learned::$variant)
                    } )+
                }
            }

            /// [`Method::page_by_page`].
            pub fn page_by_page(&self) -> Option<Box<dyn PageByPage<Learned>>> {
                match self {
                    $( AnyMethod::$variant(method) => {
                        let learner = method.page_by_page()?;
                        Some(Box::new(Tagged { learner, tag: Learned::$variant }))
                    } )+
                }
            }
        }
    };
}

registry! {
    /// Site evidence and page evidence together
    Auto "auto": Auto => AutoTemplate {
        settings: |settings| Auto { keep: settings.keep, kind: settings.kind },
        clusters: |_| false,
        paper: false,
        limits_pages: false,
    }
    /// Document frequency of runs of text
    ChunkFrequency "chunk-frequency": ChunkFrequency => ChunkTemplate {
        settings: |settings| {
            let method =
                if settings.paper { ChunkFrequency::paper() } else { ChunkFrequency::default() };
            let threshold = settings.threshold.unwrap_or(method.threshold);
            ChunkFrequency { threshold, ..method }
        },
        // Counting within clusters loses content on some sites: docs/methods/clusters.md.
        clusters: |_| false,
        paper: true,
        limits_pages: false,
    }
    /// Consensus of aligned tags and texts
    Alignment "alignment": Alignment => AlignmentTemplate {
        settings: |settings| {
            let method = if settings.paper { Alignment::paper() } else { Alignment::default() };
            let pages = settings.pages.unwrap_or(method.pages);
            Alignment { seed: settings.seed, pages, ..method }
        },
        clusters: |settings| !settings.paper,
        paper: true,
        limits_pages: true,
    }
    /// What pages share when their trees are mapped to each other
    TreeMapping "tree-mapping": TreeMapping => TreeTemplate {
        settings: |settings| {
            let method = if settings.paper { TreeMapping::paper() } else { TreeMapping::default() };
            let max_pages = settings.pages.unwrap_or(method.max_pages);
            TreeMapping { seed: settings.seed, max_pages, ..method }
        },
        clusters: |settings| !settings.paper,
        paper: true,
        limits_pages: true,
    }
    /// What repeats at its place in the pattern that pages follow
    TreePattern "tree-pattern": TreePattern => PatternTemplate {
        settings: |settings| {
            let method = if settings.paper { TreePattern::paper() } else { TreePattern::default() };
            let max_pages = settings.pages.unwrap_or(method.max_pages);
            TreePattern { seed: settings.seed, max_pages, ..method }
        },
        clusters: |_| false,
        paper: true,
        limits_pages: true,
    }
    /// Texts at the same path on most pages of a cluster
    PageClusters "page-clusters": PathTemplates => PathTemplate {
        settings: |settings| {
            if settings.paper { PathTemplates::paper() } else { PathTemplates::default() }
        },
        clusters: |_| true,
        paper: true,
        limits_pages: false,
    }
}

#[allow(clippy::derivable_impls, reason = "the variants come from the list above")]
impl Default for MethodName {
    fn default() -> MethodName {
        MethodName::Auto
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A name that no method has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown method {name:?}: use one of {}", all_names())]
#[non_exhaustive]
pub struct UnknownMethod {
    /// The name.
    pub name: String,
}

fn all_names() -> String {
    MethodName::ALL.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for MethodName {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<MethodName, UnknownMethod> {
        let found = MethodName::ALL.iter().find(|method| method.name() == name);
        found.copied().ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}

/// Whatever the method, a template is asked the same questions.
impl Deref for Learned {
    type Target = dyn LearnedTemplate;

    fn deref(&self) -> &(dyn LearnedTemplate + 'static) {
        self.template()
    }
}

/// A page-by-page learner whose template is tagged with its method.
struct Tagged<T> {
    learner: Box<dyn PageByPage<T>>,
    tag: fn(T) -> Learned,
}

impl<T> PageByPage<Learned> for Tagged<T> {
    fn add(&mut self, page: &Page) {
        self.learner.add(page);
    }

    fn finish(self: Box<Self>) -> Result<Learned, LearnError> {
        self.learner.finish().map(self.tag)
    }

    fn history(&self) -> Option<String> {
        self.learner.history()
    }
}
