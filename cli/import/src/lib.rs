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
//! [`run::run`] calls the rest, room by room; each step is a function. A room hands its records to a
//! function that it is given, so that none of them waits for a whole export: `source` to
//! `run::FirstPass::take` or, with a mapping, to `mapping::pipeline::Pipeline`, and that to
//! `run::FirstPass::take`.
//!
//! 1. `source::files::read` opens what was named: files, the files of folders, the members of archives,
//!    decompressed.
//! 2. `source::lines::read` cuts a file into lines; a module of `source::readers` cuts JSON, CSV or XML
//!    into records. With a mapping, `mapping::pipeline::Pipeline::opened` chooses which.
//! 3. With a mapping, `mapping::mapper::identify::read` finds, on threads, what each record is called,
//!    of what type it is, whether it is published and what it refers to, and
//!    `mapping::index::Index::add` stores it.
//! 4. Once all are stored (`mapping::pipeline::Pipeline::finish`), `mapping::mapper::make::make_all`
//!    makes native records of each, and `mapping::mapper::Merge::take` hands them on in the order of
//!    the export, but for those whose id a rule with `distinct` made before.
//! 5. `validate::collector::Collector::line` takes native lines. Boats it only recognises: they wait in
//!    a spill file. From the others it learns everything that boats may refer to, and what is wrong
//!    with them.
//! 6. Once that is complete, `validate::boats::read` reads one boat and reports what is wrong with it
//!    by itself; one that is valid and published is rendered by the function that it is given.
//! 7. `validate::boats::Boats::add` takes the boats in the order of the export, and refuses ids and
//!    slugs that are taken.
//! 8. `run::second_pass::read_all` does steps 6 and 7 on all processors, and writes rejected boats out,
//!    as `run::FirstPass` did with other rejected lines.
//! 9. [`run::Consumer`] receives what is to be served, boats first, then manufacturers. That of the
//!    command writes a release; without one, nothing is kept.
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
