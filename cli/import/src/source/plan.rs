//! Which files of an export are read, for what, and how records lie in them.

use super::folder::Selection;
use super::readers::{RECORD_MAX, RecordsPath};

/// Longest line that is read, in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;

/// What is read of a file with this path, which is wanted or was named itself.
type ContentsOf<'a> = dyn Fn(&str) -> Contents<'a> + 'a;

/// Which files are read, and how.
pub(crate) struct Plan<'a> {
    /// Which files of folders and archives are read.
    pub(crate) selection: Selection<'a>,
    /// What is read of one of them, or of a file that was named itself.
    pub(crate) contents_of: Box<ContentsOf<'a>>,
}

/// What is read of a file.
pub(crate) enum Contents<'a> {
    /// Records, for some sections of the plan. Each comes with its number, which is all that is known
    /// of it here.
    Records(Vec<(usize, &'a Layout)>),
    /// So many bytes of its beginning.
    Head(u64),
    /// Nothing, for this reason.
    Nothing(String),
}

impl Plan<'_> {
    /// That of native exports: lines of files that are called so, for one section.
    pub(crate) fn native() -> Self {
        Self {
            selection: Selection::line_files(),
            contents_of: Box::new(|_path| Contents::Records(vec![(0, &NATIVE)])),
        }
    }
}

/// Lines, as native exports have them.
static NATIVE: Layout = Layout {
    format: Format::Lines { max: LINE_MAX },
    records: Vec::new(),
    lists: Vec::new(),
};

/// How the records of a file lie in it.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// How the file is written.
    pub(crate) format: Format,
    /// Paths to the lists of records; none when the whole file is one.
    pub(crate) records: Vec<RecordsPath>,
    /// Elements of XML that become lists, even where there is one.
    pub(crate) lists: Vec<String>,
}

impl Layout {
    /// Whether one pass over a file can read it for both.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let has_lists_of_records = matches!(self.format, Format::Json | Format::Xml);
        self.format == other.format
            && self.lists == other.lists
            && (!has_lists_of_records || self.records == other.records)
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A JSON value in each line of at most so many bytes.
    Lines {
        max: usize,
    },
    Json,
    Csv,
    Xml,
}

impl Format {
    /// A JSON value in each line, as content systems write it.
    pub(crate) const NDJSON: Self = Self::Lines { max: RECORD_MAX };
}
