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
//! # The way of an import
//!
//! A record passes the rooms once, in this order; each step is a function. What a room hands on is a
//! `source::Incoming`, be it from `source` itself or from the mapping.
//!
//! 1. `source::files::read` opens what was named: files, the files of folders, the members of archives,
//!    decompressed.
//! 2. `source::lines::read` cuts a file into lines; a module of `source::readers` cuts JSON, CSV or XML
//!    into records.
//! 3. With a mapping, `mapping::pipeline::Pipeline::opened` takes each file, and gives its records to
//!    threads: `mapping::mapper::identify::read` finds what each is called, of what type it is and
//!    whether it is published, and `mapping::index::Index::add` stores it.
//! 4. Once all are stored, `mapping::mapper::make::make_all` makes native records of each, and
//!    `mapping::mapper::Merge::take` leaves out those whose id a rule with `distinct` made before.
//! 5. `validate::collector::Collector::line` takes native lines. Boats it only recognises; from the
//!    others it learns everything that boats may refer to, and what is wrong with them.
//! 6. Once that is complete, `validate::boats::read` reads one boat, reports what is wrong with it by
//!    itself, and has it rendered.
//! 7. `validate::boats::Boats::add` takes the boats in the order of the export, and refuses ids and
//!    slugs that are taken.
//! 8. [`run::run`] calls all of them. Its first pass takes steps 1 to 5: boats wait in a spill file, and
//!    rejected lines are written out as they came.
//! 9. `run::second_pass::read_all` takes steps 6 and 7, reading on all processors.
//! 10. [`run::Consumer`] receives what is to be served, boats first, then manufacturers: a release,
//!     where there is one to be made.
//!
//! The command goes on from there: the release is finished and activated by `shared::release`, and a
//! server that follows the pointer opens it.

pub mod finding;
mod json;
pub mod mapping;
pub mod run;
pub mod source;
mod steps;
mod validate;
