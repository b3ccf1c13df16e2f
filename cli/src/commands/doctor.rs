//! `catalogue doctor`: checks a data directory, and says what to do about problems.
//!
//! First it collects the inputs, then it runs a list of checks, in the order in which they are
//! shown. It changes nothing: it creates and repairs no file, holds locks only for the moment of a
//! look, and removes the object with which it tries out a store. A check that fails is reported and
//! does not stop the others. Checks wait and read only within bounds, except the check of the
//! active release, which reads all of it as a server does.

#![expect(
    clippy::unnecessary_wraps,
    reason = "every check has one type, whether or not it can fail"
)]

mod collect;
mod directory;
mod inputs;
mod keys;
mod limits;
mod machine;
mod observation;
mod releases;
mod s3;
mod servers;
mod store;

use std::io::Write;

use clap::Args;
use serde::Serialize;

use self::inputs::Inputs;
use self::observation::{Observation, Outcome};
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::rate_limit_backend::RateLimitBackend;
use crate::serving::release_location::ReleaseLocation;
use crate::settings::address::address;
use crate::terminal::Terminal;
use crate::terminal::counted;
use crate::terminal::escape::escape_control;
use crate::terminal::wrap::wrap_at;

/// Width of lines if there is no terminal.
const WIDTH: usize = 100;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue doctor --data /var/lib/catalogue\n\
It changes nothing, and removes the object that it writes to try out S3. The exit status is 3 \
if there is a problem; warnings do not count. It reads the newest inactive \
releases, up to 4 GB in all; `catalogue releases verify` reads all of them.")]
pub struct DoctorArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Also check the Redis that counts minute limits, such as `redis://HOST:6379/0` [default: none]
    #[arg(
        long = "limits",
        value_name = "WHERE",
        env = "CATALOGUE_LIMITS",
        hide_env_values = true
    )]
    #[arg(value_parser = address::<RateLimitBackend>())]
    pub limits: Option<RateLimitBackend>,
}

/// What is checked, and how. An error counts as a problem: the thing could not be checked.
type Check = (
    &'static str,
    fn(&Inputs<'_>) -> anyhow::Result<Vec<Observation>>,
);

/// The checks of a data directory that exists.
const CHECKS: [Check; 20] = [
    ("permissions", directory::permissions),
    ("owner", directory::owners),
    ("disk", machine::disk),
    ("open files", machine::open_files),
    ("DuckDB", machine::duckdb),
    ("S3", s3::suitable),
    ("other releases", releases::listed),
    ("pointer", releases::pointer),
    ("active release", releases::active),
    ("other releases", releases::others),
    ("release log", releases::log),
    ("leftovers", releases::leftovers),
    ("size", releases::size),
    ("clock", machine::clock),
    ("key store", store::usable),
    ("subscriptions", keys::subscriptions),
    ("keys", keys::keys),
    ("minute limits", limits::usable),
    ("server, live", servers::live),
    ("server, test", servers::test),
];

#[derive(Serialize)]
struct Document {
    checks: Vec<Line>,
    warnings: usize,
    problems: usize,
}

/// The result of one check.
#[derive(Serialize)]
struct Line {
    check: &'static str,
    #[serde(flatten)]
    observation: Observation,
}

/// Runs the checks, and shows what to do.
pub fn run(
    args: &DoctorArgs,
    config: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let checks = examine(args, config, location, context)?;
    let outcomes = checks.iter().map(|line| line.observation.outcome);
    let count = |outcome| outcomes.clone().filter(|one| *one == outcome).count();
    let (warnings, problems) = (count(Outcome::Warning), count(Outcome::Problem));
    let document = Document {
        checks,
        warnings,
        problems,
    };
    if args.json {
        show::json(&document, context)?;
    } else {
        show(&document, context)?;
    }
    Ok(match problems {
        0 => ExitStatus::Done,
        _ => ExitStatus::Failure,
    })
}

fn examine(
    args: &DoctorArgs,
    config: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<Vec<Line>> {
    let there = directory::there(config.data().path(), location.address.is_none());
    let is_there = there.outcome != Outcome::Problem;
    let mut found = vec![("data directory", there)];
    // For a missing or an empty directory, every other check would say the same.
    if is_there {
        let mut inputs = collect::inputs(config, location, context)?;
        inputs.limits.clone_from(&args.limits);
        for (name, check) in CHECKS {
            let observed = check(&inputs);
            let observed = observed.unwrap_or_else(|error| vec![Observation::failed(&*error)]);
            found.extend(observed.into_iter().map(|one| (name, one)));
        }
    }
    let line = |(check, observation): (_, Observation)| Line {
        check,
        observation: observation.pasted(&context.hints),
    };
    Ok(found.into_iter().map(line).collect())
}

fn show(document: &Document, context: &mut Context) -> anyhow::Result<()> {
    let width = document.checks.iter().map(|line| line.check.len()).max();
    for line in &document.checks {
        let text = text(line, width.unwrap_or(0), context.terminal);
        context.out.write_all(text.as_bytes())?;
    }
    let checks = counted(document.checks.len() as u64, "check");
    let warnings = counted(document.warnings as u64, "warning");
    let problems = counted(document.problems as u64, "problem");
    Ok(writeln!(
        context.out,
        "\n{checks}: {problems}, {warnings}."
    )?)
}

/// The result, and on a line of its own, to be copied, the command to run.
fn text(line: &Line, check_width: usize, terminal: Terminal) -> String {
    let Line { check, observation } = line;
    let word = observation.outcome.as_str();
    let message = escape_control(&observation.message);
    let indent = Outcome::WIDTH + 2 + check_width + 2;
    let width = terminal.columns.unwrap_or(WIDTH);
    let text = format!(
        "{word:outcome_width$}  {check:check_width$}  {message}",
        outcome_width = Outcome::WIDTH
    );
    let wrapped = wrap_at(width, &text, indent);
    let rest = wrapped.strip_prefix(word).unwrap_or_default();
    let style = observation.outcome.style();
    let word = style.paint(word, terminal.out_colour);
    // Less indented, so that most commands fit on their line.
    let fix_indent = Outcome::WIDTH + 2;
    let fix = observation.fix.as_ref();
    let fix = fix.map(|run| format!("{:fix_indent$}run: {}\n", "", escape_control(run)));
    format!("{word}{rest}\n{}", fix.unwrap_or_default())
}
