//! Reading exports: from what was named on the command line to a stream of lines with their places.
//!
//! Plain and compressed files, folders, archives and standard input all become one stream. Memory
//! is bounded whatever the size: a line is held at most up to [`LINE_MAX`] bytes, an archive's
//! members lie in a temporary file. What a damaged file does to the stream is a [`Fault`], not an
//! error, so that reading goes on with the next file. Nothing here knows what a record is.

pub mod json;

mod archive;
mod counted;
mod decompress;
mod folder;
mod lines;

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use self::counted::Counted;
use self::folder::{line_files, unread_folders};
use crate::findings::Code;

/// Longest line that is read, in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;
/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// What some programs begin a file with.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];
/// Bytes read ahead: enough for archives to be recognised and for few system calls.
const BUFFER: usize = 128 * 1024;

/// One file of lines, wherever it lies.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportFile {
    /// Its place in the order of reading.
    pub ordinal: u32,
    /// Its name for people: a path, and within an archive the member's path after it.
    pub name: String,
}

/// One line that is not blank.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Where it stands.
    pub file: &'a Arc<ExportFile>,
    /// Its number, from 1.
    pub number: u64,
    /// Its bytes as they stand in the file, without the line feed.
    pub raw: &'a [u8],
    /// Whether the file ends right after it, without a line break.
    pub is_unterminated: bool,
}

impl<'a> Line<'a> {
    /// What it says: its bytes without line break and byte order mark.
    pub fn contents(&self) -> &'a [u8] {
        let contents = self.raw.strip_suffix(b"\r").unwrap_or(self.raw);
        match self.number {
            1 => contents.strip_prefix(BYTE_ORDER_MARK).unwrap_or(contents),
            _ => contents,
        }
    }
}

/// Something wrong with a file rather than with what a line says.
#[derive(Debug)]
pub struct Fault {
    /// What kind of damage.
    pub code: Code,
    /// In which file.
    pub file: Arc<ExportFile>,
    /// At which line, if reading got that far.
    pub line: Option<u64>,
    /// What is wrong, for people.
    pub message: String,
}

/// Receives the stream.
pub trait Visit {
    /// The next line.
    fn line(&mut self, line: Line<'_>) -> anyhow::Result<()>;
    /// The next piece of a line that is too long to be held; a fault follows the last one.
    fn oversized(&mut self, piece: &[u8]) -> anyhow::Result<()>;
    /// Damage.
    fn fault(&mut self, fault: Fault) -> anyhow::Result<()>;
}

/// Where reading leaves its traces.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// A directory with room for what archives hold.
    pub temp_dir: &'a Path,
    /// Told of every number of bytes read, as they lie on disk.
    pub on_bytes: &'a dyn Fn(u64),
}

/// Hands the lines of `exports` to `visit`, in order.
///
/// A file or folder that cannot be opened, or that the disk fails to deliver, is an error.
pub fn read(
    exports: &[PathBuf],
    input: &mut dyn Read,
    surroundings: Surroundings<'_>,
    visit: &mut dyn Visit,
) -> anyhow::Result<()> {
    let mut reading = Reading {
        files: 0,
        surroundings,
        visit,
    };
    for export in exports {
        if export.as_os_str() == STANDARD_INPUT {
            reading.stream("<stdin>".to_owned(), &mut *input)?;
        } else if export.is_dir() {
            reading.folder(export)?;
        } else {
            reading.path(export)?;
        }
    }
    Ok(())
}

/// Bytes that reading `exports` will take, as they lie on disk; none when that cannot be known.
pub fn size(exports: &[PathBuf]) -> Option<u64> {
    let mut total = 0;
    for path in files(exports).ok()? {
        let about = fs::metadata(path).ok()?;
        total += about.is_file().then_some(about.len())?;
    }
    Some(total)
}

/// The files that reading `exports` will open, those of folders included.
pub fn files(exports: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for export in exports {
        if export.is_dir() {
            files.extend(line_files(export)?);
        } else {
            files.push(export.clone());
        }
    }
    Ok(files)
}

struct Reading<'a> {
    files: u32,
    surroundings: Surroundings<'a>,
    visit: &'a mut dyn Visit,
}

