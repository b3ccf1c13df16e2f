//! Splits the files of an export into records according to a plan.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use shared::base::source_files::SourceFiles;

use super::archive;
use super::encoding::{Encoding, Utf8Watch};
use super::end_mark::EndMark;
use super::incoming::{FailedRecord, FileError, Incoming, Original, Record, Sink, Spot};
use super::lines;
use super::passes::{Copied, Pass, passes};
use super::plan::{Contents, Format, Layout, Plan};
use super::readers::workbook::{SheetNotes, Workbook};
use super::readers::{self, BadRecord, Lists, RecordText};
use super::unread::{self, COMPOUND, UnreadFormat};
use crate::finding::{Code, ExportFile, Finding, Line, Nth, Place, Start, cut};
use crate::spool::Spool;

/// The most unread lists that are told apart.
const LISTS_MAX: usize = 100;

/// The outcome of reading the files of an export.
#[derive(Debug, Default)]
pub(crate) struct FilesRead {
    /// The outcome for each group; a missing group has no files.
    pub(crate) groups: BTreeMap<usize, GroupFiles>,
    /// Whether files may be missing because an archive was cut off.
    pub(crate) is_damaged: bool,
    /// Files that are missed by the plan.
    pub(crate) missed: Vec<Arc<ExportFile>>,
    /// Lists that no group reads, by their paths: the first file, and how many files have it.
    pub(crate) unread_lists: BTreeMap<String, (Arc<ExportFile>, u64)>,
    /// A description of the files.
    pub(crate) files: SourceFiles,
}

/// The outcome of reading a group's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GroupFiles {
    Read,
    /// Some files lack a list of records, which has been reported.
    WithoutList,
}

/// Splits the files of an export into records, file by file.
pub(super) struct Cutter<'a, 't> {
    plan: &'a Plan,
    /// The directory of spools.
    temp_dir: &'a Path,
    /// The most bytes that a workbook may unpack to.
    unpacked_max: u64,
    sink: &'a mut Sink<'t>,
    pub(super) read: FilesRead,
}

impl<'a, 't> Cutter<'a, 't> {
    /// Starts before any file was read.
    pub(super) fn new(
        plan: &'a Plan,
        temp_dir: &'a Path,
        unpacked_max: u64,
        sink: &'a mut Sink<'t>,
    ) -> Self {
        Self {
            plan,
            temp_dir,
            unpacked_max,
            sink,
            read: FilesRead::default(),
        }
    }

    /// Reports something about a file.
    pub(super) fn report(
        &mut self,
        code: Code,
        file: &Arc<ExportFile>,
        line: Option<u64>,
        message: impl Into<String>,
    ) -> anyhow::Result<()> {
        let finding = Finding::in_file(code, file, line, message);
        (self.sink)(Incoming::Finding(finding))
    }

