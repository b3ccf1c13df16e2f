//! Reading a release, with proof: nothing is handed out that does not match the manifest.
//!
//! Parquet readers do not notice most damage, so files are read from the bytes that were hashed.

mod listing;
mod verified;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use sha2::{Digest, Sha256};

use super::bodies::Bodies;
use super::kind::{Kind, WholeFile};
use super::manifest::{FileEntry, FileName, MANIFEST, Manifest};
use super::tables::{
    ETAG, HEAD_LENGTH, ID, LINE_LENGTH, SLUG, TERM_ID, TERM_SLUG, Table, VOCABULARY, WORD,
};
use super::{InUse, OpenFile, ReleaseError, ReleaseId};
use crate::base::etag::ETag;
use crate::base::hash::{Hashed, hex, sha256_hex_of_reader};
use crate::base::regular_file;
use crate::release::throttle::{Throttle, Unthrottled, throttled};

pub use super::listing::{ListedBoat, ListedManufacturer, Listing, Measure, Pair};

/// A release whose manifest has proved itself. It is in use until dropped.
#[derive(Debug)]
pub struct Release {
    id: ReleaseId,
    manifest: Manifest,
    directory: PathBuf,
    in_use: InUse,
    throttle: Arc<dyn Throttle>,
}

/// Identity of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Record identifier.
    pub id: Box<str>,
    /// Slug, unique within its kind.
    pub slug: Box<str>,
    /// Hash of the body.
    pub etag: ETag,
    /// The part of the record that a list shows.
    pub head: Head,
}

/// The identities of all records, each kind in the order of ordinals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    /// Boats.
    pub boats: Vec<Record>,
    /// Manufacturers.
    pub manufacturers: Vec<Record>,
}

/// The beginning of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    length: u32,
}

impl Head {
    /// A beginning of `length` bytes.
    pub const fn ending_at(length: u32) -> Self {
        Self { length }
    }

    /// The range of the list row in the record, without the closing brace.
    pub const fn row(self) -> Range<usize> {
        0..self.length as usize
    }
}

/// A word or the slug of a term, and its dictionary id.
pub type DictionaryEntry = (Box<str>, i32);

/// The dictionaries of the terms that boats refer to, by vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionaries {
    /// Boat types.
    pub types: Vec<DictionaryEntry>,
    /// Categories.
    pub categories: Vec<DictionaryEntry>,
    /// Activities.
    pub activities: Vec<DictionaryEntry>,
}

impl Release {
    pub(super) fn open(directory: PathBuf, id: ReleaseId) -> Result<Self, ReleaseError> {
        let path = directory.join(MANIFEST);
        let in_use = match InUse::take(&path) {
            Ok(in_use) => in_use,
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_missing(&directory) => {
                return Err(ReleaseError::Unknown { id: id.to_string() });
            }
            Err(error) => return Err(ReleaseError::io("read", &path)(error)),
        };
        let bytes = in_use.read().map_err(ReleaseError::io("read", &path))?;
        let manifest = Manifest::prove(&id, &bytes, &path)?;
        Ok(Self {
            id,
            manifest,
            directory,
            in_use,
            throttle: Arc::new(Unthrottled),
        })
    }

    /// The id of the release.
    pub const fn id(&self) -> &ReleaseId {
        &self.id
    }

    /// The same release, read for serving under this throttle.
    #[must_use]
    pub fn throttled(self, throttle: Arc<dyn Throttle>) -> Self {
        Self { throttle, ..self }
    }

    /// The throttle for reading it.
    pub fn throttle(&self) -> &dyn Throttle {
        &*self.throttle
    }

    /// Keeps the release from being pruned, also when `self` is dropped.
    pub fn in_use(&self) -> InUse {
        self.in_use.clone()
    }

    /// The manifest of the release.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The bytes of the manifest, which the id proves.
    pub(super) fn manifest_bytes(&self) -> Result<Vec<u8>, ReleaseError> {
        let path = self.directory.join(MANIFEST);
        regular_file::read(&path).map_err(ReleaseError::io("read", &path))
    }

