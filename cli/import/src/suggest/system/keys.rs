//! Fits the fields of a mapping: replaces keys that no record has with likely ones, and turns lines
//! that cannot be fitted into comments.

use std::collections::BTreeSet;
use std::ops::Range;

use super::document::{Document, Edits, quoted};
use crate::finding::listed;
use crate::mapping::folded::words;
use crate::mapping::{CheckReport, FieldReport, MissingKey, RuleReport, UnreadKey};
use crate::suggest::decision::Decision;
use crate::suggest::list::{CANDIDATES_MAX, may_be, required_of};
use crate::suggest::named::without_unit;
use crate::suggest::names::{REQUIRED, WANTED, Wanted};
use crate::suggest::text::jq_path;
use crate::suggest::text::{clean, quoted as toml_text};

/// Usual names of the fields of records other than boats.
const OTHERS: [(&str, &[&str]); 4] = [
    ("name", &["name", "title", "label"]),
    ("slug", &["slug", "handle"]),
    ("website", &["website", "url", "homepage", "link"]),
    (
        "description",
        &["description", "body", "about", "text", "content"],
    ),
];

/// Usual names of lists of images: the shipped mappings make an image from one key.
const IMAGES: [(&str, &[&str]); 2] = [
    (
        "image",
        &[
            "image",
            "photo",
            "picture",
            "main photo",
            "cover",
            "photos",
            "images",
            "pictures",
        ],
    ),
    ("gallery", &["gallery", "photos", "images", "pictures"]),
];

/// The units that the shipped mappings assume for numbers without a unit.
const METRIC: [&str; 6] = ["m", "kg", "m2", "kn", "deg", "l"];

/// Least similarity of two keys, from 0 to 1, that counts as the same key.
const ALIKE: f64 = 0.94;

/// How many left-out fields are named at most.
const NAMED_MAX: usize = 6;

/// The mapping without keys that no record has: likely ones replace them, and lines without a
/// likely key become comments.
pub(super) fn with_keys(
    text: &str,
    found: &CheckReport,
    decisions: &mut Vec<Decision>,
) -> anyhow::Result<String> {
    let mut fitting = Fitting {
        document: Document::parse(text)?,
        edits: Edits::new(text),
        left_out: Vec::new(),
        main_image: None,
        decisions,
    };
    for rule in &found.rules {
        let mut taken = BTreeSet::new();
        for field in &rule.fields {
            if let (false, Some(span)) = (field.missing.is_empty(), &field.span) {
                fitting.field(rule, field, span, &mut taken);
            }
        }
    }
    fitting.decisions.extend(left_out(&fitting.left_out));
    Ok(fitting.edits.finish())
}

/// A mapping while it is fitted.
struct Fitting<'t> {
    document: Document<'t>,
    edits: Edits<'t>,
    /// The fields whose lines become comments.
    left_out: Vec<String>,
    /// The list whose first image is the main one.
    main_image: Option<String>,
    decisions: &'t mut Vec<Decision>,
}

impl Fitting<'_> {
    /// Fits a field that reads keys that no record has. Each replacement is used only once.
    fn field<'r>(
        &mut self,
        rule: &'r RuleReport,
        field: &'r FieldReport,
        span: &Range<usize>,
        taken: &mut BTreeSet<&'r str>,
    ) {
        let name = match rule.kind {
            "boat" => field.field.clone(),
            kind => format!("{kind} {}", field.field),
        };
        let is_one_line = !self.document.text(span.clone()).contains('\n');
        let code = field.expression.as_deref().filter(|_| is_one_line);
        let fitted = code.and_then(|code| {
            let missing = named_missing(field, code)?;
            let own = likely_key(field, missing, rule)?;
            let code = with_key(&missing.key, own, code)?;
            // The first of a list of images is the main one, and the others are the gallery.
            let is_main = own.is_list() && field.field == "image";
            (is_main || taken.insert(own.key.as_str())).then_some((own, code))
        });
        if let Some((own, code)) = fitted {
            let key = clean(&own.key, 60);
            let (why, code) = match field.field.as_str() {
                "image" if own.is_list() => {
                    self.main_image = Some(own.key.clone());
                    (format!("the first of `{key}`"), code)
                }
                "gallery" if self.main_image.as_ref() == Some(&own.key) => {
                    let others = code.replacen(&own.key, &format!("{}[1:]", own.key), 1);
                    (format!("the others of `{key}`"), others)
                }
                _ => (format!("made of `{key}`, by its name"), code),
            };
            self.decisions.push(Decision::new(name, why));
            self.edits.replace(span.clone(), code);
        } else if rule.kind == "boat" && field.field == "unit" {
            let why = "metric for every boat, as no record has its key";
            self.decisions.push(Decision::new(name, why));
            self.edits.replace(span.clone(), "'\"metric\"'");
            self.all_are_metric();
        } else {
            self.leave_out(rule, field, span, name);
        }
    }

    fn leave_out(
        &mut self,
        rule: &RuleReport,
        field: &FieldReport,
        span: &Range<usize>,
        name: String,
    ) {
        let list = self.document.list_made_by(span);
        let part = list.map_or_else(|| span.clone(), |list| self.document.section(list));
        self.edits.comment_out(&part);
        let is_required = match rule.kind {
            "boat" => REQUIRED.contains(&field.field.as_str()),
            _ => ["name", "slug"].contains(&field.field.as_str()),
        };
        if is_required {
            let why = required_of(&field.field, &candidates(&field.field, rule));
            self.decisions.push(Decision::new(name, why));
        } else {
            self.left_out.push(name);
        }
    }

    /// Has the definitions take every boat for metric.
    fn all_are_metric(&mut self) {
        let Some(definitions) = self.document.value(&[], "definitions") else {
            return;
        };
        let code = self.document.text(definitions.span());
        if let Some((before, rest)) = code.split_once("\ndef is_metric:") {
            let start = definitions.span().start + before.len() + 1;
            let length = "def is_metric:".len() + rest.lines().next().map_or(0, str::len);
            self.edits
                .replace(start..start + length, "def is_metric: true;");
        }
    }
}

