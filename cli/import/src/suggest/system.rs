//! Fitting the mapping of a content system to an export: other names of types, and keys that no
//! record has.
//!
//! The text of the mapping stays as it is but for the lines that do not fit, so that what its
//! comments explain still holds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::choose::{ALIKE, words};
use super::names::{REQUIRED, WANTED};
use super::{Decision, Suggestion, check, clean};
use crate::mapping::{CheckReport, FieldReport, Recognised, RuleReport, Shipped, UnreadKey};

/// What types of records are called that become a kind, or a term of a vocabulary.
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

/// Fields that are named where many are left out.
const NAMED_MAX: usize = 6;

/// Suggests the mapping of a content system for an export of it.
pub(super) fn suggest(
    shipped: Shipped,
    recognised: Recognised,
    exports: &[PathBuf],
    temp_dir: &Path,
) -> anyhow::Result<Suggestion> {
    let mut decisions = Vec::new();
    let report = |text: &str| {
        let outcome = check(text, exports, temp_dir)?;
        anyhow::Ok(outcome.report.unwrap_or_default())
    };
    let found = report(shipped.text())?;
    let text = with_types(shipped.text(), &found, &mut decisions);
    let found = report(&text)?;
    let mut text = with_keys(&text, &found, &mut decisions);
    for (part, keys) in &found.envelope {
        decisions.push(Decision {
            field: (*part).to_owned(),
            why: format!("no record has the key {}", keys.join(", ")),
        });
    }
    unread(&report(&text)?, &mut text);
    Ok(Suggestion {
        recognised,
        text,
        name: shipped.name().to_owned(),
        keys: None,
        decisions,
        other_files: Vec::new(),
    })
}

/// The mapping with the types that the export has, where those that it asks for are not there.
fn with_types(text: &str, found: &CheckReport, decisions: &mut Vec<Decision>) -> String {
    let is_free = |of: &&str| {
        found
            .rules
            .iter()
            .all(|rule| !rule.types.iter().any(|known| known == of))
    };
    let types = found.types.iter().map(String::as_str);
    let mut free: BTreeSet<&str> = types.filter(is_free).collect();
    let mut text = text.to_owned();
    for rule in &found.rules {
        let missing = rule.types.iter().filter(|of| !found.types.contains(*of));
        for missing in missing {
            let role = role(&text, rule.kind, missing);
            let Some(own) = role.and_then(|role| likely_type(&role, &free)) else {
                if rule.kind == "boat" && rule.types.len() == 1 {
                    let free: Vec<String> = free.iter().map(|of| clean(of, 40)).collect();
                    let why = format!("no record is a `{missing}`; there are {}", free.join(", "));
                    decisions.push(Decision {
                        field: "type of boats".to_owned(),
                        why,
                    });
                }
                continue;
            };
            free.remove(own);
            let why = format!(
                "`{}` is taken for `{missing}`, which no record is",
                clean(own, 60)
            );
            decisions.push(Decision {
                field: format!("{} type", rule.kind),
                why,
            });
            text = with_type(&text, missing, own);
        }
    }
    text
}

/// What a type stands for: a kind, or of a term its vocabulary.
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

/// The type that is called like this role, be it with other words before.
fn likely_type<'t>(role: &str, free: &BTreeSet<&'t str>) -> Option<&'t str> {
    let (_, names) = TYPES.iter().find(|(of, _)| *of == role)?;
    let whole = |words: &[String]| words.concat();
    let last = |words: &[String]| words.last().cloned().unwrap_or_default();
    let find = |called: &dyn Fn(&[String]) -> String| {
        names.iter().find_map(|name| {
            let is_called = |own: &&&str| {
                let called = called(&words(own));
                called == *name || called.strip_suffix('s') == Some(*name)
            };
            free.iter().find(is_called).copied()
        })
    };
    find(&whole).or_else(|| find(&last))
}

/// The mapping with another name for a type: where rules name it, and in its vocabulary table.
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

/// The mapping without keys that no record has: likely ones take their places, other lines become
/// comments.
fn with_keys(text: &str, found: &CheckReport, decisions: &mut Vec<Decision>) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut left_out = Vec::new();
    for rule in &found.rules {
        let mut taken = BTreeSet::new();
        for field in rule.fields.iter().filter(|field| !field.missing.is_empty()) {
            let Some(span) = field.span.clone() else {
                continue;
            };
            let name = match rule.kind {
                "boat" => field.field.clone(),
                kind => format!("{kind} {}", field.field),
            };
            let own = likely_key(field, rule).filter(|own| taken.insert((*own).to_owned()));
            let fitted = own.and_then(|own| with_key(field, own, &text[span.clone()]));
            if let (Some(instead), Some(own)) = (fitted, own) {
                let missing = &field.missing[0].key;
                let why = format!(
                    "reads `{}` for `{missing}`, which no record has",
                    clean(own, 60)
                );
                decisions.push(Decision { field: name, why });
                edits.push((span, instead));
                continue;
            }
            let lines = lines_of(text, &span);
            let comment = text[lines.clone()].split_inclusive('\n');
            let comment = comment.map(|line| match line.trim() {
                "" => line.to_owned(),
                _ => format!("# {line}"),
            });
            edits.push((lines, comment.collect()));
            if rule.kind == "boat" && REQUIRED.contains(&field.field.as_str()) {
                let why = format!(
                    "required, and no record has the key `{}`",
                    field.missing[0].key
                );
                decisions.push(Decision { field: name, why });
            } else {
                left_out.push(name);
            }
        }
    }
    if !left_out.is_empty() {
        let named = left_out.iter().take(NAMED_MAX).cloned();
        let rest = if NAMED_MAX < left_out.len() {
            " and others"
        } else {
            ""
        };
        decisions.push(Decision {
            field: counted_fields(left_out.len()),
            why: format!(
                "left as comments, as no record has their keys: {}{rest}",
                named.collect::<Vec<_>>().join(", ")
            ),
        });
    }
    apply(text, edits)
}

