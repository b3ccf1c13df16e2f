//! `catalogue import`: from an export to a release that is served.
//!
//! All or nothing: nothing of the new release is served until every record has proved valid and
//! every file is on disk. An export with errors leaves the active release unchanged. So does a
//! release that a guard refuses, though it is kept for inspection.

mod comparison;
mod guards;
mod page;
mod publishing;
mod summary;
mod unchanged;

pub(super) use comparison::Active;
pub use guards::{GuardArgs, lost_images};

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use import::image::ImageTally;
use import::mapping::Mapping;
use import::run::{self, Outcome, Settings};
use import::source::Export;
use shared::base::data_dir::DataDir;
use shared::base::hint::quoted;
use shared::base::timestamp::Timestamp;
use shared::keys::environment::Environment;
use shared::keys::scope::Scope;
use shared::keys::sqlite::SqliteKeySource;
use shared::keys::store::{KeySnapshot, KeySource as _, KeyStoreError};
use shared::release::log::{self, Attempt, Command, Source};
use shared::release::{Manifest, ReleaseId, ReleaseLock, ReleaseWriter, Releases};
use shared::servers::{ServerStatus, server_status};

use self::comparison::Comparison;
use self::guards::Refusal;
use self::publishing::Publishing;
use self::unchanged::{Current, IfChanged};
use super::diff::changes::ChangedFields;
use super::export_args::{ExportArgs, REPORTS, Shown};
use super::image_args;
use super::record_columns::record_columns;
use super::release_log;
use super::releases::overtaken;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::process::output_file::{Kind, OutputFile, Permit};
use crate::remote::Source as ExportSource;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::release_location::ReleaseLocation;

/// The error if the log entry of an import that activates nothing could not be written.
const NOT_LOGGED: &str = "no release was activated, and that could not be logged";

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example:
  catalogue import export.ndjson.gz
  catalogue import --if-changed https://cms.example/export.ndjson.gz

Addresses are fetched with secrets from the environment:
CATALOGUE_EXPORT_TOKEN for https://, and AWS_..., GOOGLE_... and AZURE_...

An export with errors changes nothing, and the exit status is 1. A release that would take away \
what consumers rely on is made but not activated, and the exit status is 4.")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct ImportArgs {
    /// What to read and how to show what is found.
    #[command(flatten)]
    pub export: ExportArgs,
    /// Leave records with errors out, instead of importing nothing
    #[arg(long)]
    pub skip_invalid: bool,
    /// Write the records that have errors to this file, as they were read
    #[arg(long, value_name = "FILE", help_heading = REPORTS)]
    pub rejects: Option<PathBuf>,
    /// Let --report, --report-html and --rejects replace a file of another kind; they always
    /// replace one of their own kind
    #[arg(long, help_heading = REPORTS)]
    pub overwrite: bool,
    /// Do nothing if the exports are those that were imported last, by their ETags or SHA-256
    #[arg(long)]
    pub if_changed: bool,
    /// Make the release, but go on serving the active one
    #[arg(long, help_heading = guards::ACTIVATION)]
    pub no_activate: bool,
    /// What may be activated.
    #[command(flatten)]
    pub guards: GuardArgs,
}

/// Whether the new release is to be served.
#[derive(Clone, Copy, Debug)]
pub(super) enum Activation {
    /// Whatever is active now.
    Always,
    /// Only when someone activates it.
    Never,
    /// Only if no release is active yet.
    IfNoneIs,
}

/// What became of the export.
pub(super) struct Imported {
    /// The release that has the contents of the export, unless that has errors.
    made: Option<Made>,
    /// The release that is active from now on.
    pub(super) active: Active,
    /// Whether a server runs here, which follows the active release by itself.
    is_followed: bool,
    /// What was shown of the export.
    shown: Shown,
    duration: Duration,
}

/// How an import ended.
pub(super) enum Ended {
    /// The export was read, with this result.
    Imported(Box<(Imported, Outcome)>),
    /// Nothing changed since this release was imported.
    Unchanged(ReleaseId, Active),
}

