//! Fits the shipped mapping of a content system to an export: renamed types, and keys that no
//! record has.
//!
//! Only the lines that do not fit are changed, so the comments of the mapping still hold.

mod keys;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use shared::base::timestamp::Timestamp;

use self::keys::{segments, with_keys};
use self::types::without_types;
use super::decision::Decision;
use super::status::is_named;
use super::text::{clean, listed, words};
use super::{Suggestion, check, status};
use crate::finding::{Code, Findings, others};
use crate::mapping::{CheckReport, FieldReport, Recognised, Shipped};
use crate::source::Export;

/// Usual names of the types of records that become a kind, or a term of a vocabulary.
const TYPES: [(&str, &[&str]); 8] = [
    (
        "boat",
        &[
            "boat", "yacht", "vessel", "ship", "model", "listing", "product",
        ],
    ),
    (
        "manufacturer",
        &[
            "manufacturer",
            "maker",
            "builder",
            "brand",
            "shipyard",
            "yard",
            "vendor",
        ],
    ),
    ("designer", &["designer", "architect", "person", "author"]),
    ("category", &["category", "boatcategory", "categories"]),
    ("activity", &["activity", "boatactivity", "activities"]),
    ("hullType", &["hulltype", "hull"]),
    ("hullMaterial", &["hullmaterial", "material"]),
    ("type", &["boattype", "yachttype", "vesseltype", "type"]),
];

/// The address of images in the shipped mappings, which stands in for the operator's own.
const EXAMPLE_IMAGES: &str = "\"https://images.boats.example/uploads\"";

/// How many unread types are named at most.
const TYPES_MAX: usize = 20;
/// How many unread keys of a type are listed at most.
const REMARKS_MAX: usize = 200;

