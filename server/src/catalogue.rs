//! An opened release, answering questions: single records by id or slug, lists by query.
//!
//! A single record is a look-up and a slice of memory; no query runs for it. A list is a query for
//! the ordinals of its rows, whose texts are then taken from the bodies. Nothing here renders a
//! record, and nothing here knows HTTP.

mod index;
mod list;
mod pool;
mod queue;
mod sql;
mod tables;
mod totals;

pub use list::{ListBody, ListError};
pub use pool::{LoadError, QueryError};
pub(crate) use queue::Queue;
pub use queue::{QueueError, QueueLimits};

use std::sync::Arc;

use bytes::Bytes;
use shared::etag::ETag;
use shared::ids::{IdOrSlug, Slug};
use shared::release::bodies::Bodies;
use shared::release::{FileName, InUse, Record, Release, ReleaseError};

use self::index::Index;
use self::list::Codes;
use self::pool::Pool;
use self::totals::Totals;
use crate::params::{BoatQuery, ManufacturerQuery};

/// Most bodies that are read from disk at once.
const READS_AT_ONCE: usize = 32;

/// How a release is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenSettings {
    /// Bodies of one kind that take at most this many bytes are held in memory; larger ones are
    /// read from disk, one positioned read a record.
    pub bodies_memory_max: u64,
    /// Number of list queries that run at once.
    pub connections: usize,
    /// How list queries wait, and how long they may take; and so with reads from disk.
    pub queues: QueueLimits,
}

impl Default for OpenSettings {
    /// Half a gibibyte of bodies a kind; as many connections as cores, from 2 to 8.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            bodies_memory_max: 512 << 20,
            connections: cores.clamp(2, 8),
            queues: QueueLimits::default(),
        }
    }
}

/// Why a release could not be opened for serving.
#[derive(Debug, thiserror::Error)]
pub enum OpenCatalogueError {
    /// The release is missing or damaged.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// DuckDB could not load the release's tables.
    #[error("could not load the tables of release {release}")]
    Load {
        /// Id of the release.
        release: String,
        /// Why not.
        #[source]
        source: LoadError,
    },
}

/// Why a record's body could not be given.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReleaseError),
    /// It was not read, or not in time.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// The place of a boat in its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoatOrdinal(u32);

/// The place of a manufacturer in its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManufacturerOrdinal(u32);

/// The exact body of a single-record answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The body.
    pub bytes: Bytes,
    /// Its hash.
    pub etag: ETag,
}

/// Records of one kind: identity, bodies, and the index over both names.
#[derive(Debug)]
struct Kind {
    records: Vec<Record>,
    bodies: Bodies,
    index: Index,
}

impl Kind {
    fn new(records: Vec<Record>, bodies: Bodies) -> Self {
        let index = Index::new(&records);
        Self {
            records,
            bodies,
            index,
        }
    }

    fn find(&self, name: &IdOrSlug) -> Option<u32> {
        self.index.find(name.as_str(), &self.records)
    }

    fn record(&self, ordinal: u32) -> &Record {
        &self.records[ordinal as usize]
    }

    fn body(&self, ordinal: u32) -> Result<Body, ReleaseError> {
        let record = self.record(ordinal);
        Ok(Body {
            bytes: self.bodies.read(record)?,
            etag: record.etag,
        })
    }
}

/// An opened, verified release.
#[derive(Debug)]
pub struct Catalogue {
    release_id: String,
    published_at: String,
    boats: Kind,
    manufacturers: Kind,
    codes: Codes,
    totals: Totals,
    pool: Pool,
    /// Before reads of single bodies from disk.
    reads: Queue,
    queues: QueueLimits,
    /// While anybody asks this catalogue, its release is not pruned.
    _in_use: InUse,
}

impl Catalogue {
    /// Verifies every file of `release` and loads what lists need. Takes a while: not for an
    /// asynchronous thread.
    pub fn open(release: &Release, settings: OpenSettings) -> Result<Self, OpenCatalogueError> {
        let bodies = |name| release.bodies(name, settings.bodies_memory_max);
        let boats = Kind::new(release.boats()?, bodies(FileName::BoatBodies)?);
        let manufacturers = Kind::new(
            release.manufacturers()?,
            bodies(FileName::ManufacturerBodies)?,
        );
        let codes = Codes::new(&manufacturers.records, release.terms()?, release.words()?);
        for source in tables::SOURCES {
            release.verify_file(source.file)?;
        }
        let pool = Pool::load(release, settings.connections, settings.queues);
        let (pool, totals) = pool.map_err(|source| OpenCatalogueError::Load {
            release: release.id().to_string(),
            source,
        })?;
        Ok(Self {
            release_id: release.id().to_string(),
            published_at: release.manifest().published_at.clone(),
            boats,
            manufacturers,
            codes,
            totals,
            pool,
            reads: Queue::new("read of a body", READS_AT_ONCE, settings.queues),
            queues: settings.queues,
            _in_use: release.in_use(),
        })
    }

    /// Id of the release.
    pub fn release_id(&self) -> &str {
        &self.release_id
    }

    /// When the release was published, RFC 3339 in UTC.
    pub fn published_at(&self) -> &str {
        &self.published_at
    }

    /// How long its lists may be waited for.
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

    /// A slice of memory is taken here and now; the disk is read on a thread that may block.
    async fn body(
        self: &Arc<Self>,
        kind: fn(&Self) -> &Kind,
        ordinal: u32,
    ) -> Result<Body, BodyError> {
        let body = match kind(self).bodies {
            Bodies::Memory(_) => kind(self).body(ordinal),
            Bodies::Disk { .. } => {
                let catalogue = Arc::clone(self);
                let read = move || kind(&catalogue).body(ordinal);
                self.reads.run(read).await?
            }
        };
        Ok(body?)
    }

    /// The slug of a manufacturer found in this catalogue, as filters accept it.
    pub fn manufacturer_slug(&self, maker: ManufacturerOrdinal) -> Slug {
        let slug = &self.manufacturers.record(maker.0).slug;
        Slug::parse(slug).unwrap_or_else(|_| unreachable!("the import checked every slug"))
    }

    /// A page of boats, envelope included.
    pub async fn list_boats(self: &Arc<Self>, query: &BoatQuery) -> Result<ListBody, ListError> {
        let question = self.codes.boat_question(query);
        self.list(question, query.page, |catalogue| &catalogue.boats)
            .await
    }

    /// A page of manufacturers, envelope included.
    pub async fn list_manufacturers(
        self: &Arc<Self>,
        query: &ManufacturerQuery,
    ) -> Result<ListBody, ListError> {
        let question = self.codes.manufacturer_question(query);
        self.list(question, query.page, |catalogue| &catalogue.manufacturers)
            .await
    }
}
