//! An opened release, answering requests: single records by id or slug, lists by query.
//!
//! A single record is a lookup and a slice of memory; no query runs. A list is a query for the
//! ordinals of its rows, whose texts are then taken from the bodies. Nothing here renders a record
//! or knows HTTP.

mod changes;
mod dictionaries;
mod explain;
mod facets;
mod fill;
mod index;
mod list;
mod open;
mod pool;
mod queue;
mod sql;
mod tables;
mod totals;
mod version;
mod whole;

pub(crate) use changes::{Change, Changes};
pub use dictionaries::UnknownTerm;
pub use explain::{ExplainedRows, PlanStep, RanStatement, StatementTimes};
pub(crate) use facets::Facets;
pub use list::{ListBody, ListError};
pub(crate) use open::READS_AT_ONCE;
pub use open::{OpenCatalogueError, OpenSettings};
pub use pool::QueryError;
pub(crate) use queue::{Queue, finished};
pub use queue::{QueueError, QueueLimits};
pub use sql::Argument;

pub use version::duckdb_version;
pub(crate) use whole::{SentFile, WHOLE_READS_AT_ONCE};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use shared::base::etag::{Coding, ETag};
use shared::base::ids::IdOrSlug;
use shared::release::bodies::Bodies;
use shared::release::{InUse, Kind, ReleaseError};

use self::dictionaries::DictionaryIds;
use self::index::Index;
use self::pool::Pool;
use self::totals::Totals;
use self::whole::WholeFiles;
use crate::api_tables::routes::WholeFormat;

/// Why a record's body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReleaseError),
    /// It was not read in time.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// A record that was found in a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRecord {
    kind: Kind,
    ordinal: u32,
}

/// The exact body of a single-record response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The body.
    pub bytes: Bytes,
    /// Its hash.
    pub etag: ETag,
}

/// Records of one kind: their identities, found by either name, and their bodies.
#[derive(Debug)]
struct Records {
    index: Index,
    bodies: Bodies,
    whole: WholeFiles,
    /// Whether a body no longer matched what was verified.
    is_damaged: AtomicBool,
}

impl Records {
    fn new(index: Index, bodies: Bodies, whole: WholeFiles) -> Self {
        Self {
            index,
            bodies,
            whole,
            is_damaged: AtomicBool::new(false),
        }
    }

    /// The bytes of a body. A failure is remembered for operators: the disk no longer holds what
    /// was verified when the release was opened.
    fn read(&self, ordinal: u32) -> Result<Bytes, ReleaseError> {
        self.noting_damage(self.bodies.read(ordinal as usize))
    }

    /// The same for a line, which is handed over.
    fn with_line(&self, ordinal: u32, take: impl FnOnce(&[u8])) -> Result<(), ReleaseError> {
        self.noting_damage(self.bodies.with_line(ordinal as usize, take))
    }

    fn noting_damage<T>(&self, read: Result<T, ReleaseError>) -> Result<T, ReleaseError> {
        read.inspect_err(|_damage| self.is_damaged.store(true, Ordering::Relaxed))
    }
}

/// An opened, verified release.
#[derive(Debug)]
pub struct Catalogue {
    release_id: String,
    published_at: String,
    boats: Records,
    manufacturers: Records,
    terms: Body,
    dictionaries: DictionaryIds,
    totals: Totals,
    pool: Pool,
    /// The queue before reads of single bodies from disk.
    reads: Queue,
    queues: QueueLimits,
    /// Keeps the release from being pruned while the catalogue exists.
    _in_use: InUse,
}

impl Catalogue {
    /// Id of the release.
    pub fn release_id(&self) -> &str {
        &self.release_id
    }

    /// When the release was published, RFC 3339 in UTC.
    pub fn published_at(&self) -> &str {
        &self.published_at
    }

    /// Whether some body no longer matched what was verified when the release was opened.
    pub(crate) fn is_damaged(&self) -> bool {
        let kinds = [&self.boats, &self.manufacturers];
        kinds
            .iter()
            .any(|kind| kind.is_damaged.load(Ordering::Relaxed))
    }

    /// The queues of requests.
    pub(crate) fn queues(&self) -> [&Queue; 2] {
        [self.pool.queue(), &self.reads]
    }

    /// The limits of its list queries.
    pub fn queue_limits(&self) -> QueueLimits {
        self.queues
    }

    /// The record with that id or slug. Both are case-sensitive.
    pub fn find(&self, kind: Kind, name: &IdOrSlug) -> Option<FoundRecord> {
        let ordinal = self.records(kind).index.find(name.as_str())?;
        Some(FoundRecord { kind, ordinal })
    }

    /// Id and slug of a record found in this catalogue.
    pub fn names(&self, found: FoundRecord) -> [&str; 2] {
        self.records(found.kind).index.names(found.ordinal)
    }

    /// The body of a record found in this catalogue: memory is read at once, and the disk on a
    /// thread that may block.
    pub async fn body(self: &Arc<Self>, found: FoundRecord) -> Result<Body, BodyError> {
        let FoundRecord { kind, ordinal } = found;
        let records = self.records(kind);
        let bytes = if let Some(held) = records.bodies.read_at_once(ordinal as usize) {
            held
        } else {
            let catalogue = Arc::clone(self);
            let read = move || catalogue.records(kind).read(ordinal);
            Box::pin(self.reads.run(read)).await??
        };
        let etag = records.index.entry(ordinal).etag;
        Ok(Body { bytes, etag })
    }

    /// The file with all records of a kind in a coding, if there is one.
    pub(crate) fn whole(
        &self,
        kind: Kind,
        format: WholeFormat,
        coding: Coding,
    ) -> Option<SentFile> {
        self.records(kind).whole.get(format, coding)
    }

    /// The body that lists the terms of all boats.
    pub const fn terms(&self) -> &Body {
        &self.terms
    }

    const fn records(&self, kind: Kind) -> &Records {
        match kind {
            Kind::Boats => &self.boats,
            Kind::Manufacturers => &self.manufacturers,
        }
    }
}