    /// Where a file of the release lies.
    pub fn path(&self, name: FileName) -> PathBuf {
        self.directory.join(name.as_str())
    }

    /// Checks every file against the manifest.
    pub fn verify(&self) -> Result<(), ReleaseError> {
        let mut names = FileName::ALL.into_iter();
        names.try_for_each(|name| self.verify_file(name))
    }

    /// Checks that every file has its size, without reading it.
    pub fn check_sizes(&self) -> Result<(), ReleaseError> {
        FileName::ALL.into_iter().try_for_each(|name| {
            let (entry, path) = (self.entry(name)?, self.path(name));
            let metadata = fs::metadata(&path).map_err(ReleaseError::io("measure", &path))?;
            check_size(&path, entry, metadata.len())
        })
    }

    /// The identity of every boat, in the order of ordinals.
    pub fn boats(&self) -> Result<Vec<Record>, ReleaseError> {
        self.records(FileName::BoatIndex)
    }

    /// The identity of every manufacturer, in the order of ordinals.
    pub fn manufacturers(&self) -> Result<Vec<Record>, ReleaseError> {
        self.records(FileName::ManufacturerIndex)
    }

    /// The identity of every record.
    pub fn identities(&self) -> Result<Identities, ReleaseError> {
        Ok(Identities {
            boats: self.boats()?,
            manufacturers: self.manufacturers()?,
        })
    }

    /// The dictionaries of terms.
    pub fn terms(&self) -> Result<Dictionaries, ReleaseError> {
        let (vocabularies, slugs, ids) = self.table(FileName::Terms, |table| {
            Ok((
                table.column(&VOCABULARY)?,
                table.column(&TERM_SLUG)?,
                table.column(&TERM_ID)?,
            ))
        })?;
        let mut terms = Dictionaries::default();
        for ((vocabulary, slug), id) in vocabularies.iter().zip(slugs).zip(ids) {
            match &**vocabulary {
                "type" => terms.types.push((slug, id)),
                "category" => terms.categories.push((slug, id)),
                _ => terms.activities.push((slug, id)),
            }
        }
        Ok(terms)
    }

    /// The body of `GET /v1/terms`.
    pub fn terms_body(&self) -> Result<Bytes, ReleaseError> {
        self.read_verified(FileName::TermsBody)
    }

    /// All words of folded names, sorted; a word's dictionary id is its place.
    pub fn words(&self) -> Result<Vec<Box<str>>, ReleaseError> {
        self.table(FileName::Words, |table| table.column(&WORD))
    }

    /// The bodies of boats: in memory when they take at most `memory_max` bytes.
    pub fn boat_bodies(&self, memory_max: u64) -> Result<Bodies, ReleaseError> {
        self.bodies(Kind::Boats, memory_max)
    }

    /// The bodies of manufacturers: in memory when they take at most `memory_max` bytes.
    pub fn manufacturer_bodies(&self, memory_max: u64) -> Result<Bodies, ReleaseError> {
        self.bodies(Kind::Manufacturers, memory_max)
    }

    pub(super) fn bodies(&self, kind: Kind, memory_max: u64) -> Result<Bodies, ReleaseError> {
        let (name, offsets) = (kind.lines(), self.offsets(kind)?);
        let (entry, path) = (self.entry(name)?, self.path(name));
        if entry.bytes <= memory_max {
            return Ok(Bodies::in_memory(offsets, self.read_verified(name)?));
        }
        let file = self.open_sized(name)?;
        Bodies::on_disk(&offsets, file, path, &entry.sha256, self.throttle())
    }

    /// Calls `take` with every record of one kind, as its line without the line feed, in the order of
    /// ids; memory holds one of them.
    ///
    /// The whole file is verified before the first call, and again as it is read: an error at the
    /// end means that it changed meanwhile.
    pub fn each_record<E: From<ReleaseError>>(
        &self,
        kind: Kind,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let name = kind.lines();
        self.verify_file(name)?;
        let path = self.path(name);
        let mut file = BufReader::new(Hashed::new(self.open_sized(name)?));
        let mut line = Vec::new();
        while file
            .read_until(b'\n', &mut line)
            .map_err(ReleaseError::io("read", &path))?
            != 0
        {
            take(line.strip_suffix(b"\n").unwrap_or(&line))?;
            line.clear();
        }
        let (_file, bytes, sha256) = file.into_inner().finish();
        Ok(check(&path, self.entry(name)?, bytes, &sha256)?)
    }

