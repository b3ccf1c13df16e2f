//! Counts the outcomes of requests, and how long they took.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

/// Buckets of a histogram per unit of the natural logarithm: each is two percent above the one
/// before.
const BUCKETS: f64 = 50.0;

/// The outcome of a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// 200 with the body that was expected.
    Answered,
    /// 503.
    Refused,
    /// Any other status.
    Other,
    /// No complete response in time.
    Failed,
    /// An unexpected `ETag`, or a body whose hash is not its `ETag`.
    Wrong,
    /// No connection was free for it in time.
    Unsent,
}

impl Outcome {
    const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Other => "other",
            Self::Failed => "failed",
            Self::Wrong => "wrong",
            Self::Unsent => "unsent",
        }
    }
}

/// The outcomes of some requests.
#[derive(Default)]
pub(crate) struct Tally {
    /// By kind, outcome and bucket of the time taken.
    counts: BTreeMap<(usize, Outcome, u32), u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, kind: usize, outcome: Outcome, took: Duration) {
        let micros = took.as_secs_f64() * 1e6;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a logarithm of at least 0 and at most 50"
        )]
        let bucket = (micros.max(1.0).ln() * BUCKETS).round() as u32;
        *self.counts.entry((kind, outcome, bucket)).or_default() += 1;
    }

    /// One line of JSON: `{"until": SECONDS, KIND: {OUTCOME: {BUCKET: COUNT}}}`.
    pub(crate) fn line(&self, until: Duration, kinds: &[&str]) -> Value {
        let mut by_kind = vec![Map::new(); kinds.len()];
        for ((kind, outcome, bucket), count) in &self.counts {
            let histogram = by_kind[*kind].entry(outcome.name()).or_insert(json!({}));
            histogram[bucket.to_string()] = json!(count);
        }
        let mut line = json!({ "until": until.as_secs_f64() });
        for (name, outcomes) in kinds.iter().zip(by_kind) {
            line[*name] = Value::Object(outcomes);
        }
        line
    }
}
