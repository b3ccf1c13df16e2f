//! The files that an export was read from, with enough about each to prove later which bytes it
//! had.

use std::io::Write as _;

use serde::{Deserialize, Serialize};

use super::hash::{Hashed, sha256_hex};

/// Most files that are listed. All are counted.
pub const LISTED_MAX: usize = 20;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// The name under which it was read.
    pub name: String,
    /// Bytes read, as stored on disk.
    pub bytes: u64,
    /// SHA-256 of the file in hexadecimal; none if it was not read to its end.
    pub sha256: Option<String>,
    /// The ETag that it had where it was fetched from; none for a file that was here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// SHA-256 of the whole address that it was fetched from, if the name does not show all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_sha256: Option<String>,
}

/// The files of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFiles {
    /// How many there are.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The first of them, at most [`LISTED_MAX`].
    pub first: Vec<SourceFile>,
}

/// A file while it is read.
pub struct Reading {
    hashed: Hashed<std::io::Sink>,
    has_ended: bool,
}

impl SourceFile {
    /// A file with these contents.
    pub fn new(name: String, contents: &[u8]) -> Self {
        Self {
            name,
            bytes: contents.len() as u64,
            sha256: Some(sha256_hex(contents)),
            etag: None,
            address_sha256: None,
        }
    }
}

impl SourceFiles {
    /// Adds a file.
    pub fn push(&mut self, file: SourceFile) {
        self.count += 1;
        self.bytes += file.bytes;
        if self.first.len() < LISTED_MAX {
            self.first.push(file);
        }
    }
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            hashed: Hashed::new(std::io::sink()),
            has_ended: false,
        }
    }
}

impl Reading {
    /// Adds the next bytes; none at the end.
    pub fn take(&mut self, bytes: &[u8]) {
        self.has_ended = bytes.is_empty();
        // Writing to a sink never fails.
        _ = self.hashed.write_all(bytes);
    }

    /// The file that was read, under this name.
    pub fn finish(self, name: String) -> SourceFile {
        let (_sink, bytes, sha256) = self.hashed.finish();
        SourceFile {
            name,
            bytes,
            sha256: self.has_ended.then_some(sha256),
            etag: None,
            address_sha256: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_to_its_end_has_the_hash_of_its_contents() {
        let mut reading = Reading::default();
        for piece in [&b"ab"[..], b"c", b""] {
            reading.take(piece);
        }
        let whole = SourceFile::new("a".to_owned(), b"abc");
        assert_eq!(reading.finish("a".to_owned()), whole);
        let mut cut = Reading::default();
        cut.take(b"abc");
        let cut = cut.finish("a".to_owned());
        assert_eq!((cut.bytes, cut.sha256), (3, None));
    }

    #[test]
    fn all_files_are_counted_and_the_first_are_listed() {
        let mut files = SourceFiles::default();
        let file = SourceFile::new("a".to_owned(), b"abc");
        (0..1000).for_each(|_| files.push(file.clone()));
        let seen = (files.count, files.bytes, files.first.len());
        assert_eq!(seen, (1000, 3000, LISTED_MAX));
    }
}