/// What became of the release that was made.
struct Made {
    release: ReleaseId,
    manifest: Manifest,
    /// Whether an earlier release already had these contents.
    existed: bool,
    comparison: Comparison,
    /// What happened to its fields, if there is something to compare them with.
    changed_fields: Option<ChangedFields>,
    /// Why the guards refuse it.
    refusals: Vec<Refusal>,
    /// Whether it was to be activated, so the guards apply.
    is_wanted: bool,
}

impl Made {
    /// Whether it is not served because a guard refused it.
    const fn is_refused(&self) -> bool {
        self.is_wanted && !self.refusals.is_empty()
    }

    /// Whether every boat would be gone, which points to another problem than too many removals.
    fn leaves_no_boat(&self) -> bool {
        let Comparison::Diff(diff) = &self.comparison else {
            return false;
        };
        diff.boats.before != 0 && diff.boats.after == 0
    }
}

impl Imported {
    /// The release that has the contents of the export.
    pub(super) fn release(&self) -> Option<&ReleaseId> {
        self.made.as_ref().map(|made| &made.release)
    }

    /// The error that this could not be shown, although it is done.
    fn unseen(&self, error: anyhow::Error) -> anyhow::Error {
        self.left(error, "that could not be shown")
    }

    /// The error of a later step, although this is done.
    fn left(&self, error: anyhow::Error, what: &str) -> anyhow::Error {
        let Some(release) = self.release() else {
            return error;
        };
        let is_active = self.active.id() == Some(release);
        let active = if is_active {
            "active"
        } else {
            "made, not active"
        };
        error.context(format!("release {release} is {active}, but {what}"))
    }
}

/// Imports.
pub fn run(
    args: &ImportArgs,
    keys: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let activation = if args.no_activate {
        Activation::Never
    } else {
        Activation::Always
    };
    let ended = import(Command::Import, args, activation, location, context)?;
    let (imported, outcome) = match ended {
        Ended::Imported(both) => *both,
        Ended::Unchanged(release, active) => {
            let shown = unchanged::show(&release, &active, args.export.json, context);
            OutputClosed::ignore_closed(shown)?;
            return Ok(ExitStatus::Done);
        }
    };
    let is_refused = imported.made.as_ref().is_some_and(Made::is_refused);
    let first_key = first_key(keys);
    let shown = summary::show(&imported, &outcome, args, first_key.as_deref(), context);
    let shown = OutputClosed::ignore_closed(shown);
    shown.map_err(|error| imported.unseen(error))?;
    Ok(match outcome.is_usable {
        true if is_refused => ExitStatus::Refused,
        true => ExitStatus::Done,
        false => ExitStatus::InvalidData,
    })
}

/// The command that leads to the first key, if the data directory has no key that could work:
/// without one, every request is refused. A database is not asked, since that may take long.
fn first_key(keys: &KeyStoreConfig) -> Option<String> {
    if keys.is_shared() {
        return None;
    }
    let read = SqliteKeySource::new(keys.data().keys_database()).poll();
    let snapshot = match read {
        Ok(read) => read?,
        Err(KeyStoreError::Missing { .. }) => KeySnapshot::default(),
        Err(_told_elsewhere) => return None,
    };
    if snapshot.keys.iter().any(|key| key.revoked_at.is_none()) {
        return None;
    }
    let mut owners = snapshot.subscriptions.iter();
    let owner = owners.find(|owner| !owner.is_deleted());
    Some(owner.map_or_else(
        || "catalogue subscriptions create NAME".to_owned(),
        |owner| {
            let (name, scopes) = (quoted(owner.name.as_str()), Scope::READ.map(Scope::as_str));
            let scopes = scopes.join(" ");
            format!("catalogue keys issue --subscription {name} --scope {scopes}")
        },
    ))
}

