//! From an export to the records of a release: a library that knows no command and no terminal.
//!
//! Its rooms, lowest first. Each may know those before it, but [`mapping`] and `validate` do not know
//! each other:
//!
//! - [`finding`]: what is wrong, and where;
//! - `json`: a line as values with their places;
//! - [`source`]: files, folders and archives as records of text;
//! - [`mapping`]: from a content system's records to native ones;
//! - `validate`: from a native record to a typed one, or to findings;
//! - [`run`]: an import as a list of steps, the only room that knows them all.
//!
//! # The way of an import
//!
//! [`run::run`] calls all of it. What it calls hands on what comes, as `source::Incoming`, through one
//! callback. The steps, in the order in which a record meets them:
//!
//! 1. `source::files::read` opens what was named: files, the files of folders, the members of archives,
//!    decompressed.
//! 2. `source::lines::read` cuts a file into lines; `source::readers` cut JSON, CSV and XML into records.
//! 3. With a mapping, `mapping::mapper::identify` says of each record what it is called, of what type it
//!    is, and whether it is published; and `mapping::index::Index::add` stores it.
//! 4. Once all are stored, `mapping::mapper::make` makes native records of each, and
//!    `mapping::mapper::merge` puts them in order and drops what came before.
//! 5. `validate::reporter::open` parses a native line strictly.
//! 6. `validate::first_look` says of what kind it is. Manufacturers, terms and designers are read
//!    (`validate::manufacturer::read`) and held in `validate::references`; boats wait in a spill file.
//! 7. `validate::boat::read` reads the boats, now that all they may refer to is known.
//! 8. `run::second_pass` has them rendered on all processors, refuses ids and slugs that are taken, and
//!    keeps the lines of what is invalid.
//! 9. [`run::Consumer`] takes what is left: a release, where there is one to be made.

pub mod finding;
mod json;
pub mod mapping;
pub mod run;
pub mod source;
mod steps;
mod validate;
