//! From an export to the records of a release: a library, so that what imports knows no command.
//!
//! Its rooms, lowest first; each knows those before it, but for [`mapping`] and [`validate`], which do
//! not know each other:
//!
//! - [`finding`]: what is wrong, and where;
//! - [`json`]: lines as values with their places;
//! - [`source`]: files, folders and archives as records of text;
//! - [`mapping`]: from a content system's records to native ones;
//! - [`validate`]: from a native record to a typed one, or to findings;
//! - [`run`]: an import as a list of steps.

pub mod finding;
mod json;
pub mod mapping;
pub mod run;
pub mod source;
mod steps;
mod validate;
