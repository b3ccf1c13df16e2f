//! Guards keep an import from removing what consumers rely on.
//!
//! They look at how the new release compares with the active one and may refuse to activate it,
//! also if the two could not be compared. They are pure: a refusal is a value, which names the
//! option that allows it.

mod percent;

use std::fmt;

use clap::{Args, ValueEnum};
use import::image::ImageTally;
use serde::{Serialize, Serializer};
use shared::base::render::coverage::is_member;
use shared::release::ReleaseDiff;
use shared::release::diff::changed::{FieldChanges, ValueChange, ValueChanges};
use shared::release::diff::{Kind, KindDiff, Listed};
use shared::release::log::Objection;

use self::percent::Percent;
use super::comparison::Comparison;
use crate::commands::diff::changes::ChangedFields;
use crate::commands::diff::sentences;
use crate::terminal::{counted, names};

/// Heading of the options about what is served afterwards.
pub(super) const ACTIVATION: &str = "Activation";
/// Values of a field that may be lost or replaced whatever share of them that is, unless none may:
/// a small catalogue changes by hand.
const FEW: u64 = 10;
/// Fields that change because another field does, or at every import, and slugs, which have a guard
/// of their own.
const FOLLOWING: [&str; 5] = [
    "slug",
    "lengthOverallMetres",
    "dimensions.lengthOverall",
    "updatedAt",
    "boatCount",
];

/// What the guards let pass.
#[derive(Clone, Debug, Args)]
pub struct GuardArgs {
    /// Activate only if at most this share of the active release's boats, and of its
    /// manufacturers, is removed
    #[arg(
        long,
        help_heading = ACTIVATION,
        value_name = "PERCENT",
        default_value_t = Percent::REMOVALS,
        allow_negative_numbers = true
    )]
    #[arg(env = "CATALOGUE_MAX_REMOVALS", hide_env_values = true)]
    pub max_removals: Percent,
    /// Activate only if each field loses its value in at most this share of the records that had
    /// one, or in fewer than ten of them
    #[arg(
        long,
        help_heading = ACTIVATION,
        value_name = "PERCENT",
        default_value_t = Percent::LOST_VALUES,
        allow_negative_numbers = true
    )]
    #[arg(env = "CATALOGUE_MAX_LOST_VALUES", hide_env_values = true)]
    pub max_lost_values: Percent,
    /// Activate only if each field has another value in at most this share of the records that had
    /// one, or in fewer than ten of them
    #[arg(
        long,
        help_heading = ACTIVATION,
        value_name = "PERCENT",
        default_value_t = Percent::CHANGES,
        allow_negative_numbers = true
    )]
    #[arg(env = "CATALOGUE_MAX_CHANGES", hide_env_values = true)]
    pub max_changes: Percent,
    /// Activate despite this; may be given several times
    #[arg(long, value_name = "WHAT", value_enum, help_heading = ACTIVATION)]
    pub allow: Vec<Allowed>,
}

impl Default for GuardArgs {
    fn default() -> Self {
        Self {
            max_removals: Percent::REMOVALS,
            max_lost_values: Percent::LOST_VALUES,
            max_changes: Percent::CHANGES,
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
    /// More than a tenth of the images are left out, because they could not be measured
    LostImages,
}

impl Allowed {
    const fn word(self) -> &'static str {
        match self {
            Self::NullFields => "null-fields",
            Self::MovedSlugs => "moved-slugs",
            Self::Uncompared => "uncompared",
            Self::LostImages => "lost-images",
        }
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
    /// The fields whose values are lost or replaced, if it is about values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fields: Vec<RefusedField>,
}

/// A field that loses or replaces too many values. The numbers are estimates if only some of the
/// records were compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct RefusedField {
    field: String,
    /// In how many records.
    records: u64,
    /// How many records had a value before.
    had: u64,
    examples: Vec<ValueChange>,
}

/// An option that allows a refused change; displayed as typed on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedBy {
    /// An option with at least this percentage.
    AtMost(Share, u64),
    /// `--allow` with this value.
    Allow(Allowed),
}

/// What an option limits to a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// `--max-removals`
    Removals,
    /// `--max-lost-values`
    LostValues,
    /// `--max-changes`
    Changes,
}

