//! Stores the records of an export in a spool and finds them again by their keys.
//!
//! Memory holds only a key and a place for each record. The records themselves are read on request,
//! because they may not fit in memory.

use std::io;
use std::iter;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::bounds::DEPTH_MAX;
use super::expression::{Jq, from_text};
use super::key_interner::KeyId;
use crate::finding::{ExportFile, Place, Start};
use crate::source::Spot;
use crate::spool::{Spool, Stored};

/// Maximum length of a record's text, in bytes, for the parsed record to be cached.
const HELD_LENGTH_MAX: u32 = 16 * 1024;

/// What is known about a record without reading it.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) file: Arc<ExportFile>,
    pub(super) start: Start,
    /// The source of the mapping that read it.
    pub(super) source: u16,
    pub(super) spot: Spot,
    pub(super) key: KeyId,
    /// The id that consumers see, unless it is the key.
    pub(super) id: Option<Box<str>>,
    pub(super) record_type: Arc<str>,
    pub(super) is_published: bool,
    /// Whether it changed after it was published.
    pub(super) is_changed: bool,
    /// Its text among the originals.
    pub(super) text: Stored,
}

impl Document {
    /// The record's position in the export.
    pub(super) fn place(&self) -> Place {
        Place::at(&self.file, self.start)
    }

    /// Whether both are the same record of the export, read by several sections.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.text == other.text && self.id == other.id
    }
}

/// All records of the export.
pub(super) struct Documents {
    texts: Arc<Spool>,
    all: Vec<Document>,
    /// The record that each key leads to, by the key's number: the first published one, or the
    /// first if none is published.
    by_key: Vec<Option<u32>>,
}

/// One thread's cache of parsed records.
pub(super) struct Held(Vec<Option<(usize, Jq)>>);

impl Documents {
    /// An empty store, with its spool in `temp_dir`.
    pub(super) fn new(temp_dir: &Path) -> Self {
        Self {
            texts: Arc::new(Spool::new(temp_dir)),
            all: Vec::new(),
            by_key: Vec::new(),
        }
    }

    /// Stores the text of a record.
    pub(super) fn store(&mut self, text: &str) -> anyhow::Result<Stored> {
        Ok(Stored {
            offset: self.texts()?.append(text.as_bytes())?,
            length: u32::try_from(text.len()).context("a record is too long")?,
        })
    }

    /// Adds a record whose text was stored, and returns the different record that its key led to
    /// before, if there was one. Two sections that read the same text have read the same record,
    /// unless its ids differ.
    pub(super) fn add(&mut self, document: Document) -> anyhow::Result<Option<&Document>> {
        let (key, is_published) = (document.key, document.is_published);
        let number = u32::try_from(self.all.len()).context("too many records")?;
        self.all.push(document);
        if self.by_key.len() <= key.place() {
            self.by_key.resize(key.place() + 1, None);
        }
        let meant = &mut self.by_key[key.place()];
        let earlier = meant.map(|place| &self.all[place as usize]);
        if earlier.is_none_or(|earlier| is_published && !earlier.is_published) {
            *meant = Some(number);
        }
        let added = &self.all[number as usize];
        Ok(earlier.filter(|earlier| !earlier.is_same(added)))
    }

    /// Ends adding, after which records can be read.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        Ok(self.texts()?.finish()?)
    }

    /// The texts of all records, for whoever outlives this store; nothing can be added from then on.
    pub(super) fn originals(&self) -> Arc<Spool> {
        Arc::clone(&self.texts)
    }

    fn texts(&mut self) -> anyhow::Result<&mut Spool> {
        Arc::get_mut(&mut self.texts).context("the records are read already")
    }

    /// The number of records.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// What is known about each record, in the export's order.
    pub(super) fn all(&self) -> &[Document] {
        &self.all
    }

    /// What is known about the record at a place in the export's order.
    pub(super) fn at(&self, place: usize) -> &Document {
        &self.all[place]
    }

    /// The place of the record that a key leads to.
    pub(super) fn place_of(&self, key: KeyId) -> Option<usize> {
        let place = self.by_key.get(key.place()).copied().flatten();
        place.map(|place| place as usize)
    }

    /// The contents of the record at a place.
    pub(super) fn read(&self, place: usize) -> io::Result<Jq> {
        let text = self.texts.read(self.all[place].text)?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        from_text(&text, DEPTH_MAX).map_err(io::Error::other)
    }

    /// All places in chunks of limited numbers of records and bytes.
    pub(super) fn chunks(
        &self,
        records_max: usize,
        bytes_max: usize,
    ) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        iter::from_fn(move || {
            let (mut end, mut bytes) = (start, 0);
            while end < self.all.len().min(start + records_max) && bytes < bytes_max {
                bytes += self.all[end].text.length as usize;
                end += 1;
            }
            let chunk = start..end;
            start = end;
            (!chunk.is_empty()).then_some(chunk)
        })
    }
}

impl Held {
    /// A cache with room for this many records.
    pub(super) fn new(records: usize) -> Self {
        Self(vec![None; records])
    }

    /// The contents of the record at a place.
    pub(super) fn read(&mut self, documents: &Documents, place: usize) -> Result<Jq, String> {
        let slot = place % self.0.len();
        if let Some((held, value)) = &self.0[slot]
            && *held == place
        {
            return Ok(value.clone());
        }
        let value = documents.read(place).map_err(|error| error.to_string())?;
        if documents.all[place].text.length <= HELD_LENGTH_MAX {
            self.0[slot] = Some((place, value.clone()));
        }
        Ok(value)
    }
}
