//! `catalogue doctor`: how a data directory is, and what to do about what is wrong with it.
//!
//! It changes nothing: no file is made, mended or locked for longer than a look takes. A check that
//! fails is told and keeps no other from being made, and none waits or reads without bounds but
//! that of the active release, which is read through as a server does.

mod check;
mod directory;
mod keys;
mod machine;
mod releases;
mod servers;
mod store;

use clap::Args;
use serde::Serialize;

use self::check::{Check, Outcome};
use super::export_args::counted;
use crate::commands::json;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::release_location::ReleaseLocation;
use crate::terminal::Terminal;
use crate::terminal::escape::escape_control;
use crate::terminal::wrap::wrap_at;

/// Width of lines where no terminal says otherwise.
const WIDTH: usize = 100;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
It changes nothing. Ends with 3 where there is a problem; a warning is none. Of releases that are \
not active, as many are read through as have 4 GB together, the newest first; `catalogue releases \
verify` reads all of them.")]
pub struct DoctorArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    checks: &'a [Check],
    warnings: usize,
    problems: usize,
}

/// Looks, and says what there is to be done.
pub fn run(
    args: &DoctorArgs,
    place: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let checks = checks(place, location, context)?;
    let checks: Vec<_> = checks
        .into_iter()
        .map(|check| check.pasted(&context.hints))
        .collect();
    let count = |outcome| checks.iter().filter(|one| one.outcome == outcome).count();
    let (warnings, problems) = (count(Outcome::Warning), count(Outcome::Problem));
    if args.json {
        let checks = &checks[..];
        let document = Document {
            checks,
            warnings,
            problems,
        };
        json::print(&document, context)?;
    } else {
        show(&checks, [warnings, problems], context)?;
    }
    Ok(match problems {
        0 => ExitStatus::Done,
        _ => ExitStatus::Failure,
    })
}

fn checks(
    place: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<Vec<Check>> {
    let (directory, data) = (place.data(), place.data().path());
    let mut checks = vec![directory::there(directory)];
    if checks[0].outcome == Outcome::Problem {
        // Everything else would say the same.
        return Ok(checks);
    }
    let published = location.open(false, context)?;
    let now = context.clock.now().unix_seconds();
    checks.extend(directory::private(directory, &context.operator));
    let releases = releases::check(&*published, now);
    checks.push(machine::disk(context.machine, data, releases.active_bytes));
    checks.push(machine::open_files(context.machine));
    checks.push(machine::duckdb());
    checks.extend(releases.checks);
    let examined = keys::examined(place);
    let latest = [releases.latest, examined.latest()];
    let latest = latest.into_iter().flatten().max();
    checks.push(machine::clock(latest, examined.latest_charged(), now));
    checks.extend(keys::check(&examined, now));
    checks.extend(servers::check(place, examined.revision(), context));
    Ok(checks)
}

fn show(checks: &[Check], counts: [usize; 2], context: &mut Context) -> anyhow::Result<()> {
    use std::io::Write;
    let about = checks.iter().map(|check| check.about.len()).max();
    for check in checks {
        let text = lines(check, about.unwrap_or(0), context.terminal);
        context.out.write_all(text.as_bytes())?;
    }
    let [warnings, problems] = counts.map(|count| count as u64);
    let looked = counted(checks.len() as u64, "check");
    let warnings = counted(warnings, "warning");
    let problems = counted(problems, "problem");
    Ok(writeln!(
        context.out,
        "\n{looked}: {problems}, {warnings}."
    )?)
}

/// What was found, and on a line of its own, to be copied, what to run.
fn lines(check: &Check, about_width: usize, terminal: Terminal) -> String {
    let (word, about) = (check.outcome.as_str(), check.about);
    let indent = Outcome::WIDTH + 2 + about_width + 2;
    let width = terminal.columns.unwrap_or(WIDTH);
    let line = format!(
        "{word:outcome_width$}  {about:about_width$}  {}",
        escape_control(&check.said),
        outcome_width = Outcome::WIDTH
    );
    let wrapped = wrap_at(width, &line, indent);
    let rest = wrapped.strip_prefix(word).unwrap_or_default();
    let word = check.outcome.style().paint(word, terminal.out_colour);
    let remedy = check.remedy.as_ref();
    // Further to the left, so that most commands fit their line.
    let remedy_indent = Outcome::WIDTH + 2;
    let remedy = remedy.map(|run| format!("{:remedy_indent$}run: {}\n", "", escape_control(run)));
    format!("{word}{rest}\n{}", remedy.unwrap_or_default())
}