/// Imports, and shows what was found but not what became of it.
pub(super) fn import(
    command: Command,
    args: &ImportArgs,
    activation: Activation,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<Ended> {
    let started = context.clock.now().monotonic;
    let mapping = args.export.mapping()?;
    let permit = Permit::outside(location.data).overwriting(args.overwrite);
    let mut reports = args.export.prepare(args.rejects.as_deref(), &permit)?;
    let rejects = args.rejects.as_deref();
    let rejects = rejects.map(|path| OutputFile::create(path, Kind::Rejects, &permit));
    let mut rejects = rejects.transpose()?;
    let releases = &*location.open(!args.export.json, context)?;
    let mapped = mapping.as_ref();
    let exports = match exports(args, mapped, location.data, releases, context)? {
        Current::Exports(exports) => exports,
        Current::Unchanged(release) => {
            let attempt = release_log::attempt(command, context);
            unchanged::log(&release, &attempt, releases)?;
            return Ok(Ended::Unchanged(release, Active::read(releases)?));
        }
    };
    let mut publishing = Publishing {
        writer: releases.begin(record_columns())?,
    };
    let outcome = read(
        args,
        &exports,
        mapped,
        location.data,
        rejects.as_mut(),
        &mut publishing,
        context,
    )?;
    rejects.map_or(Ok(()), OutputFile::publish)?;
    args.export.write_report(&outcome, &mut reports)?;
    let temp_dir = args.export.fetch.temp_dir(location.data);
    let shown = args.export.show(&exports, &outcome, temp_dir, context)?;

    let attempt = Attempt {
        source: Some(source(&outcome, mapped)),
        ..release_log::attempt(command, context)
    };
    let active = Active::read(releases)?;
    let (made, active) = if outcome.is_usable {
        let finishing = Finishing {
            attempt,
            activation,
            images: if args.export.images.measure(mapped) {
                outcome.images
            } else {
                ImageTally::default()
            },
            active,
            releases,
        };
        let (made, active) = finishing.finish(args, publishing.writer, context)?;
        (Some(made), active)
    } else {
        log_invalid(&outcome, &attempt, releases, publishing.writer.lock())?;
        (None, active)
    };
    let imported = Imported {
        made,
        active,
        is_followed: servers_run(location.data),
        shown,
        duration: context.clock.now().monotonic.saturating_sub(started),
    };
    let write = |file| page::write(&imported, &outcome, args, mapped, releases, file);
    let written = reports.write_page(write);
    written.map_err(|error| imported.left(error, "the page about it could not be written"))?;
    Ok(Ended::Imported(Box::new((imported, outcome))))
}

fn log_invalid(
    outcome: &Outcome,
    attempt: &Attempt,
    releases: &dyn Releases,
    lock: &ReleaseLock,
) -> anyhow::Result<()> {
    let errors = outcome.findings.errors();
    let entry = attempt.entry(log::Outcome::Invalid { errors });
    releases.log(&entry, lock).context(NOT_LOGGED)
}

/// The source of a release, for the log.
fn source(outcome: &Outcome, mapping: Option<&Mapping>) -> Source {
    let left_out = if outcome.is_usable {
        outcome.tally.invalid()
    } else {
        0
    };
    Source {
        unmeasured: outcome.images.may_follow,
        ..Source::new(outcome.files.clone(), mapping.map(Mapping::file), left_out)
    }
}

/// Whether a server of the data directory appears to be running.
fn servers_run(data: &Path) -> bool {
    let data = DataDir::new(data);
    let runs = |environment| {
        !matches!(
            server_status(&data, environment),
            Ok(ServerStatus::Stopped) | Err(_)
        )
    };
    Environment::ALL.into_iter().any(runs)
}

/// The exports to import, fetched if they are elsewhere.
fn exports(
    args: &ImportArgs,
    mapping: Option<&Mapping>,
    data: &Path,
    releases: &dyn Releases,
    context: &mut Context,
) -> anyhow::Result<Current> {
    let is_fetched = |source: &ExportSource| source.path().is_none();
    if args.export.exports.iter().any(is_fetched) {
        let created = DataDir::new(data).create();
        created.with_context(|| format!("could not create {}", data.display()))?;
    }
    let progress = args.export.progress(context);
    let temp_dir = args.export.fetch.temp_dir(data);
    let gathering = args.export.gathering(temp_dir, &progress);
    let sources = &args.export.exports;
    if !args.if_changed {
        return Ok(Current::Exports(gathering.exports(sources, context)?));
    }
    let if_changed = IfChanged {
        sources,
        mapping,
        skip_invalid: args.skip_invalid,
        measures: args.export.images.measure(mapping),
        activates: !args.no_activate,
    };
    if_changed.exports(&gathering, releases, context)
}

fn read(
    args: &ImportArgs,
    exports: &[Export],
    mapping: Option<&Mapping>,
    data: &Path,
    rejects: Option<&mut OutputFile>,
    publishing: &mut Publishing,
    context: &mut Context,
) -> anyhow::Result<Outcome> {
    let progress = args.export.progress(context);
    let images = &args.export.images;
    let measurer = images.measurer(mapping, data, true, (&progress, context));
    let now = Timestamp::from_unix_seconds(context.clock.now().unix_seconds());
    let settings = Settings {
        exports,
        mapping,
        is_mapping_checked: false,
        temp_dir: args.export.fetch.temp_dir(data),
        listed_max: args.export.max_findings,
        skip_invalid: args.skip_invalid,
        now: &now,
        measurer: measurer.as_ref().map(|of| of as _),
        progress: &progress,
    };
    let mut nowhere = io::sink();
    let rejects = rejects.map_or(&mut nowhere as &mut dyn Write, |file| file);
    let outcome = run::run(&settings, &mut context.input, rejects, publishing);
    progress.finish();
    image_args::warn(measurer, context);
    outcome
}

/// The last steps, once every record has proved valid.
struct Finishing<'a> {
    attempt: Attempt,
    activation: Activation,
    /// The images that were to be measured.
    images: ImageTally,
    active: Active,
    releases: &'a dyn Releases,
}

