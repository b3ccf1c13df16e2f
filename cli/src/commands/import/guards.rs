//! Guards keep an import from removing what consumers rely on.
//!
//! They look at how the new release compares with the active one and may refuse to activate it,
//! also if the two could not be compared. They are pure: a refusal is a value, which names the
//! option that allows it.

use std::fmt;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};
use shared::release::ReleaseDiff;
use shared::release::diff::KindDiff;
use shared::release::log::Objection;

use super::comparison::Comparison;
use crate::commands::diff::sentences;

/// Heading of the options about what is served afterwards.
pub(super) const ACTIVATION: &str = "Activation";

/// What the guards let pass.
#[derive(Clone, Debug, Args)]
pub struct GuardArgs {
    /// Activate only if at most this share of the active release's boats, and of its
    /// manufacturers, is removed
    #[arg(
        long,
        help_heading = ACTIVATION,
        value_name = "PERCENT",
        default_value_t = Percent::DEFAULT,
        allow_negative_numbers = true
    )]
    #[arg(env = "CATALOGUE_MAX_REMOVALS", hide_env_values = true)]
    pub max_removals: Percent,
    /// Activate despite this; may be given several times
    #[arg(long, value_name = "WHAT", value_enum, help_heading = ACTIVATION)]
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
    /// The active release is damaged or gone, so what changes is not known
    Uncompared,
}

impl Allowed {
    const fn word(self) -> &'static str {
        match self {
            Self::NullFields => "null-fields",
            Self::MovedSlugs => "moved-slugs",
            Self::Uncompared => "uncompared",
        }
    }
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
    /// One of ten records may be removed.
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
    /// The option that allows it.
    pub(super) allowed_by: AllowedBy,
}

/// An option that allows a refused change; displayed as typed on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedBy {
    /// `--max-removals` with at least this percentage.
    MaxRemovals(u64),
    /// `--allow` with this value.
    Allow(Allowed),
}

impl fmt::Display for AllowedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MaxRemovals(percent) => write!(f, "--max-removals {percent}"),
            Self::Allow(what) => write!(f, "--allow {}", what.word()),
        }
    }
}

impl Serialize for AllowedBy {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl GuardArgs {
    /// Every reason not to activate the new release.
    pub(super) fn refusals(&self, comparison: &Comparison) -> Vec<Refusal> {
        self.verdicts(comparison).into_iter().flatten().collect()
    }

    /// The same for the log, including what only the given options allow.
    pub(super) fn objections(&self, comparison: &Comparison) -> Vec<Objection> {
        let refused = self.verdicts(comparison).into_iter();
        let without_options = Self::default().verdicts(comparison);
        let objection = |(refused, usual): (Option<Refusal>, Option<Refusal>)| {
            let is_allowed = refused.is_none();
            refused.or(usual).map(|refusal| Objection {
                message: refusal.message,
                allowed_by: refusal.allowed_by.to_string(),
                is_allowed,
            })
        };
        refused.zip(without_options).filter_map(objection).collect()
    }

    /// The verdict of each guard. Their number and order depend only on the comparison.
    fn verdicts(&self, comparison: &Comparison) -> Vec<Option<Refusal>> {
        match comparison {
            Comparison::NoneActive => Vec::new(),
            Comparison::Diff(diff) => self.verdicts_of_diff(diff),
            Comparison::Impossible(why) => {
                vec![self.breach(Allowed::Uncompared, Some(uncompared(why)))]
            }
        }
    }

    fn verdicts_of_diff(&self, diff: &ReleaseDiff) -> Vec<Option<Refusal>> {
        let of_kind = |(kind, diff): (&str, &KindDiff)| {
            [
                self.removals(kind, diff),
                self.breach(Allowed::NullFields, sentences::null_fields(kind, diff)),
                self.breach(Allowed::MovedSlugs, sentences::moved_slugs(kind, diff)),
            ]
        };
        diff.kinds().map(of_kind).into_iter().flatten().collect()
    }

    fn removals(&self, kind: &str, diff: &KindDiff) -> Option<Refusal> {
        let (removed, before, most) = (diff.removed.total, diff.before, self.max_removals);
        let are = if removed == 1 { "is" } else { "are" };
        most.is_less_than(removed, before).then(|| Refusal {
            message: format!(
                "{removed} of {before} {kind} {are} removed, more than {most} %: {}",
                sentences::removed_slugs(diff)
            ),
            allowed_by: AllowedBy::MaxRemovals((removed * 100).div_ceil(before)),
        })
    }

    fn breach(&self, what: Allowed, message: Option<String>) -> Option<Refusal> {
        let message = message.filter(|_| !self.allow.contains(&what))?;
        Some(Refusal {
            message,
            allowed_by: AllowedBy::Allow(what),
        })
    }
}

/// The message that the changes are unknown, and why.
pub(super) fn uncompared(why: &str) -> String {
    format!("the new release could not be compared with the active one: {why}")
}

/// The options that allow everything that was refused, as they are typed.
pub(super) fn options(refusals: &[Refusal]) -> String {
    let (mut most, mut allowed) = (None, Vec::new());
    for refusal in refusals {
        match refusal.allowed_by {
            AllowedBy::MaxRemovals(percent) => most = most.max(Some(percent)),
            AllowedBy::Allow(what) if allowed.contains(&what) => {}
            AllowedBy::Allow(what) => allowed.push(what),
        }
    }
    let most = most.map(AllowedBy::MaxRemovals).into_iter();
    let all = most.chain(allowed.into_iter().map(AllowedBy::Allow));
    let options: Vec<String> = all.map(|option| option.to_string()).collect();
    options.join(" ")
}

#[cfg(test)]
mod tests;