impl Share {
    const ALL: [Self; 3] = [Self::Removals, Self::LostValues, Self::Changes];

    const fn option(self) -> &'static str {
        match self {
            Self::Removals => "--max-removals",
            Self::LostValues => "--max-lost-values",
            Self::Changes => "--max-changes",
        }
    }
}

impl fmt::Display for AllowedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(share, percent) => write!(f, "{} {percent}", share.option()),
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
    /// Every reason not to activate the new release; `changed` is what happened to its fields, and
    /// `images` are those that were to be measured.
    pub(super) fn refusals(
        &self,
        comparison: &Comparison,
        changed: Option<&ChangedFields>,
        images: ImageTally,
    ) -> Vec<Refusal> {
        let verdicts = self.verdicts(comparison, changed, images).into_iter();
        verdicts.flatten().collect()
    }

    /// The same for the log, including what only the given options allow.
    pub(super) fn objections(
        &self,
        comparison: &Comparison,
        changed: Option<&ChangedFields>,
        images: ImageTally,
    ) -> Vec<Objection> {
        let refused = self.verdicts(comparison, changed, images).into_iter();
        let without_options = Self::default().verdicts(comparison, changed, images);
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
    fn verdicts(
        &self,
        comparison: &Comparison,
        changed: Option<&ChangedFields>,
        images: ImageTally,
    ) -> Vec<Option<Refusal>> {
        let mut verdicts = match comparison {
            Comparison::NoneActive => Vec::new(),
            Comparison::Diff(diff) => self.verdicts_of_diff(diff, changed),
            Comparison::Impossible(why) => {
                vec![self.breach(Allowed::Uncompared, Some(uncompared(why)))]
            }
        };
        // Also of the first release: nothing else would tell that it has no photos.
        verdicts.push(self.breach(Allowed::LostImages, lost_images(images)));
        verdicts
    }

    fn verdicts_of_diff(
        &self,
        diff: &ReleaseDiff,
        fields: Option<&ChangedFields>,
    ) -> Vec<Option<Refusal>> {
        let nothing = FieldChanges::default();
        let of_kind = |kind: Kind| {
            let changes = fields.map_or(&nothing, |fields| fields.of_kind(kind));
            let (kind, diff) = (kind.name(), diff.of_kind(kind));
            [
                self.removals(kind, diff),
                self.breach(Allowed::NullFields, sentences::null_fields(kind, diff)),
                self.lost_values(kind, diff, changes),
                self.changes(kind, changes),
                self.breach(Allowed::MovedSlugs, sentences::moved_slugs(kind, diff)),
            ]
        };
        Kind::ALL.map(of_kind).into_iter().flatten().collect()
    }

    fn removals(&self, kind: &str, diff: &KindDiff) -> Option<Refusal> {
        let (removed, before, most) = (diff.removed.total, diff.before, self.max_removals);
        let are = if removed == 1 { "is" } else { "are" };
        most.is_less_than(removed, before).then(|| Refusal {
            message: format!(
                "{removed} of {before} {kind} {are} removed, more than {most} %: {}",
                sentences::removed_slugs(diff)
            ),
            allowed_by: AllowedBy::AtMost(Share::Removals, (removed * 100).div_ceil(before)),
            fields: Vec::new(),
        })
    }

    /// A field that is null everywhere now has a guard of its own.
    fn lost_values(&self, kind: &str, diff: &KindDiff, changes: &FieldChanges) -> Option<Refusal> {
        let most = self.max_lost_values;
        let is_guarded = |field: &str| {
            let mut elsewhere = diff.fields.null_now.iter().chain(&diff.fields.gone);
            !elsewhere.any(|named| named == field || is_member(field, named))
        };
        let fields = refused_fields(changes, most, is_guarded, |changes| &changes.lost);
        let what = match fields.len() {
            1 => "loses its value",
            _ => "lose their values",
        };
        refusal(Share::LostValues, (kind, what, most), fields, changes)
    }

    fn changes(&self, kind: &str, changes: &FieldChanges) -> Option<Refusal> {
        let most = self.max_changes;
        let is_guarded = |field: &str| !FOLLOWING.contains(&field);
        let fields = refused_fields(changes, most, is_guarded, |changes| &changes.replaced);
        let what = match fields.len() {
            1 => "has another value",
            _ => "have other values",
        };
        refusal(Share::Changes, (kind, what, most), fields, changes)
    }

    fn breach(&self, what: Allowed, message: Option<String>) -> Option<Refusal> {
        let message = message.filter(|_| !self.allow.contains(&what))?;
        Some(Refusal {
            message,
            allowed_by: AllowedBy::Allow(what),
            fields: Vec::new(),
        })
    }
}