impl Reading<'_> {
    fn folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let paths = line_files(folder)
            .with_context(|| format!("could not list the folder {}", folder.display()))?;
        for unread in unread_folders(folder) {
            self.skipped(unread.display().to_string())?;
        }
        if paths.is_empty() {
            return self.nothing_to_read(folder.display().to_string());
        }
        paths.iter().try_for_each(|path| self.path(path))
    }

    fn path(&mut self, path: &Path) -> anyhow::Result<()> {
        let file = File::open(path)
            .with_context(|| format!("could not open the export {}", path.display()))?;
        self.stream(path.display().to_string(), file)
    }

    /// Reads one file of lines, or an archive of them, compressed or not.
    fn stream(&mut self, name: String, reader: impl Read) -> anyhow::Result<()> {
        let counted = Counted {
            reader,
            on_bytes: self.surroundings.on_bytes,
        };
        let (head, whole) = match decompress::open(&name, counted) {
            Ok(reader) => archive::sniff(reader),
            Err(source) => {
                let file = self.next_file(name);
                return self.broken(file, None, source);
            }
        };
        if archive::is_archive(&name, &head) {
            return self.archive(&name, whole);
        }
        self.lines(name, whole)
    }

    fn archive(&mut self, name: &str, reader: impl Read) -> anyhow::Result<()> {
        let mut spooled = archive::spool(reader, self.surroundings.temp_dir)?;
        if spooled.members.is_empty() && spooled.refused.is_empty() && spooled.broken.is_none() {
            return self.nothing_to_read(name.to_owned());
        }
        for (member, reason) in spooled.refused.drain(..) {
            let file = self.next_file(format!("{name}/{member}"));
            let message = format!("the member {reason}, so it is not read");
            self.visit.fault(Fault {
                code: Code::MemberRefused,
                file,
                line: None,
                message,
            })?;
        }
        for member in std::mem::take(&mut spooled.members) {
            let full_name = format!("{name}/{}", member.name);
            match decompress::open(&member.name, spooled.contents(&member)?) {
                Ok(reader) => self.lines(full_name, reader)?,
                Err(source) => {
                    let file = self.next_file(full_name);
                    self.broken(file, None, source)?;
                }
            }
        }
        match spooled.broken {
            None => Ok(()),
            Some(source) => {
                let file = self.next_file(name.to_owned());
                self.broken(file, None, source)
            }
        }
    }

    fn lines(&mut self, name: String, reader: impl Read) -> anyhow::Result<()> {
        let file = self.next_file(name);
        let reader = BufReader::with_capacity(BUFFER, reader);
        match lines::read(&file, reader, self.visit)? {
            Ok(()) => Ok(()),
            Err(lines::Broken { line, source }) => self.broken(file, Some(line), source),
        }
    }

    /// Tells a damaged file, which is a fault, from a failing disk, which is an error.
    fn broken(
        &mut self,
        file: Arc<ExportFile>,
        line: Option<u64>,
        source: io::Error,
    ) -> anyhow::Result<()> {
        if source.raw_os_error().is_some() {
            return Err(source).with_context(|| format!("could not read the export {}", file.name));
        }
        let (code, message) = match source.kind() {
            io::ErrorKind::UnexpectedEof => (
                Code::FileTruncated,
                "the file ends before its contents do".to_owned(),
            ),
            _ => (
                Code::FileCorrupt,
                format!("the file cannot be decoded: {source}"),
            ),
        };
        self.visit.fault(Fault {
            code,
            file,
            line,
            message,
        })
    }

    fn skipped(&mut self, name: String) -> anyhow::Result<()> {
        let file = self.next_file(name);
        self.visit.fault(Fault {
            code: Code::FolderSkipped,
            file,
            line: None,
            message: "a folder within a folder is not read".to_owned(),
        })
    }

    fn nothing_to_read(&mut self, name: String) -> anyhow::Result<()> {
        let file = self.next_file(name);
        let message = "there is no .ndjson or .jsonl file in it".to_owned();
        self.visit.fault(Fault {
            code: Code::NoExportFiles,
            file,
            line: None,
            message,
        })
    }

    fn next_file(&mut self, name: String) -> Arc<ExportFile> {
        let ordinal = self.files;
        self.files += 1;
        Arc::new(ExportFile { ordinal, name })
    }
}

#[cfg(test)]
mod tests;
