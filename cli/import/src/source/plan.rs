//! Describes which files of an export are read, for what, and how records are laid out in them.
//!
//! A plan is data: the plan of native exports is here, and a mapping file describes its own.

use globset::GlobSet;

use super::encoding::Encoding;
use super::readers::{RECORD_MAX, RecordsPath};
use crate::steps::count;

/// Maximum length of a line in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;

/// Suffixes of the names of image files, in lower case.
const IMAGE_ENDINGS: [&str; 8] = [
    ".avif", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".webp",
];
/// Suffixes of the names of files that may hold records, in lower case.
const DATA_ENDINGS: [&str; 11] = [
    ".csv", ".json", ".jsonl", ".ndjson", ".ods", ".parquet", ".tsv", ".xls", ".xlsm", ".xlsx",
    ".xml",
];

/// Which files are read, and how.
#[derive(Debug)]
pub struct Plan {
    /// Files of records. Outside the plan, a group is known by its index.
    pub(crate) groups: Vec<FileGroup>,
    /// How many bytes are read of the beginning of other files, if any: of those called like images,
    /// or of all if there are no groups.
    pub(crate) heads: Option<u64>,
    /// Whether folders within a folder are read as well, except hidden ones.
    pub(crate) descends: bool,
    /// Files that are known and not wanted, if others that are not read are to be told.
    pub(crate) unwanted: Option<FileNames>,
}

/// Files whose records are laid out in the same way.
#[derive(Debug)]
pub(crate) struct FileGroup {
    pub(crate) names: FileNames,
    pub(crate) layout: Layout,
}

/// The names of files, without `.gz` or `.zst`.
#[derive(Debug)]
pub(crate) enum FileNames {
    /// Their paths end with one of these.
    Endings(&'static [&'static str]),
    /// Their paths match one of the patterns; the texts are kept for messages.
    Globs(GlobSet, Vec<String>),
}

/// What is read of a file.
pub(super) enum Contents<'a> {
    /// Records, for these groups.
    Records(Vec<(usize, &'a Layout)>),
    /// This many bytes of its beginning.
    Head(u64),
    /// Nothing: it was named on the command line, but the plan does not read it.
    Nothing,
}

impl Plan {
    /// The plan of native exports.
    pub fn native() -> Self {
        let names = FileNames::Endings(&[".ndjson", ".jsonl"]);
        let layout = Layout::of(Format::Lines { max: LINE_MAX });
        Self {
            descends: false,
            ..Self::of(names, layout)
        }
    }

    /// A plan that reads files of these names, also in folders within a folder.
    pub(crate) fn of(names: FileNames, layout: Layout) -> Self {
        Self {
            groups: vec![FileGroup { names, layout }],
            heads: None,
            descends: true,
            unwanted: None,
        }
    }

    /// A plan that reads this many bytes from the beginning of every file.
    pub(crate) fn beginnings(length: u64) -> Self {
        Self {
            groups: Vec::new(),
            heads: Some(length),
            descends: true,
            unwanted: None,
        }
    }

    /// The most bytes read of a file with this path within its folder or archive; `None` if it is
    /// not read. Hidden files are not read, because some systems leave them next to the real ones.
    pub(crate) fn bytes_of(&self, path: &str) -> Option<u64> {
        count(1);
        if self.is_hidden(path) {
            return None;
        }
        if self.groups_of(path).next().is_some() {
            return Some(u64::MAX);
        }
        self.head_of(path)
    }

    /// Whether a file with this path within its folder is an archive whose members are read as if
    /// they were in the folder.
    pub(super) fn looks_into(&self, path: &str) -> bool {
        self.descends && !self.is_hidden(path) && path.to_ascii_lowercase().ends_with(".zip")
    }

    /// Whether a file with this path within its folder or archive, which is not read, is to be
    /// told: it may hold records, and nobody said that it is not wanted.
    pub(super) fn misses(&self, path: &str) -> bool {
        let Some(unwanted) = self.unwanted.as_ref().filter(|_| !self.is_hidden(path)) else {
            return false;
        };
        let name = path.to_ascii_lowercase();
        let name = without_compression(&name);
        DATA_ENDINGS.iter().any(|ending| name.ends_with(ending)) && !unwanted.are_of(path)
    }

    /// What is read of a file that was named on the command line or that [`Self::bytes_of`]
    /// selects.
    pub(super) fn contents_of(&self, path: &str) -> Contents<'_> {
        let groups: Vec<_> = self.groups_of(path).collect();
        if !groups.is_empty() {
            return Contents::Records(groups);
        }
        match (self.head_of(path), self.groups.as_slice()) {
            (Some(length), _) => Contents::Head(length),
            (None, [only]) => Contents::Records(vec![(0, &only.layout)]),
            _ => Contents::Nothing,
        }
    }

    /// The names of the files of records, as messages show them.
    pub(super) fn names(&self) -> String {
        let names = self.groups.iter().flat_map(|group| group.names.words());
        names.collect::<Vec<_>>().join(" or ")
    }

    fn is_hidden(&self, path: &str) -> bool {
        let mut parts = path.rsplit('/').filter(|part| *part != ".");
        // Excel leaves the latter beside a workbook that is open.
        let is_hidden = |part: &str| part.starts_with('.') || part.starts_with("~$");
        if self.descends {
            parts.any(is_hidden)
        } else {
            parts.next().is_some_and(is_hidden)
        }
    }

    fn groups_of(&self, path: &str) -> impl Iterator<Item = (usize, &Layout)> {
        let groups = self.groups.iter().enumerate();
        let called = groups.filter(move |(_, group)| group.names.are_of(path));
        called.map(|(index, group)| (index, &group.layout))
    }

    fn head_of(&self, path: &str) -> Option<u64> {
        let is_read = self.groups.is_empty() || is_called_image(path);
        self.heads.filter(|_| is_read)
    }
}

