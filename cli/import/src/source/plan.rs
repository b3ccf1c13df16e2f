//! Which files of an export are read, for what, and how records lie in them.
//!
//! A plan is data: that of native exports stands here, and a mapping file describes its own.

use globset::GlobSet;

use super::encoding::Encoding;
use super::readers::{RECORD_MAX, RecordsPath};
use crate::steps::count;

/// Longest line that is read, in bytes, without its line break.
pub const LINE_MAX: usize = 1024 * 1024;

/// Endings of the names of image files, in lower case.
const IMAGE_ENDINGS: [&str; 8] = [
    ".avif", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".webp",
];

/// Which files are read, and how.
#[derive(Debug)]
pub struct Plan {
    /// Files of records. Outside the plan, a group is known by its index.
    pub(crate) groups: Vec<FileGroup>,
    /// Other files, of which the beginning is read.
    pub(crate) heads: Option<Heads>,
    /// Whether the folders within a folder are read as well, but for hidden ones.
    pub(crate) descends: bool,
}

/// Files with records that lie in them alike.
#[derive(Debug)]
pub(crate) struct FileGroup {
    pub(crate) names: FileNames,
    pub(crate) layout: Layout,
}

/// What files are called, before `.gz` or `.zst`.
#[derive(Debug)]
pub(crate) enum FileNames {
    /// Their paths end in one of these.
    Endings(&'static [&'static str]),
    /// Their paths match one of the patterns, which are kept for people.
    Globs(GlobSet, Vec<String>),
}

/// Files of which the beginning is read.
#[derive(Debug)]
pub(crate) struct Heads {
    pub(crate) of: HeadsOf,
    /// How much of each, in bytes.
    pub(crate) length: u64,
}

/// Which files have a beginning that is read.
#[derive(Debug)]
pub(crate) enum HeadsOf {
    /// Those that are called like images.
    Images,
    /// All that are in no group.
    All,
}

/// What is read of a file.
pub(super) enum Contents<'a> {
    /// Records, for these groups.
    Records(Vec<(usize, &'a Layout)>),
    /// So many bytes of its beginning.
    Head(u64),
    /// Nothing: it was named itself, but is not one of the files that are read.
    Nothing,
}

impl Plan {
    /// That of native exports.
    pub fn native() -> Self {
        Self {
            groups: vec![FileGroup {
                names: FileNames::Endings(&[".ndjson", ".jsonl"]),
                layout: Layout {
                    format: Format::Lines { max: LINE_MAX },
                    encoding: None,
                    records: Vec::new(),
                    lists: Vec::new(),
                },
            }],
            heads: None,
            descends: false,
        }
    }

    /// That of looking at the beginning of every file, so many bytes of each.
    pub(crate) fn beginnings(length: u64) -> Self {
        Self {
            groups: Vec::new(),
            heads: Some(Heads {
                of: HeadsOf::All,
                length,
            }),
            descends: true,
        }
    }

    /// How many bytes are read, at most, of a file with this path within its folder or archive;
    /// none where it is not read. Hidden files are not: some systems leave them beside the real
    /// ones.
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

    /// What is read of a file that was named itself, or of one of those above.
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

    /// The names of the files of records, for people.
    pub(super) fn names(&self) -> String {
        let names = self.groups.iter().flat_map(|group| group.names.words());
        names.collect::<Vec<_>>().join(" or ")
    }

    fn is_hidden(&self, path: &str) -> bool {
        let mut parts = path.rsplit('/').filter(|part| *part != ".");
        let is_hidden = |part: &str| part.starts_with('.');
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
        let heads = self.heads.as_ref()?;
        let is_read = match heads.of {
            HeadsOf::Images => is_called_image(path),
            HeadsOf::All => true,
        };
        is_read.then_some(heads.length)
    }
}

impl FileNames {
    /// Whether a file with this path within the export is one of these.
    fn are_of(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        let mut endings = [".gz", ".zst"].iter();
        let plain = endings.find_map(|end| path.strip_suffix(end));
        self.match_plain(path) || plain.is_some_and(|plain| self.match_plain(plain))
    }

    fn match_plain(&self, path: &str) -> bool {
        match self {
            Self::Endings(endings) => endings.iter().any(|end| path.ends_with(end)),
            Self::Globs(globs, _) => globs.is_match(path),
        }
    }

    /// For people.
    pub(crate) fn words(&self) -> Vec<&str> {
        match self {
            Self::Endings(endings) => endings.to_vec(),
            Self::Globs(_, patterns) => patterns.iter().map(String::as_str).collect(),
        }
    }
}

fn is_called_image(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    IMAGE_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// How the records of a file lie in it.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// How the file is written.
    pub(crate) format: Format,
    /// The encoding of its text; none if that is UTF-8, or the format knows better.
    pub(crate) encoding: Option<Encoding>,
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
            && self.encoding == other.encoding
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
    Parquet,
    Xml,
}

impl Format {
    /// A JSON value in each line, as content systems write it.
    pub(crate) const NDJSON: Self = Self::Lines { max: RECORD_MAX };
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
    }
}
