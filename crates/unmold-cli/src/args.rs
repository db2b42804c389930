//! What can be typed, and what it means when it is run.

use std::path::PathBuf;

use clap::{Args as Flags, Parser, Subcommand, ValueEnum};
use unmold::cluster::{Algorithm, Clustering, Essential, PathMode};
use unmold::methods::Threshold;
use unmold::sections::Sectioning;
use unmold::site::{Choice, Cleaning, Form};
use unmold::{Keep, Limits, ParseOptions};

use crate::input::{Format as InputFormat, InputOptions, RawPage};

/// Takes web pages out of their moulds: learns the template that the pages of a site share, and strips it.
#[derive(Parser, Debug)]
#[command(name = "unmold", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "one value in the life of the program")]
pub enum Command {
    /// Learn each site's template from a sample of its pages and strip it from all of them
    Clean(CleanArgs),
    /// Learn the templates and write them to a file
    Learn(LearnArgs),
    /// Strip pages with templates learned before
    Strip(StripArgs),
    /// Say which pages share a template
    Cluster(ClusterArgs),
    /// Show a page or a template file
    Show(ShowArgs),
    /// List, show, export and remove the templates of a store
    Templates(TemplatesArgs),
    /// Write the template as CSS selectors and XPaths, for other tools
    ExportRules(ExportRulesArgs),
    /// Cut pages into sections and say how important each is
    Sections(SectionsArgs),
    /// Record where a browser puts each node of each page
    Geometry(GeometryArgs),
    /// Score methods on labelled sites; run the papers' experiments
    Eval(EvalArgs),
    /// Build a search index of pages without their templates (needs the feature `search`)
    Index(IndexArgs),
    /// Search such an index
    Search(SearchArgs),
    /// Write pages without their templates for another search engine
    Export(ExportArgs),
    /// See in a browser what is template, and correct it (needs the feature `view`)
    View(ViewArgs),
    /// Print a completion script for a shell
    Completions(CompletionArgs),
    /// Print the manual page
    Man,
}

