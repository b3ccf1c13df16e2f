//! Workbooks of Excel 97 to 2003: `.xls`.
//!
//! The library holds such a workbook in memory, and reserves whatever it claims. So its records are
//! checked first, in one walk: what they take is bounded, those that are not needed are blanked, and
//! the library gets the rest in a compound file that is written here.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write as _};
use std::ops::Range;
use std::vec;

use calamine::{Data, Reader as _, Xls};
use cfb::{CompoundFile, Version};

use super::super::disk::Disk;
use super::super::{FileError, caught, corrupt, truncated};
use super::book::{Book, CELLS_MAX, Listed, MERGED_MAX, Met, Next, of_cells};
use super::parts::{FORM, PART_MAX, check_length, cut_off, refused, too_many};
use crate::source::unread;

/// The most characters of the texts of all cells: of a shared text, each has a copy.
const CHARACTERS_MAX: usize = 64 << 20;
/// The most records that go on with the shared texts: the library moves all for each.
const CONTINUED_MAX: usize = 20_000;

/// The types of the records that are read.
const FORMULA: u32 = 0x06;
const END: u32 = 0x0a;
const DATE_MODE: u32 = 0x22;
const PASSWORD: u32 = 0x2f;
const CONTINUE: u32 = 0x3c;
const CODE_PAGE: u32 = 0x42;
const SHEET: u32 = 0x85;
const NUMBERS: u32 = 0xbd;
const RICH_LABEL: u32 = 0xd6;
const STYLE: u32 = 0xe0;
const MERGED: u32 = 0xe5;
const TEXTS: u32 = 0xfc;
const TEXT: u32 = 0xfd;
const NUMBER: u32 = 0x203;
const LABEL: u32 = 0x204;
const FLAG: u32 = 0x205;
const FORMULA_TEXT: u32 = 0x207;
const ROW: u32 = 0x208;
const SHORT_NUMBER: u32 = 0x27e;
const FORMAT: u32 = 0x41e;
const BEGIN: u32 = 0x809;

/// A workbook of Excel 97 to 2003.
pub(super) struct OldBook {
    opened: Xls<Cursor<Vec<u8>>>,
    /// The hidden rows of each sheet, in their order.
    hidden: Vec<Vec<u32>>,
    disk: Disk,
}

impl OldBook {
    pub(super) fn open(disk: Disk) -> Result<Self, FileError> {
        check_length(&disk, PART_MAX)?;
        let mut stream = caught(FORM, 1, || stream(&disk))?;
        let mut walk = Walk::default();
        let is_protected = walk.all(&mut stream)?;
        if is_protected {
            return Err(unread(&disk));
        }
        let hidden = walk.sheets()?;
        let opened = caught(FORM, 1, || {
            let copied = copied(&stream).map_err(|error| refused(&disk, 1, &error))?;
            Xls::new(Cursor::new(copied)).map_err(|error| cut_off(&disk, &error))
        })?;
        Ok(Self {
            opened,
            hidden,
            disk,
        })
    }
}

/// The records of the workbook in a compound file.
fn stream(disk: &Disk) -> Result<Vec<u8>, FileError> {
    let opened = CompoundFile::open(disk.chunk(0));
    let mut file = opened.map_err(|error| cut_off(disk, &error))?;
    let mut names = ["/Workbook", "/Book"].into_iter();
    let Some(name) = names.find(|name| file.is_stream(name)) else {
        return Err(unread(disk));
    };
    let mut records = Vec::new();
    let read = file.open_stream(name).and_then(|stream| {
        let mut stream = stream.take(PART_MAX);
        stream.read_to_end(&mut records)
    });
    read.map_err(|error| cut_off(disk, &error))?;
    Ok(records)
}

/// The error for another or a protected document.
fn unread(disk: &Disk) -> FileError {
    let head = disk.head().unwrap_or_default();
    unread::of(&head).map_or_else(|| damaged("it is none"), unread::UnreadFormat::refused)
}

/// A compound file with only these records.
fn copied(records: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut file = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new()))?;
    let mut stream = file.create_stream("/Workbook")?;
    stream.write_all(records)?;
    stream.flush()?;
    drop(stream);
    file.flush()?;
    Ok(file.into_inner().into_inner())
}

fn damaged(what: &str) -> FileError {
    corrupt(
        1,
        format!(
            "the file cannot be read as a workbook: {what}: save it again, or transfer it again"
        ),
    )
}

fn too_short() -> FileError {
    damaged("a record is shorter than it must be")
}

/// Refuses a text of more characters than there are bytes: room is made for as many as it claims.
fn holds(bytes: &[u8], length: u32) -> Result<(), FileError> {
    if bytes.len() < length as usize {
        return Err(too_short());
    }
    Ok(())
}

/// The number in two bytes.
fn word(bytes: &[u8], at: usize) -> Result<u32, FileError> {
    let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
    word.map(|word| u16::from_le_bytes(*word).into())
        .ok_or_else(too_short)
}

