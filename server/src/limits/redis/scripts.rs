//! The scripts that Redis runs, each as one atomic step, and the replies that they give.
//!
//! Their texts are in `scripts/`; all of them begin with `common.lua`. Replies are handled
//! elsewhere.

use std::time::Duration;

use redis::Script;

const COMMON: &str = include_str!("scripts/common.lua");
const COUNT: &str = include_str!("scripts/count.lua");
const BEGIN: &str = include_str!("scripts/begin.lua");
const TRIAL: &str = include_str!("scripts/trial.lua");

/// The scripts, ready to be run.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) count: Script,
    pub(super) begin: Script,
    pub(super) trial: Script,
}

impl Scripts {
    /// The scripts, with `prologue` before each: empty, except in tests with their own clock.
    pub(super) fn new(prologue: &str) -> Self {
        let script = |text| Script::new(&[prologue, COMMON, text].concat());
        Self {
            count: script(COUNT),
            begin: script(BEGIN),
            trial: script(TRIAL),
        }
    }
}

/// What a server knows of the last minute when counting begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastMinute {
    /// The marker says whether it is still there.
    Unknown,
    /// Requests have left too early, because the store's clock jumped forward.
    Stepped,
    /// Nothing was ever counted.
    Empty,
}

impl LastMinute {
    /// The word for it in the script.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Stepped => "stepped",
            Self::Empty => "empty",
        }
    }
}

/// The verdict of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The request is counted.
    Counted,
    /// The window is full, so the request is not counted.
    Full,
    /// Every window counts as full, because counts may be lost.
    Closed,
    /// The request waited too long, so it is not counted.
    Late,
    /// The marker is gone, and counts with it.
    Lost,
    /// It is the known process.
    Same,
    /// It is another process, which kept everything.
    Kept,
    /// It is another process, which may have lost counts.
    Restarted,
    /// Nothing was ever counted here, or all of it is lost.
    New,
    /// Its clock jumped forward, so every window was closed.
    Stepped,
    /// A failover made it the master, and it may not have all that the former one counted.
    FailedOver,
    /// The marker was made.
    Made,
    /// There was a marker.
    There,
    /// It can run everything that counting needs.
    Tried,
}

/// The numbers of verdicts in the scripts.
const VERDICTS: [(i64, Verdict); 14] = [
    (1, Verdict::Counted),
    (2, Verdict::Full),
    (3, Verdict::Closed),
    (4, Verdict::Late),
    (5, Verdict::Lost),
    (11, Verdict::Same),
    (12, Verdict::Kept),
    (13, Verdict::Restarted),
    (14, Verdict::New),
    (15, Verdict::Stepped),
    (16, Verdict::FailedOver),
    (21, Verdict::Made),
    (22, Verdict::There),
    (31, Verdict::Tried),
];

/// A reply that fits its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) verdict: Verdict,
    /// Requests in the window.
    pub(super) counted: u64,
    /// Time until the oldest of them leaves, or until windows open again.
    pub(super) wait: Duration,
    /// The store's time, microseconds since the Unix epoch.
    pub(super) now_micros: i64,
}

impl Reply {
    /// The reply to that request; none if these numbers are not one.
    pub(super) fn parse(question: i64, numbers: [i64; 6]) -> Option<Self> {
        let [asked, verdict, counted, wait, now_micros, sum] = numbers;
        let parts = [asked, verdict, counted, wait, now_micros];
        let expected = parts.into_iter().try_fold(0_i64, i64::checked_add)?;
        if asked != question || sum != expected || now_micros < 0 {
            return None;
        }
        let known = VERDICTS.iter().find(|(number, _)| *number == verdict)?;
        Some(Self {
            verdict: known.1,
            counted: u64::try_from(counted).ok()?,
            wait: Duration::from_micros(u64::try_from(wait).ok()?),
            now_micros,
        })
    }
}

#[cfg(test)]
mod tests {
    use redis::{ErrorKind, ServerErrorKind};

    use super::*;
    use crate::limits::redis::RedisFailure;

    /// What a script runs.
    fn commands(script: &'static str) -> impl Iterator<Item = &'static str> {
        let calls = script.split("redis.call('").skip(1);
        calls.filter_map(|call| call.split_once('\'').map(|(command, _)| command))
    }

    #[test]
    fn a_reply_is_taken_only_for_its_question_and_only_as_it_was_sent() {
        let sent = [
            7,
            2,
            120,
            30_000_000,
            1_790_000_000_000_000,
            1_790_000_030_000_129,
        ];
        let expected = Reply {
            verdict: Verdict::Full,
            counted: 120,
            wait: Duration::from_secs(30),
            now_micros: 1_790_000_000_000_000,
        };
        assert_eq!(Reply::parse(7, sent), Some(expected));
        assert_eq!(Reply::parse(8, sent), None, "of another question");
        for place in 0..sent.len() {
            for changed in [0, -1, 1, i64::MAX, i64::MIN] {
                let mut garbled = sent;
                garbled[place] = changed;
                assert_eq!(Reply::parse(7, garbled), None, "{changed} at {place}");
            }
        }
        let unknown = [7, 9, 0, 0, 0, 16];
        assert_eq!(Reply::parse(7, unknown), None, "an unknown verdict");
        let negative = [7, 2, -1, 0, 0, 8];
        assert_eq!(Reply::parse(7, negative), None, "less than none counted");
    }

    #[test]
    fn the_trial_runs_whatever_counting_runs() {
        let tried: Vec<_> = commands(TRIAL).collect();
        assert!(commands(COUNT).all(|command| tried.contains(&command)));
    }

    #[test]
    fn an_operator_is_told_to_allow_all_that_scripts_run() {
        let refused = RedisFailure::Failed {
            address: "redis://r".parse().unwrap(),
            why: (ErrorKind::Server(ServerErrorKind::NoPerm), "refused").into(),
        };
        let hint = refused.hint().unwrap();
        for command in [COMMON, COUNT, BEGIN, TRIAL].into_iter().flat_map(commands) {
            assert!(hint.contains(command), "{command}: {hint}");
        }
    }
}
