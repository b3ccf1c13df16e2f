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
//! - [`run`]: calls the others, and has the files, progress and rejected lines of an import.
//!
//! `steps` counts the steps of loops, for tests.
//!
//! # The way of an import
//!
//! A record goes through the rooms once, in this order. Each room hands its records to a function that
//! it is given, so that none waits for a whole export, and none knows the room that comes next: only
//! [`run`] does. So read `run` first, and whole; it is short.
//!
//! 1. [`run::run`] calls all that follows, in two passes, because a boat may stand before what it refers
//!    to: `run::first_pass::read` is steps 2 to 7, and `run::second_pass::read` steps 8 to 10. Both
//!    write rejected lines out; between them, boats wait in a spill file.
//! 2. `source::read` opens what was named: files, the files of folders, the members of archives,
//!    decompressed.
//! 3. `source::records::Records::file` cuts each file into records, as the plan says: lines, or the
//!    members of JSON, CSV or XML. The plan is that of native exports or of a mapping.
//! 4. With a mapping, `mapping::pipeline::Pipeline::take` gets these records. Without one, go on with
//!    step 7.
//! 5. `mapping::mapper::identify::read` finds, on threads, what a record is called, of what type it is,
//!    whether it is published and what it refers to; `mapping::index::Index::add` stores it.
//! 6. Once all are stored, `mapping::pipeline::Pipeline::finish` makes native records of them:
//!    `mapping::mapper::make::make_records` on threads, `mapping::mapper::Merge::take` in the order of
//!    the export, without those that a rule with `distinct` has made before.
//! 7. `validate::collector::Collector::line` takes native lines. It only recognises boats. From the
//!    others it learns everything that boats may refer to, and what is wrong with them.
//! 8. `validate::boats::read` reads a boat, on all processors, and reports what is wrong with it by
//!    itself. One that is valid and published is rendered.
//! 9. `validate::boats::Boats::add` takes the boats in the order of the export, and refuses ids and
//!    slugs that are taken.
//! 10. What is to be served goes to the [`run::Consumer`] that the command gave to `run::run`: boats,
//!     then manufacturers. That of `catalogue import` writes them with `shared::release::ReleaseWriter`,
//!     whose release it then activates.

pub mod finding;
mod json;
pub mod mapping;
pub mod run;
pub mod source;
mod steps;
mod validate;