    /// Splits the next file into records.
    pub(super) fn file(
        &mut self,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<(), FileError> {
        match self.plan.contents_of(&file.path) {
            Contents::Records(wanted) => {
                let layouts: Vec<&Layout> = wanted.iter().map(|(_, layout)| *layout).collect();
                let (head, mut contents) = archive::sniff(contents, unread::HEAD_BYTES);
                refuse_unread(&file.path, &head, &layouts)?;
                let contents = &mut contents;
                let unread = match passes(wanted).as_slice() {
                    [pass] => self.cut(pass, file, contents),
                    passes => self.cut_in_passes(passes, file, contents),
                }?;
                self.note_unread(file, unread, &layouts);
                Ok(())
            }
            Contents::Head(length) => {
                let mut head = Vec::new();
                let read = contents.take(length).read_to_end(&mut head);
                read.map_err(|source| FileError::Unread { line: 1, source })?;
                Ok((self.sink)(Incoming::Head(file, &head))?)
            }
            Contents::Nothing => {
                let names = self.plan.names();
                let message = format!("it is not called like a file that is read: {names}");
                Ok(self.report(Code::NoExportFiles, file, None, message)?)
            }
        }
    }

    /// Reads a file more than once, for groups that read it differently. All passes would report
    /// the same damage, so the first one to find it is the last. Returns the lists beside those
    /// of any pass.
    fn cut_in_passes(
        &mut self,
        passes: &[Pass<'_>],
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<BTreeSet<String>, FileError> {
        let mut copied = Copied::of(contents, self.temp_dir)?;
        let mut others = BTreeSet::new();
        for pass in passes {
            others.append(&mut self.cut(pass, file, &mut copied.contents())?);
        }
        Ok(others)
    }

    /// Notes the lists of a file that no group reads, unless one says that it is not wanted.
    fn note_unread(
        &mut self,
        file: &Arc<ExportFile>,
        lists: BTreeSet<String>,
        layouts: &[&Layout],
    ) {
        let known = &mut self.read.unread_lists;
        let is_unread = |list: &String| !layouts.iter().any(|layout| layout.knows(list));
        for list in lists.into_iter().filter(is_unread) {
            if known.len() < LISTS_MAX || known.contains_key(&list) {
                let first = || (Arc::clone(file), 0);
                known.entry(list).or_insert_with(first).1 += 1;
            }
        }
    }

    /// Splits a file into records, reading it once. Returns the lists beside those that are read.
    fn cut(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<BTreeSet<String>, FileError> {
        self.mark(&pass.groups, GroupFiles::Read);
        let is_xml = pass.layout.format == Format::Xml;
        let (head, mut contents) = archive::sniff(contents, unread::HEAD_BYTES);
        let of_file = Some(&head).filter(|_| is_xml);
        let of_file = of_file.and_then(|head| Encoding::of_xml(head));
        let Some(encoding) = pass.layout.encoding.or(of_file) else {
            return self.cut_text(pass, file, &mut contents);
        };
        let mut watched = Utf8Watch::new(contents);
        let others = self.cut_text(pass, file, &mut encoding.decode(&mut watched))?;
        if watched.is_doubtful() {
            let advice = if is_xml {
                "correct `encoding` in its first line, unless the file is not"
            } else {
                "drop `encoding` from the source in the mapping, unless the file is not"
            };
            let message = format!(
                "the file is read as {encoding}, though all of it is valid UTF-8: {advice}"
            );
            self.report(Code::EncodingDoubtful, file, None, message)?;
        }
        Ok(others)
    }

    /// Splits a file into records, given its decoded contents.
    fn cut_text(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<BTreeSet<String>, FileError> {
        let Layout { records, table, .. } = pass.layout;
        let temp_dir = self.temp_dir;
        let mut workbook = None;
        if pass.layout.format == Format::Workbook {
            workbook = Some(Workbook::open(
                whole(contents, temp_dir)?,
                table,
                self.unpacked_max,
            )?);
        }
        let sheet = workbook.as_ref().and_then(Workbook::sheet_name);
        let file = &sheet.map_or_else(|| Arc::clone(file), |sheet| sheet_of(file, sheet));
        let sink = RefCell::new(&mut *self.sink);
        let mut spots = Spots::of(records.len());
        let mut visit = |record: Result<RecordText<'_>, BadRecord>| {
            let incoming = match record {
                Ok(record) => {
                    let spot = spots.next(record.list);
                    Incoming::Record(Record {
                        line: line(file, &record, spot),
                        spot,
                        groups: &pass.groups,
                    })
                }
                Err(bad) => {
                    spots.next(None);
                    Incoming::Failed(failed(file, bad))
                }
            };
            (*sink.borrow_mut())(incoming)
        };
        let Lists { absent, others } = match pass.layout.format {
            Format::Lines { max } => {
                let sink = &mut **sink.borrow_mut();
                lines::read(file, EndMark::new(contents), &pass.groups, max, sink)?;
                Lists::default()
            }
            Format::Parquet => {
                readers::parquet::read(whole(contents, temp_dir)?, &mut visit)?;
                Lists::default()
            }
            Format::Csv => {
                let mut begin = |header| (*sink.borrow_mut())(Incoming::Header(file, header));
                readers::csv::read(EndMark::new(contents), table, &mut begin, &mut visit)?;
                Lists::default()
            }
            Format::Workbook => {
                let mut begin = |header| (*sink.borrow_mut())(Incoming::Header(file, header));
                let read = workbook.map(|workbook| workbook.read(&mut begin, &mut visit));
                for finding in notes(file, &read.transpose()?.unwrap_or_default()) {
                    (*sink.borrow_mut())(Incoming::Finding(finding))?;
                }
                Lists::default()
            }
            Format::Json => readers::json::read(EndMark::new(contents), records, &mut visit)?,
            Format::Xml => {
                let lists = &pass.layout.lists;
                let absent =
                    readers::xml::read(EndMark::new(contents), records, lists, &mut visit)?;
                let others = BTreeSet::new();
                Lists { absent, others }
            }
        };
        self.report_absent(pass, file, &absent)?;
        Ok(others)
    }

    /// Reports the lists of records that a file does not have.
    fn report_absent(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        absent: &[usize],
    ) -> anyhow::Result<()> {
        for index in absent {
            let path = &pass.layout.records[*index];
            if path.is_optional {
                continue;
            }
            self.mark(&pass.groups, GroupFiles::WithoutList);
            let message = format!(
                "the file has no records at `{path}`; if it may lack them, write `{path}?`"
            );
            self.report(Code::RecordsNotFound, file, None, message)?;
        }
        Ok(())
    }

    /// Notes the outcome for a file of some groups.
    fn mark(&mut self, groups: &[usize], state: GroupFiles) {
        for group in groups {
            let known = self.read.groups.entry(*group).or_insert(state);
            *known = state.max(*known);
        }
    }
}

/// Refuses a file of a format that is not read. A page of XHTML is also XML.
fn refuse_unread(path: &str, head: &[u8], layouts: &[&Layout]) -> Result<(), FileError> {
    let mut formats = layouts.iter().map(|layout| layout.format);
    let is_as_workbook = formats.all(|format| format == Format::Workbook);
    if readers::workbook::book::is_one(path, head) && !is_as_workbook {
        return Err(FileError::Damaged {
            code: Code::FileCorrupt,
            line: 1,
            message: "the file is a workbook, which takes a mapping with `reader = \"workbook\"`"
                .to_owned(),
        });
    }
    let is_xml = layouts.iter().any(|layout| layout.format == Format::Xml);
    // Perhaps: the reader of workbooks says which are none.
    let is_read = |format: &UnreadFormat| {
        is_xml && format.begins.starts_with(b"<") || is_as_workbook && head.starts_with(COMPOUND)
    };
    match unread::of(head).filter(|format| !is_read(format)) {
        Some(format) => Err(format.refused()),
        None => Ok(()),
    }
}

/// A file that is read from its end.
fn whole(contents: &mut dyn Read, temp_dir: &Path) -> Result<Spool, FileError> {
    let whole = Copied::of(contents, temp_dir)?.whole();
    whole.map_err(|source| FileError::Unread { line: 1, source })
}

/// A sheet of a file, as messages call it.
fn sheet_of(file: &ExportFile, sheet: &str) -> Arc<ExportFile> {
    Arc::new(ExportFile {
        ordinal: file.ordinal,
        name: format!("{}[{}]", file.name, cut(sheet)),
        path: file.path.clone(),
    })
}

/// The warnings about the cells of a workbook that are errors, and its rows that are hidden.
fn notes(file: &Arc<ExportFile>, notes: &SheetNotes) -> impl Iterator<Item = Finding> {
    let finding = |code, row, message| {
        let nth = Some(Nth::Row(row));
        let place = Place::at(file, Start { line: row, nth });
        Finding::new(code, Some(place), message)
    };
    let several =
        |count| format!("the first of {count} errors of a spreadsheet; they count as empty");
    let one = "an error of a spreadsheet; it counts as empty";
    let errors = notes.errors.told(one, several).map(|((row, cell), words)| {
        finding(Code::SpreadsheetError, *row, format!("{cell}, {words}"))
    });
    let several = |count| format!("the first of {count} rows that are hidden; they are read");
    let hidden = notes.hidden.told("hidden; it is read", several);
    let hidden =
        hidden.map(|(row, words)| finding(Code::HiddenRows, *row, format!("row {row} is {words}")));
    errors.into_iter().chain(hidden)
}

/// Counts the records of a file, including unreadable ones, separately for each list.
struct Spots(Vec<u32>);

impl Spots {
    fn of(lists: usize) -> Self {
        Self(vec![0; lists.max(1)])
    }

    fn next(&mut self, list: Option<usize>) -> Spot {
        let count = &mut self.0[list.unwrap_or(0)];
        *count = count.saturating_add(1);
        Spot {
            list: list.and_then(|list| u16::try_from(list).ok()),
            position: *count,
        }
    }
}

fn line<'a>(file: &'a Arc<ExportFile>, record: &RecordText<'a>, spot: Spot) -> Line<'a> {
    let Start { line, nth } = record.start;
    let counted = Nth::Record(spot.position.into());
    let nth = if record.is_counted {
        Some(counted)
    } else {
        nth
    };
    Line {
        file,
        start: Start { line, nth },
        raw: record.text.as_bytes(),
        is_unterminated: false,
        made: None,
    }
}

/// Converts a record that its reader could not read.
fn failed(file: &Arc<ExportFile>, bad: BadRecord) -> FailedRecord {
    let place = Place::at(file, bad.start);
    FailedRecord {
        kind: None,
        findings: vec![Finding::new(bad.code, Some(place), bad.message)],
        original: Original::Text(bad.raw.into_bytes()),
    }
}
