//! Fits the shipped mapping of a content system to an export: renamed types, and keys that no
//! record has.
//!
//! Only the lines that do not fit are changed, so the comments of the mapping still hold.

mod document;
mod keys;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::anyhow;
use shared::base::timestamp::Timestamp;
use toml::Spanned;

use self::document::{Document, Edits, quoted};
use self::keys::{segments, with_keys};
use self::types::{TYPES_MAX, with_types};
use super::decision::{Decision, MEASURED};
use super::text::clean;
use super::{Suggestion, check, status};
use crate::finding::{Code, Findings, listed, others};
use crate::mapping::status::is_named;
use crate::mapping::{CheckReport, FieldReport, Recognised, Shipped};
use crate::run::Outcome;
use crate::source::Export;

/// How many unread keys of a type are listed at most.
const REMARKS_MAX: usize = 200;

/// A mapping, and what it makes of an export.
struct Tried<'e> {
    text: String,
    outcome: Outcome,
    exports: &'e [Export],
    temp_dir: &'e Path,
    now: &'e Timestamp,
}

impl<'e> Tried<'e> {
    fn new(
        text: String,
        exports: &'e [Export],
        temp_dir: &'e Path,
        now: &'e Timestamp,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            outcome: check(&text, exports, temp_dir, now)?,
            text,
            exports,
            temp_dir,
            now,
        })
    }

    /// The same with another text. One that nothing was changed in is not tried again.
    fn again(self, text: String) -> anyhow::Result<Self> {
        if text == self.text {
            return Ok(self);
        }
        Self::new(text, self.exports, self.temp_dir, self.now)
    }

    fn report(&self) -> anyhow::Result<&CheckReport> {
        let report = self.outcome.report.as_ref();
        report.ok_or_else(|| anyhow!("the draft was not checked"))
    }
}

/// The line of a mapping that comes before all others.
const FIRST_LINE: &str = "mapping = \"boat-catalogue-mapping/1\"\n";

/// Suggests the mapping of a content system for an export of it.
pub(super) fn suggest(
    shipped: Shipped,
    recognised: Recognised,
    exports: &[Export],
    temp_dir: &Path,
    now: &Timestamp,
) -> anyhow::Result<Suggestion> {
    let mut decisions = Vec::new();
    let text = with_images(shipped, &mut decisions)?;
    let tried = Tried::new(text, exports, temp_dir, now)?;
    let text = with_types(&tried.text, tried.report()?, &mut decisions)?;
    let tried = tried.again(text)?;
    let text = with_keys(&tried.text, tried.report()?, &mut decisions)?;
    for (part, keys) in &tried.report()?.envelope {
        let why = format!("no record has the key {}", keys.join(", "));
        decisions.push(Decision::new(*part, why));
    }
    let text = assumed(&text, now, &mut decisions)?;
    let tried = tried.again(text)?;
    let (report, findings) = (tried.report()?, &tried.outcome.findings);
    decisions.extend(always_null(report));
    decisions.extend(invalid_names(findings));
    let mut text = tried.text.clone();
    unread(report, &mut text);
    let is_open = unread_statuses(report, &mut text, &mut decisions);
    if findings.counts().contains_key(&Code::ImageWithoutSize) {
        text = text.replacen(FIRST_LINE, &format!("{FIRST_LINE}{MEASURED}"), 1);
        decisions.push(Decision::of_images());
    }
    Ok(Suggestion {
        errors: findings.errors(),
        is_open,
        recognised,
        text,
        name: shipped.name().to_owned(),
        keys: None,
        decisions,
        other_files: Vec::new(),
    })
}

/// Handles variables of the shipped mappings for values that an export lacks: times are set to
/// `now`.
fn assumed(text: &str, now: &Timestamp, decisions: &mut Vec<Decision>) -> anyhow::Result<String> {
    let (document, mut edits) = (Document::parse(text)?, Edits::new(text));
    for (name, what) in [
        ("updated_at", "when makers changed"),
        ("brands_updated_at", "when brands changed"),
    ] {
        if let Some(span) = document.value(&["variables"], name).map(Spanned::span) {
            edits.replace(span, quoted(&now.to_string()));
            let why = format!("now, as the export does not say {what}: see [variables]");
            decisions.push(Decision::new(name, why));
        }
    }
    let currency = document.value(&["variables"], "currency");
    if currency.is_some_and(|currency| currency.get_ref().as_str() == Some("EUR")) {
        let why = "EUR for every price that names none: say yours in [variables]";
        decisions.push(Decision::new("currency", why));
    }
    Ok(edits.finish())
}

