//! Writes files atomically.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// A destination for bytes: standard output, a device, or a file.
///
/// Files are written under a temporary name and renamed when they are complete.
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
            bail!("{shown} is a folder: give a file name");
        }
        // A rename would replace a device or pipe, so write to it directly.
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
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
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
    format!("cannot write {}: check free disk space and permissions", path.display())
}
