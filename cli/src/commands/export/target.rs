//! Where an export is written: a file, a folder with a file for each kind of record, or standard
//! output.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use import::finding::Kind;

use super::format::{Format, Packing};
use crate::hints::Hinted;
use crate::process::output::Output;
use crate::process::output_file::{self, OutputFile, Permit};

/// Stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Where an export goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Standard output.
    Output,
    /// A file.
    File(PathBuf),
    /// A folder, which need not exist.
    Folder(PathBuf),
}

impl Target {
    /// Parses what was typed. A folder exists, or ends with a slash.
    pub(super) fn of(to: &Path) -> Self {
        if to.as_os_str() == STANDARD_OUTPUT {
            Self::Output
        } else if to.is_dir() || to.as_os_str().as_bytes().ends_with(b"/") {
            Self::Folder(to.to_owned())
        } else {
            Self::File(to.to_owned())
        }
    }

    /// The format, from the file's name or as typed.
    pub(super) fn format(
        &self,
        typed: Option<Format>,
        is_at_terminal: bool,
    ) -> anyhow::Result<Format> {
        let refused = |error, hint: &str| Err(Hinted::wrong_usage(error, hint.to_owned()).into());
        match (self, typed) {
            (Self::File(path), typed) => {
                let shown = path.display();
                let Some(format) = Format::of_file(path) else {
                    let error = anyhow!("the name {shown} tells no format");
                    let endings = Format::ALL.map(|format| format!(".{}", format.ending()));
                    let hint = format!(
                        "end it with {}, or with a slash for a folder",
                        endings.join(", ")
                    );
                    return refused(error, &hint);
                };
                match typed {
                    Some(typed) if typed != format => {
                        let (format, typed) = (format.ending(), typed.ending());
                        let error = anyhow!("{shown} ends with .{format}, but --format is {typed}");
                        refused(error, "leave --format out, or name another file")
                    }
                    _ => Ok(format),
                }
            }
            (Self::Folder(path), None) => {
                let error = anyhow!("{} is a folder, whose files need a format", path.display());
                refused(error, "add one, such as --format ndjson, or name a file")
            }
            (Self::Output, None) => Ok(Format::Ndjson(Packing::Plain)),
            (Self::Output, Some(format)) if is_at_terminal && !format.is_text() => {
                let error = anyhow!("a terminal cannot show {}", format.ending());
                refused(error, "name a file with --to, or redirect standard output")
            }
            (Self::Folder(_) | Self::Output, Some(format)) => Ok(format),
        }
    }

    /// Creates the folder if it does not exist.
    pub(super) fn make_folder(&self, permit: &Permit) -> anyhow::Result<NewFolder> {
        let Self::Folder(path) = self else {
            return Ok(NewFolder(None));
        };
        permit.check(path)?;
        if path.is_dir() {
            return Ok(NewFolder(None));
        }
        let made = fs::create_dir(path);
        made.with_context(|| format!("could not create the folder {}", path.display()))?;
        Ok(NewFolder(Some(path.clone())))
    }

    /// Opens the outputs: one for everything, or one for each kind of record in a folder.
    pub(super) fn begin<'c>(
        &self,
        format: Format,
        permit: &Permit,
        out: &'c mut Output,
    ) -> anyhow::Result<Vec<Sink<'c>>> {
        match self {
            Self::Output => Ok(vec![Sink::Output(BufWriter::new(out))]),
            Self::File(path) => Ok(vec![Sink::file(path, permit)?]),
            Self::Folder(folder) => {
                let name = |kind: &Kind| format!("{}.{}", file_stem(*kind), format.ending());
                let sink = |kind| Sink::file(&folder.join(name(kind)), permit);
                format.kinds().iter().map(sink).collect()
            }
        }
    }
}

const fn file_stem(kind: Kind) -> &'static str {
    match kind {
        Kind::Catalogue => "catalogue",
        Kind::Manufacturer => "manufacturers",
        Kind::Term => "terms",
        Kind::Designer => "designers",
        Kind::Boat => "boats",
    }
}

/// A folder created for an export, removed again if it stays empty.
pub(super) struct NewFolder(Option<PathBuf>);

impl Drop for NewFolder {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // One with files in it stays.
            let _removed = fs::remove_dir(folder);
        }
    }
}

/// The output of one file.
pub(super) enum Sink<'c> {
    /// A file, which gets its name at the end.
    File(OutputFile),
    /// Standard output.
    Output(BufWriter<&'c mut Output>),
}

impl Sink<'_> {
    fn file(path: &Path, permit: &Permit) -> anyhow::Result<Self> {
        let file = OutputFile::create(path, output_file::Kind::Export, permit)?;
        Ok(Self::File(file))
    }

    /// What was attempted, for errors.
    pub(super) fn attempt(&self) -> String {
        match self {
            Self::File(file) => format!("could not write {}", file.path().display()),
            Self::Output(_) => "could not write to standard output".to_owned(),
        }
    }

    /// Finishes it: a file gets its name.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        let attempt = self.attempt();
        match self {
            Self::File(file) => file.publish(),
            Self::Output(mut out) => out.flush().context(attempt),
        }
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Output(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Output(out) => out.flush(),
        }
    }
}