impl FileNames {
    /// Whether a file with this path within the export has one of these names.
    pub(crate) fn are_of(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        self.match_plain(path) || self.match_plain(without_compression(path))
    }

    fn match_plain(&self, path: &str) -> bool {
        match self {
            Self::Endings(endings) => endings.iter().any(|end| path.ends_with(end)),
            Self::Globs(globs, _) => globs.is_match(path),
        }
    }

    /// The names as messages show them.
    pub(crate) fn words(&self) -> Vec<&str> {
        match self {
            Self::Endings(endings) => endings.to_vec(),
            Self::Globs(_, patterns) => patterns.iter().map(String::as_str).collect(),
        }
    }
}

/// The name of a file without the suffix of its compression.
pub(crate) fn without_compression(path: &str) -> &str {
    let mut endings = [".gz", ".zst"].iter();
    endings
        .find_map(|ending| path.strip_suffix(ending))
        .unwrap_or(path)
}

fn is_called_image(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    IMAGE_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// How records are laid out in a file.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The format of the file.
    pub(crate) format: Format,
    /// The encoding of its text; `None` if that is UTF-8 or the format itself determines it.
    pub(crate) encoding: Option<Encoding>,
    /// Paths to the lists of records; empty if the whole file is one list.
    pub(crate) records: Vec<RecordsPath>,
    /// XML elements that become lists even if there is only one.
    pub(crate) lists: Vec<String>,
    /// Paths of lists of JSON that are known and not wanted.
    pub(crate) unwanted: Vec<String>,
    /// Where the rows of CSV and of workbooks are.
    pub(crate) table: TableLayout,
}

/// How many rows of a table are looked at before it is known where the header is.
pub(crate) const PREVIEW_ROWS: usize = 30;

/// Where the rows of a table are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableLayout {
    /// The sheet of a workbook; the only one with rows if it is absent.
    pub(crate) sheet: Option<SheetName>,
    pub(crate) rows: Rows,
}

/// What a sheet is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SheetName {
    Name(String),
    /// Its place among the sheets, from 1.
    Number(u64),
}

/// Which rows of a table are records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rows {
    /// Those below the first that is not empty, which is the header.
    #[default]
    BelowFirst,
    /// Those below this one, as a spreadsheet counts, which is the header.
    Below(u64),
    /// All: the columns have these names.
    Without(Vec<String>),
    /// The first rows of every sheet, as they are.
    Preview,
}

impl Rows {
    /// How many lines of CSV are looked at for the delimiter.
    pub(super) fn lines(&self) -> u64 {
        match self {
            Self::BelowFirst | Self::Without(_) => 1,
            // So many lines above a header are none of titles.
            Self::Below(header) => (*header).clamp(1, 1_000),
            Self::Preview => PREVIEW_ROWS as u64,
        }
    }
}

impl Layout {
    /// Of files of one list, with nothing else said of them.
    pub(crate) fn of(format: Format) -> Self {
        Self {
            format,
            encoding: None,
            records: Vec::new(),
            lists: Vec::new(),
            unwanted: Vec::new(),
            table: TableLayout::default(),
        }
    }

    /// Whether a list of JSON is read, has records in it that are, or is known and not wanted,
    /// perhaps with what it lies in.
    pub(super) fn knows(&self, list: &str) -> bool {
        let is_unwanted = |unwanted: &String| {
            let rest = list.strip_prefix(unwanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let path = RecordsPath::parse(list);
        let is_read = |read: &RecordsPath| {
            let path = path.as_ref();
            path.is_ok_and(|path| path.steps == read.steps || path.may_hold(read))
        };
        self.unwanted.iter().any(is_unwanted) || self.records.iter().any(is_read)
    }

    /// Whether one pass over a file can serve both layouts.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let has_lists_of_records = matches!(self.format, Format::Json | Format::Xml);
        self.format == other.format
            && self.encoding == other.encoding
            && self.lists == other.lists
            && self.table == other.table
            && (!has_lists_of_records || self.records == other.records)
    }
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A JSON value in each line of at most `max` bytes.
    Lines {
        max: usize,
    },
    Json,
    Csv,
    Parquet,
    /// A sheet of a spreadsheet program.
    Workbook,
    Xml,
}

impl Format {
    /// A JSON value in each line, as content systems write it.
    pub(crate) const NDJSON: Self = Self::Lines { max: RECORD_MAX };

    /// Whether every record has all columns, with null where it has no value.
    pub(crate) const fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Parquet | Self::Workbook)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_endings() {
        let are = ["a/b.JPG", "b.jpeg", "c.webp"].map(is_called_image);
        let are_not = ["a.json", "jpg", "a.jpg.ndjson"].map(is_called_image);
        assert_eq!((are, are_not), ([true; 3], [false; 3]));
    }

    #[test]
    fn hidden_files_are_not_read_nor_hidden_folders_where_folders_are_looked_into() {
        let native = Plan::native();
        let is_read = |path| native.bytes_of(path).is_some();
        let read = ["a.ndjson", "./x/a.jsonl.gz", ".x/a.ndjson"].map(is_read);
        let not_read = [".a.ndjson", "x/._a.ndjson", "a.json", ".ndjson"].map(is_read);
        assert_eq!((read, not_read), ([true; 3], [false; 4]));
        let deep = Plan {
            descends: true,
            ..native
        };
        assert_eq!(deep.bytes_of("./.x/a.ndjson"), None);
        assert_eq!(deep.bytes_of("x/~$a.ndjson"), None);
    }
}
