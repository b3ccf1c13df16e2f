//! An opened release, answering requests: single records by id or slug, lists by query.
//!
//! A single record is a lookup and a slice of memory; no query runs. A list is a query for the
//! ordinals of its rows, whose texts are then taken from the bodies. Nothing here renders a record
//! or knows HTTP.

mod explain;
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

pub use explain::{ExplainedRows, PlanStep, RanStatement, StatementTimes};
pub use list::{ListBody, ListError, UnknownTerm};
pub(crate) use open::READS_AT_ONCE;
pub use open::{OpenCatalogueError, OpenSettings};
pub use pool::{LoadError, QueryError};
pub(crate) use queue::Queue;
pub use queue::{QueueError, QueueLimits};
pub use sql::Argument;

pub use version::duckdb_version;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use shared::base::etag::ETag;
use shared::base::ids::{IdOrSlug, Slug};
use shared::release::bodies::Bodies;
use shared::release::{InUse, ReleaseError};

use self::index::Index;
use self::list::DictionaryIds;
use self::pool::Pool;
use self::totals::Totals;
use crate::params::ListKind;

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

/// The place of a boat in its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoatOrdinal(u32);

/// The place of a manufacturer in its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManufacturerOrdinal(u32);

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
    /// Whether a body no longer matched what was verified.
    is_damaged: AtomicBool,
}

impl Records {
    fn new(index: Index, bodies: Bodies) -> Self {
        Self {
            index,
            bodies,
            is_damaged: AtomicBool::new(false),
        }
    }

    fn find(&self, name: &IdOrSlug) -> Option<u32> {
        self.index.find(name.as_str())
    }

    fn names(&self, ordinal: u32) -> [&str; 2] {
        self.index.names(ordinal)
    }

    /// The bytes of a body. A failure is remembered for operators: the disk no longer holds what
    /// was verified when the release was opened.
    fn read(&self, ordinal: u32) -> Result<Bytes, ReleaseError> {
        self.bodies
            .read(ordinal as usize)
            .inspect_err(|_damage| self.is_damaged.store(true, Ordering::Relaxed))
    }

    fn body(&self, ordinal: u32) -> Result<Body, ReleaseError> {
        Ok(Body {
            bytes: self.read(ordinal)?,
            etag: self.index.entry(ordinal).etag,
        })
    }

    fn body_at_once(&self, ordinal: u32) -> Option<Body> {
        Some(Body {
            bytes: self.bodies.read_at_once(ordinal as usize)?,
            etag: self.index.entry(ordinal).etag,
        })
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

    /// The boat with that id or slug. Both are case-sensitive.
    pub fn find_boat(&self, name: &IdOrSlug) -> Option<BoatOrdinal> {
        self.boats.find(name).map(BoatOrdinal)
    }

    /// The manufacturer with that id or slug. Both are case-sensitive.
    pub fn find_manufacturer(&self, name: &IdOrSlug) -> Option<ManufacturerOrdinal> {
        self.manufacturers.find(name).map(ManufacturerOrdinal)
    }

    /// Id and slug of a boat found in this catalogue.
    pub fn boat_names(&self, boat: BoatOrdinal) -> [&str; 2] {
        self.boats.names(boat.0)
    }

    /// Id and slug of a manufacturer found in this catalogue.
    pub fn manufacturer_names(&self, maker: ManufacturerOrdinal) -> [&str; 2] {
        self.manufacturers.names(maker.0)
    }

    /// The body of a boat found in this catalogue.
    pub async fn boat_body(self: &Arc<Self>, boat: BoatOrdinal) -> Result<Body, BodyError> {
        self.body(|catalogue| &catalogue.boats, boat.0).await
    }

    /// The body of a manufacturer found in this catalogue.
    pub async fn manufacturer_body(
        self: &Arc<Self>,
        maker: ManufacturerOrdinal,
    ) -> Result<Body, BodyError> {
        self.body(|catalogue| &catalogue.manufacturers, maker.0)
            .await
    }

    /// The body that lists the terms of all boats.
    pub const fn terms(&self) -> &Body {
        &self.terms
    }

    /// Reads memory at once, and the disk on a thread that may block.
    async fn body(
        self: &Arc<Self>,
        kind: fn(&Self) -> &Records,
        ordinal: u32,
    ) -> Result<Body, BodyError> {
        if let Some(body) = kind(self).body_at_once(ordinal) {
            return Ok(body);
        }
        let catalogue = Arc::clone(self);
        let read = move || kind(&catalogue).body(ordinal);
        Ok(Box::pin(self.reads.run(read)).await??)
    }

    /// The slug of a manufacturer found in this catalogue, as filters accept it.
    pub fn manufacturer_slug(&self, maker: ManufacturerOrdinal) -> Slug {
        let [_id, slug] = self.manufacturers.names(maker.0);
        Slug::parse(slug).unwrap_or_else(|_| unreachable!("the import checked every slug"))
    }

    const fn records(&self, kind: ListKind) -> &Records {
        match kind {
            ListKind::Boats => &self.boats,
            ListKind::Manufacturers => &self.manufacturers,
        }
    }
}
