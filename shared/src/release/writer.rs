//! Writing a release: records are streamed in, and nothing is visible until it is complete.
//!
//! Everything goes to a staging directory beside the releases. Only when each file is synced and
//! described by the manifest does the directory get its name; a writer that is dropped, or killed,
//! leaves no release.

use std::fs::File;

use tempfile::TempDir;

use super::bodies::BodyWriter;
use super::columns::{BoatColumns, Columns, ManufacturerColumns, Words};
use super::fields::{FieldCounter, FieldCounts};
use super::hash::{sha256_hex, sha256_hex_of_reader};
use super::manifest::{FORMAT, FileEntry, FileName, MANIFEST, Manifest};
use super::rendered::{RenderedBoat, RenderedManufacturer};
use super::store::{ReleaseLock, ReleaseStore};
use super::{ReleaseError, ReleaseId, store, tables};
use crate::durable;
use crate::render::coverage::{BOAT_FIELDS, MANUFACTURER_FIELDS};
use crate::timestamp::Timestamp;

/// Most records of one kind in a release: ordinals and ranks are 31 bits wide.
pub const RECORDS_MAX: usize = 100_000_000;

/// A release under construction; holds the lock on releases until it is dropped.
pub struct ReleaseWriter {
    store: ReleaseStore,
    lock: ReleaseLock,
    staging: TempDir,
    boats: BoatColumns,
    boat_bodies: BodyWriter,
    boat_fields: FieldCounter,
    manufacturers: ManufacturerColumns,
    manufacturer_bodies: BodyWriter,
    manufacturer_fields: FieldCounter,
}

/// What finishing a release came to.
#[derive(Debug)]
pub struct Finished {
    /// The release that now holds these records.
    pub id: ReleaseId,
    /// Its manifest.
    pub manifest: Manifest,
    /// Whether an earlier release holds exactly these bytes, so that none was written.
    pub existed: bool,
    /// The lock, still held, for activating without another process coming between.
    pub lock: ReleaseLock,
}

impl ReleaseWriter {
    pub(super) fn create(store: ReleaseStore, lock: ReleaseLock) -> Result<Self, ReleaseError> {
        let staging = store.create_staging()?;
        let body_file = |name: FileName| BodyWriter::create(staging.path().join(name.as_str()));
        Ok(Self {
            boat_bodies: body_file(FileName::BoatBodies)?,
            manufacturer_bodies: body_file(FileName::ManufacturerBodies)?,
            boat_fields: FieldCounter::new(&BOAT_FIELDS),
            manufacturer_fields: FieldCounter::new(&MANUFACTURER_FIELDS),
            boats: BoatColumns::default(),
            manufacturers: ManufacturerColumns::default(),
            store,
            lock,
            staging,
        })
    }

    /// Adds a boat. Its manufacturer must be added too, before or after.
    pub fn push_boat(&mut self, boat: RenderedBoat) -> Result<(), ReleaseError> {
        check_count("boats", self.boats.len())?;
        let offset = self.boat_bodies.push(boat.body())?;
        self.boat_fields.add(boat.body().coverage);
        self.boats.push(boat, offset);
        Ok(())
    }

    /// Adds a manufacturer.
    pub fn push_manufacturer(&mut self, maker: RenderedManufacturer) -> Result<(), ReleaseError> {
        check_count("manufacturers", self.manufacturers.len())?;
        let offset = self.manufacturer_bodies.push(maker.body())?;
        self.manufacturer_fields.add(maker.body().coverage);
        self.manufacturers.push(maker, offset);
        Ok(())
    }

    /// Completes and publishes the release, without activating it.
    ///
    /// # Panics
    /// When a boat's manufacturer was not added.
    pub fn finish(self, published_at: &Timestamp) -> Result<Finished, ReleaseError> {
        let (boats, manufacturers) = (self.boats.len() as u64, self.manufacturers.len() as u64);
        self.boat_bodies.finish()?;
        self.manufacturer_bodies.finish()?;
        write_tables(&self.staging, self.boats, self.manufacturers)?;
        let files = describe_files(&self.staging)?;
        if let Some((id, manifest)) = self.store.find_with_files(&files)? {
            self.store.renew(&id, published_at)?;
            return Ok(Finished {
                id,
                manifest,
                existed: true,
                lock: self.lock,
            });
        }
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            published_at: published_at.to_string(),
            boats,
            manufacturers,
            fields: Some(FieldCounts {
                boats: self.boat_fields.finish(),
                manufacturers: self.manufacturer_fields.finish(),
            }),
            files,
        };
        let id = publish(&self.store, self.staging, &manifest, published_at)?;
        Ok(Finished {
            id,
            manifest,
            existed: false,
            lock: self.lock,
        })
    }
}

fn check_count(kind: &'static str, count: usize) -> Result<(), ReleaseError> {
    if RECORDS_MAX <= count {
        return Err(ReleaseError::TooMany {
            kind,
            max: RECORDS_MAX,
        });
    }
    Ok(())
}

fn write_tables(
    staging: &TempDir,
    boats: BoatColumns,
    manufacturers: ManufacturerColumns,
) -> Result<(), ReleaseError> {
    let words = Words::of([boats.folded_models(), manufacturers.folded_names()]);
    let boats = boats
        .finish(&manufacturers, &words)
        .unwrap_or_else(|slug| unreachable!("manufacturer {slug} of a boat was not added"));
    let (manufacturers, manufacturer_words) = manufacturers.finish(&words);
    let write = |name: FileName, columns: Columns| {
        tables::write(&staging.path().join(name.as_str()), columns)
    };
    write(FileName::Boats, boats.boats)?;
    write(FileName::BoatCategories, boats.categories)?;
    write(FileName::BoatActivities, boats.activities)?;
    write(FileName::BoatWords, boats.words)?;
    write(FileName::Terms, boats.terms)?;
    write(FileName::Manufacturers, manufacturers)?;
    write(FileName::ManufacturerWords, manufacturer_words)?;
    write(FileName::Words, words.into_columns())
}

/// Reads every file back, so that the manifest describes what is on disk.
fn describe_files(staging: &TempDir) -> Result<Vec<FileEntry>, ReleaseError> {
    let describe = |name: FileName| {
        let path = staging.path().join(name.as_str());
        let file = File::open(&path).map_err(ReleaseError::io("open", &path))?;
        let hashed = sha256_hex_of_reader(file);
        let (bytes, sha256) = hashed.map_err(ReleaseError::io("read", &path))?;
        Ok(FileEntry {
            name,
            bytes,
            sha256,
        })
    };
    FileName::ALL.into_iter().map(describe).collect()
}

fn publish(
    store: &ReleaseStore,
    staging: TempDir,
    manifest: &Manifest,
    published_at: &Timestamp,
) -> Result<ReleaseId, ReleaseError> {
    let bytes = manifest.to_bytes();
    let path = staging.path().join(MANIFEST);
    durable::replace(&path, &bytes).map_err(ReleaseError::io("write", &path))?;
    let id = ReleaseId::new(published_at, &sha256_hex(&bytes));
    let target = store.directory(&id);
    store::renew(staging.path(), published_at)?;
    let staged = staging.keep();
    durable::publish_directory(&staged, &target).map_err(ReleaseError::io("publish", &target))?;
    Ok(id)
}