/// The note about ids and slugs that cannot be used in addresses.
fn invalid_names(findings: &Findings) -> impl Iterator<Item = Decision> {
    let names = [(Code::InvalidId, "id"), (Code::InvalidSlug, "slug")];
    names.into_iter().filter_map(|(code, name)| {
        let count = *findings.counts().get(&code)?;
        let where_to = match name {
            "id" => "; write it as `id` in [envelope], and leave `key` as it is",
            _ => "",
        };
        let are = if count == 1 { "is" } else { "are" };
        let why = format!("{count} {are} not valid: `| slugify` makes a valid one{where_to}");
        Some(Decision::new(name, why))
    })
}

/// The note about fields of boats whose keys exist but which no record has a value for.
fn always_null(found: &CheckReport) -> Option<Decision> {
    let boats = found.rules.iter().filter(|rule| rule.kind == "boat");
    let fields = boats.flat_map(|rule| &rule.fields);
    let is_null = |field: &&FieldReport| {
        field.filled == 0 && field.errors == 0 && 0 < field.null && field.missing.is_empty()
    };
    let names = fields.filter(is_null).map(|field| field.field.clone());
    let names = listed(names, TYPES_MAX);
    let why = format!("{names}: their lines find no value in any record");
    (!names.is_empty()).then(|| Decision::new("empty fields", why))
}

/// The shipped mapping. The placeholder for the address of images is removed, or listed as a
/// decision.
fn with_images(shipped: Shipped, decisions: &mut Vec<Decision>) -> anyhow::Result<String> {
    let (document, mut edits) = (Document::parse(shipped.text())?, Edits::new(shipped.text()));
    let address = document.value(&["variables"], "asset_base_url");
    if let Some(span) = address.map(Spanned::span) {
        if shipped == Shipped::Shopify {
            edits.replace(span, quoted(""));
        } else {
            let why = "an example: say where your images are served, in [variables]";
            decisions.push(Decision::new("asset_base_url", why));
        }
    }
    Ok(edits.finish())
}

/// Appends unread types and keys as comments.
fn unread(found: &CheckReport, text: &mut String) {
    let of_rules = found
        .rules
        .iter()
        .map(|rule| (rule.types.join(", "), &rule.unread));
    let of_linked = found
        .linked
        .iter()
        .map(|linked| (linked.record_type.clone(), &linked.unread));
    for (of, keys) in of_rules
        .chain(of_linked)
        .filter(|(_, keys)| !keys.is_empty())
    {
        // Writing into a text never fails.
        _ = writeln!(
            text,
            "\n# What nothing reads yet of {}: the key, records with a value, a value.",
            clean(&of, 80)
        );
        for key in keys.iter().take(REMARKS_MAX) {
            let (path, sample) = (clean(&key.key, 60), clean(&key.sample, 40));
            _ = writeln!(text, "#   .{path}  {}  {sample}", key.records);
        }
        if REMARKS_MAX < keys.len() {
            _ = writeln!(text, "#   and {}", others(keys.len() - REMARKS_MAX));
        }
    }
    if !found.unread_types.is_empty() {
        let types = found.unread_types.iter();
        let types = types.map(|(name, records)| format!("{} ({records})", clean(name, 40)));
        let types = listed(types, TYPES_MAX);
        _ = writeln!(text, "\n# Types that nothing reads yet: {types}");
    }
}

/// Leaves to a person what nothing reads of boats and may say that one is not public: the shipped
/// mapping knows the drafts of its system, but no keys that somebody added, nor whether one is
/// read that an expression names but came to in no record. Returns whether there is anything.
fn unread_statuses(found: &CheckReport, text: &mut String, decisions: &mut Vec<Decision>) -> bool {
    let mut keys: BTreeMap<&str, u64> = BTreeMap::new();
    for rule in found.rules.iter().filter(|rule| rule.kind == "boat") {
        for key in rule.unread.iter().chain(&rule.unknown) {
            let own = (key.key.as_str(), key.records);
            let within = key.within.iter();
            let within = within.map(|(key, records)| (key.as_str(), *records));
            if is_named(&segments(own.0)) {
                keys.extend([own]);
            } else {
                keys.extend(within.filter(|(key, _)| is_named(&segments(key))));
            }
        }
        let null = rule.null.iter().filter(|key| is_named(&segments(key)));
        keys.extend(null.map(|key| (key.as_str(), 0)));
    }
    status::unread_keys(keys.iter().map(|(key, records)| (*key, *records)), text);
    if !keys.is_empty() {
        let shown = keys.keys().map(|key| clean(key, 60));
        decisions.push(Decision::new("published", status::why_unread(shown)));
    }
    !keys.is_empty()
}
