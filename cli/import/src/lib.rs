//! From an export to the records of a release: a library that knows no command and no terminal.
//!
//! Its rooms, lowest first. Each may know those before it, but [`mapping`] and `validate` do not know
//! each other:
//!
//! - [`finding`]: lines of an export, and what is wrong with them;
//! - `json`: a line as values with their places;
//! - [`source`]: files, folders and archives as records of text;
//! - [`mapping`]: from a content system's records to native ones;
//! - `validate`: from native records to rendered ones, or to findings;
//! - [`run`]: connects the others.
//!
//! `steps` counts the steps of loops, for tests.
//!
//! # The way of an import
//!
//! [`run`] is one file, and the frame: read it first. It hands each room a function that takes what
//! the room makes, and so joins source to mapping and mapping to validate. The rooms come in this order,
//! each once:
//!
//! 1. [`run::run`] begins with the plan of what is read: that of native exports, or the `[[sources]]` of
//!    a mapping.
//! 2. `source::files::read` opens what was named: files, the files of folders, the members of archives,
//!    decompressed.
//! 3. `source::records::Records::pass` cuts a file into records, as the plan says: lines, or the members
//!    of JSON, CSV or XML (`source::lines`, `source::readers`). A record is a `source::Record`: a
//!    [`finding::Line`] and what it is read for. Native ones go on to step 7.
//! 4. `mapping::pipeline::Pipeline::take` collects records in batches for threads, where
//!    `mapping::mapper::identify::identify_record` finds what each is called, of what type it is and
//!    whether it is published. `mapping::index::Index::add` stores it.
//! 5. Once all are stored, `mapping::pipeline::Pipeline::finish` has native records made of the published
//!    ones, on threads again: `mapping::mapper::make::make_records`.
//! 6. `mapping::mapper::Merge::take` hands them on in the order of the export, without those that a rule
//!    with `distinct` has made before. Of an unpublished record it hands on only the id.
//! 7. `validate::FirstPass::take` gets every native record. `validate::collector::Collector::line` learns
//!    from it what boats may refer to; boats it only recognises, and they wait in a spill file.
//! 8. `validate::second_pass::SecondPass::run` reads the boats from there, on all processors:
//!    `validate::boats::validate` reports what is wrong with one by itself, and has one that is valid and
//!    published rendered by the [`run::Consumer`].
//! 9. `validate::boats::Boats::add` takes them in the order of the export, refuses ids and slugs that are
//!    taken, and counts. What is to be served goes to the consumer: boats, then manufacturers.
//! 10. The consumer of `catalogue import` writes both with `shared::release::ReleaseWriter`. Unless
//!     something was wrong, the command finishes the release, and activates it if its guards agree.
//!
//! What is wrong with a record or a file is a [`finding::Finding`], which goes the same way. A line with
//! errors is also written to the rejects, by `validate` in both passes.

pub mod finding;
mod json;
pub mod mapping;
pub mod run;
pub mod source;
mod steps;
mod validate;
