//! Writing a release: records are streamed in, and nothing is visible until it is complete.
//!
//! ```text
//! push ─► lines ─► a thread that writes them ─► finish: read in the order of ids ─► whole files ─┐
//!      └► columns, held ─► finish: ranks and words ─► Parquet ─► manifest ─► the name ◄─────────┘
//! ```
//!
//! Everything goes to a staging directory beside the releases. Only when each file is synced and
//! described by the manifest does the directory get its name; a writer that is dropped, or killed,
//! leaves no release.

use std::panic;
use std::path::{Path, PathBuf};
use std::thread;

use super::columns::{BoatColumns, IdOrder, ManufacturerColumns, WordTables};
use super::kind::Kind;
use super::lock::ReleaseLock;
use super::manifest::{FORMAT, FieldCounter, FieldCounts, FileEntry, FileName, MANIFEST, Manifest};
use super::new_file::{NewFile, PushedLines};
use super::rendered::{RenderedBoat, RenderedManufacturer};
use super::staging::{self, Staging};
use super::tables::{self, Columns};
use super::whole_files::{self, RecordColumns};
use super::{ReleaseError, ReleaseId};
use crate::base::durable;
use crate::base::render::coverage::{BOAT_FIELDS, MANUFACTURER_FIELDS};
use crate::base::timestamp::Timestamp;
use crate::release::interruption::Change;

/// Most records of one kind in a release: ordinals and ranks are 31 bits wide.
pub const RECORDS_MAX: usize = 100_000_000;

/// A release under construction; holds the lock on releases until it is dropped.
pub struct ReleaseWriter {
    /// Where releases lie.
    releases: PathBuf,
    boats: BoatColumns,
    boat_fields: FieldCounter,
    manufacturers: ManufacturerColumns,
    manufacturer_fields: FieldCounter,
    record_columns: RecordColumns,
    // Dropped in this order: nothing writes to the staging directory any more when it is removed,
    // and it is gone before another process gets the lock.
    boat_lines: PushedLines,
    manufacturer_lines: PushedLines,
    staging: Staging,
    lock: ReleaseLock,
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
    /// A writer of a release among those in `releases`.
    pub(super) fn create(
        releases: PathBuf,
        record_columns: RecordColumns,
        lock: ReleaseLock,
    ) -> Result<Self, ReleaseError> {
        let staging = Staging::create(&releases)?;
        let lines = |kind: Kind| PushedLines::create(staging.path(), kind.lines());
        Ok(Self {
            boat_lines: lines(Kind::Boats)?,
            manufacturer_lines: lines(Kind::Manufacturers)?,
            record_columns,
            boat_fields: FieldCounter::new(&BOAT_FIELDS),
            manufacturer_fields: FieldCounter::new(&MANUFACTURER_FIELDS),
            boats: BoatColumns::default(),
            manufacturers: ManufacturerColumns::default(),
            releases,
            lock,
            staging,
        })
    }

    /// The lock, which it holds.
    pub const fn lock(&self) -> &ReleaseLock {
        &self.lock
    }

    /// Adds a boat. Its manufacturer must be added too, before or after.
    pub fn push_boat(&mut self, boat: RenderedBoat) -> Result<(), ReleaseError> {
        check_count("boats", self.boats.len())?;
        self.boat_lines.push(boat.body().record())?;
        self.boat_fields.add(boat.body().coverage);
        self.boats.push(boat);
        Ok(())
    }

    /// Adds a manufacturer.
    pub fn push_manufacturer(&mut self, maker: RenderedManufacturer) -> Result<(), ReleaseError> {
        check_count("manufacturers", self.manufacturers.len())?;
        self.manufacturer_lines.push(maker.body().record())?;
        self.manufacturer_fields.add(maker.body().coverage);
        self.manufacturers.push(maker);
        Ok(())
    }

