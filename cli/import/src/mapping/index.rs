//! All records of an export: stored, numbered, and found by their keys and the links between them.
//! Records are added one by one in the export's order; once all are added, nothing changes.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::documents::{Document, Documents};
use super::image_files::ImageFiles;
use super::key_interner::{KeyId, Keys, whole};
use super::links::{AS_ADDED, Links};
use super::record::{Identified, Joining, Link, Raw, ReadRecord};
use crate::finding::{Code, CountAndFirst, Finding, Place, cut};
use crate::source::{FailedRecord, Incoming, Original, Sink};
use crate::spool::Stored;

/// All records, and the links and joins between them.
pub(super) struct Index {
    pub(super) documents: Documents,
    pub(super) keys: Keys,
    pub(super) links: Links<KeyId>,
    /// From a key, by the name of a join, to the places of the published records that refer to it.
    pub(super) joins: Links<usize>,
    pub(super) images: ImageFiles,
    types: HashSet<Arc<str>>,
    /// By source and type: for each key that `published` names, whether some record has it.
    published_keys: PublishedKeys,
    status_keys: StatusKeys,
    unidentified: CountAndFirst<Unknown>,
    error_cells: ErrorCells,
}

/// The values of all records that are errors of a spreadsheet.
#[derive(Clone, Debug, Default)]
pub(super) struct ErrorCells {
    pub(super) cells: u64,
    /// The records that have them: the place of the first, and the first value of it.
    pub(super) records: CountAndFirst<(Place, String)>,
}

/// By source and type: the paths of keys, with whether some record has them.
type PublishedKeys = BTreeMap<(usize, Arc<str>), BTreeMap<String, bool>>;

/// Keys of published records that are called like a status, with the first record that has one.
type StatusKeys = BTreeMap<String, Place>;

/// The outcome of reading all files.
#[derive(Debug)]
pub(super) struct Reading {
    /// The number of records stored.
    pub(super) records: u64,
    /// Records without a key or a type.
    pub(super) unidentified: CountAndFirst<Unknown>,
    /// Values that are errors of a spreadsheet.
    pub(super) error_cells: ErrorCells,
    /// The number of records of each type in the export.
    pub(super) types: BTreeMap<String, u64>,
    /// The sources that have records.
    pub(super) sources: BTreeSet<usize>,
    pub(super) has_links: bool,
    /// By source and type: for each key that `published` names, whether some record has it.
    pub(super) published_keys: PublishedKeys,
    pub(super) status_keys: StatusKeys,
}

impl ErrorCells {
    fn add(&mut self, raw: &Raw, cells: u64, first: String) {
        self.cells += cells;
        self.records.add(|| (raw.place(), first));
    }
}

impl Index {
    /// An empty index, with the spool of its records in `temp_dir`.
    pub(super) fn new(temp_dir: &Path) -> Self {
        Self {
            documents: Documents::new(temp_dir),
            keys: Keys::default(),
            links: Links::default(),
            joins: Links::default(),
            images: ImageFiles::default(),
            types: HashSet::new(),
            published_keys: BTreeMap::new(),
            status_keys: BTreeMap::new(),
            unidentified: CountAndFirst::default(),
            error_cells: ErrorCells::default(),
        }
    }

    /// Adds a record that was identified. A record that no section of the mapping can use is only
    /// counted.
    pub(super) fn add(&mut self, read: ReadRecord, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        let ReadRecord {
            raw,
            identified,
            links,
            is_known,
            error_cells,
            findings,
        } = read;
        if let Some((count, first)) = error_cells {
            self.error_cells.add(&raw, count, first);
        }
        if !identified.is_empty() {
            let text = self.documents.store(&raw.text)?;
            for identified in identified {
                if let Some(finding) = self.add_record(&raw, text, identified)? {
                    sink(Incoming::Finding(finding))?;
                }
            }
        }
        for link in links {
            self.add_link(&link);
        }
        if !is_known {
            self.unidentified.add(|| Unknown::of(&raw));
        }
        if findings.is_empty() {
            return Ok(());
        }
        sink(Incoming::Failed(FailedRecord {
            kind: None,
            findings,
            original: Original::Text(raw.text.into_bytes()),
        }))
    }

