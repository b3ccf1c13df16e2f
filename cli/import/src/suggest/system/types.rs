//! Fits the types of records: those that an export lacks are renamed to likely ones that it has, or
//! left out with what is made of them.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::document::{Document, Edits, Placed, quoted};
use crate::finding::listed;
use crate::mapping::CheckReport;
use crate::mapping::folded::words;
use crate::suggest::decision::Decision;
use crate::suggest::text::clean;

/// How many types are named at most.
pub(super) const TYPES_MAX: usize = 20;

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

/// What becomes of each type that the export lacks: the type that it is renamed to, or nothing.
type Fates<'t> = BTreeMap<&'t str, Option<&'t str>>;

/// The mapping without types that no record has: likely ones replace them, and rules for nothing
/// else become comments.
pub(super) fn with_types(
    text: &str,
    found: &CheckReport,
    decisions: &mut Vec<Decision>,
) -> anyhow::Result<String> {
    let document = Document::parse(text)?;
    let mut edits = Edits::new(text);
    let fates = fates(&document, found, decisions);
    fit(&document, &fates, &mut edits);
    Ok(edits.finish())
}

/// Decides what becomes of types. Without boats or manufacturers nothing is imported, so theirs
/// stay for a person.
fn fates<'f>(
    document: &Document<'_>,
    found: &'f CheckReport,
    decisions: &mut Vec<Decision>,
) -> Fates<'f> {
    let is_free = |of: &&str| {
        let mut rules = found.rules.iter();
        rules.all(|rule| !rule.types.iter().any(|known| known == of))
    };
    let types = found.types.iter().map(String::as_str);
    let mut free: Vec<FreeType<'_>> = types.filter(is_free).map(FreeType::new).collect();
    let mut fates = Fates::new();
    for rule in &found.rules {
        let missing = rule.types.iter().filter(|of| !found.types.contains(*of));
        for missing in missing {
            let own = role(document, rule.kind, missing).and_then(|role| likely_type(role, &free));
            let why = match own {
                Some(own) => format!("records of the type `{}`", clean(own, 60)),
                None if ["boat", "manufacturer"].contains(&rule.kind) => none_of(missing, &free),
                None => {
                    fates.entry(missing).or_default();
                    continue;
                }
            };
            decisions.push(Decision::new(format!("{} type", rule.kind), why));
            if own.is_some() {
                free.retain(|of| Some(of.name) != own);
                let fate = fates.entry(missing).or_default();
                *fate = fate.or(own);
            }
        }
    }
    fates
}

/// The note about a type that is left to a person.
fn none_of(missing: &str, free: &[FreeType<'_>]) -> String {
    let types = listed(free.iter().map(|of| clean(of.name, 40)), TYPES_MAX);
    match types.as_str() {
        "" => format!("no record is a `{missing}`"),
        types => format!("no record is a `{missing}`; there are {types}"),
    }
}

/// The role of a type: a kind, or the vocabulary of a term.
fn role<'d>(document: &'d Document<'_>, kind: &'d str, of_type: &str) -> Option<&'d str> {
    if kind != "term" {
        return Some(kind);
    }
    let vocabulary = document.value(&["tables", "vocabulary"], of_type)?;
    vocabulary.get_ref().as_str()
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

/// Renames types and leaves them out, in rules and in the table of vocabularies.
fn fit(document: &Document<'_>, fates: &Fates<'_>, edits: &mut Edits<'_>) {
    let words = document.table(&["tables", "vocabulary"]);
    for (word, _) in words.into_iter().flatten() {
        match fates.get(word.get_ref().as_ref()) {
            Some(Some(own)) => edits.replace(word.span(), quoted(own)),
            Some(None) => edits.remove_lines(&word.span()),
            None => {}
        }
    }
    for rule in document.list("emit") {
        let Some(types) = rule.get_ref().get("type") else {
            continue;
        };
        let all = match types.get_ref() {
            DeValue::Array(all) => all.iter().collect(),
            _ => vec![types],
        };
        let fate = |of: &Placed<'_>| fates.get(of.get_ref().as_str().unwrap_or_default());
        let left = all.iter().filter(|of| fate(of) != Some(&None));
        let left: Vec<String> = left
            .map(|of| match fate(of) {
                Some(Some(own)) => quoted(own),
                _ => document.text(of.span()).to_owned(),
            })
            .collect();
        match left.as_slice() {
            [] => edits.comment_out(&document.section(rule)),
            _ if left.len() == all.len() => {
                for (of, own) in all.iter().zip(left) {
                    edits.replace(of.span(), own);
                }
            }
            [only] => edits.replace(types.span(), only),
            _ => edits.replace(types.span(), format!("[{}]", left.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPING: &str = r#"mapping = "x"

# Text that looks like a rule.
definitions = '''
[[emit]]
type = "person"
'''

# ---- Boats

[[emit]]
kind = "boat"
type = "boat"

[emit.fields]
model = ".title"

# ---- Designers

[[emit]]
kind = "designer"
type = "person"

[emit.fields]
name = ".name"

# ---- Terms

[[emit]]
kind = "term"
type = ["boatType", "category", "hullType"]

[emit.fields]
vocabulary = { from = "._type", table = "vocabulary" }

[tables.vocabulary]
boatType = "type"
category = "category"
hullType = "hullType"
"#;

    fn fitted_to(fates: &Fates<'_>) -> String {
        let document = Document::parse(MAPPING).unwrap();
        let mut edits = Edits::new(MAPPING);
        fit(&document, fates, &mut edits);
        edits.finish()
    }

    #[test]
    fn types_that_no_record_has_are_left_out_and_rules_for_nothing_else_are_comments() {
        let gone = ["person", "category", "hullType"].map(|of| (of, None));
        insta::assert_snapshot!(fitted_to(&Fates::from(gone)), @r##"
        mapping = "x"

        # Text that looks like a rule.
        definitions = '''
        [[emit]]
        type = "person"
        '''

        # ---- Boats

        [[emit]]
        kind = "boat"
        type = "boat"

        [emit.fields]
        model = ".title"

        # ---- Designers

        # [[emit]]
        # kind = "designer"
        # type = "person"

        # [emit.fields]
        # name = ".name"

        # ---- Terms

        [[emit]]
        kind = "term"
        type = "boatType"

        [emit.fields]
        vocabulary = { from = "._type", table = "vocabulary" }

        [tables.vocabulary]
        boatType = "type"
        "##);
        assert_eq!(fitted_to(&Fates::new()), MAPPING);
    }
}