    /// Completes the release, and publishes it in the data directory unless `find` knows one that
    /// has the contents of this id.
    ///
    /// # Panics
    /// When a boat's manufacturer was not added.
    pub(super) fn finish_unless(
        mut self,
        published_at: &Timestamp,
        find: impl FnOnce(&ReleaseId) -> Result<Option<(ReleaseId, Manifest)>, ReleaseError>,
    ) -> Result<Finished, ReleaseError> {
        let (boats, manufacturers) = (self.boats.len() as u64, self.manufacturers.len() as u64);
        let staging = self.staging.path();
        let mut files = Vec::new();
        let of_kind = |kind, pushed: PushedLines, order: IdOrder| {
            let columns = &self.record_columns;
            whole_files::write(staging, kind, columns, &pushed.end()?, &order.lines)
        };
        files.extend(of_kind(
            Kind::Boats,
            self.boat_lines,
            self.boats.put_in_order(),
        )?);
        files.extend(of_kind(
            Kind::Manufacturers,
            self.manufacturer_lines,
            self.manufacturers.put_in_order(),
        )?);
        let terms = self.boats.terms_body();
        let terms = terms.map_err(ReleaseError::TermsTooLarge)?;
        files.push(NewFile::written(staging, FileName::TermsBody, &terms)?);
        files.extend(write_tables(staging, self.boats, self.manufacturers)?);
        files.sort_unstable_by_key(|file| file.name);
        let published_at = Timestamp::from_unix_seconds(published_at.unix_seconds());
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            published_at: published_at.to_string(),
            boats,
            manufacturers,
            fields: FieldCounts {
                boats: self.boat_fields.finish(),
                manufacturers: self.manufacturer_fields.finish(),
            },
            files,
        };
        let id = manifest.id(&published_at);
        let (id, manifest, existed) = if let Some((equal, manifest)) = find(&id)? {
            (equal, manifest, true)
        } else {
            publish(&self.releases, self.staging, &manifest, &id)?;
            (id, manifest, false)
        };
        Ok(Finished {
            id,
            manifest,
            existed,
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

/// Takes two threads, since nothing is left to do for others.
fn write_tables(
    directory: &Path,
    boats: BoatColumns,
    manufacturers: ManufacturerColumns,
) -> Result<Vec<FileEntry>, ReleaseError> {
    let (words, order) = both(
        directory,
        || WordTables::of(boats.folded_models(), manufacturers.folded_names()),
        || boats.order(&manufacturers),
    )?;
    let order =
        order.unwrap_or_else(|slug| unreachable!("manufacturer {slug} of a boat was not added"));
    let boats = boats.finish(order);
    let write = |tables: Vec<(FileName, Columns)>| -> Result<Vec<FileEntry>, ReleaseError> {
        let write = |(name, columns)| tables::write(directory, name, columns);
        tables.into_iter().map(write).collect()
    };
    let side_tables = vec![
        (FileName::BoatCategories, boats.categories),
        (FileName::BoatActivities, boats.activities),
        (FileName::BoatWords, words.of_boats),
        (FileName::Terms, boats.terms),
        (FileName::ManufacturerWords, words.of_manufacturers),
        (FileName::Words, words.words),
    ];
    let tables = vec![
        (FileName::BoatIndex, boats.boats),
        (FileName::ManufacturerIndex, manufacturers.finish()),
    ];
    let (side_files, files) = both(directory, || write(side_tables), || write(tables))?;
    Ok([files?, side_files?].concat())
}

/// Does the one on a thread of its own while it does the other, both for what is to lie in
/// `directory`.
fn both<A: Send, B>(
    directory: &Path,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> Result<(A, B), ReleaseError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("tables".to_owned());
        let one = thread
            .spawn_scoped(scope, one)
            .map_err(ReleaseError::io("start a thread for", directory))?;
        let other = other();
        let one = one.join();
        Ok((
            one.unwrap_or_else(|panicked| panic::resume_unwind(panicked)),
            other,
        ))
    })
}

/// Completes the staging directory by its manifest and gives it the name of the release.
fn publish(
    releases: &Path,
    staging: Staging,
    manifest: &Manifest,
    id: &ReleaseId,
) -> Result<(), ReleaseError> {
    let path = staging.path().join(MANIFEST);
    durable::replace(&path, &manifest.to_bytes()).map_err(ReleaseError::io("write", &path))?;
    let target = releases.join(id.as_str());
    staging::set_modified(staging.path(), id.unix_seconds())?;
    let made = Change::Made(id.clone());
    staging
        .publish(&target, Some(made))
        .map_err(ReleaseError::io("publish", &target))
}

#[cfg(test)]
mod tests;
