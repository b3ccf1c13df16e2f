//! Releases: the format on disk, which the import writes and the server reads.
//!
//! A release is an immutable directory with every response the server will give:
//!
//! ```text
//! manifest.json             time, counts, fields, size and SHA-256 of every other file; written last
//! boats.ndjson              all boats, one a line, in the order of ids: bodies without envelopes
//! boats.ndjson.zst          the same, compressed
//! boats.ndjson.gz
//! boats.parquet             all boats in the same order, with a column for each field
//! boat_index.parquet        one row a boat: identity, ETag, length of the line, filter and sort values
//! boat_categories.parquet   (term, boat) pairs
//! boat_activities.parquet   (term, boat) pairs
//! boat_words.parquet        (word, boat) pairs
//! manufacturers.ndjson, manufacturers.ndjson.zst, manufacturers.ndjson.gz, manufacturers.parquet
//! manufacturer_index.parquet
//! manufacturer_words.parquet
//! terms.parquet             the slugs of types, categories and activities, with their ids
//! words.parquet             all words of folded names, sorted
//! terms.json                the body that lists types, categories and activities
//! ```
//!
//! A boat is known by its place in the order of ids, and so is a manufacturer; terms and words have
//! such places too: plain integers, which make list queries fast.
//!
//! The records are there once for requests and for consumers who want them all: a body is a line in
//! an envelope. The compressed lines and the columns are made at import, since a server must not
//! spend seconds of a processor on them.
//!
//! Invariants: a published release never changes; its id has the time of publication and the hash
//! of everything else in its manifest; it has no unpublished records; a damaged file is found
//! before any of it is served; every change of the active release has an entry in the log.

pub mod bodies;
pub mod column_file;
mod columns;
pub mod diff;
mod error;
pub mod id;
mod in_use;
pub mod interruption;
mod kind;
mod listing;
mod lock;
pub mod log;
mod log_file;
pub mod manifest;
mod new_file;
pub mod open_file;
pub mod pointer;
pub mod prune;
pub mod reader;
pub mod releases;
pub mod rendered;
pub mod s3;
pub mod staging;
pub mod store;
mod tables;
mod terms;
pub mod throttle;
mod whole_files;
pub mod writer;

#[cfg(test)]
mod tests;

pub use diff::ReleaseDiff;
pub use error::ReleaseError;
pub use id::ReleaseId;
pub use in_use::InUse;
pub use kind::{Kind, WholeFile};
pub use lock::ReleaseLock;
pub use manifest::{FileName, Manifest};
pub use open_file::OpenFile;
pub use reader::{Head, Record, Release};

pub use releases::{ExpectedActive, Releases};
pub use rendered::{RenderedBoat, RenderedManufacturer};
pub use s3::{S3Address, S3Releases, S3Settings};
pub use store::ReleaseStore;
pub use whole_files::RecordColumns;
pub use writer::{Finished, ReleaseWriter};