/// The note about fields that became comments, if there are any.
fn left_out(names: &[String]) -> Option<Decision> {
    let fields = match names.len() {
        0 => return None,
        1 => "1 field".to_owned(),
        count => format!("{count} fields"),
    };
    let names = listed(names.iter().cloned(), NAMED_MAX);
    let why = format!("left as comments, as no key is called like them: {names}");
    Some(Decision::new(fields, why))
}

/// The missing key that the expression itself names, rather than a definition that it uses.
fn named_missing<'f>(field: &'f FieldReport, code: &str) -> Option<&'f MissingKey> {
    if let [only] = field.missing.as_slice() {
        return Some(only);
    }
    let is_named = |missing: &&MissingKey| code.contains(&jq_path(&segments(&missing.key)));
    let mut named = field.missing.iter().filter(is_named);
    named.next().filter(|_| named.next().is_none())
}

/// The unread key that is the likely source of a field.
fn likely_key<'r>(
    field: &FieldReport,
    missing: &'r MissingKey,
    rule: &'r RuleReport,
) -> Option<&'r UnreadKey> {
    let is_boat = rule.kind == "boat";
    let own = if is_boat { &IMAGES[..] } else { &OTHERS };
    let own = own.iter().find(|(of, _)| *of == field.field);
    let usual = || wanted(&field.field).filter(|_| is_boat);
    let names = own
        .map(|(_, names)| *names)
        .or_else(|| usual().map(|wanted| wanted.names));
    let called = names
        .unwrap_or_default()
        .iter()
        .find_map(|name| called(&rule.unread, name));
    let alike = || {
        let last = |key: &str| segments(key).pop().unwrap_or_default();
        let own = missing.suggestion.as_deref()?;
        let likeness = strsim::jaro_winkler(&last(own), &last(&missing.key));
        let is_own = |key: &&UnreadKey| ALIKE <= likeness && key.key == own;
        rule.unread.iter().find(is_own)
    };
    called.or_else(alike)
}

fn wanted(field: &str) -> Option<&'static Wanted> {
    WANTED.iter().find(|wanted| wanted.field == field)
}

/// The unread keys that may be the source of a required field of boats.
fn candidates(field: &str, rule: &RuleReport) -> Vec<String> {
    let reading = wanted(field).map(|wanted| wanted.reading);
    let fits = |key: &&UnreadKey| {
        let is_plain = !key.sample.starts_with(['{', '[']);
        let values = [key.sample.clone()];
        is_plain && reading.is_some_and(|reading| may_be(reading, &values))
    };
    let keys = rule.unread.iter().filter(fits).take(CANDIDATES_MAX);
    keys.map(|key| format!("`{}`", clean(&key.key, 60)))
        .collect()
}

/// The expression with the missing key replaced, as a TOML string, if it names that key literally.
fn with_key(missing: &str, own: &UnreadKey, code: &str) -> Option<String> {
    let (missing, own, is_list) = (segments(missing), segments(&own.key), own.is_list());
    let (mut old, mut new) = (jq_path(&missing), jq_path(&own));
    if is_list && code == format!("{old} | image") {
        new.push_str("[0]");
    } else if !is_list && !code.contains('(') {
        // The export has a value where the mapping expects an object, such as `.yearBuilt` for
        // `.built.from`.
        let path = code.split(" | ").next().unwrap_or_default();
        if path.starts_with(&format!("{old}.")) {
            path.clone_into(&mut old);
        }
    }
    let ends_there = |at: usize| {
        let next = code[at + old.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && !"_.".contains(next))
    };
    let places: Vec<usize> = code.match_indices(&old).map(|(at, _)| at).collect();
    if let [at] = places.as_slice()
        && ends_there(*at)
    {
        return Some(toml_text(&code.replacen(&old, &new, 1)));
    }
    let ((last, around), (last_own, around_own)) = (missing.split_last()?, own.split_last()?);
    let (old, new) = (quoted(last), quoted(last_own));
    let is_named = around == around_own && code.matches(&old).count() == 1;
    is_named.then(|| toml_text(&code.replacen(&old, &new, 1)))
}

/// The names in a path such as `hull."a.b"`.
pub(super) fn segments(path: &str) -> Vec<String> {
    let (mut names, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        let mut quoted = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let end = match quoted.next() {
            Some(Ok(name)) if rest.starts_with('"') => {
                names.push(name);
                quoted.byte_offset()
            }
            _ => {
                let end = rest.find('.').unwrap_or(rest.len());
                names.push(rest[..end].to_owned());
                end
            }
        };
        rest = rest[end..].trim_start_matches('.');
    }
    names
}

/// The unread key whose last name has these words, ignoring additions in brackets.
fn called<'u>(unread: &'u [UnreadKey], name: &str) -> Option<&'u UnreadKey> {
    let named = |key: &&UnreadKey| {
        let last = segments(&key.key).pop().unwrap_or_default();
        let last = last.split(" (product.").next().unwrap_or_default();
        let words = words(last);
        let (plain, unit) = without_unit(&words);
        let is_metric = unit.is_none_or(|unit| METRIC.contains(&unit));
        words.join(" ") == name || is_metric && plain.join(" ") == name
    };
    unread.iter().find(named)
}
