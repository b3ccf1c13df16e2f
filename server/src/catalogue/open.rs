//! Opening a release for serving: every file is verified, and what requests need is loaded.
//!
//! Two threads share the work, since a million boats take one thread seconds. Nothing here answers
//! a request.

use std::io;
use std::panic::resume_unwind;
use std::thread;

use shared::base::etag::ETag;
use shared::release::bodies::Bodies;
use shared::release::{Kind, Release, ReleaseError};

use super::dictionaries::DictionaryIds;
use super::index::Index;
use super::pool::Pool;
use super::queue::{Queue, QueueLimits};
use super::totals::Totals;
use super::whole::WholeFiles;
use super::{Body, Catalogue, Records};

/// Most bodies that are read from disk at once.
pub(crate) const READS_AT_ONCE: usize = 32;

/// How a release is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenSettings {
    /// Bodies of manufacturers, and then of boats, are held in memory if they fit into this many
    /// bytes. Others are read from disk, one positioned read a record.
    pub bodies_memory_max: u64,
    /// Number of list queries that run at once.
    pub connections: usize,
    /// How long list queries and reads from disk may wait and take.
    pub queues: QueueLimits,
}

impl Default for OpenSettings {
    /// Half a gibibyte of bodies; as many connections as cores, from 2 to 8.
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(2, usize::from);
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
        source: duckdb::Error,
    },
    /// No thread could be started.
    #[error("could not start a thread to read the bodies of release {release}")]
    Thread {
        /// Id of the release.
        release: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

/// The bodies of both kinds, the one of terms, and the files that are sent as they are.
struct AllBodies {
    boats: Bodies,
    manufacturers: Bodies,
    terms: Body,
    whole_boats: WholeFiles,
    whole_manufacturers: WholeFiles,
}

impl Catalogue {
    /// Verifies every file of `release` and loads what lists need. Takes a while: not for an
    /// asynchronous thread.
    pub fn open(release: &Release, settings: OpenSettings) -> Result<Self, OpenCatalogueError> {
        thread::scope(|scope| {
            // With a million boats, hashing the bodies takes one core 3 s, and the rest as long.
            let reading = thread::Builder::new()
                .name("bodies".to_owned())
                .spawn_scoped(scope, || AllBodies::read(release, settings));
            let reading = reading.map_err(|source| OpenCatalogueError::Thread {
                release: release.id().to_string(),
                source,
            })?;
            Self::load(release, settings, || {
                reading.join().unwrap_or_else(|panic| resume_unwind(panic))
            })
        })
    }

    /// Loads what is always in memory, and then takes the bodies that are read meanwhile.
    fn load(
        release: &Release,
        settings: OpenSettings,
        bodies: impl FnOnce() -> Result<AllBodies, ReleaseError>,
    ) -> Result<Self, OpenCatalogueError> {
        let throttle = release.throttle();
        let boats = Index::new(release.boats()?, throttle);
        let manufacturers = release.manufacturers()?;
        let dictionaries = DictionaryIds::new(&manufacturers, release.terms()?, release.words()?);
        let manufacturers = Index::new(manufacturers, throttle);
        let listing = release.listing()?;
        let pool = Pool::load(&listing, settings.connections, settings.queues, throttle);
        let pool = pool.map_err(|source| OpenCatalogueError::Load {
            release: release.id().to_string(),
            source,
        })?;
        let totals = Totals::new(&listing);
        drop(listing);
        let bodies = bodies()?;
        Ok(Self {
            release_id: release.id().to_string(),
            published_at: release.manifest().published_at.clone(),
            boats: Records::new(boats, bodies.boats, bodies.whole_boats),
            manufacturers: Records::new(
                manufacturers,
                bodies.manufacturers,
                bodies.whole_manufacturers,
            ),
            terms: bodies.terms,
            dictionaries,
            totals,
            pool,
            reads: Queue::new("read of a body", READS_AT_ONCE, settings.queues),
            queues: settings.queues,
            _in_use: release.in_use(),
        })
    }
}

impl AllBodies {
    fn read(release: &Release, settings: OpenSettings) -> Result<Self, ReleaseError> {
        let manufacturers = release.manufacturer_bodies(settings.bodies_memory_max)?;
        // There are few manufacturers.
        let left = settings.bodies_memory_max - manufacturers.held_bytes();
        let boats = release.boat_bodies(left)?;
        let terms = release.terms_body()?;
        Ok(Self {
            whole_boats: WholeFiles::open(release, Kind::Boats, &boats)?,
            whole_manufacturers: WholeFiles::open(release, Kind::Manufacturers, &manufacturers)?,
            boats,
            manufacturers,
            terms: Body {
                etag: ETag::of(&terms),
                bytes: terms,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use shared::base::data_dir::DataDir;
    use shared::release::{ReleaseStore, Releases};

    use super::*;

    #[test]
    fn bodies_of_manufacturers_are_held_before_those_of_boats() {
        let directory = tempfile::tempdir().unwrap();
        let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/releases");
        let release = fs::read_dir(releases).unwrap().next().unwrap().unwrap();
        let to = directory.path().join("releases").join(release.file_name());
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(release.path()).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        let store = ReleaseStore::new(DataDir::new(directory.path()));
        let release = store.open(&store.list().unwrap()[0]).unwrap();
        let held = |bodies_memory_max| {
            let settings = OpenSettings {
                bodies_memory_max,
                ..OpenSettings::default()
            };
            let bodies = AllBodies::read(&release, settings).unwrap();
            [bodies.boats.held_bytes(), bodies.manufacturers.held_bytes()]
        };
        let [boats, makers] = held(u64::MAX);
        assert!(0 < makers && makers < boats);
        for (most, expected) in [
            (boats + makers, [boats, makers]),
            (boats + makers - 1, [0, makers]),
            (makers, [0, makers]),
            (makers - 1, [0, 0]),
            (0, [0, 0]),
        ] {
            assert_eq!(held(most), expected, "{most}");
        }
    }
}