    /// Calls `take` with every part of a file with all records of a kind, in their order; memory holds
    /// one of them. It is verified as [`Self::each_record`] does.
    pub fn each_part<E: From<ReleaseError>>(
        &self,
        kind: Kind,
        file: WholeFile,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let name = kind.whole(file);
        self.verify_file(name)?;
        let path = self.path(name);
        let mut file = BufReader::new(Hashed::new(self.open_sized(name)?));
        loop {
            let part = file.fill_buf().map_err(ReleaseError::io("read", &path))?;
            let length = part.len();
            if length == 0 {
                break;
            }
            take(part)?;
            file.consume(length);
        }
        let (_file, bytes, sha256) = file.into_inner().finish();
        Ok(check(&path, self.entry(name)?, bytes, &sha256)?)
    }

    /// Opens a file with all records of a kind, and verifies it.
    pub fn open_whole(&self, kind: Kind, file: WholeFile) -> Result<OpenFile, ReleaseError> {
        let (name, mut hasher) = (kind.whole(file), Sha256::new());
        let opened = self.open_read(name, Some(&mut hasher))?;
        check_sha256(
            &self.path(name),
            self.entry(name)?,
            &hex(&hasher.finalize()),
        )?;
        Ok(opened)
    }

    /// Opens the lines of a kind, which were verified as its bodies were read.
    pub fn open_lines(&self, kind: Kind, _read: &Bodies) -> Result<OpenFile, ReleaseError> {
        self.open_read(kind.lines(), None)
    }

    fn open_read(
        &self,
        name: FileName,
        hasher: Option<&mut Sha256>,
    ) -> Result<OpenFile, ReleaseError> {
        let (entry, path) = (self.entry(name)?, self.path(name));
        let etag = ETag::of_sha256(&entry.sha256);
        let etag = etag.ok_or_else(|| ReleaseError::damaged(&path, "its checksum is none"))?;
        OpenFile::read_all(self.open_sized(name)?, path, etag, hasher, self.throttle())
    }

