//! The catalogue record: what the export says about itself.

use super::fields::{Fields, Reading, Unusable};
use super::numbers::count;
use super::reporter::{Problem, Reporter};
use super::text::text;
use super::values::timestamp;
use crate::finding::Code;
use crate::finding::Kind;
use crate::json::Node;

/// The one format there is.
pub(crate) const FORMAT: &str = "boat-catalogue/1";

/// The counts that were announced; a kind may be left out.
pub(crate) type AnnouncedCounts = Vec<(Kind, u64)>;

/// Reads a catalogue record.
pub(crate) fn read(record: &mut Fields<'_, '_>) -> AnnouncedCounts {
    record.required("format", format);
    record.optional("generatedAt", timestamp);
    let counts = record.object("counts", |counts| {
        let read = |kind: Kind| Some((kind, counts.optional(kind.as_str(), count)?));
        Kind::COUNTED.into_iter().filter_map(read).collect()
    });
    counts.unwrap_or_default()
}

fn format<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> Reading<()> {
    let Some(format) = text(node, reporter)? else {
        return Ok(None);
    };
    if format == FORMAT {
        return Ok(Some(()));
    }
    let message = format!("only exports of the format `{FORMAT}` can be read");
    reporter.value(node, Problem::new(Code::UnsupportedFormat, message));
    Err(Unusable)
}
