//! Flags for the output and for the run itself, shared by all commands that process pages.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args as Flags, ValueEnum};
use unmold::sections::Sectioning;
use unmold::{CleanOptions, Comments, Images, Links, TextFormat, WriteOptions};

use super::parse;
use crate::output::{Format, OutputOptions, parse_fields};
use crate::report::Verbosity;
use crate::stripping::StripOptions;

#[derive(Flags, Debug)]
pub struct OutputArgs {
    /// Write to this file or folder [default: standard output]
    ///
    /// A name that ends in .jsonl, .md, .txt or .html is one file for all pages. Other names are
    /// folders with a file for each page, or a file in the format jsonl.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Output format
    ///
    /// Default: what the extension of the output says, such as `-o page.md`; otherwise jsonl.
    #[arg(short, long, value_enum)]
    pub format: Option<FormatName>,
    /// Format of the field `text` of records (with --format jsonl or csv) [default: lines]
    #[arg(long, value_enum)]
    pub text: Option<TextName>,
    /// Write only these fields of records, in this order; `NAME=FIELD` renames one
    ///
    /// For example `--fields id,url,title,body=text`. With --format jsonl or csv.
    #[arg(long, value_name = "LIST")]
    pub fields: Option<String>,
    /// Write title, author, dates and so on as YAML before the Markdown of each page
    #[arg(long)]
    pub front_matter: bool,
    /// What happens to links in Markdown and HTML [default: absolute]
    #[arg(long, value_enum)]
    pub links: Option<LinksName>,
    /// What happens to images in Markdown and HTML [default: keep]
    #[arg(long, value_enum)]
    pub images: Option<ImagesName>,
    /// Write only the content as HTML: no head, no wrappers, no attributes of the layout
    #[arg(long)]
    pub fragment: bool,
    /// What happens to the comments of readers below an article [default: keep]
    #[arg(long, value_enum)]
    pub comments: Option<CommentsName>,
    /// Write only pages in these languages, for example en,de
    ///
    /// The language is that of the clean text or, if that cannot be told, the one that the page
    /// declares. A page without either is left out.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub language: Vec<String>,
    /// Add the field `duplicate_of` to pages whose clean text has the words of an earlier page
    #[arg(long)]
    pub mark_duplicates: bool,
    /// Remove whole sections below this importance instead of single texts
    ///
    /// The value is a number from 0 to 1; the paper uses 0.25.
    #[arg(long, value_name = "0..1", value_parser = parse::share)]
    pub min_importance: Option<f64>,
    /// Write the removed text, too: one JSONL record per template with text, HTML and Markdown
    #[arg(long, value_name = "FILE")]
    pub keep_template: Option<PathBuf>,
    /// Add the field `explanation` to each record: why each block is kept or removed
    #[arg(long)]
    pub explain: bool,
    /// Write how well the pages fit each template, as JSONL
    ///
    /// A low fit usually means that the site was redesigned.
    #[arg(long, value_name = "FILE")]
    pub drift: Option<PathBuf>,
}

