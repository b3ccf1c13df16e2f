//! Compares two releases: what changed in their records, for all forms of output.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Serialize;
use shared::release::diff::changed::{ChangedRecords, bodies_bytes};
use shared::release::diff::{Contents, Kind};
use shared::release::{Manifest, Release, ReleaseDiff, ReleaseError, ReleaseId, Releases};

use crate::commands::release_name::ReleaseName;

/// What was attempted, in errors.
pub(super) const FAILED: &str = "could not compare the releases";

/// A release, with the data that is compared.
pub(super) struct Side {
    pub(super) release: Release,
    pub(super) contents: Contents,
}

impl Side {
    pub(super) fn open(named: &ReleaseName, releases: &dyn Releases) -> anyhow::Result<Self> {
        let release = releases
            .open(&named.id(releases, FAILED)?)
            .context(FAILED)?;
        Self::read(release).context(FAILED)
    }

    pub(super) fn read(release: Release) -> Result<Self, ReleaseError> {
        let contents = Contents::read(&release)?;
        Ok(Self { release, contents })
    }
}

/// Two releases, and everything that is different in them.
pub(in crate::commands) struct Compared {
    pub(super) diff: ReleaseDiff,
    /// Of the kinds that were asked for.
    pub(super) changes: Vec<Changes>,
    /// The descriptions of the two.
    pub(in crate::commands) manifests: [Manifest; 2],
}

impl Compared {
    /// Compares the records of all kinds or one; lists have at most `examples_max` names.
    pub(super) fn of(
        [old, new]: [&Side; 2],
        only: Option<Kind>,
        examples_max: usize,
    ) -> anyhow::Result<Self> {
        let kinds = Kind::ALL.into_iter();
        let kinds = kinds.filter(|kind| only.is_none_or(|only| only == *kind));
        let changes = kinds.map(|kind| Changes::read(kind, [old, new]));
        let changes: Result<Vec<Changes>, _> = changes.collect();
        Ok(Self {
            diff: ReleaseDiff::of(&old.contents, &new.contents, examples_max),
            changes: changes.context(FAILED)?,
            manifests: [old, new].map(|side| side.release.manifest().clone()),
        })
    }

    /// Compares two releases that both exist.
    pub(in crate::commands) fn between(
        ids: [&ReleaseId; 2],
        releases: &dyn Releases,
        examples_max: usize,
    ) -> anyhow::Result<Self> {
        let side = |id| {
            let release = releases.open(id);
            release.and_then(Side::read).context(FAILED)
        };
        let [old, new] = ids.map(side);
        Self::of([&old?, &new?], None, examples_max)
    }

    /// Whether a record has changed.
    pub(super) fn has_changed(&self) -> bool {
        let of_kind = |changes: &Changes| self.diff.of_kind(changes.kind);
        let mut changes = self.changes.iter();
        changes.any(|changes| of_kind(changes).changed.total != 0)
    }
}

/// What changed in the records of one kind.
pub(super) struct Changes {
    pub(super) kind: Kind,
    /// In how many records each field changed.
    pub(super) fields: BTreeMap<String, u64>,
    pub(super) records: ChangedRecords,
}

impl Changes {
    pub(super) fn read(kind: Kind, [old, new]: [&Side; 2]) -> Result<Self, ReleaseError> {
        let [old, new] = [old, new].map(|side| (&side.release, &side.contents));
        let records = ChangedRecords::open(kind, old, new)?;
        let fields = records.count_fields()?;
        Ok(Self {
            kind,
            fields,
            records,
        })
    }

    pub(super) const fn is_of_boats(&self) -> bool {
        matches!(self.kind, Kind::Boats)
    }
}

/// In how many records of each kind each field changed.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct ChangedFields {
    boats: BTreeMap<String, u64>,
    manufacturers: BTreeMap<String, u64>,
}

impl ChangedFields {
    /// Compares two releases; `None` if their bodies take more than `bytes_max`.
    pub(in crate::commands) fn read(
        [old, new]: [Release; 2],
        bytes_max: u64,
    ) -> Result<Option<Self>, ReleaseError> {
        let mut bytes = 0;
        for release in [&old, &new] {
            for kind in Kind::ALL {
                bytes += bodies_bytes(release, kind)?;
            }
        }
        if bytes_max < bytes {
            return Ok(None);
        }
        let (old, new) = (Side::read(old)?, Side::read(new)?);
        let of_kind = |kind| Ok(Changes::read(kind, [&old, &new])?.fields);
        Ok(Some(Self {
            boats: of_kind(Kind::Boats)?,
            manufacturers: of_kind(Kind::Manufacturers)?,
        }))
    }

    pub(super) const fn kinds(&self) -> [(Kind, &BTreeMap<String, u64>); 2] {
        [
            (Kind::Boats, &self.boats),
            (Kind::Manufacturers, &self.manufacturers),
        ]
    }
}

/// In how many records each field changed, those that changed in most records first.
pub(in crate::commands) fn by_count(fields: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let fields = fields.iter();
    let mut fields: Vec<(&str, u64)> = fields.map(|(field, &count)| (&**field, count)).collect();
    // A stable sort: equal counts stay in the order of their names.
    fields.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    fields
}

#[cfg(test)]
mod tests {
    use shared::base::data_dir::DataDir;
    use shared::base::ids::{IdOrSlug, Slug};
    use shared::base::model::{ManufacturerDetails, ManufacturerSummary};
    use shared::base::timestamp::Timestamp;
    use shared::release::{ReleaseStore, RenderedManufacturer};

    use super::*;

    /// A release of one manufacturer with this name.
    fn release(store: &ReleaseStore, name: &str) -> Release {
        let at = Timestamp::parse("2026-10-01T12:00:00Z").unwrap();
        let summary = ManufacturerSummary {
            id: &IdOrSlug::parse("maker-1").unwrap(),
            slug: &Slug::parse("maker").unwrap(),
            name: name.into(),
            website: None,
            logo: None,
            updated_at: at.clone(),
        };
        let details = ManufacturerDetails {
            description: None,
            boat_count: 0,
        };
        let mut writer = store.begin().unwrap();
        let maker = RenderedManufacturer::new(&summary, &details).unwrap();
        writer.push_manufacturer(maker).unwrap();
        let id = store.finish(writer, &at).unwrap().id;
        store.open(&id).unwrap()
    }

    #[test]
    fn fields_are_counted_where_bodies_are_as_long_as_they_may_be_and_not_where_longer() {
        let directory = tempfile::tempdir().unwrap();
        let store = ReleaseStore::new(DataDir::new(directory.path()));
        let releases = || ["Old", "New"].map(|name| release(&store, name));
        let bytes: u64 = releases()
            .iter()
            .map(|release| bodies_bytes(release, Kind::Manufacturers).unwrap())
            .sum();
        let counted = ChangedFields::read(releases(), bytes).unwrap().unwrap();
        let [boats, makers] = counted.kinds().map(|(_, fields)| by_count(fields));
        assert_eq!((boats, makers), (vec![], vec![("name", 1)]));
        assert!(
            ChangedFields::read(releases(), bytes - 1)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn fields_that_changed_most_come_first_and_equal_ones_by_name() {
        let fields = [("c", 2), ("a", 1), ("b", 2)];
        let fields = fields
            .map(|(field, count)| (field.to_owned(), count))
            .into();
        assert_eq!(by_count(&fields), [("b", 2), ("c", 2), ("a", 1)]);
    }
}
