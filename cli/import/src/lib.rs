//! From an export to the records of a release: a library that knows no command and no terminal.
//!
//! Its rooms, lowest first. Each may know those before it, but [`mapping`] and `validate` do not
//! know each other:
//!
//! - [`finding`]: lines of an export, and what is wrong with them: the words that all rooms share;
//! - `json`: a parser that keeps the place of each value, for the rooms after it;
//! - [`source`]: files, folders and archives as records of text;
//! - [`mapping`]: from a content system's records to native ones;
//! - `validate`: from native records to rendered ones, or to findings;
//! - [`run`]: connects the others;
//! - [`schema`]: what exports and mapping files may hold, for people and editors;
//! - [`suggest`]: a mapping for an export that has none yet, which no import needs.
//!
//! `steps` counts the steps of loops, for tests.
//!
//! # The way of an import
//!
//! [`run`] is the frame, one file: [`run::run`] begins the first pass of validation, has everything
//! read into it, and then runs the second pass. Its `read_native` chooses the plan of what is read,
//! a `source::Plan`: that of native exports, or the one of the mapping, which are data.
//! `source` and `mapping` hand on what they make, piece by piece, to a function that they are
//! given, a `source::Sink`. So calls nest, while a record passes the rooms in this order:
//!
//! 1. `source::files::read` opens what was named. Of folders and archives it opens what the plan
//!    wants (`source::plan::Plan::bytes_of`). What is compressed is decompressed.
//! 2. `source::records::Cutter::take` gets each file, and `Cutter::cut` cuts it into records, as
//!    the plan says (`source::plan::Plan::contents_of`): lines (`source::lines::read`), the members
//!    of JSON or XML, or the rows of CSV or Parquet. Of images only the beginning goes on, for their
//!    sizes. Native records go on to step 6.
//! 3. `mapping::pipeline::Pipeline::take` collects records in batches for threads, where
//!    `mapping::mapper::identify::identify_record` finds what each is called, of what type it is,
//!    whether it is published, and which links it has. `mapping::index::Index::add` stores both, in
//!    the order of the export. Records without a key or a type are counted, for one warning.
//! 4. Once all are stored, `mapping::pipeline::Pipeline::finish` has native records made of the
//!    published ones, on threads again: `mapping::mapper::make::make_records`.
//! 5. `mapping::mapper::Merge::take` hands them on in the order of the export, without those that a
//!    rule with `distinct` has made before. After them come findings about many records, the kinds
//!    and ids of those that are not published, and the native records of the mapping file itself.
//! 6. `validate::FirstPass::take` gets every native record. `validate::collector::Collector::line`
//!    validates all but boats, which may refer to them. Boats wait in a spill file.
//! 7. `validate::second_pass::SecondPass::run` reads the boats from there, on all processors:
//!    `validate::boats::validate` reports what is wrong with one and its references, and has one
//!    that is valid and published rendered by the consumer, a `validate::Consumer`.
//! 8. `validate::boats::Boats::add` takes them in the order of the export, refuses ids and slugs
//!    that are taken, and counts. `validate::second_pass::InOrder` hands the consumer what is to be
//!    served: boats, then manufacturers. After an error nothing more goes there, unless invalid
//!    records are to be skipped and the error is one of a record.
//! 9. [`run::run`] adds to each finding about a record that a mapping made what made the value
//!    (`finding::Origins`, taken from the mapping before anything was read), and returns the
//!    [`run::Outcome`]: what is wrong, how much there is, from which files, and whether it may be
//!    served.
//! 10. The consumer of `catalogue import` has written boats and manufacturers with
//!     `shared::release::ReleaseWriter`. The command shows the findings. If the outcome is usable,
//!     it finishes the release, and activates it unless an option or a guard is against that.
//!
//! What is wrong with a record or a file is a [`finding::Finding`], and ends up in the findings of
//! the outcome. A record that is left out for its errors is also written to the rejects, by
//! `validate` in both passes, on one line: as it came, or as the mapping made it. A file that the
//! disk fails to deliver is no finding but an error, and ends the import.

pub mod finding;
mod json;
pub mod mapping;
pub mod run;
pub mod schema;
pub mod source;
mod steps;
pub mod suggest;
mod validate;