    fn add_record(
        &mut self,
        raw: &Raw,
        text: Stored,
        identified: Identified,
    ) -> anyhow::Result<Option<Finding>> {
        let (key, is_published) = (identified.key, identified.is_published);
        let document = Document {
            file: Arc::clone(&raw.file),
            start: raw.start,
            source: u16::try_from(identified.source).context("too many sources")?,
            spot: raw.spot,
            key: self.keys.number(&key),
            id: identified.id,
            record_type: self.shared_type(&identified.record_type),
            is_published,
            is_changed: identified.is_changed,
            text,
        };
        let of_type = (identified.source, Arc::clone(&document.record_type));
        let found = self.published_keys.entry(of_type).or_default();
        for (key, has) in identified.published_keys {
            *found.entry(key).or_default() |= has;
        }
        for key in identified.status_keys {
            self.status_keys.entry(key).or_insert_with(|| raw.place());
        }
        let place = self.documents.len();
        for Joining { to, join } in identified.joinings {
            let [to, join] = [whole(&to), &join].map(|key| self.keys.number(key));
            self.joins.add(to, join, AS_ADDED, place);
        }
        let earlier = self.documents.add(document)?;
        Ok(earlier.map(|earlier| duplicate(raw, (&key, is_published), earlier)))
    }

    fn add_link(&mut self, link: &Link) {
        let [from, field, to] = [&link.from, &link.field, &link.to];
        let [from, field, to] = [from, field, to].map(|key| self.keys.number(key));
        self.links.add(from, field, link.position, to);
    }

    fn shared_type(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.types.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.types.insert(Arc::clone(&new));
        new
    }

    /// Ends adding, after which records can be read.
    pub(super) fn finish(&mut self) -> anyhow::Result<Reading> {
        self.images.sort();
        self.links.sort();
        self.joins.sort();
        self.documents.finish()?;
        let mut reading = Reading {
            records: self.documents.len() as u64,
            unidentified: std::mem::take(&mut self.unidentified),
            error_cells: std::mem::take(&mut self.error_cells),
            types: BTreeMap::new(),
            sources: BTreeSet::new(),
            has_links: !self.links.is_empty(),
            published_keys: std::mem::take(&mut self.published_keys),
            status_keys: std::mem::take(&mut self.status_keys),
        };
        for document in self.documents.all() {
            reading.sources.insert(usize::from(document.source));
            let record_type = &document.record_type;
            match reading.types.get_mut(&**record_type) {
                Some(count) => *count += 1,
                None => _ = reading.types.insert(record_type.to_string(), 1),
            }
        }
        Ok(reading)
    }

    /// Whether any record refers to another through this join.
    pub(super) fn has_joined(&self, join: &str) -> bool {
        self.joins.has_field(join, &self.keys)
    }

    /// The id of a record that consumers see.
    pub(super) fn id_of<'i>(&'i self, document: &'i Document) -> &'i str {
        let id = document.id.as_deref();
        id.unwrap_or_else(|| self.keys.text(document.key))
    }

    /// A hash of a record's type and id. A hash is enough, because there may be many records and a
    /// collision only affects counts.
    pub(super) fn identity(&self, document: &Document) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&document.record_type, self.id_of(document)).hash(&mut hasher);
        hasher.finish()
    }
}

/// A record without a key or a type.
#[derive(Debug)]
pub(super) struct Unknown {
    pub(super) place: Place,
    /// What it has at its top.
    pub(super) keys: Vec<String>,
}

impl Unknown {
    fn of(raw: &Raw) -> Self {
        let record = serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&raw.text);
        Self {
            place: raw.place(),
            keys: record
                .unwrap_or_default()
                .into_iter()
                .map(|(key, _)| key)
                .collect(),
        }
    }
}

fn duplicate(raw: &Raw, (key, is_published): (&str, bool), earlier: &Document) -> Finding {
    let place = earlier.place();
    let meant = match (earlier.is_published, is_published) {
        (true, _) => "; references lead to that one",
        (false, true) => " and is not published; references lead to this one",
        (false, false) => "; neither is published, and references lead to neither",
    };
    let key = cut(key);
    let message = format!("the record at {place} has the same key `{key}`{meant}");
    Finding::new(Code::DuplicateKey, Some(raw.place()), message)
}