#[derive(Flags, Debug)]
pub struct CleanArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct LearnArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File to write the templates to (compressed if it ends in .zst), or a store of many sites that keeps old versions
    /// (if it ends in .db)
    #[arg(short, long, value_name = "FILE")]
    pub template: PathBuf,
    /// Learn only the sites that have no template in the file yet, or whose pages no longer fit theirs
    #[arg(long)]
    pub update: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct StripArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// File that `unmold learn` wrote
    #[arg(short, long, value_name = "FILE")]
    pub template: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct ClusterArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub clustering: ClusteringArgs,
    /// Write a record for each page, with its cluster, as JSONL (- is standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep the clusters of a file that `unmold learn` wrote, and put each page into the one it fits. Pages that fit none
    /// are clustered once there are more than 50 of them and more than 2 % of the site's
    #[arg(short, long, value_name = "FILE", conflicts_with = "plot")]
    pub template: Option<PathBuf>,
    /// Draw the cost against the merges, a line for each site, as an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct ClusteringArgs {
    /// How clusters are merged
    #[arg(long, value_enum, default_value_t = AlgorithmName::Max)]
    pub algorithm: AlgorithmName,
    /// What of a page is compared
    #[arg(long, value_enum, default_value_t = PathsName::TagsWords)]
    pub paths: PathsName,
    /// Which paths are essential: those on at least N pages, or `mode`, the paper's rule
    #[arg(long, value_name = "N", default_value = "3")]
    pub essential: EssentialRule,
    /// Join clusters if the template of one has at least this share of the paths of the other's; more than 1 joins none
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    pub join: f64,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgorithmName {
    /// Best pair of all by exact cost
    Mdl,
    /// Best pair of all by estimated cost
    Hash,
    /// Best pair of most similar clusters (Jaccard)
    Max,
    /// Best pair of most similar clusters (Dice)
    Dicemax,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathsName {
    /// Names of elements
    Tags,
    /// Names of elements, and texts
    TagsText,
    /// Names and classes of elements
    TagsClass,
    /// Names and classes of elements, and the other attributes that say what they are for
    TagsAttributes,
    /// Names of elements, and each word of their classes and of these attributes
    TagsWords,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EssentialRule(pub Essential);

impl std::str::FromStr for EssentialRule {
    type Err = String;

    fn from_str(text: &str) -> Result<EssentialRule, String> {
        match (text, text.parse()) {
            ("mode", _) => Ok(EssentialRule(Essential::Mode { least_support: 1 })),
            (_, Ok(pages)) if pages >= 1 => Ok(EssentialRule(Essential::Support { pages })),
            _ => Err("give a number of pages, or `mode`".to_owned()),
        }
    }
}

impl ClusteringArgs {
    pub fn settings(&self) -> Clustering {
        Clustering {
            algorithm: self.algorithm.algorithm(),
            paths: match self.paths {
                PathsName::Tags => PathMode::Tags,
                PathsName::TagsText => PathMode::TagsText,
                PathsName::TagsClass => PathMode::TagsClass,
                PathsName::TagsAttributes => PathMode::TagsAttributes,
                PathsName::TagsWords => PathMode::TagsWords,
            },
            essential: self.essential.0,
            join: Some(self.join).filter(|&share| share <= 1.0),
            ..Clustering::default()
        }
    }
}

impl AlgorithmName {
    pub fn algorithm(self) -> Algorithm {
        match self {
            AlgorithmName::Mdl => Algorithm::Mdl,
            AlgorithmName::Hash => Algorithm::Hash,
            AlgorithmName::Max => Algorithm::Max,
            AlgorithmName::Dicemax => Algorithm::DiceMax,
        }
    }
}

#[derive(Flags, Debug)]
pub struct ShowArgs {
    /// A page, or a file that `unmold learn` wrote
    pub file: PathBuf,
    /// Templates to mark the page with
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Site of the page [default: the folder it lies in, or the only template of the file]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Say for each text why it stays or goes
    #[arg(long, requires = "template")]
    pub explain: bool,
}

#[derive(Flags, Debug)]
pub struct TemplatesArgs {
    #[command(subcommand)]
    pub verb: TemplatesVerb,
}

#[derive(Subcommand, Debug)]
pub enum TemplatesVerb {
    /// List the sites: version, method, pages learned from, when
    List {
        /// The store that `unmold learn -t NAME.db` wrote
        store: PathBuf,
        /// Old versions, too
        #[arg(long)]
        all: bool,
    },
    /// Show the templates of a site, as `unmold show` does
    Show {
        /// The store
        store: PathBuf,
        /// The site
        site: String,
        /// Another version than the newest
        #[arg(long, value_name = "N")]
        version: Option<u32>,
    },
    /// Write templates to a file that `unmold strip` reads
    Export {
        /// The store
        store: PathBuf,
        /// Only these sites
        sites: Vec<String>,
        /// The file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Remove sites, or versions
    Rm {
        /// The store
        store: PathBuf,
        /// The sites
        sites: Vec<String>,
        /// Only this version of them
        #[arg(long, value_name = "N", requires = "sites")]
        version: Option<u32>,
        /// All old versions of all sites
        #[arg(long, conflicts_with_all = ["sites", "version"], required_unless_present = "sites")]
        old: bool,
    },
}

#[derive(Flags, Debug)]
pub struct ExportRulesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File that `unmold learn` wrote [default: learn from the input]
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// File to write to [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to write
    #[arg(short, long, value_enum, default_value_t = RulesFormat::Table)]
    pub format: RulesFormat,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesFormat {
    /// For people: each selector with the pages that have it and the words it takes
    Table,
    /// One record per site, with selectors, XPaths and supports
    Json,
    /// CSS selectors, one on a line
    Css,
    /// XPaths, one on a line
    Xpath,
    /// A list for `prune_xpath` of trafilatura
    Trafilatura,
    /// A value for `excluded_selector` of crawl4ai
    Crawl4ai,
    /// A site's file of ftr-site-config
    Ftr,
}

#[derive(Flags, Debug)]
pub struct SectionsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File that `unmold learn` wrote [default: learn from the input]
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// File that `unmold geometry` wrote [default: areas are estimated from the mark-up]
    #[arg(short, long, value_name = "FILE")]
    pub geometry: Option<PathBuf>,
    /// Compare the estimated areas with those of --geometry, and what follows from both
    #[arg(long, requires = "geometry")]
    pub compare: bool,
    /// File to write to [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to write
    #[arg(short, long, value_enum, default_value_t = SectionsFormat::Jsonl)]
    pub format: SectionsFormat,
    /// A section less important than this is noise
    #[arg(long, value_name = "0..1", default_value_t = Sectioning::default().noisy_below, value_parser = parse_share)]
    pub noisy_below: f64,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionsFormat {
    /// One record per page
    Jsonl,
    /// An outline for people
    Tree,
}

#[derive(Flags, Debug)]
pub struct GeometryArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// File to write the boxes to, as JSONL [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The browser: Chromium or one like it [default: the first of chromium, chromium-browser, google-chrome on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub browser: Option<PathBuf>,
    /// Only the first N pages of each site
    #[arg(long, value_name = "N")]
    pub pages: Option<usize>,
    /// Width of the window in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1024)]
    pub width: u32,
    /// Give up on a page after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub patience: u64,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct EvalArgs {
    /// Folders with labelled sets: SITE/pages/** and SITE/gold.jsonl up to two levels down, or a layout that --sets names
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
    /// What to score [default: all; for experiments, all but the papers' settings]
    #[arg(long, value_name = "NAME")]
    pub method: Vec<ContenderName>,
    /// Run this experiment (see --list) [default: scores]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["curve", "json"])]
    pub experiment: Vec<String>,
    /// Run all experiments
    #[arg(long, conflicts_with_all = ["experiment", "curve", "json"])]
    pub all: bool,
    /// Write the experiments' report to this folder: report.html, results.json, times.json, results.md, plots
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Outputs of other tools to score beside ours: a folder of files that tools/peers.py wrote
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,
    /// List the experiments, and the sets that are there or missing
    #[arg(long)]
    pub list: bool,
    /// A manifest of sets [default: the one built in]
    #[arg(long, value_name = "FILE")]
    pub sets: Option<PathBuf>,
    /// Compare with the floors of this file; fail if a score fell
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experiment", "all", "curve", "sample"])]
    pub baseline: Option<PathBuf>,
    /// Raise the floors of the baseline to the scores reached, and add those it lacks
    #[arg(long, requires = "baseline")]
    pub pin: bool,
    /// With --pin: lower floors, too, and take over changed sets
    #[arg(long, requires = "pin")]
    pub allow_lower: bool,
    /// Write what each method leaves of each page to DIR/METHOD.jsonl, for other scorers. Holds text of the pages
    #[arg(long, value_name = "DIR")]
    pub save_outputs: Option<PathBuf>,
    /// Learn from the first N pages of each site and score the others
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Draw those N pages by chance instead of taking the first
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Learn a template for each type of page, from N pages of the type
    #[arg(long)]
    pub by_type: bool,
    /// Score with samples of these sizes, one after the other: the curve of the score against the pages learned from
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', conflicts_with_all = ["sample", "json"])]
    pub curve: Vec<usize>,
    /// Draw the curves of template F, and of the time, as SVG files NAME.svg and NAME-time.svg
    #[arg(long, value_name = "NAME", requires = "curve")]
    pub plot: Option<PathBuf>,
    /// Learn a template for each cluster of pages of a site
    #[arg(long)]
    pub clustered: bool,
    #[command(flatten)]
    pub clustering: ClusteringArgs,
    /// Instead of scores write every scored section, with what is known of it, as JSONL
    #[arg(long, value_name = "FILE")]
    pub each_section: Option<PathBuf>,
    /// Only sets of these names
    #[arg(long, value_name = "NAME")]
    pub set: Vec<String>,
    /// Also print the curve of each site
    #[arg(long, requires = "curve")]
    pub each_site: bool,
    /// Write all scores, each site's too, as JSON
    #[arg(long)]
    pub json: bool,
    /// Instead of scores write the features of every labelled block, from which the default's weights are fitted
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Keep elements that are hidden by an attribute
    #[arg(long)]
    pub keep_hidden: bool,
    /// Runs of K-means in the clustering experiment
    #[arg(long, value_name = "N", default_value_t = 800)]
    pub runs: usize,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContenderName {
    /// Nothing is stripped
    Full,
    /// The floor: drop texts that are on at least half of the pages
    LineFrequency,
    /// The default: site evidence and page evidence, with weights fitted without the site that is scored
    Auto,
    /// The default with `--keep all-unique`
    AutoAllUnique,
    /// Chunk frequency
    ChunkFrequency,
    /// Chunk frequency with the paper's settings
    ChunkFrequencyPaper,
    /// Alignment
    Alignment,
    /// Alignment with the paper's settings
    AlignmentPaper,
    /// Tree mapping
    TreeMapping,
    /// Tree mapping with the paper's settings
    TreeMappingPaper,
    /// Tree pattern
    TreePattern,
    /// Tree pattern with the paper's settings
    TreePatternPaper,
    /// Path templates of page clusters
    PageClusters,
}

#[derive(Flags, Debug)]
pub struct IndexArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Folder for the index; must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct SearchArgs {
    /// Folder that `unmold index` wrote
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Words, "a phrase", +must -not, title:word, site:NAME
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Search whole pages, templates and all, to see the difference
    #[arg(long)]
    pub raw: bool,
    /// Show at most this many pages
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// One JSON object per page
    #[arg(long)]
    pub json: bool,
}

#[derive(Flags, Debug)]
pub struct ExportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Lines for the bulk interface of Elasticsearch and OpenSearch
    #[arg(long, required = true)]
    pub bulk: bool,
    /// Name of the index that the lines go to
    #[arg(long, value_name = "NAME", default_value = "pages")]
    pub index: String,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
#[cfg_attr(not(feature = "view"), allow(dead_code))]
pub struct ViewArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File that `unmold learn` wrote; corrections are saved in it [default: learn from the input]
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Folder that `unmold index` wrote, to search before and after (needs the feature `search`)
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Write a static report into this folder instead of serving
    #[arg(long, value_name = "DIR")]
    pub export: Option<PathBuf>,
    /// With --export: show at most this many pages of each template
    #[arg(long, value_name = "N", default_value_t = 20, requires = "export")]
    pub export_pages: usize,
    /// Port to listen on, at 127.0.0.1 only [default: any free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true,
        conflicts_with = "export"
    )]
    pub port: u16,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct CompletionArgs {
    pub shell: clap_complete::Shell,
}

#[derive(Flags, Debug)]
pub struct InputArgs {
    /// Folders of HTML, HTML files, .warc[.gz], .jsonl[.gz|.zst] or .parquet with url and html; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Treat all pages as one site of this name [default: the host of the URL, else the top folder]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Format of standard input and of files whose name says nothing [default: look inside]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormatName>,
    /// Keep elements that are hidden by an attribute
    #[arg(long)]
    pub keep_hidden: bool,
    /// Read at most this many bytes of a page
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes)]
    pub max_page_bytes: usize,
    /// Take a page with more nodes as plain text
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes)]
    pub max_nodes: usize,
    /// Take a page that is nested deeper as plain text
    #[arg(long, value_name = "LEVELS", default_value_t = Limits::default().depth)]
    pub max_depth: usize,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum InputFormatName {
    Html,
    Warc,
    Jsonl,
    Parquet,
}

