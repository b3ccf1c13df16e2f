//! Finds the files of an export: in folders and archives, or named directly, compressed or not.
//!
//! Each file goes to the [`Cutter`] as it is found, which knows what is in it. Nothing here does.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use shared::base::source_files::{Reading, SourceFile};

use super::archive::Unpacked;
use super::export::Export;
use super::folder::list;
use super::incoming::{FileError, Sink};
use super::plan::{Contents, Plan};
use super::records::{Cutter, FilesRead};
use super::unpacking::{UNPACKED_MAX, Unpacking};
use super::{archive, decompress, unread};
use crate::finding::{Code, ExportFile, Severity};

/// Shows the progress of an import.
pub trait ProgressListener {
    /// Reading begins: `total` bytes, if that is known.
    fn reading(&self, _total: Option<u64>) {}
    /// Mapping begins: `total` records.
    fn mapping(&self, _total: u64) {}
    /// Reading boats begins: `total` of them.
    fn boats(&self, _total: u64) {}
    /// This many more bytes, records or boats are done.
    fn advance(&self, _count: u64) {}
}

/// Shows nothing.
impl ProgressListener for () {}

/// What reading needs in addition to the files.
#[derive(Clone, Copy)]
pub(crate) struct ReadContext<'a> {
    /// The directory of spools.
    pub(crate) temp_dir: &'a Path,
    /// Shows how many bytes on disk were read, and the progress of mapping.
    pub(crate) progress: &'a dyn ProgressListener,
}

/// Hands the records of `exports` to `sink`, in order.
///
/// A file or folder that cannot be opened, or that the disk fails to read, is an error.
pub(crate) fn read(
    exports: &[Export],
    input: &mut dyn Read,
    context: ReadContext<'_>,
    plan: &Plan,
    sink: &mut Sink<'_>,
) -> anyhow::Result<FilesRead> {
    let most = exports.iter().map(Export::unpacked_max).max();
    let most = most.unwrap_or(UNPACKED_MAX);
    let mut opening = Opening {
        files: 0,
        is_in_folder: false,
        context,
        plan,
        cutter: Cutter::new(plan, context.temp_dir, most, sink),
    };
    for export in exports {
        if export.is_standard_input() {
            opening.stream("<stdin>".to_owned(), "", export, &mut *input)?;
        } else if let Some(folder) = export.folder() {
            opening.folder(folder, export)?;
        } else {
            opening.path(export)?;
        }
    }
    Ok(opening.cutter.read)
}

struct Opening<'a, 't> {
    files: u32,
    is_in_folder: bool,
    context: ReadContext<'a>,
    plan: &'a Plan,
    cutter: Cutter<'a, 't>,
}

impl Opening<'_, '_> {
    fn folder(&mut self, folder: &Path, export: &Export) -> anyhow::Result<()> {
        let listing = list(folder, self.plan)
            .with_context(|| format!("could not list the folder {}", folder.display()))?;
        for skipped in &listing.skipped {
            self.skipped(skipped.display().to_string())?;
        }
        if listing.files.is_empty() && listing.refused.is_empty() {
            return self.nothing_to_read(folder.display().to_string());
        }
        for (path, reason) in &listing.refused {
            self.refused(path.display().to_string(), "file", reason)?;
        }
        self.is_in_folder = true;
        for path in &listing.files {
            let within = path.strip_prefix(folder).unwrap_or(path);
            let name = path.display().to_string();
            match listing.open(path).with_context(|| not_opened(path))? {
                Some(file) => self.stream(name, &within.to_string_lossy(), export, file)?,
                None => self.refused(name, "file", "leads out of the folder by now")?,
            }
        }
        self.is_in_folder = false;
        let missed = listing.missed.iter();
        self.missed(missed.map(|path| path.display().to_string()));
        Ok(())
    }

    fn path(&mut self, export: &Export) -> anyhow::Result<()> {
        let name = export.name();
        let file = export.open();
        let file = file.with_context(|| not_opened(Path::new(&name)))?;
        self.stream(name, &export.file_name(), export, file)
    }

    /// Reads one file or archive, compressed or not, and notes what it was.
    fn stream(
        &mut self,
        name: String,
        within: &str,
        export: &Export,
        reader: impl Read,
    ) -> anyhow::Result<()> {
        let unpacking = Unpacking::at_most(export.unpacked_max());
        let mut watched = Watched {
            reader,
            progress: self.context.progress,
            reading: Reading::default(),
            unpacking: &unpacking,
        };
        self.contents(name.clone(), within, &unpacking, &mut watched)?;
        let unpacked = unpacking.outcome();
        unpacked.with_context(|| format!("could not read the export {name}"))?;
        // A file of which only the beginning is read has no records, so it is not listed.
        if !matches!(self.plan.contents_of(within), Contents::Head(_)) {
            let (file, origin) = (watched.reading.finish(name), export.origin());
            self.cutter.read.files.push(SourceFile {
                etag: origin.and_then(|origin| origin.etag.clone()),
                address_sha256: origin.and_then(|origin| origin.address_sha256.clone()),
                ..file
            });
        }
        Ok(())
    }

