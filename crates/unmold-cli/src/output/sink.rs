//! Writes files atomically.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::io;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// A destination for bytes: standard output, a device, or a file.
///
/// Files get their name when they are complete. Until then they have none, and nothing is left of
/// them if the process is killed; where the system does not know such files, they have a temporary
/// name.
pub enum Sink {
    Stdout(BufWriter<std::io::Stdout>),
    Device(BufWriter<File>, PathBuf),
    File(BufWriter<NamedTempFile>, PathBuf),
    #[cfg(target_os = "linux")]
    Unnamed(BufWriter<File>, PathBuf),
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
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed_file(folder) {
            return Ok(Sink::Unnamed(BufWriter::with_capacity(1 << 16, file), path.to_owned()));
        }
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
            #[cfg(target_os = "linux")]
            Sink::Unnamed(out, path) => out.write_all(bytes).with_context(|| cannot_write(path)),
        }
    }

    pub fn finish(self) -> Result<()> {
        match self {
            Sink::Stdout(mut out) => out.flush().context("cannot write to standard output"),
            Sink::Device(mut out, path) => out.flush().with_context(|| cannot_write(&path)),
            #[cfg(target_os = "linux")]
            Sink::Unnamed(out, path) => {
                let file = out
                    .into_inner()
                    .map_err(|error| error.into_error())
                    .with_context(|| cannot_write(&path))?;
                give_name(&file, &path).with_context(|| cannot_write(&path))
            }
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

/// A file without a name; `None` where there are none, as on some network file systems, or where
/// they could not be named.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits() as i32;
    let file =
        File::options().read(true).write(true).mode(0o666).custom_flags(flags).open(folder).ok()?;
    Path::new(&descriptor_path(&file)).exists().then_some(file)
}

#[cfg(target_os = "linux")]
fn descriptor_path(file: &File) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Gives a file its name. A link cannot replace a file, so it gets a temporary name first.
#[cfg(target_os = "linux")]
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let link = |name: &Path| {
        linkat(CWD, descriptor_path(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    };
    let named = tempfile::Builder::new()
        .prefix(".unmold-")
        .suffix(".partial")
        .make_in(folder, |name| link(name))?;
    named.into_temp_path().persist(path).map_err(|error| error.error)
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}: check free disk space and permissions", path.display())
}