impl InputArgs {
    pub fn options(&self) -> InputOptions {
        InputOptions {
            site: self.site.clone(),
            max_page_bytes: self.max_page_bytes,
            format: self.input_format.map(|format| match format {
                InputFormatName::Html => InputFormat::Html,
                InputFormatName::Warc => InputFormat::Warc,
                InputFormatName::Jsonl => InputFormat::Jsonl,
                InputFormatName::Parquet => InputFormat::Parquet,
            }),
        }
    }

    pub fn limits(&self) -> Limits {
        Limits {
            bytes: self.max_page_bytes,
            nodes: self.max_nodes,
            depth: self.max_depth,
            ..Limits::default()
        }
    }

    /// How `page` is to be parsed.
    pub fn parse_options(&self, page: &RawPage) -> ParseOptions {
        ParseOptions {
            limits: self.limits(),
            charset: page.charset.clone(),
            // Pages of a folder link to each other by relative paths: the id is as good a base as an address.
            url: Some(page.url.clone().unwrap_or_else(|| format!("file:///{}", page.id))),
            keep_hidden: self.keep_hidden,
            ..ParseOptions::default()
        }
    }
}

#[derive(Flags, Debug)]
pub struct MethodArgs {
    /// How the template is learned
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,
    /// auto: what of a page is kept
    #[arg(long, value_enum, default_value_t = KeepName::Main)]
    pub keep: KeepName,
    /// Use the settings of the method's paper
    #[arg(long)]
    pub paper: bool,
    /// Pages of each site to learn from: a number, or `all` to count the whole site
    #[arg(long, value_name = "N", default_value = "100")]
    pub sample: SampleSize,
    /// Draws another sample
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Learn a template for each cluster of pages [default for alignment, tree-mapping and page-clusters]
    #[arg(long, overrides_with = "no_cluster")]
    pub cluster: bool,
    /// Learn one template for the whole site [default for chunk-frequency]
    #[arg(long, overrides_with = "cluster")]
    pub no_cluster: bool,
    /// chunk-frequency: a chunk on more pages than this is template; a number of pages, or a share such as 30%
    #[arg(long, value_name = "PAGES", value_parser = parse_threshold)]
    pub threshold: Option<Threshold>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MethodName {
    /// Site evidence and page evidence together
    Auto,
    /// Document frequency of runs of text
    ChunkFrequency,
    /// Consensus of aligned tags and texts
    Alignment,
    /// What pages share when their trees are mapped to each other
    TreeMapping,
    /// What repeats at its place in the pattern that pages follow
    TreePattern,
    /// Texts at the same path on most pages of a cluster
    PageClusters,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepName {
    /// Everything but the template: nothing that is unique is lost
    AllUnique,
    /// The main content, comments included
    Main,
    /// The main content, in doubt without it
    Article,
}

impl From<MethodName> for unmold::site::MethodName {
    fn from(name: MethodName) -> unmold::site::MethodName {
        match name {
            MethodName::Auto => unmold::site::MethodName::Auto,
            MethodName::ChunkFrequency => unmold::site::MethodName::ChunkFrequency,
            MethodName::Alignment => unmold::site::MethodName::Alignment,
            MethodName::TreeMapping => unmold::site::MethodName::TreeMapping,
            MethodName::TreePattern => unmold::site::MethodName::TreePattern,
            MethodName::PageClusters => unmold::site::MethodName::PageClusters,
        }
    }
}

impl From<KeepName> for Keep {
    fn from(name: KeepName) -> Keep {
        match name {
            KeepName::AllUnique => Keep::AllUnique,
            KeepName::Main => Keep::Main,
            KeepName::Article => Keep::Article,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleSize {
    Pages(usize),
    All,
}

impl std::str::FromStr for SampleSize {
    type Err = String;

    fn from_str(text: &str) -> Result<SampleSize, String> {
        match text {
            "all" => Ok(SampleSize::All),
            _ => match text.parse() {
                Ok(pages) if pages >= 2 => Ok(SampleSize::Pages(pages)),
                _ => Err("give a number of at least 2, or `all`".to_owned()),
            },
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1, such as 0.25".to_owned()),
    }
}

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    let wrong = || "give a number of pages such as 4, or a share such as 30%".to_owned();
    match text.strip_suffix('%') {
        Some(percent) => match percent.parse::<f64>() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Threshold::Share(percent / 100.0)),
            _ => Err(wrong()),
        },
        None => text.parse().map(Threshold::Pages).map_err(|_| wrong()),
    }
}

impl MethodArgs {
    /// What is chosen by these flags.
    pub fn choice(&self) -> Choice {
        Choice {
            method: self.method.into(),
            keep: self.keep.into(),
            paper: self.paper,
            seed: self.seed,
            threshold: self.threshold,
            cluster: (self.cluster || self.no_cluster).then_some(self.cluster),
        }
    }
}

#[derive(Flags, Debug)]
pub struct OutputArgs {
    /// File for jsonl, folder for the other formats [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to write
    #[arg(short, long, value_enum, default_value_t = Format::Jsonl)]
    pub format: Format,
    /// Strip whole sections less important than this instead of single texts; 0.25 is the paper's threshold of noise
    #[arg(long, value_name = "0..1", value_parser = parse_share)]
    pub least_importance: Option<f64>,
    /// Write the other half, too: each template once, as text, html and markdown, in a JSONL file
    #[arg(long, value_name = "FILE")]
    pub keep_template: Option<PathBuf>,
    /// Say for each block of a page why it stays or goes, in the field `explanation` of its record
    #[arg(long)]
    pub explain: bool,
    /// Write how the pages fit each template, as JSONL: those of a redesigned site do not
    #[arg(long, value_name = "FILE")]
    pub drift: Option<PathBuf>,
}

impl OutputArgs {
    /// How pages are cleaned.
    pub fn cleaning(&self) -> Cleaning {
        let form = match self.format {
            Format::Jsonl | Format::Text => Form::Text,
            Format::Markdown => Form::Markdown,
            Format::Html => Form::Html,
        };
        Cleaning { form, least_importance: self.least_importance, explain: self.explain }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One record per page with its text
    Jsonl,
    /// Plain text
    Text,
    /// CommonMark with tables
    Markdown,
    /// The page without its template
    Html,
}

#[derive(Flags, Debug)]
pub struct RunArgs {
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say what was skipped and what was learned
    #[arg(short, long)]
    pub verbose: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn thresholds_are_pages_or_shares() {
        assert_eq!(parse_threshold("4"), Ok(Threshold::Pages(4)));
        assert_eq!(parse_threshold("30%"), Ok(Threshold::Share(0.3)));
        for wrong in ["", "-1", "x", "130%", "%"] {
            assert!(parse_threshold(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_sample_has_at_least_two_pages() {
        assert_eq!("all".parse(), Ok(SampleSize::All));
        assert_eq!("24".parse(), Ok(SampleSize::Pages(24)));
        assert!("1".parse::<SampleSize>().is_err());
    }
}