/// The guarded fields of which more than the share `most` are in the list, the most affected first.
fn refused_fields(
    changes: &FieldChanges,
    most: Percent,
    is_guarded: impl Fn(&str) -> bool,
    list: impl Fn(&ValueChanges) -> &Listed<ValueChange>,
) -> Vec<RefusedField> {
    let is_many = |records| FEW <= records || most.is_none();
    let fields = changes.values.iter().map(|(field, changes)| RefusedField {
        field: field.clone(),
        records: list(changes).total,
        had: changes.had,
        examples: list(changes).examples.clone(),
    });
    let is_refused = |of: &RefusedField| {
        is_many(of.records) && most.is_less_than(of.records, of.had) && is_guarded(&of.field)
    };
    let mut fields: Vec<RefusedField> = fields.filter(is_refused).collect();
    fields.sort_by_key(|of| std::cmp::Reverse(of.records));
    fields
}

/// The refusal for what happens to these fields, if there are any.
fn refusal(
    share: Share,
    (kind, what, most): (&str, &str, Percent),
    fields: Vec<RefusedField>,
    changes: &FieldChanges,
) -> Option<Refusal> {
    let percent = |of: &RefusedField| (of.records * 100).div_ceil(of.had.max(1));
    let percent = fields.iter().map(percent).max()?;
    let about = if changes.fields.is_none() {
        "about "
    } else {
        ""
    };
    let shown = fields.iter().map(|of| {
        let example = of.examples.first().map(|example| {
            let ValueChange { id, before, after } = example;
            format!(" ({id}: {before} -> {after})")
        });
        let (field, records, had) = (&of.field, of.records, of.had);
        format!(
            "{field} in {about}{records} of {had}{}",
            example.unwrap_or_default()
        )
    });
    let shown = names(shown, fields.len() as u64);
    let count = counted(fields.len() as u64, "field");
    Some(Refusal {
        message: format!(
            "{count} of {kind} {what} in more than {most} % of the records that had one: \
             {shown}"
        ),
        allowed_by: AllowedBy::AtMost(share, percent),
        fields,
    })
}

/// The message about images that could not be measured, if they are more than a tenth.
pub fn lost_images(ImageTally { all, left_out, .. }: ImageTally) -> Option<String> {
    let most = Percent::LOST_IMAGES;
    let are = if left_out == 1 { "is" } else { "are" };
    most.is_less_than(left_out, all).then(|| {
        format!(
            "{left_out} of {all} images {are} left out, more than {most} %, because they could not \
             be measured"
        )
    })
}

/// The message that the changes are unknown, and why.
pub(super) fn uncompared(why: &str) -> String {
    format!("the new release could not be compared with the active one: {why}")
}

/// The options that allow everything that was refused, as they are typed.
pub(super) fn options(refusals: &[Refusal]) -> String {
    let mut allowed = Vec::new();
    for refusal in refusals {
        match refusal.allowed_by {
            AllowedBy::Allow(what) if !allowed.contains(&what) => allowed.push(what),
            AllowedBy::Allow(_) | AllowedBy::AtMost(..) => {}
        }
    }
    let most = |share| {
        let percents = refusals
            .iter()
            .filter_map(|refusal| match refusal.allowed_by {
                AllowedBy::AtMost(of, percent) if of == share => Some(percent),
                AllowedBy::AtMost(..) | AllowedBy::Allow(_) => None,
            });
        Some(AllowedBy::AtMost(share, percents.max()?))
    };
    let shares = Share::ALL.into_iter().filter_map(most);
    let all = shares.chain(allowed.into_iter().map(AllowedBy::Allow));
    let options: Vec<String> = all.map(|option| option.to_string()).collect();
    options.join(" ")
}

#[cfg(test)]
mod tests;
