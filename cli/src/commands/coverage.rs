//! How many records have each field, for programs and as part of a report.

use serde::Serialize;
use shared::release::Manifest;
use shared::release::manifest::FieldCount;

use crate::report::coverage::Coverage;

/// Field coverage as `--json` shows it.
#[derive(Serialize)]
pub(super) struct CoverageDocument<'a> {
    boats: KindDocument<'a>,
    manufacturers: KindDocument<'a>,
}

#[derive(Serialize)]
struct KindDocument<'a> {
    records: u64,
    fields: &'a [FieldCount],
}

impl<'a> CoverageDocument<'a> {
    pub(super) fn new(manifest: &'a Manifest) -> Self {
        Self {
            boats: KindDocument {
                records: manifest.boats,
                fields: &manifest.fields.boats,
            },
            manufacturers: KindDocument {
                records: manifest.manufacturers,
                fields: &manifest.fields.manufacturers,
            },
        }
    }
}

/// The field coverage of a release, beside that of another one if there is one to compare with.
pub(super) fn of<'a>(new: &'a Manifest, old: Option<&'a Manifest>) -> [Coverage<'a>; 2] {
    let boats = |of: &'a Manifest| (&*of.fields.boats, of.boats);
    let makers = |of: &'a Manifest| (&*of.fields.manufacturers, of.manufacturers);
    [
        ("boat", boats(new), old.map(boats)),
        ("manufacturer", makers(new), old.map(makers)),
    ]
    .map(|(kind, (fields, records), before)| Coverage {
        kind,
        records,
        fields,
        before,
    })
}