    fn contents(
        &mut self,
        name: String,
        within: &str,
        unpacking: &Unpacking,
        reader: impl Read,
    ) -> anyhow::Result<()> {
        let (head, whole) = match decompress::open(&name, reader, unpacking) {
            Ok(reader) => archive::sniff(reader, unread::HEAD_BYTES),
            Err(source) => {
                let file = self.next_file(name, within);
                return self.broken(&file, None, source);
            }
        };
        let (plan, temp_dir) = (self.plan, self.context.temp_dir);
        // Documents of office programs are ZIP archives too.
        if archive::is_zip(&head) && unread::of(&head).is_none() {
            let unpacked = archive::unzip(whole, plan, temp_dir, unpacking)?;
            return self.archive(&name, unpacking, unpacked);
        }
        if archive::is_archive(&name, &head) {
            let unpacked = archive::unpack(whole, plan, temp_dir)?;
            return self.archive(&name, unpacking, unpacked);
        }
        self.file(name, within, whole)
    }

    fn archive(
        &mut self,
        name: &str,
        unpacking: &Unpacking,
        mut unpacked: Unpacked,
    ) -> anyhow::Result<()> {
        let has_nothing =
            unpacked.members.is_empty() && unpacked.refused.is_empty() && unpacked.broken.is_none();
        if self.is_in_folder && has_nothing {
            // Nobody named it.
            let missed = unpacked.missed.iter();
            self.missed(missed.map(|member| format!("{name}/{member}")));
            return Ok(());
        }
        if has_nothing {
            return self.nothing_to_read(name.to_owned());
        }
        for (member, reason) in unpacked.refused.drain(..) {
            self.refused(format!("{name}/{member}"), "member", reason)?;
        }
        let missed = std::mem::take(&mut unpacked.missed);
        for member in std::mem::take(&mut unpacked.members) {
            let full_name = format!("{name}/{}", member.name);
            match decompress::open(&member.name, unpacked.contents(&member), unpacking) {
                Ok(reader) => self.file(full_name, &member.name, reader)?,
                Err(source) => {
                    let file = self.next_file(full_name, &member.name);
                    self.broken(&file, None, source)?;
                }
            }
        }
        if let Some(source) = unpacked.broken {
            let file = self.next_file(name.to_owned(), "");
            return self.broken(&file, None, source);
        }
        self.missed(missed.iter().map(|member| format!("{name}/{member}")));
        Ok(())
    }

    fn file(&mut self, name: String, within: &str, mut reader: impl Read) -> anyhow::Result<()> {
        let file = self.next_file(name, within);
        // A damaged file is reported, and the next one is read.
        match self.cutter.file(&file, &mut reader) {
            Ok(()) => Ok(()),
            Err(FileError::Failed(error)) => Err(error),
            Err(FileError::Unread { line, source }) => self.broken(&file, Some(line), source),
            Err(FileError::Damaged {
                code,
                line,
                message,
            }) => self.report(code, &file, Some(line), message),
        }
    }

    /// Distinguishes a damaged file, which is a finding, from a failing disk, which is an error.
    fn broken(
        &mut self,
        file: &Arc<ExportFile>,
        line: Option<u64>,
        source: io::Error,
    ) -> anyhow::Result<()> {
        if source.raw_os_error().is_some() {
            return Err(source).with_context(|| format!("could not read the export {}", file.name));
        }
        if source.kind() == io::ErrorKind::UnexpectedEof {
            let message = "the file ends before its contents do";
            return self.report(Code::FileTruncated, file, line, message);
        }
        let message = format!("the file cannot be decoded: {source}");
        self.report(Code::FileCorrupt, file, line, message)
    }

    fn skipped(&mut self, name: String) -> anyhow::Result<()> {
        let file = self.next_file(name, "");
        let message = "a folder within a folder is not read";
        self.report(Code::FolderSkipped, &file, None, message)
    }

    fn refused(&mut self, name: String, what: &str, reason: &str) -> anyhow::Result<()> {
        let file = self.next_file(name, "");
        let message = format!("the {what} {reason}, so it is not read");
        self.report(Code::MemberRefused, &file, None, message)
    }

    fn missed(&mut self, names: impl Iterator<Item = String>) {
        for name in names {
            let file = self.next_file(name, "");
            self.cutter.read.missed.push(file);
        }
    }

    fn nothing_to_read(&mut self, name: String) -> anyhow::Result<()> {
        let file = self.next_file(name, "");
        let message = format!("there is no {} file in it", self.plan.names());
        self.report(Code::NoExportFiles, &file, None, message)
    }

    fn report(
        &mut self,
        code: Code,
        file: &Arc<ExportFile>,
        line: Option<u64>,
        message: impl Into<String>,
    ) -> anyhow::Result<()> {
        self.cutter.read.is_damaged |= code.severity() == Severity::Error;
        self.cutter.report(code, file, line, message)
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

/// Counts and hashes the bytes read, before they are decompressed.
struct Watched<'a, R> {
    reader: R,
    progress: &'a dyn ProgressListener,
    reading: Reading,
    unpacking: &'a Unpacking,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        if !buffer.is_empty() {
            self.reading.take(&buffer[..length]);
        }
        self.unpacking.add_packed(length);
        self.progress.advance(length as u64);
        Ok(length)
    }
}