/// Suggests the mapping of a content system for an export of it.
pub(super) fn suggest(
    shipped: Shipped,
    recognised: Recognised,
    exports: &[Export],
    temp_dir: &Path,
    now: &Timestamp,
) -> anyhow::Result<Suggestion> {
    let mut decisions = Vec::new();
    let report = |text: &str| {
        let outcome = check(text, exports, temp_dir)?;
        anyhow::Ok(outcome.report.unwrap_or_default())
    };
    let shipped_text = with_images(shipped, &mut decisions);
    let found = report(&shipped_text)?;
    let (text, gone) = with_types(&shipped_text, &found, &mut decisions);
    let found = report(&text)?;
    let mut text = with_keys(&text, &found, &mut decisions);
    for (part, keys) in &found.envelope {
        decisions.push(Decision {
            field: (*part).to_owned(),
            why: format!("no record has the key {}", keys.join(", ")),
        });
    }
    text = without_types(&text, &gone);
    assumed(&mut text, now, &mut decisions);
    let outcome = check(&text, exports, temp_dir)?;
    let report = outcome.report.unwrap_or_default();
    decisions.extend(always_null(&report));
    decisions.extend(invalid_names(&outcome.findings));
    unread(&report, &mut text);
    let is_open = unread_statuses(&report, &mut text, &mut decisions);
    Ok(Suggestion {
        errors: outcome.findings.errors(),
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
fn assumed(text: &mut String, now: &Timestamp, decisions: &mut Vec<Decision>) {
    for (name, what) in [
        ("updated_at", "when makers changed"),
        ("brands_updated_at", "when brands changed"),
    ] {
        let begin = format!("{name} = \"");
        let line = text.lines().find(|line| line.starts_with(&begin));
        if let Some(line) = line.map(str::to_owned) {
            *text = text.replace(&line, &format!("{begin}{now}\""));
            let why = format!("now, as the export does not say {what}: see [variables]");
            decisions.push(Decision::new(name, why));
        }
    }
    if text.contains("\ncurrency = \"EUR\"\n") {
        let why = "EUR for every price that names none: say yours in [variables]";
        decisions.push(Decision::new("currency", why));
    }
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
fn with_images(shipped: Shipped, decisions: &mut Vec<Decision>) -> String {
    let text = shipped.text();
    if shipped == Shipped::Shopify {
        return text.replace(EXAMPLE_IMAGES, "\"\"");
    }
    if text.contains("asset_base_url = ") {
        decisions.push(Decision {
            field: "asset_base_url".to_owned(),
            why: "an example: say where your images are served, in [variables]".to_owned(),
        });
    }
    text.to_owned()
}

/// The mapping with types that the export lacks replaced by likely ones that it has. Also returns
/// the types without a replacement, except those of boats and manufacturers.
fn with_types(
    text: &str,
    found: &CheckReport,
    decisions: &mut Vec<Decision>,
) -> (String, Vec<String>) {
    let is_free = |of: &&str| {
        found
            .rules
            .iter()
            .all(|rule| !rule.types.iter().any(|known| known == of))
    };
    let types = found.types.iter().map(String::as_str);
    let mut free: Vec<FreeType<'_>> = types.filter(is_free).map(FreeType::new).collect();
    let (mut text, mut gone) = (text.to_owned(), Vec::new());
    for rule in &found.rules {
        let missing = rule.types.iter().filter(|of| !found.types.contains(*of));
        for missing in missing {
            let role = role(&text, rule.kind, missing);
            let Some(own) = role.and_then(|role| likely_type(&role, &free)) else {
                if ["boat", "manufacturer"].contains(&rule.kind) {
                    let types = listed(free.iter().map(|of| clean(of.name, 40)), TYPES_MAX);
                    let why = match types.as_str() {
                        "" => format!("no record is a `{missing}`"),
                        types => format!("no record is a `{missing}`; there are {types}"),
                    };
                    decisions.push(Decision::new(format!("{} type", rule.kind), why));
                } else {
                    gone.push(missing.clone());
                }
                continue;
            };
            free.retain(|of| of.name != own);
            let why = format!("records of the type `{}`", clean(own, 60));
            decisions.push(Decision::new(format!("{} type", rule.kind), why));
            text = with_type(&text, missing, own);
        }
    }
    (text, gone)
}

/// The role of a type: a kind, or the vocabulary of a term.
fn role(text: &str, kind: &str, of_type: &str) -> Option<String> {
    if kind != "term" {
        return Some(kind.to_owned());
    }
    let table = text.split("[tables.vocabulary]").nth(1)?;
    table.lines().find_map(|line| {
        let (word, vocabulary) = line.split_once(" = ")?;
        (word.trim_matches('"') == of_type).then(|| vocabulary.trim_matches('"').to_owned())
    })
}

/// A type without a rule, and the words of its name.
struct FreeType<'t> {
    name: &'t str,
    words: Vec<String>,
}

impl<'t> FreeType<'t> {
    fn new(name: &'t str) -> Self {
        let words = words(name);
        Self { name, words }
    }

    /// Whether all of its words, or only the last one, are this name, singular or plural.
    fn is_called(&self, name: &str, is_whole: bool) -> bool {
        let called = if is_whole {
            self.words.concat()
        } else {
            self.words.last().cloned().unwrap_or_default()
        };
        called == name || called.strip_suffix('s') == Some(name)
    }
}

/// The type named like this role, perhaps with other words before it.
fn likely_type<'t>(role: &str, free: &[FreeType<'t>]) -> Option<&'t str> {
    let (_, names) = TYPES.iter().find(|(of, _)| *of == role)?;
    let find = |is_whole| {
        names.iter().find_map(|name| {
            let called = free.iter().find(|own| own.is_called(name, is_whole));
            called.map(|own| own.name)
        })
    };
    find(true).or_else(|| find(false))
}

/// The mapping with a type renamed, in rules and in its vocabulary table.
fn with_type(text: &str, missing: &str, own: &str) -> String {
    let (old, new) = (quoted(missing), quoted(own));
    let (mut section, mut is_types) = ("", false);
    let mut fitted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            section = line.trim_end();
        }
        is_types = section == "[[emit]]"
            && (line.starts_with("type = ") || is_types && line.starts_with(' '));
        let word = line.split(" = ").next().unwrap_or_default();
        if is_types {
            fitted.push_str(&line.replace(&old, &new));
        } else if section == "[tables.vocabulary]" && word.trim_matches('"') == missing {
            fitted.push_str(&line.replacen(word, &new, 1));
        } else {
            fitted.push_str(line);
        }
    }
    fitted
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

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
