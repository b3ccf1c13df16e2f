//! The columns that records have in Parquet and CSV.

use import::finding::Kind;
use import::schema;
use shared::release::RecordColumns;

/// Those of both kinds.
pub(super) fn record_columns() -> RecordColumns {
    RecordColumns {
        boats: schema::columns(Kind::Boat),
        manufacturers: schema::columns(Kind::Manufacturer),
    }
}