impl OutputArgs {
    /// Pages are cut into sections by `sectioning`.
    pub fn options(&self, sectioning: Sectioning) -> Result<StripOptions> {
        let named = self.output.as_deref().filter(|path| !path.is_dir()).and_then(Format::of_path);
        let format = self.format.map(Format::from).or(named).unwrap_or(Format::Jsonl);
        let is_table = matches!(format, Format::Jsonl | Format::Csv);
        if !is_table && (self.fields.is_some() || self.text.is_some()) {
            bail!("--fields and --text are for records: use them with --format jsonl or csv");
        }
        if self.front_matter && format != Format::Markdown {
            bail!("--front-matter needs --format markdown");
        }
        let text = match format {
            Format::Jsonl | Format::Csv => self.text.unwrap_or(TextName::Lines).into(),
            Format::Text => TextFormat::Plain,
            Format::Markdown => TextFormat::Markdown,
            Format::Html => TextFormat::Html,
        };
        if self.fragment && text != TextFormat::Html {
            bail!("--fragment is for HTML: use it with --format html or --text html");
        }
        let comments = self.comments.map(Comments::from).unwrap_or_default();
        if comments == Comments::Separate && !is_table {
            bail!(
                "--comments separate is a field of records: use it with --format jsonl or csv, or \
                 --comments drop"
            );
        }
        if matches!(text, TextFormat::Text | TextFormat::Plain)
            && (self.links.is_some() || self.images.is_some())
        {
            bail!(
                "plain text has no links and images: use --links and --images with Markdown or HTML"
            );
        }
        let write = WriteOptions::default()
            .with_links(self.links.map(Links::from).unwrap_or_default())
            .with_images(self.images.map(Images::from).unwrap_or_default())
            .with_fragment(self.fragment);
        Ok(StripOptions {
            clean: CleanOptions::default()
                .with_format(text)
                .with_write(write)
                .with_comments(comments)
                .with_min_importance(self.min_importance)
                .with_sectioning(sectioning)
                .with_explain(self.explain),
            output: OutputOptions {
                format,
                path: self.output.clone(),
                fields: self.fields.as_deref().map(parse_fields).transpose()?,
                front_matter: self.front_matter,
            },
            languages: self.language.iter().map(|name| name.trim().to_lowercase()).collect(),
            mark_duplicates: self.mark_duplicates,
            use_only_template: false,
            removed: self.keep_template.clone(),
            drift: self.drift.clone(),
        })
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextName {
    /// Plain text, one line per block
    Lines,
    /// Plain text with paragraphs, bullets and numbers
    Plain,
    /// CommonMark with tables
    Markdown,
    /// HTML without the template
    Html,
}

impl From<TextName> for TextFormat {
    fn from(name: TextName) -> TextFormat {
        match name {
            TextName::Lines => TextFormat::Text,
            TextName::Plain => TextFormat::Plain,
            TextName::Markdown => TextFormat::Markdown,
            TextName::Html => TextFormat::Html,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinksName {
    /// As on the page
    Keep,
    /// Whole addresses, where the address of the page is known
    Absolute,
    /// Only their text
    Drop,
}

impl From<LinksName> for Links {
    fn from(name: LinksName) -> Links {
        match name {
            LinksName::Keep => Links::Keep,
            LinksName::Absolute => Links::Absolute,
            LinksName::Drop => Links::Drop,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommentsName {
    /// In the text, as far as they are main content
    Keep,
    /// Leave them out
    Drop,
    /// In the field `comments` of records
    Separate,
}

impl From<CommentsName> for Comments {
    fn from(name: CommentsName) -> Comments {
        match name {
            CommentsName::Keep => Comments::Keep,
            CommentsName::Drop => Comments::Drop,
            CommentsName::Separate => Comments::Separate,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImagesName {
    /// With their alternative text
    Keep,
    /// Leave them out
    Drop,
}

impl From<ImagesName> for Images {
    fn from(name: ImagesName) -> Images {
        match name {
            ImagesName::Keep => Images::Keep,
            ImagesName::Drop => Images::Drop,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatName {
    /// One JSON record per page, with its text
    Jsonl,
    /// One row per page, with its text
    Csv,
    /// Plain text to read
    Text,
    /// CommonMark with tables
    Markdown,
    /// HTML without the template
    Html,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Jsonl => Format::Jsonl,
            FormatName::Csv => Format::Csv,
            FormatName::Text => Format::Text,
            FormatName::Markdown => Format::Markdown,
            FormatName::Html => Format::Html,
        }
    }
}

#[derive(Flags, Debug)]
pub struct RunArgs {
    /// Number of worker threads, at most eight per core [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Replace inputs and files that unmold did not write
    #[arg(long)]
    pub force: bool,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print skipped files and details about the learned templates
    #[arg(short, long)]
    pub verbose: bool,
}

impl RunArgs {
    pub fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }
}