impl Finishing<'_> {
    /// Publishes the release and, unless an option or a guard prevents it, activates it. Also
    /// returns what is active then, since another command may change that once the lock is
    /// released.
    fn finish(
        self,
        args: &ImportArgs,
        writer: ReleaseWriter,
        context: &Context,
    ) -> anyhow::Result<(Made, Active)> {
        let now = Timestamp::from_unix_seconds(context.clock.now().unix_seconds());
        let progress = args.export.progress(context);
        progress.writing();
        let written = self.releases.finish(writer, &now);
        progress.finish();
        let finished = written.context("could not write the release")?;
        let (comparison, changed_fields) =
            Comparison::new(self.releases, &self.active, &finished.id)?;
        let images = self.images;
        let guards = &args.guards;
        let refusals = guards.refusals(&comparison, changed_fields.as_ref(), images);
        let is_wanted = match self.activation {
            Activation::Always => self.active.id() != Some(&finished.id),
            Activation::Never => false,
            Activation::IfNoneIs => matches!(self.active, Active::None),
        };
        let objections = guards.objections(&comparison, changed_fields.as_ref(), images);
        let attempt = self.attempt.with_objections(objections);
        let is_activated = is_wanted && refusals.is_empty();
        if is_activated {
            let before = self.active.before();
            let activated = self
                .releases
                .activate_finished(&finished, &before, &attempt);
            activated.map_err(|error| overtaken(error, "could not activate the new release"))?;
        } else {
            let release = finished.id.clone();
            let outcome = match self.active.id() {
                _ if is_wanted => log::Outcome::Refused { release },
                Some(active) if *active == release => log::Outcome::Unchanged { release },
                _ => log::Outcome::Made { release },
            };
            let logged = self.releases.log(&attempt.entry(outcome), &finished.lock);
            logged.context(NOT_LOGGED)?;
        }
        let active = if is_activated {
            Active::Release(finished.id.clone())
        } else {
            self.active
        };
        let made = Made {
            release: finished.id,
            manifest: finished.manifest,
            existed: finished.existed,
            comparison,
            changed_fields,
            refusals,
            is_wanted,
        };
        Ok((made, active))
    }
}
