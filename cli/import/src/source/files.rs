//! Finding the files of an export: in folders, in archives, compressed or not, or named as they are.
//!
//! What is in a file is nobody's business here: whoever visits reads it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::counted::Counted;
use super::folder::{list, unread_folders};
use super::lines::Broken;
use super::{Fault, STANDARD_INPUT, archive, decompress};
use crate::finding::Code;
use crate::finding::ExportFile;

/// Which files of folders and archives are read. What is named itself is always read.
pub trait Select {
    /// Whether a file with this path within its folder or archive is read.
    fn is_wanted(&self, path: &str) -> bool;
    /// How many bytes of that file are read, at most.
    fn bytes_wanted(&self, _path: &str) -> u64 {
        u64::MAX
    }
    /// Whether the folders within a folder are read as well.
    fn descends(&self) -> bool;
    /// What is wanted, for people: `there is no ... file in it`.
    fn wanted(&self) -> &str;
}

/// Receives the files.
pub trait VisitFile {
    /// The next file. What ends it early is its damage, and reading goes on with the next file.
    fn file(
        &mut self,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>>;
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

/// Hands the files of `exports` to `visit`, in order.
///
/// A file or folder that cannot be opened, or that the disk fails to deliver, is an error.
pub(crate) fn read(
    exports: &[PathBuf],
    input: &mut dyn Read,
    surroundings: Surroundings<'_>,
    selection: &dyn Select,
    visit: &mut dyn VisitFile,
) -> anyhow::Result<()> {
    let mut reading = Reading {
        files: 0,
        surroundings,
        selection,
        visit,
    };
    for export in exports {
        if export.as_os_str() == STANDARD_INPUT {
            reading.stream("<stdin>".to_owned(), "", &mut *input)?;
        } else if export.is_dir() {
            reading.folder(export)?;
        } else {
            let name = export.file_name().unwrap_or_default().to_string_lossy();
            reading.path(export, &name)?;
        }
    }
    Ok(())
}

struct Reading<'a> {
    files: u32,
    surroundings: Surroundings<'a>,
    selection: &'a dyn Select,
    visit: &'a mut dyn VisitFile,
}

impl Reading<'_> {
    fn folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let listing = list(folder, self.selection)
            .with_context(|| format!("could not list the folder {}", folder.display()))?;
        for unread in unread_folders(folder, self.selection) {
            self.skipped(unread.display().to_string())?;
        }
        if listing.files.is_empty() && listing.refused.is_empty() {
            return self.nothing_to_read(folder.display().to_string());
        }
        for (path, reason) in &listing.refused {
            self.refused(path.display().to_string(), "file", reason)?;
        }
        for path in &listing.files {
            let within = path.strip_prefix(folder).unwrap_or(path);
            let name = path.display().to_string();
            match listing.open(path).with_context(|| not_opened(path))? {
                Some(file) => self.stream(name, &within.to_string_lossy(), file)?,
                None => self.refused(name, "file", "leads out of the folder by now")?,
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &Path, within: &str) -> anyhow::Result<()> {
        let file = File::open(path).with_context(|| not_opened(path))?;
        self.stream(path.display().to_string(), within, file)
    }

    /// Reads one file, or an archive of them, compressed or not.
    fn stream(&mut self, name: String, within: &str, reader: impl Read) -> anyhow::Result<()> {
        let counted = Counted {
            reader,
            on_bytes: self.surroundings.on_bytes,
        };
        let (head, whole) = match decompress::open(&name, counted) {
            Ok(reader) => archive::sniff(reader),
            Err(source) => {
                let file = self.next_file(name, within);
                return self.broken(file, None, source);
            }
        };
        if archive::is_archive(&name, &head) {
            return self.archive(&name, whole);
        }
        self.file(name, within, whole)
    }

    fn archive(&mut self, name: &str, reader: impl Read) -> anyhow::Result<()> {
        let mut spooled = archive::spool(reader, self.selection, self.surroundings.temp_dir)?;
        if spooled.members.is_empty() && spooled.refused.is_empty() && spooled.broken.is_none() {
            return self.nothing_to_read(name.to_owned());
        }
        for (member, reason) in spooled.refused.drain(..) {
            self.refused(format!("{name}/{member}"), "member", reason)?;
        }
        for member in std::mem::take(&mut spooled.members) {
            let full_name = format!("{name}/{}", member.name);
            match decompress::open(&member.name, spooled.contents(&member)?) {
                Ok(reader) => self.file(full_name, &member.name, reader)?,
                Err(source) => {
                    let file = self.next_file(full_name, &member.name);
                    self.broken(file, None, source)?;
                }
            }
        }
        match spooled.broken {
            None => Ok(()),
            Some(source) => {
                let file = self.next_file(name.to_owned(), "");
                self.broken(file, None, source)
            }
        }
    }

    fn file(&mut self, name: String, within: &str, mut reader: impl Read) -> anyhow::Result<()> {
        let file = self.next_file(name, within);
        match self.visit.file(&file, &mut reader)? {
            Ok(()) => Ok(()),
            Err(Broken { line, source }) => self.broken(file, Some(line), source),
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
        let file = self.next_file(name, "");
        self.visit.fault(Fault {
            code: Code::FolderSkipped,
            file,
            line: None,
            message: "a folder within a folder is not read".to_owned(),
        })
    }

    fn refused(&mut self, name: String, what: &str, reason: &str) -> anyhow::Result<()> {
        let file = self.next_file(name, "");
        self.visit.fault(Fault {
            code: Code::MemberRefused,
            file,
            line: None,
            message: format!("the {what} {reason}, so it is not read"),
        })
    }

    fn nothing_to_read(&mut self, name: String) -> anyhow::Result<()> {
        let file = self.next_file(name, "");
        let message = format!("there is no {} file in it", self.selection.wanted());
        self.visit.fault(Fault {
            code: Code::NoExportFiles,
            file,
            line: None,
            message,
        })
    }

    fn next_file(&mut self, name: String, path: &str) -> Arc<ExportFile> {
        let ordinal = self.files;
        self.files += 1;
        let path = path.trim_start_matches("./").to_owned();
        Arc::new(ExportFile {
            ordinal,
            name,
            path,
        })
    }
}

fn not_opened(path: &Path) -> String {
    format!("could not open the export {}", path.display())
}