/// The number in four bytes.
fn long(bytes: &[u8], at: usize) -> Result<usize, FileError> {
    Ok((word(bytes, at)? | word(bytes, at + 2)? << 16) as usize)
}

/// The type of the record at a place, and where its bytes are.
fn record(stream: &[u8], at: usize) -> Option<(u32, Range<usize>)> {
    let kind = word(stream, at).ok()?;
    let begin = at + 4;
    let end = begin + word(stream, at + 2).ok()? as usize;
    (end <= stream.len()).then_some((kind, begin..end))
}

/// What the records took so far.
#[derive(Default)]
struct Walk {
    /// How many characters each of the texts has that cells share.
    texts: Vec<u32>,
    /// How many characters the texts of all cells have.
    characters: usize,
    cells: usize,
    merged: usize,
    /// Where the sheets begin, as the workbook says.
    begins: Vec<usize>,
    /// What begins at a place.
    parts: BTreeMap<usize, Part>,
}

/// What a sheet has.
#[derive(Default)]
struct Part {
    /// The first and the last row and column with a value.
    rows: Option<(usize, usize)>,
    columns: Option<(usize, usize)>,
    /// The last cell with a formula.
    formula: (u32, u32),
    hidden: Vec<u32>,
}

impl Part {
    /// How many cells lie between the first and the last.
    fn area(&self) -> usize {
        let length = |of: Option<(usize, usize)>| of.map_or(0, |(first, last)| last - first + 1);
        length(self.rows) * length(self.columns)
    }
}

impl Walk {
    /// Checks all records, and blanks those that are not read. Returns whether they are protected.
    fn all(&mut self, stream: &mut [u8]) -> Result<bool, FileError> {
        let (mut at, mut depth, mut texts_end) = (0, 0_usize, 0);
        let mut part = (0, Part::default());
        while let Some((kind, within)) = record(stream, at) {
            match kind {
                BEGIN => depth += 1,
                _ if depth == 0 => break,
                END => depth -= 1,
                PASSWORD => return Ok(true),
                // A chart within a sheet.
                _ if 1 < depth => stream[at..at + 2].fill(0),
                TEXTS => texts_end = self.texts(stream, within.clone())?,
                CONTINUE if at < texts_end => {}
                CODE_PAGE | DATE_MODE | STYLE | FORMAT => {}
                _ if self.record(kind, &mut stream[within.clone()], &mut part.1)? => {}
                _ => stream[at..at + 2].fill(0),
            }
            if depth == 0 {
                let (begin, ended) = (part.0, std::mem::take(&mut part.1));
                self.parts.insert(begin, ended);
                part.0 = within.end;
            }
            at = within.end;
        }
        if depth != 0 {
            return Err(truncated(1, "the workbook ends before its sheet does"));
        }
        Ok(false)
    }

