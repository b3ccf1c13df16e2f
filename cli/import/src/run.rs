//! A whole import on one page. This is the only room that knows both mapping and validation.
//!
//! It connects the others and adds nothing of its own. An import does not stop at the first problem.

use std::io::{Read, Write};
use std::path::Path;

pub use crate::validate::{Consumer, Discard, Tally, TallyOfKind};

use shared::base::source_files::SourceFiles;
use shared::base::timestamp::Timestamp;

use crate::finding::{Code, Finding, Findings};
use crate::image::{ImageMeasurer, ImageTally};
use crate::mapping::{CheckReport, Mapped, Mapping, Pipeline};
use crate::pool::processors;
use crate::source::{self, Export, Plan, ProgressListener, ReadContext, Sink};
use crate::validate::{FirstPass, Policy};

/// What to import, and how.
pub struct Settings<'a> {
    /// What to read.
    pub exports: &'a [Export],
    /// The mapping of the export; `None` if its records are native.
    pub mapping: Option<&'a Mapping>,
    /// Whether to report what the mapping finds in the export.
    pub is_mapping_checked: bool,
    /// The directory of spools: one with room for the export, uncompressed, if that is large.
    pub temp_dir: &'a Path,
    /// Most findings to list.
    pub listed_max: usize,
    /// Whether to leave out records with errors and hand on the others.
    pub skip_invalid: bool,
    /// The time of the import, for a mapping that asks.
    pub now: &'a Timestamp,
    /// Measures the images for which a mapping has no size; `None` leaves them out.
    pub measurer: Option<&'a dyn ImageMeasurer>,
    /// Shows how far reading has come.
    pub progress: &'a dyn ProgressListener,
}

/// The result of an import.
pub struct Outcome {
    /// Everything that is wrong.
    pub findings: Findings,
    /// How many records of each kind there are.
    pub tally: Tally,
    /// How many images a mapping found, and how many of them are left out.
    pub images: ImageTally,
    /// Whether what the consumer received may be served.
    pub is_usable: bool,
    /// What the mapping found, if the settings ask for it.
    pub report: Option<CheckReport>,
    /// The files that were read.
    pub files: SourceFiles,
}