/// The unread key that a field is likely to be made of.
fn likely_key<'r>(field: &'r FieldReport, rule: &'r RuleReport) -> Option<&'r str> {
    let [missing] = field.missing.as_slice() else {
        return None;
    };
    let wanted = WANTED
        .iter()
        .find(|wanted| rule.kind == "boat" && wanted.field == field.field);
    let names = wanted.map_or(&[][..], |wanted| wanted.names);
    let called = names.iter().find_map(|name| called(&rule.unread, name));
    let alike = || {
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let own = missing.suggestion.as_deref()?;
        let likeness = strsim::jaro_winkler(&last(own), &last(&missing.key));
        (ALIKE <= likeness).then_some(own)
    };
    called.map(|key| key.key.as_str()).or_else(alike)
}

/// The expression with another key for the one that is missing, if it names that plainly.
fn with_key(field: &FieldReport, own: &str, code: &str) -> Option<String> {
    let missing = field.missing.first()?;
    let (old, new) = (format!(".{}", missing.key), format!(".{own}"));
    let ends_there = |at: usize| {
        let next = code[at + old.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && !"_.".contains(next))
    };
    let is_plain = |key: &str| {
        key.chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_.".contains(letter))
    };
    let places: Vec<usize> = code.match_indices(&old).map(|(at, _)| at).collect();
    if let [at] = places.as_slice()
        && ends_there(*at)
        && is_plain(own)
    {
        return Some(code.replacen(&old, &new, 1));
    }
    let (around, last) = missing.key.rsplit_once('.').unwrap_or(("", &missing.key));
    let (around_own, last_own) = own.rsplit_once('.').unwrap_or(("", own));
    let (old, new) = (quoted(last), quoted(last_own));
    let is_named = around == around_own && code.matches(&old).count() == 1 && is_plain(last_own);
    is_named.then(|| code.replacen(&old, &new, 1))
}

/// The unread key whose last name has these words.
fn called<'u>(unread: &'u [UnreadKey], name: &str) -> Option<&'u UnreadKey> {
    let named = |key: &&UnreadKey| {
        let last = key.key.rsplit('.').next().unwrap_or_default();
        words(last).join(" ") == name
    };
    unread.iter().find(named)
}

/// The lines of an expression; of one that makes a list, the whole section of the list.
fn lines_of(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end_of_line = |from: usize| {
        text[from..]
            .find('\n')
            .map_or(text.len(), |at| from + at + 1)
    };
    let end = end_of_line(span.end);
    let header = text[..start].rfind("\n[").map(|at| at + 1);
    let is_list = text[start..].starts_with("each = ");
    let Some(header) = header.filter(|at| is_list && text[*at..].starts_with("[emit.fields."))
    else {
        return start..end;
    };
    let name = text[header..].split(']').next().unwrap_or_default();
    let mut end = end;
    while end < text.len() {
        let line = &text[end..end_of_line(end)];
        let is_other = line.starts_with('[') && !line.starts_with(&format!("{name}."));
        if is_other || line.starts_with('#') {
            break;
        }
        end += line.len();
    }
    header..end
}

/// The text with all edits; one within another is dropped.
fn apply(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(span, _)| (span.start, usize::MAX - span.end));
    let (mut edited, mut at) = (String::with_capacity(text.len()), 0);
    for (span, instead) in edits {
        if span.start < at {
            continue;
        }
        edited.push_str(&text[at..span.start]);
        edited.push_str(&instead);
        at = span.end;
    }
    edited.push_str(&text[at..]);
    edited
}

/// What nothing reads, as comments at the end.
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
        for key in keys {
            let (path, sample) = (clean(&key.key, 60), clean(&key.sample, 40));
            _ = writeln!(text, "#   .{path}  {}  {sample}", key.records);
        }
    }
    if !found.unread_types.is_empty() {
        let types = found.unread_types.iter();
        let types = types.map(|(name, records)| format!("{} ({records})", clean(name, 40)));
        let types: Vec<String> = types.collect();
        _ = writeln!(
            text,
            "\n# Types that nothing reads yet: {}",
            types.join(", ")
        );
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn counted_fields(count: usize) -> String {
    if count == 1 {
        "1 field".to_owned()
    } else {
        format!("{count} fields")
    }
}
