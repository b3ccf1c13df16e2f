//! The parts of a workbook, which is a ZIP archive of XML.
//!
//! What they unpack to is measured before anything else reads them, because libraries hold most of
//! them in memory. No element is held that is longer than a record may be.

use std::fmt::Display;
use std::io::{self, BufReader, Read};

use quick_xml::errors::Error;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use super::super::bounded::{Bounded, Progress, unread};
use super::super::disk::Disk;
use super::super::{FileError, corrupt};
use crate::finding::cut;
use crate::source::archive;
use crate::source::unpacking::{Limited, Unpacking};

/// The most bytes of a workbook as it is.
const PACKED_MAX: u64 = 128 << 20;
/// The most bytes of a part that is held in memory, such as the texts of all sheets.
pub(super) const PART_MAX: u64 = 64 << 20;
/// The most bytes of the styles: of each, the library holds much more than its few bytes.
const STYLES_MAX: u64 = 4 << 20;
/// Bytes read ahead.
const BUFFER: usize = 64 * 1024;
/// The form, in messages.
pub(super) const FORM: &str = "a workbook";

/// Takes an element with the name of its part and how many elements it is in.
pub(super) type Note<'n> = dyn FnMut(&str, usize, &BytesStart<'_>) + 'n;

/// Measures what a workbook unpacks to, and hands the elements of the parts that `is_noted` to `note`:
/// of these any length is read, because they are not held.
pub(super) fn measure(
    disk: &Disk,
    unpacking: &Unpacking,
    is_noted: fn(&str) -> bool,
    note: &mut Note<'_>,
) -> Result<(), FileError> {
    check_length(disk, PACKED_MAX)?;
    archive::check_members(disk.chunk(0)).map_err(|error| refused(disk, 1, &error))?;
    let mut archive = ZipArchive::new(disk.chunk(0)).map_err(|error| cut_off(disk, &error))?;
    for index in 0..archive.len() {
        let part = archive.by_index(index);
        let reader = part.map_err(|error| refused(disk, 1, &error))?;
        let name = String::from_utf8_lossy(reader.name_raw()).to_ascii_lowercase();
        let mut part = Limited { reader, unpacking };
        let mut most = PART_MAX;
        if name.ends_with("styles.xml") {
            most = STYLES_MAX;
        }
        if is_noted(&name) {
            most = u64::MAX;
            elements(disk, &mut part, &mut |depth, element| {
                note(&name, depth, element);
            })?;
        }
        let size =
            io::copy(&mut part, &mut io::sink()).map_err(|error| refused(disk, 1, &error))?;
        if most < size {
            let message = format!(
                "its part {:?} unpacks to {size} bytes, and at most {most} are read",
                cut(&name)
            );
            return Err(refused(disk, 1, &message));
        }
    }
    Ok(())
}

/// Refuses a file of more than so many bytes.
pub(super) fn check_length(disk: &Disk, most: u64) -> Result<(), FileError> {
    let length = disk.file().length();
    if most < length {
        let message = format!("{FORM} has at most {most} bytes, this one {length}");
        return Err(corrupt(1, message));
    }
    Ok(())
}

/// Hands each element to `visit`, up to where the part is no XML: what reads it afterwards says so.
fn elements(
    disk: &Disk,
    part: impl Read,
    visit: &mut dyn FnMut(usize, &BytesStart<'_>),
) -> Result<(), FileError> {
    let (progress, mut buffer, mut depth) = (Progress::new(), Vec::new(), 0_usize);
    let mut reader = events(disk, part, &progress)?;
    loop {
        match next(disk, &mut reader, &progress, &mut buffer) {
            Ok(Event::Start(element)) => {
                visit(depth, &element);
                depth += 1;
            }
            Ok(Event::Empty(element)) => visit(depth, &element),
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Eof) | Err(None) => return Ok(()),
            Ok(_) => {}
            Err(Some(error)) => return Err(error),
        }
    }
}

/// A reader of the events of a part.
pub(super) fn events<'p, R: Read + 'p>(
    disk: &Disk,
    part: R,
    progress: &'p Progress,
) -> Result<Reader<impl io::BufRead + use<'p, R>>, FileError> {
    let part = BufReader::with_capacity(BUFFER, part);
    let part = Bounded::new(part, progress).map_err(|error| refused(disk, 1, &error))?;
    Ok(Reader::from_reader(part))
}

/// The next event; without an error, what follows is no XML.
pub(super) fn next<'b>(
    disk: &Disk,
    reader: &mut Reader<impl io::BufRead>,
    progress: &Progress,
    buffer: &'b mut Vec<u8>,
) -> Result<Event<'b>, Option<FileError>> {
    buffer.clear();
    progress.begin(BUFFER);
    reader.read_event_into(buffer).map_err(|error| match error {
        Error::Io(source) => Some(match (disk.failure(), std::sync::Arc::try_unwrap(source)) {
            (Some(source), _) | (None, Ok(source)) => unread(source, 1),
            (None, Err(shared)) => refused(disk, 1, &shared),
        }),
        _ => None,
    })
}

/// The value of an attribute, by its name with its prefix, or of one whose prefix may be any.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    // The parser's own check takes time quadratic in the number of attributes.
    let mut attributes = element.attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let attribute = attributes.find(|attribute| {
        let key = attribute.key;
        key.as_ref() == name || key.local_name().as_ref() == name
    })?;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

/// An error of a library, or of the disk behind it.
pub(super) fn refused(disk: &Disk, row: u64, error: &impl Display) -> FileError {
    match disk.failure() {
        Some(source) => FileError::Unread { line: row, source },
        None => corrupt(row, format!("the file cannot be read as {FORM}: {error}")),
    }
}

/// The error for a workbook that a library cannot open.
pub(super) fn cut_off(disk: &Disk, error: &impl Display) -> FileError {
    let advice = "it is cut or lacks a part: save it again, or transfer it again";
    refused(disk, 1, &format!("{advice} ({error})"))
}

/// The error for a workbook with more than is read.
pub(super) fn too_many(what: &str, most: usize) -> FileError {
    corrupt(
        1,
        format!("{FORM} has at most {most} {what}, this one more"),
    )
}