/// Reads an export and hands its valid, published records to `consumer`.
///
/// If the outcome is not usable, the consumer may have received only some of them.
///
/// # How an import runs
///
/// This function begins the first pass of validation, has everything read into it, and then runs
/// the second pass. `read_native` chooses the `source::Plan` of what is read: the one for native
/// exports, or the mapping's. Plans are data. `source` and `mapping` pass what they make, piece by
/// piece, to a callback, a `source::Sink`. The calls are therefore nested, but a record passes
/// through the rooms in this order:
///
/// 1. `source::files::read` opens the files that were named. In folders and archives it opens
///    those that the plan wants (`source::plan::Plan::bytes_of`). It decompresses them if needed.
/// 2. `source::records::Cutter::take` gets each file, and `Cutter::cut` cuts it into records as
///    the plan says (`source::plan::Plan::contents_of`): lines (`source::lines::read`), members of
///    JSON or XML, or rows of CSV or Parquet. Of an image, only the beginning is passed on, which
///    is enough to find its dimensions. Native records go straight to step 6.
/// 3. `mapping::pipeline::Pipeline::take` collects records in batches for threads, where
///    `mapping::mapper::identify::identify_record` finds each record's key, type and links, and
///    whether it is published. `mapping::index::Index::add` stores the record and these results, in
///    the order of the export. Records without a key or a type are counted, for one warning.
/// 4. Once all are stored, `mapping::pipeline::Pipeline::finish` makes native records of the
///    published ones, on threads again: `mapping::mapper::make::make_records`. If images are to be
///    measured, `mapping::pipeline::Pipeline::measure` does so first: it has only the images
///    made, hands the addresses of those without a size to an `image::ImageMeasurer`, and keeps
///    the answers where `mapping::mapper::images` finds them when whole records are made.
/// 5. `mapping::mapper::Merge::take` passes them on in the order of the export, except those that a
///    rule with `distinct` has already made. After them come findings about many records, the
///    native records in the mapping file itself, and the kinds and ids of unpublished records.
/// 6. `validate::FirstPass::take` gets every native record. `validate::collector::Collector::line`
///    validates all but boats. Boats refer to the others, so they wait in a spill file.
/// 7. `validate::second_pass::SecondPass::run` reads the boats from there, on all processors.
///    `validate::boats::validate` reports what is wrong with a boat and its references. If the boat
///    is valid and published, the consumer, a `validate::Consumer`, renders it.
/// 8. `validate::boats::Boats::add` takes them in the order of the export, counts them, and
///    refuses ids and slugs that are taken. `validate::second_pass::InOrder` hands the consumer the
///    records to serve: boats, then manufacturers. After an error it hands on nothing more, unless
///    invalid records are to be skipped and the error is about a record.
/// 9. This function adds to each finding about a mapped record the part of the mapping that made
///    its value (`finding::Origins`, taken from the mapping before anything is read), and returns
///    the [`Outcome`].
/// 10. By now the consumer of `catalogue import` has written boats and manufacturers with
///     `shared::release::ReleaseWriter`. The command shows the findings. If the outcome is usable,
///     it finishes the release and activates it, unless an option or a guard prevents that.
///
/// A problem with a record or a file is a [`Finding`]. Both passes of `validate` also write a
/// record that is left out for its errors to the rejects, as it was read: a mapped one as it was
/// before it was mapped (`source::Incoming::Originals`). A file that cannot be read from disk is
/// not a finding but an error, and ends the import.
pub fn run<C: Consumer>(
    settings: &Settings<'_>,
    input: &mut dyn Read,
    rejects: &mut dyn Write,
    consumer: &mut C,
) -> anyhow::Result<Outcome> {
    let policy = Policy {
        temp_dir: settings.temp_dir,
        listed_max: settings.listed_max,
        skip_invalid: settings.skip_invalid,
        is_mapped: settings.mapping.is_some(),
        progress: settings.progress,
    };
    let origins = settings.mapping.map(Mapping::origins);
    let mut first_pass = FirstPass::begin(policy, rejects);
    let (files, mapped) = read_native(settings, input, &mut |incoming| first_pass.take(incoming))?;
    let mut second_pass = first_pass.finish();
    if second_pass.is_empty() {
        second_pass.report(nothing(&mapped));
    }
    let (mut findings, tally) = second_pass.run(consumer)?;
    if let Some(origins) = &origins {
        findings.set_origins(origins);
    }
    Ok(Outcome {
        is_usable: policy.is_usable(&findings),
        findings,
        tally,
        images: mapped.images,
        report: mapped.report,
        files,
    })
}

/// Hands native records to `sink`, either the export's own or those that the mapping makes, and
/// returns the files that were read.
fn read_native(
    settings: &Settings<'_>,
    input: &mut dyn Read,
    sink: &mut Sink<'_>,
) -> anyhow::Result<(SourceFiles, Mapped)> {
    let Settings {
        exports,
        mapping,
        temp_dir,
        now,
        measurer,
        progress,
        ..
    } = *settings;
    let native = Plan::native();
    let plan = mapping.map_or(&native, Mapping::plan);
    progress.reading(source::size(exports, plan));
    let context = ReadContext { temp_dir, progress };
    let Some(mapping) = mapping else {
        let read = source::read(exports, input, context, plan, sink)?;
        return Ok((read.files, Mapped::default()));
    };
    let input_may_block = exports.iter().any(Export::may_block);
    let mut pipeline = Pipeline::start(mapping, processors(), context, input_may_block, now, sink)?;
    let read = source::read(exports, input, context, plan, &mut |incoming| {
        pipeline.take(incoming)
    })?;
    let mapped = pipeline.finish(&read, settings.is_mapping_checked, measurer)?;
    Ok((read.files, mapped))
}

/// The finding about an export without records.
fn nothing(mapped: &Mapped) -> Finding {
    let (message, hint) = match mapped.records {
        0 if 0 < mapped.unidentified => (
            "no record of the export has both a key and a type".to_owned(),
            "correct `key` and `type` in the mapping, by which it knows records",
        ),
        0 => (
            "the export has no record at all".to_owned(),
            "the program that writes the export may have failed",
        ),
        read => (
            format!("the mapping makes nothing of the {read} records of the export"),
            "`catalogue mapping check` shows their types, and what it looks for",
        ),
    };
    Finding::new(Code::NoRecords, None, message).hint(hint)
}

#[cfg(test)]
mod tests;
