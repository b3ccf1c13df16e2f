//! Releases: the format on disk, which the import writes and the server reads.
//!
//! A release is an immutable directory with every response the server will give:
//!
//! ```text
//! manifest.json             time, counts, fields, size and SHA-256 of every other file; written last
//! boats.bodies              the bodies of all boats, one after the other
//! boats.parquet             one row a boat: identity, ETag, place of the body, filter and sort values
//! boat_categories.parquet   (term, boat) pairs
//! boat_activities.parquet   (term, boat) pairs
//! boat_words.parquet        (word, boat) pairs
//! manufacturers.bodies      the bodies of all manufacturers
//! manufacturers.parquet     one row a manufacturer
//! manufacturer_words.parquet
//! terms.parquet             the slugs of types, categories and activities, with their ids
//! words.parquet             all words of folded names, sorted
//! terms.json                the body that lists types, categories and activities
//! ```
//!
//! A boat is known by its place in the order of bodies, and so are manufacturers, terms and words:
//! plain integers, which make list queries fast.
//!
//! Invariants: a published release never changes; its id has the time of publication and the hash
//! of everything else in its manifest; it has no unpublished records; a damaged file is found
//! before any of it is served; every change of the active release has an entry in the log.

pub mod bodies;
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
pub mod writer;

#[cfg(test)]
mod tests;

pub use diff::ReleaseDiff;
pub use error::ReleaseError;
pub use id::ReleaseId;
pub use in_use::InUse;
pub use lock::ReleaseLock;
pub use manifest::{FileName, Manifest};
pub use reader::{Head, Record, Release};

pub use releases::{ExpectedActive, Releases};
pub use rendered::{RenderedBoat, RenderedManufacturer};
pub use s3::{S3Address, S3Releases, S3Settings};
pub use store::ReleaseStore;
pub use writer::{Finished, ReleaseWriter};
