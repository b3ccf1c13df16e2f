//! Makes the outline of native records: validation is run on absent records, and each reader says
//! what it would accept.
//!
//! So there is no second list of fields besides the functions that read them.

use std::sync::Arc;

use super::fields::{NOTHING, ReadResult, object};
use super::identity::Identity;
use super::references::References;
use super::reporter::{LineText, Reporter};
use super::shape::{Outline, Shape};
use super::{boat, catalogue, designer, manufacturer, term};
use crate::finding::{ExportFile, Kind};

/// The outlines of all kinds of records.
pub(crate) fn outlines() -> [Outline; Kind::ALL.len()] {
    let file = Arc::new(ExportFile {
        ordinal: 0,
        name: String::new(),
        path: String::new(),
    });
    let line = LineText {
        file: &file,
        number: 0,
        text: "",
        rule: None,
    };
    let references = References::default();
    let identity = Identity {
        id: None,
        slug: None,
        is_published: true,
    };
    Kind::ALL.map(|kind| {
        let mut reporter = Reporter::asking(line);
        _ = object(&NOTHING, &mut reporter, |record| -> Option<()> {
            record.required("kind", |_, reporter| -> ReadResult<()> {
                reporter.takes(|| Shape::Word(vec![kind.as_str()]))?;
                Ok(None)
            });
            match kind {
                Kind::Catalogue => _ = catalogue::read(record),
                Kind::Manufacturer => _ = manufacturer::read(record),
                Kind::Term => _ = term::read(record),
                Kind::Designer => _ = designer::read(record),
                Kind::Boat => _ = boat::read(record, &identity, &references),
            }
            None
        });
        Outline {
            kind,
            fields: reporter.into_notes().into_fields(),
        }
    })
}