    /// The offset of each line, and the end of the last one: they fill their file.
    pub(super) fn offsets(&self, kind: Kind) -> Result<Vec<u64>, ReleaseError> {
        let (name, records) = (kind.lines(), kind.index());
        let lengths = self.table(records, |table| table.column(&LINE_LENGTH))?;
        let damaged = || {
            let reason = format!("its lines do not fill {name}");
            ReleaseError::damaged(&self.path(records), reason)
        };
        let mut offsets = Vec::with_capacity(lengths.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for length in throttled(lengths, self.throttle()) {
            end += u64::try_from(length).map_err(|_negative| damaged())?;
            offsets.push(end);
        }
        if end != self.entry(name)?.bytes {
            return Err(damaged());
        }
        Ok(offsets)
    }

    fn records(&self, name: FileName) -> Result<Vec<Record>, ReleaseError> {
        records(self.read_verified(name)?, &self.path(name), self.throttle())
    }

    pub(super) fn table<T>(
        &self,
        name: FileName,
        columns: impl FnOnce(&Table<'_>) -> Result<T, ParquetError>,
    ) -> Result<T, ReleaseError> {
        let contents = self.read_verified(name)?;
        read_table(contents, &self.path(name), self.throttle(), columns)
    }

    pub(super) fn entry(&self, name: FileName) -> Result<&FileEntry, ReleaseError> {
        self.manifest.entry(name, &self.directory)
    }

    /// The contents that were hashed are the contents that are returned.
    fn read_verified(&self, name: FileName) -> Result<Bytes, ReleaseError> {
        let (entry, path) = (self.entry(name)?, self.path(name));
        let file = self.open_sized(name)?;
        let read = verified::read_and_hash(&file, entry.bytes, self.throttle());
        let (contents, sha256) = read.map_err(ReleaseError::io("read", &path))?;
        check_sha256(&path, entry, &sha256)?;
        Ok(contents)
    }

    /// Opens a file that has the size in the manifest.
    pub(super) fn open_sized(&self, name: FileName) -> Result<File, ReleaseError> {
        let (entry, path) = (self.entry(name)?, self.path(name));
        let file = regular_file::open(&path).map_err(ReleaseError::io("open", &path))?;
        let metadata = file
            .metadata()
            .map_err(ReleaseError::io("measure", &path))?;
        check_size(&path, entry, metadata.len())?;
        Ok(file)
    }

    /// Checks one file against the manifest, without holding it in memory.
    pub(super) fn verify_file(&self, name: FileName) -> Result<(), ReleaseError> {
        let (entry, path) = (self.entry(name)?, self.path(name));
        let file = regular_file::open(&path).map_err(ReleaseError::io("open", &path))?;
        let hashed = sha256_hex_of_reader(file);
        let (size, sha256) = hashed.map_err(ReleaseError::io("read", &path))?;
        check(&path, entry, size, &sha256)
    }
}

/// Reads columns of the table in the contents of the file at `path`, which were verified.
fn read_table<T>(
    contents: Bytes,
    path: &Path,
    throttle: &dyn Throttle,
    columns: impl FnOnce(&Table<'_>) -> Result<T, ParquetError>,
) -> Result<T, ReleaseError> {
    let columns = Table::new(contents, throttle).and_then(|table| columns(&table));
    columns.map_err(|source| ReleaseError::Parquet {
        action: "read",
        path: path.to_owned(),
        source,
    })
}

/// The identities of the records in the table of their kind, in the order of ordinals.
pub(super) fn records(
    contents: Bytes,
    path: &Path,
    throttle: &dyn Throttle,
) -> Result<Vec<Record>, ReleaseError> {
    let columns = |table: &Table<'_>| {
        Ok((
            table.column(&ID)?,
            table.column(&SLUG)?,
            table.column(&ETAG)?,
            table.column(&LINE_LENGTH)?,
            table.column(&HEAD_LENGTH)?,
        ))
    };
    let (ids, slugs, etags, lengths, heads) = read_table(contents, path, throttle, columns)?;
    let mut records = Vec::with_capacity(ids.len());
    let values = ids
        .into_iter()
        .zip(slugs)
        .zip(etags)
        .zip(lengths.into_iter().zip(heads));
    for (((id, slug), etag), (length, head)) in throttled(values, throttle) {
        let head_length = u32::try_from(head).ok().filter(|_head| head < length);
        let unfit = || ReleaseError::damaged(path, "the head of a record does not fit it");
        records.push(Record {
            id,
            slug,
            etag,
            head: Head::ending_at(head_length.ok_or_else(unfit)?),
        });
    }
    Ok(records)
}

/// Whether the directory certainly does not exist.
fn is_missing(directory: &Path) -> bool {
    fs::symlink_metadata(directory).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

pub(super) fn check_size(path: &Path, entry: &FileEntry, size: u64) -> Result<(), ReleaseError> {
    if size != entry.bytes {
        let reason = format!(
            "it has {size} bytes, not the {} of its manifest",
            entry.bytes
        );
        return Err(ReleaseError::damaged(path, reason));
    }
    Ok(())
}

pub(super) fn check(
    path: &Path,
    entry: &FileEntry,
    size: u64,
    sha256: &str,
) -> Result<(), ReleaseError> {
    check_size(path, entry, size)?;
    check_sha256(path, entry, sha256)
}

pub(super) fn check_sha256(
    path: &Path,
    entry: &FileEntry,
    sha256: &str,
) -> Result<(), ReleaseError> {
    if sha256 != entry.sha256 {
        return Err(ReleaseError::damaged(
            path,
            "its contents do not match its checksum",
        ));
    }
    Ok(())
}
