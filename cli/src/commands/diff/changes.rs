//! Two releases beside each other, and what changed in their records: the ground of what is shown.

use std::collections::BTreeMap;

use anyhow::Context as _;
use shared::release::diff::changed::ChangedRecords;
use shared::release::diff::{Contents, Kind};
use shared::release::{Release, ReleaseError, Releases};

use crate::commands::release_name::ReleaseName;

/// What was attempted, in errors.
pub(super) const FAILED: &str = "could not compare the releases";

/// A release and what is compared of it.
pub(super) struct Side {
    pub(super) release: Release,
    pub(super) contents: Contents,
}

impl Side {
    pub(super) fn open(named: &ReleaseName, releases: &dyn Releases) -> anyhow::Result<Self> {
        let release = releases
            .open(&named.id(releases, FAILED)?)
            .context(FAILED)?;
        let contents = Contents::read(&release).context(FAILED)?;
        Ok(Self { release, contents })
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

    /// The fields, those that changed in most records first.
    pub(super) fn by_count(&self) -> Vec<(&str, u64)> {
        let fields = self.fields.iter();
        let mut fields: Vec<(&str, u64)> =
            fields.map(|(field, &count)| (&**field, count)).collect();
        // Stable, so that equal ones stay in the order of their names.
        fields.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        fields
    }
}
