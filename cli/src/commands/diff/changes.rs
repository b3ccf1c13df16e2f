//! Compares two releases: what changed in their records, for all forms of output.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Serialize;
use shared::release::diff::changed::{ChangedRecords, FieldChanges, bodies_bytes};
use shared::release::diff::{Contents, Kind};
use shared::release::{Manifest, Release, ReleaseDiff, ReleaseError, ReleaseId, Releases};

use crate::commands::release_name::ReleaseName;

/// What was attempted, in errors.
pub(super) const FAILED: &str = "could not compare the releases";

/// A release, with the data that is compared.
pub(in crate::commands) struct Side {
    pub(super) release: Release,
    pub(in crate::commands) contents: Contents,
}

impl Side {
    pub(super) fn open(named: &ReleaseName, releases: &dyn Releases) -> anyhow::Result<Self> {
        let release = releases
            .open(&named.id(releases, FAILED)?)
            .context(FAILED)?;
        Self::read(release).context(FAILED)
    }

    pub(in crate::commands) fn read(release: Release) -> Result<Self, ReleaseError> {
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
    /// In how many of them it lost its value.
    pub(super) lost: BTreeMap<String, u64>,
    pub(super) records: ChangedRecords,
}

impl Changes {
    pub(super) fn read(kind: Kind, [old, new]: [&Side; 2]) -> Result<Self, ReleaseError> {
        let records = changed_records(kind, [old, new])?;
        let found = records.count_fields(usize::MAX)?;
        Ok(Self {
            kind,
            lost: lost(&found),
            fields: found.fields.unwrap_or_default(),
            records,
        })
    }

    pub(super) const fn is_of_boats(&self) -> bool {
        matches!(self.kind, Kind::Boats)
    }
}

fn changed_records(kind: Kind, sides: [&Side; 2]) -> Result<ChangedRecords, ReleaseError> {
    let [old, new] = sides.map(|side| (&side.release, &side.contents));
    ChangedRecords::open(kind, old, new)
}

/// In how many records each field lost its value.
fn lost(found: &FieldChanges) -> BTreeMap<String, u64> {
    let lost = found.values.iter();
    let lost = lost.map(|(field, changes)| (field.clone(), changes.lost.total));
    lost.filter(|(_, records)| *records != 0).collect()
}

/// What happened to the fields of the records of each kind.
#[derive(Debug)]
pub(in crate::commands) struct ChangedFields {
    boats: FieldChanges,
    manufacturers: FieldChanges,
}

/// Numbers of records, by kind and field.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct FieldNumbers {
    boats: BTreeMap<String, u64>,
    manufacturers: BTreeMap<String, u64>,
}

impl ChangedFields {
    /// Compares two releases. Where their bodies take more than `bytes_max`, at most `records_max`
    /// records of each kind are compared.
    pub(in crate::commands) fn read(
        sides: [&Side; 2],
        bytes_max: u64,
        records_max: usize,
    ) -> Result<Self, ReleaseError> {
        let mut bytes = 0;
        for side in sides {
            for kind in Kind::ALL {
                bytes += bodies_bytes(&side.release, kind)?;
            }
        }
        let most = if bytes <= bytes_max {
            usize::MAX
        } else {
            records_max
        };
        let of_kind = |kind| changed_records(kind, sides)?.count_fields(most);
        Ok(Self {
            boats: of_kind(Kind::Boats)?,
            manufacturers: of_kind(Kind::Manufacturers)?,
        })
    }

    /// What happened to the fields of one kind.
    pub(in crate::commands) const fn of_kind(&self, kind: Kind) -> &FieldChanges {
        match kind {
            Kind::Boats => &self.boats,
            Kind::Manufacturers => &self.manufacturers,
        }
    }

    /// Whether only some of the records were compared.
    pub(in crate::commands) const fn is_estimate(&self) -> bool {
        self.boats.fields.is_none() || self.manufacturers.fields.is_none()
    }

    /// In how many records each field changed, if all of them were compared.
    pub(in crate::commands) fn changed(&self) -> Option<FieldNumbers> {
        Some(FieldNumbers {
            boats: self.boats.fields.clone()?,
            manufacturers: self.manufacturers.fields.clone()?,
        })
    }

    /// In how many records each field lost its value; an estimate if some were not compared.
    pub(in crate::commands) fn lost(&self) -> FieldNumbers {
        FieldNumbers {
            boats: lost(&self.boats),
            manufacturers: lost(&self.manufacturers),
        }
    }
}

impl FieldNumbers {
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
    use crate::commands::record_columns::record_columns;

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
        let mut writer = store.begin(record_columns()).unwrap();
        let maker = RenderedManufacturer::new(&summary, &details).unwrap();
        writer.push_manufacturer(maker).unwrap();
        let id = store.finish(writer, &at).unwrap().id;
        store.open(&id).unwrap()
    }

    #[test]
    fn all_records_are_compared_where_bodies_are_as_long_as_they_may_be_and_some_where_longer() {
        let directory = tempfile::tempdir().unwrap();
        let store = ReleaseStore::new(DataDir::new(directory.path()));
        let sides = ["Old", "New"].map(|name| Side::read(release(&store, name)).unwrap());
        let bytes: u64 = sides
            .iter()
            .map(|side| bodies_bytes(&side.release, Kind::Manufacturers).unwrap())
            .sum();
        let compare = |bytes_max, records_max| {
            ChangedFields::read(sides.each_ref(), bytes_max, records_max).unwrap()
        };
        let counted = compare(bytes, 0).changed().unwrap();
        let [boats, makers] = counted.kinds().map(|(_, fields)| by_count(fields));
        assert_eq!((boats, makers), (vec![], vec![("name", 1)]));
        assert!(compare(bytes - 1, 1).changed().is_some());
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