    /// Checks a record of a sheet, or of the workbook; returns whether it is read.
    fn record(&mut self, kind: u32, bytes: &mut [u8], part: &mut Part) -> Result<bool, FileError> {
        match kind {
            SHEET => self.begins.push(long(bytes, 0)?),
            MERGED => {
                self.merged += bytes.len() / 8;
                if MERGED_MAX < self.merged {
                    return Err(too_many("merged regions", MERGED_MAX));
                }
            }
            ROW => {
                if word(bytes, 12)? & 0x20 != 0 {
                    part.hidden.push(word(bytes, 0)?);
                }
                return Ok(false);
            }
            FORMULA => {
                part.formula = (word(bytes, 0)?, word(bytes, 2)?);
                // Only its value is read, so it becomes the shortest that there is.
                let formula = bytes.get_mut(20..23).ok_or_else(too_short)?;
                formula.copy_from_slice(&[1, 0, 0x16]);
                self.cells(part.formula, 1, part)?;
            }
            FORMULA_TEXT => {
                holds(bytes, word(bytes, 0)?)?;
                self.cells(part.formula, 1, part)?;
            }
            TEXT | NUMBER | NUMBERS | LABEL | RICH_LABEL | FLAG | SHORT_NUMBER => {
                let mut length = 1;
                match kind {
                    TEXT => self.shared(long(bytes, 6)?)?,
                    LABEL | RICH_LABEL => holds(bytes, word(bytes, 6)?)?,
                    NUMBERS => length = (bytes.len() / 6).saturating_sub(1).max(1),
                    _ => {}
                }
                self.cells((word(bytes, 0)?, word(bytes, 2)?), length, part)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Notes cells side by side from the first of them on.
    fn cells(
        &mut self,
        first: (u32, u32),
        length: usize,
        part: &mut Part,
    ) -> Result<(), FileError> {
        self.cells += length;
        if CELLS_MAX < self.cells {
            return Err(too_many("cells", CELLS_MAX));
        }
        let (row, column) = (first.0 as usize, first.1 as usize);
        for (known, first, last) in [
            (&mut part.rows, row, row),
            (&mut part.columns, column, column + length - 1),
        ] {
            let (from, to) = known.unwrap_or((first, last));
            *known = Some((from.min(first), to.max(last)));
        }
        Ok(())
    }

    /// Notes a cell with one of the shared texts.
    fn shared(&mut self, index: usize) -> Result<(), FileError> {
        let length = self.texts.get(index);
        let length = length.ok_or_else(|| damaged("it lacks the text of a cell"))?;
        self.characters += *length as usize;
        if CHARACTERS_MAX < self.characters {
            return Err(too_many("characters in its cells", CHARACTERS_MAX));
        }
        Ok(())
    }

    /// Notes how long the shared texts are; returns where the records end that go on with them.
    fn texts(&mut self, stream: &[u8], within: Range<usize>) -> Result<usize, FileError> {
        let mut end = within.end;
        let mut pieces = vec![&stream[within]];
        while let Some((CONTINUE, more)) = record(stream, end) {
            end = more.end;
            pieces.push(&stream[more]);
        }
        if CONTINUED_MAX < pieces.len() {
            return Err(too_many("pieces of texts", CONTINUED_MAX));
        }
        if !self.texts.is_empty() {
            return Err(damaged("it has its texts twice"));
        }
        let mut pieces = Pieces {
            rest: &[],
            more: pieces.into_iter(),
        };
        let broken = || damaged("its texts are broken");
        pieces.skip(8).ok_or_else(broken)?;
        while !pieces.rest.is_empty() || pieces.go_on().is_some() {
            self.texts.push(pieces.text().ok_or_else(broken)?);
            if CELLS_MAX < self.texts.len() {
                return Err(too_many("texts", CELLS_MAX));
            }
        }
        Ok(end)
    }

    /// The hidden rows of each sheet. Each begins where no other does.
    fn sheets(mut self) -> Result<Vec<Vec<u32>>, FileError> {
        let (mut hidden, mut area) = (Vec::new(), 0);
        for begin in self.begins {
            let part = self.parts.remove(&begin).filter(|_| 0 < begin);
            let part = part.ok_or_else(|| damaged("a sheet begins where none is"))?;
            area += part.area();
            if CELLS_MAX < area {
                return Err(too_many("cells between the first and the last", CELLS_MAX));
            }
            hidden.push(part.hidden);
        }
        Ok(hidden)
    }
}

/// Bytes that go on in further records.
struct Pieces<'s> {
    rest: &'s [u8],
    more: vec::IntoIter<&'s [u8]>,
}

impl<'s> Pieces<'s> {
    fn go_on(&mut self) -> Option<()> {
        self.rest = self.more.next()?;
        Some(())
    }

    /// So many bytes of one record.
    fn take(&mut self, length: usize) -> Option<&'s [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn skip(&mut self, mut length: usize) -> Option<()> {
        while 0 < length {
            if self.rest.is_empty() {
                self.go_on()?;
            }
            let here = length.min(self.rest.len());
            self.take(here)?;
            length -= here;
        }
        Some(())
    }

    /// Takes a text; returns how many characters it has.
    fn text(&mut self) -> Option<u32> {
        let head = self.take(3)?;
        let (length, flags) = (word(head, 0).ok()?, head[2]);
        let mut after = 0;
        if flags & 8 != 0 {
            after += 4 * word(self.take(2)?, 0).ok()? as usize;
        }
        if flags & 4 != 0 {
            after += long(self.take(4)?, 0).ok()?;
        }
        let (mut left, mut width) = (length as usize, usize::from(flags & 1) + 1);
        loop {
            let here = left.min(self.rest.len() / width);
            self.take(here * width)?;
            left -= here;
            if left == 0 {
                break;
            }
            // What goes on with characters says anew how wide they are.
            self.go_on()?;
            width = usize::from(self.take(1)?[0] & 1) + 1;
        }
        self.skip(after)?;
        Some(length)
    }
}

impl Book for OldBook {
    fn sheets(&self) -> Vec<Listed> {
        of_cells(self.opened.sheets_metadata())
    }

    fn sheet<'b>(&'b mut self, name: &str) -> Result<Box<Next<'b>>, FileError> {
        let refused = |error| refused(&self.disk, 1, &error);
        let merged = self
            .opened
            .merge_cells_by_sheet_name(name)
            .map_err(refused)?;
        let cells = self.opened.worksheet_range(name).map_err(refused)?;
        let mut sheets = self.opened.sheets_metadata().iter();
        let place = sheets.position(|sheet| sheet.name == name);
        let hidden = place.and_then(|place| self.hidden.get(place));
        let hidden = hidden.into_iter().flatten().copied().map(Met::Hidden);
        let first = merged.into_iter().map(Met::Merged).chain(hidden);
        let corners = cells.start().zip(cells.end()).into_iter();
        let places = corners.flat_map(|(first, last)| {
            let row = move |row| (first.1..=last.1).map(move |column| (row, column));
            (first.0..=last.0).flat_map(row)
        });
        let cells = places.filter_map(move |(row, column)| {
            let value = cells.get_value((row, column))?;
            (*value != Data::Empty).then(|| Met::Cell((row, column, value.clone())))
        });
        let mut met = first.chain(cells);
        Ok(Box::new(move || Ok(met.next())))
    }
}
