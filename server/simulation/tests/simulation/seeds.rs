//! Which seeds are run, and how a failure is reported: with its seed, and what came before it.

use std::env;
use std::fmt::Write as _;

use simulation::turns::{Ran, Turns};

/// As many seeds as every run of the tests tries; a night tries far more.
const SEEDS: u64 = 100;
/// Within so many a fault that was put in has to be found.
const FOUND_WITHIN: u64 = 200;

/// Why a run ended before its end.
#[derive(Debug)]
pub(crate) struct Failure {
    seed: u64,
    step: u64,
    promise: String,
    events: Vec<String>,
}

impl Failure {
    /// A promise that was broken in a run of that seed.
    pub(crate) fn new(seed: u64, turns: &Turns, promise: String) -> Self {
        Self {
            seed,
            step: turns.ran().steps,
            promise,
            events: turns.events(),
        }
    }

    fn report(&self, name: &str) -> String {
        let Self {
            seed,
            step,
            promise,
            events,
        } = self;
        let mut report = format!("{name}, seed {seed}, step {step}: {promise}\n");
        for event in events {
            _ = writeln!(report, "  {event}");
        }
        _ = write!(
            report,
            "again: SEED={seed} .ci/cargo test --workspace --test simulation -- {name}"
        );
        report
    }
}

/// Runs each seed until one fails.
pub(crate) fn hold(name: &str, run: impl Fn(u64) -> Result<Ran, Failure>) {
    let number = |variable| env::var(variable).ok().map(|text| text.parse().unwrap());
    let (first, count) = match number("SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("SEEDS").unwrap_or(SEEDS)),
    };
    let mut steps = 0;
    for seed in first..first + count {
        match run(seed) {
            Ok(ran) => steps += ran.steps,
            Err(failure) => panic!("{}", failure.report(name)),
        }
    }
    assert!(0 < steps);
    show(&format!("{name}: {count} seeds, {steps} steps"));
}

/// Finds a fault that was put in, within so many seeds; what it broke.
pub(crate) fn finds(name: &str, run: impl Fn(u64) -> Result<Ran, Failure>) {
    let broken = (0..FOUND_WITHIN).find_map(|seed| run(seed).err());
    let Some(failure) = broken else {
        panic!("{name}: no seed of {FOUND_WITHIN} finds the fault");
    };
    let Failure {
        seed,
        step,
        promise,
        ..
    } = failure;
    show(&format!("{name}: seed {seed}, step {step}: {promise}"));
}

/// Runs some seeds twice, which must come to the same.
pub(crate) fn repeats(run: impl Fn(u64) -> Result<Ran, Failure>) {
    for seed in 0..5 {
        let [first, second] = [run(seed), run(seed)].map(|ran| ran.unwrap());
        assert_eq!(first, second, "seed {seed}");
    }
}

/// Seen with `--nocapture`.
#[expect(clippy::print_stdout, reason = "the harness shows it where asked to")]
fn show(line: &str) {
    println!("{line}");
}
