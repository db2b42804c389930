//! Maps names on the command line to contenders.

use clap::ValueEnum;
use unmold::cluster::{Clustering, PathTemplates};
use unmold::site::Settings;
use unmold::{Alignment, Auto, ChunkFrequency, Keep, TreeMapping, TreePattern};
use unmold_lab::eval::contender::Contender;

use crate::args::{ContenderName, EvalArgs};

/// The contenders asked for, or all.
pub fn names(args: &EvalArgs) -> &[ContenderName] {
    if args.method.is_empty() { ContenderName::value_variants() } else { &args.method }
}

pub fn method_name(name: ContenderName) -> String {
    name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

pub fn contender(name: ContenderName) -> Contender {
    let chunk_frequency = |settings| Contender::Method(Settings::ChunkFrequency(settings));
    let auto = |keep| Contender::Method(Settings::Auto(Auto { keep }));
    let alignment = |settings| Contender::Method(Settings::Alignment(settings));
    let tree_mapping = |settings| Contender::Method(Settings::TreeMapping(settings));
    let tree_pattern = |settings| Contender::Method(Settings::TreePattern(settings));
    match name {
        ContenderName::Full => Contender::Full,
        ContenderName::LineFrequency => Contender::LineFrequency,
        ContenderName::Auto => auto(Keep::Main),
        ContenderName::AutoAllUnique => auto(Keep::AllUnique),
        ContenderName::ChunkFrequency => chunk_frequency(ChunkFrequency::default()),
        ContenderName::ChunkFrequencyPaper => chunk_frequency(ChunkFrequency::paper()),
        ContenderName::Alignment => alignment(Alignment::default()),
        ContenderName::AlignmentPaper => alignment(Alignment::paper()),
        ContenderName::TreeMapping => tree_mapping(TreeMapping::default()),
        ContenderName::TreeMappingPaper => tree_mapping(TreeMapping::paper()),
        ContenderName::TreePattern => tree_pattern(TreePattern::default()),
        ContenderName::TreePatternPaper => tree_pattern(TreePattern::paper()),
        ContenderName::PageClusters => {
            Contender::Clustered(Settings::PageClusters(PathTemplates), Clustering::default())
        }
    }
}
