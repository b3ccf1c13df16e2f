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
//! [`run::run`] calls the rest. `source` hands files, then records, to its caller: to `run`, or to
//! the mapping, whose own output is `source::Incoming`, as that of `source` is where nothing is
//! mapped. The steps, in the order in which a record meets them:
//!
//! 1. `source::files::read` opens what was named: files, the files of folders, the members of archives,
//!    decompressed.
//! 2. `source::lines::read` cuts a file into lines; a module of `source::readers` cuts JSON, CSV or XML
//!    into records.
//! 3. With a mapping, `mapping::pipeline::Pipeline` gives records to the threads of
//!    `mapping::worker::Workers`: `Mapper::read` says what each is called, of what type it is and
//!    whether it is published, and `mapping::index::Index::add` stores it.
//! 4. Once all are stored, `Mapper::make_all` makes native records of each, and `Merge::take` leaves
//!    out those whose id a rule with `distinct` made before.
//! 5. `run::first_pass::FirstPass` puts native lines that begin like a boat into a spill file. Of other
//!    lines `validate::reporter::open` parses the text and `validate::first_look::read_kind` says the
//!    kind; `validate::manufacturer::read` and its like read them into `validate::references`.
//! 6. `run::second_pass::read_all` opens the boats and reads them (`validate::boat::read`), now that all
//!    they may refer to is known, and has them rendered ([`run::Consumer::render`]), on all
//!    processors. Then, in the order of the export, it refuses ids and slugs that are taken.
//! 7. [`run::Consumer`] takes boats, then manufacturers: a release, where there is one to be made.
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
