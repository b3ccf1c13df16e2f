//! Files of an export, their lines, and places in them.

use std::sync::Arc;

/// What some programs begin a file with.
pub(crate) const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// One file of lines, wherever it lies.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportFile {
    /// Its place in the order of reading.
    pub ordinal: u32,
    /// Its name for people: a path, and within an archive the member's path after it.
    pub name: String,
    /// Its path within its folder or archive; its own name where it was named itself.
    pub path: String,
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
    /// Which rule of a mapping made it, if one did.
    pub rule: Option<u32>,
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

/// A line of an export, or a file of it as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<ExportFile>,
    /// The line, from 1.
    pub line: Option<u64>,
}
