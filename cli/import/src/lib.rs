//! From an export to the records of a release: a library that knows no command and no terminal.
//!
//! Its rooms, lowest first. Each may use those before it, but [`mapping`] and `validate` must not
//! know each other:
//!
//! - [`finding`]: lines of an export and what is wrong with them, the terms that all rooms share;
//! - `json`: a parser that keeps the place of each value;
//! - `format`: the native format as a table of all fields;
//! - [`source`]: files, folders and archives as records of text;
//! - [`mapping`]: from a content system's records to native ones;
//! - `validate`: from native records to rendered ones, or to findings;
//! - [`run`]: connects the others;
//! - [`schema`]: what exports and mapping files may hold, for people and editors;
//! - [`published`]: makes native records of what is published; no import needs it;
//! - [`suggest`]: drafts a mapping for an export that has none; no import needs it.
//!
//! Below them, [`address`] knows addresses of the web, [`image`] has the sizes of images, [`pool`] has threads whose output is taken in order, [`spool`] keeps what does not
//! fit in memory, and `steps` counts the steps of loops, for tests.
//!
//! [`run::run`] tells how an import runs, step by step.

pub mod address;
pub mod finding;
mod format;
pub mod image;
mod json;
pub mod mapping;
pub mod pool;
pub mod published;
pub mod run;
pub mod schema;
pub mod source;
pub mod spool;
mod steps;
pub mod suggest;
mod validate;
