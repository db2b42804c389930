//! Where clean pages go: one stream, or a folder that mirrors the input.

mod halves;
mod path;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;
use unmold::Record;

use crate::args::{Format, OutputArgs};
pub use halves::TemplateHalves;
use path::PagePaths;

/// Takes records in order.
pub enum Output {
    Jsonl(Sink),
    /// Pages one after the other, each under a line that names it.
    Stream {
        sink: Sink,
        pages: u64,
    },
    Folder {
        folder: PathBuf,
        paths: PagePaths,
    },
}

impl Output {
    /// Opens the output, so that a mistake shows before the work begins.
    pub fn create(args: &OutputArgs) -> Result<Output> {
        let extension = match args.format {
            Format::Jsonl => return Ok(Output::Jsonl(Sink::create(args.output.as_deref())?)),
            Format::Text => "txt",
            Format::Markdown => "md",
            Format::Html => "html",
        };
        let Some(folder) = &args.output else {
            return Ok(Output::Stream { sink: Sink::create(None)?, pages: 0 });
        };
        if folder.exists() && !folder.is_dir() {
            bail!("{} is a file: give a folder with -o, or use --format jsonl", folder.display());
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        Ok(Output::Folder { folder: folder.clone(), paths: PagePaths::new(extension) })
    }

    pub fn write(&mut self, record: &Record) -> Result<()> {
        match self {
            Output::Jsonl(sink) => {
                let mut line = serde_json::to_vec(record)?;
                line.push(b'\n');
                sink.write(&line)
            }
            Output::Stream { sink, pages } => {
                let blank = if *pages == 0 { "" } else { "\n" };
                *pages += 1;
                sink.write(
                    format!("{blank}==> {} <==\n{}\n", record.id, record.page.text.trim_end())
                        .as_bytes(),
                )
            }
            Output::Folder { folder, paths } => {
                let path = folder.join(paths.path(&record.id));
                let mut sink = Sink::create(Some(&path))?;
                sink.write(record.page.text.as_bytes())?;
                if !record.page.text.ends_with('\n') && !record.page.text.is_empty() {
                    sink.write(b"\n")?;
                }
                sink.finish()
            }
        }
    }

    /// Makes the output visible under its name.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::Jsonl(sink) | Output::Stream { sink, .. } => sink.finish(),
            Output::Folder { .. } => Ok(()),
        }
    }
}

/// A file that gets its name only when it is whole; or standard output, or a device.
pub enum Sink {
    Stdout(BufWriter<std::io::Stdout>),
    Device(BufWriter<File>, PathBuf),
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Sink {
    pub fn create(path: Option<&Path>) -> Result<Sink> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            return Ok(Sink::Stdout(BufWriter::with_capacity(1 << 16, std::io::stdout())));
        };
        let shown = path.display();
        if path.is_dir() {
            bail!("{shown} is a folder: give the name of a file");
        }
        // Devices and pipes cannot be replaced by a renamed file.
        if path.exists() && !path.is_file() {
            let file = File::options()
                .write(true)
                .open(path)
                .with_context(|| format!("cannot write {shown}"))?;
            return Ok(Sink::Device(BufWriter::new(file), path.to_owned()));
        }
        let folder =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".unmold-").suffix(".partial");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).with_context(|| format!("cannot write {shown}"))?;
        Ok(Sink::File(BufWriter::with_capacity(1 << 16, file), path.to_owned()))
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Sink::Stdout(out) => out.write_all(bytes).context("cannot write to standard output"),
            Sink::Device(out, path) => out.write_all(bytes).with_context(|| cannot_write(path)),
            Sink::File(out, path) => out.write_all(bytes).with_context(|| cannot_write(path)),
        }
    }

    pub fn finish(self) -> Result<()> {
        match self {
            Sink::Stdout(mut out) => out.flush().context("cannot write to standard output"),
            Sink::Device(mut out, path) => out.flush().with_context(|| cannot_write(&path)),
            Sink::File(out, path) => {
                let file = out
                    .into_inner()
                    .map_err(|error| error.into_error())
                    .with_context(|| cannot_write(&path))?;
                file.persist(&path)
                    .map_err(|error| error.error)
                    .with_context(|| cannot_write(&path))?;
                Ok(())
            }
        }
    }
}

fn cannot_write(path: &Path) -> String {
    format!(
        "cannot write {}: check that the disk has space and that you may write there",
        path.display()
    )
}
