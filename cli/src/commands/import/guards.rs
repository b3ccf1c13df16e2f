//! Guards: what keeps an import from taking away what consumers rely on.
//!
//! They compare the new release with the active one and refuse to activate it. They are pure: what
//! they refuse is a value, which names how to be told otherwise.

use std::fmt;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Serialize;
use shared::release::ReleaseDiff;
use shared::release::diff::KindDiff;

use crate::commands::diff::sentences;

/// What the guards let pass.
#[derive(Clone, Debug, Args)]
pub struct GuardArgs {
    /// Activate only where at most this share of the active release's boats, and of its
    /// manufacturers, is removed
    #[arg(long, value_name = "PERCENT", default_value_t = Percent::DEFAULT)]
    pub max_removals: Percent,
    /// Activate in spite of this; may be given several times
    #[arg(long, value_name = "WHAT", value_enum)]
    pub allow: Vec<Allowed>,
}

impl Default for GuardArgs {
    fn default() -> Self {
        Self {
            max_removals: Percent::DEFAULT,
            allow: Vec::new(),
        }
    }
}

/// What an import may be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Allowed {
    /// A field that had values is null in every record, or gone
    NullFields,
    /// A slug no longer leads to its record, which is still there
    MovedSlugs,
}

/// A share from 0 to 100 %, exact to four decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent {
    ten_thousandths: u32,
}

/// Not a share.
#[derive(Debug, thiserror::Error)]
#[error("must be a number from 0 to 100 with at most 4 decimals")]
pub struct NotAPercentage;

impl Percent {
    /// Of ten records, one may go.
    pub const DEFAULT: Self = Self::whole(10);
    const DECIMALS: usize = 4;

    const fn whole(percent: u32) -> Self {
        Self {
            ten_thousandths: percent * 10_000,
        }
    }

    /// Whether `part` is more than this share of `whole`.
    fn is_less_than(self, part: u64, whole: u64) -> bool {
        let most = u128::from(self.ten_thousandths) * u128::from(whole);
        most < u128::from(part) * 1_000_000
    }
}

impl FromStr for Percent {
    type Err = NotAPercentage;

    fn from_str(text: &str) -> Result<Self, NotAPercentage> {
        let (whole, decimals) = match text.split_once('.') {
            Some((whole, decimals)) if !decimals.is_empty() => (whole, decimals),
            Some(_) => return Err(NotAPercentage),
            None => (text, ""),
        };
        let is_number = !whole.is_empty()
            && [whole, decimals]
                .iter()
                .all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_number || Self::DECIMALS < decimals.len() {
            return Err(NotAPercentage);
        }
        let digits = format!("{whole}{decimals:0<width$}", width = Self::DECIMALS);
        let percent = digits
            .parse()
            .ok()
            .map(|ten_thousandths| Self { ten_thousandths });
        percent
            .filter(|percent| percent.ten_thousandths <= Self::whole(100).ten_thousandths)
            .ok_or(NotAPercentage)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.ten_thousandths / 10_000, self.ten_thousandths % 10_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:04}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

/// Why a release is not activated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Refusal {
    /// What would happen.
    pub(super) message: String,
    /// The options with which it may.
    pub(super) allowed_by: String,
}

impl GuardArgs {
    /// Everything for which the newer release may not be activated.
    pub(super) fn refusals(&self, diff: &ReleaseDiff) -> Vec<Refusal> {
        let of_kind = |(kind, diff): (&str, &KindDiff)| {
            [
                self.removals(kind, diff),
                self.breach(Allowed::NullFields, sentences::null_fields(kind, diff)),
                self.breach(Allowed::MovedSlugs, sentences::moved_slugs(kind, diff)),
            ]
        };
        diff.kinds()
            .map(of_kind)
            .into_iter()
            .flatten()
            .flatten()
            .collect()
    }

    fn removals(&self, kind: &str, diff: &KindDiff) -> Option<Refusal> {
        let (removed, before, most) = (diff.removed.total, diff.before, self.max_removals);
        most.is_less_than(removed, before).then(|| Refusal {
            message: format!("{removed} of {before} {kind} are removed, more than {most} %"),
            allowed_by: format!("--max-removals {}", (removed * 100).div_ceil(before)),
        })
    }

    fn breach(&self, what: Allowed, message: Option<String>) -> Option<Refusal> {
        let message = message.filter(|_| !self.allow.contains(&what))?;
        let word = what.to_possible_value()?;
        Some(Refusal {
            message,
            allowed_by: format!("--allow {}", word.get_name()),
        })
    }
}

/// The options that allow everything that was refused, as one types them.
pub(super) fn options(refusals: &[Refusal]) -> String {
    let removals = |refusal: &Refusal| {
        let percent = refusal.allowed_by.strip_prefix("--max-removals ")?;
        percent.parse::<u64>().ok()
    };
    let most = refusals.iter().filter_map(removals).max();
    let mut options: Vec<String> = most
        .map(|percent| format!("--max-removals {percent}"))
        .into_iter()
        .collect();
    for refusal in refusals
        .iter()
        .filter(|refusal| removals(refusal).is_none())
    {
        if !options.contains(&refusal.allowed_by) {
            options.push(refusal.allowed_by.clone());
        }
    }
    options.join(" ")
}

#[cfg(test)]
mod tests;
