//! What a mapping finds in an export, for whoever writes mappings: how often each field has a
//! value, and which keys of the records nothing reads.
//!
//! A key is taken for read when an expression for its record names it, wherever: that may miss a
//! key that nothing reads, and never calls one unread that something reads.

mod names;
mod report;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use self::report::{CheckReport, FieldReport, RuleReport, UnreadKey};

use self::names::{leaves, names_known, names_of_fields};
use self::report::MissingKey;
use super::definition::{Definition, Emit};
use super::expression::{Jq, key_names, text};
use super::mapper::Observe;
use crate::findings::cut;
use crate::validate::nearest;

/// Names of keys that are remembered to tell which there are.
const KEYS_MAX: usize = 100_000;
/// Characters of a value that are shown.
const SAMPLE_MAX: usize = 40;

/// Collects a report.
pub(super) struct Checker {
    rules: Vec<RuleChecker>,
    /// Every key of every record, as far as there is room.
    keys: HashSet<String>,
}

struct RuleChecker {
    /// Keys that expressions name.
    known: HashSet<String>,
    /// Keys that are not wanted, whatever is in them.
    ignored: HashSet<String>,
    /// Those of them that the fields name: what is within a key is looked at for their sake.
    of_fields: HashSet<String>,
    records: u64,
    fields: HashMap<String, FieldTally>,
    unread: BTreeMap<String, (u64, String)>,
}

#[derive(Default)]
struct FieldTally {
    filled: u64,
    null: u64,
    errors: u64,
    sample: Option<String>,
    error: Option<String>,
}

impl Observe for Checker {
    fn field(&mut self, rule: usize, path: &str, value: Result<&Jq, &str>) {
        let tally = self.rules[rule].fields.entry(path.to_owned()).or_default();
        match value {
            Ok(value) if is_empty(value) => tally.null += 1,
            Ok(value) => {
                tally.filled += 1;
                tally.sample.get_or_insert_with(|| sample(value));
            }
            Err(error) => {
                tally.errors += 1;
                tally.error.get_or_insert_with(|| error.to_owned());
            }
        }
    }
}

impl Checker {
    pub(super) fn new(definition: &Definition) -> Self {
        let rule = |emit: &Emit| RuleChecker {
            known: names_known(definition, emit),
            ignored: emit
                .ignored
                .iter()
                .chain(&definition.ignored)
                .cloned()
                .collect(),
            of_fields: names_of_fields(definition, emit),
            records: 0,
            fields: HashMap::new(),
            unread: BTreeMap::new(),
        };
        Self {
            rules: definition.emits.iter().map(rule).collect(),
            keys: HashSet::new(),
        }
    }

    /// Notes the keys of a record; those that nothing reads are noted for its `rules`.
    pub(super) fn record(&mut self, record: &Jq, rules: &[usize]) {
        note_keys(record, &mut self.keys);
        for rule in rules {
            let rule = &mut self.rules[*rule];
            rule.records += 1;
            let mut unread = HashMap::new();
            rule.find_unread(record, "", &mut unread);
            for (key, sample) in unread {
                let (count, _) = rule.unread.entry(key).or_insert((0, sample));
                *count += 1;
            }
        }
    }

    pub(super) fn report(self, definition: &Definition) -> CheckReport {
        let rules = definition.emits.iter().zip(self.rules);
        let rules = rules.map(|(emit, rule)| rule.report(definition, emit, &self.keys));
        CheckReport {
            rules: rules.collect(),
        }
    }
}

impl RuleChecker {
    /// Finds the keys that are not known. What is within a key that is known is looked at only
    /// where a field names some key beside it: otherwise the value is read as a whole.
    fn find_unread(&self, value: &Jq, path: &str, unread: &mut HashMap<String, String>) {
        match value {
            Jq::Arr(items) => {
                let path = format!("{path}[]");
                items
                    .iter()
                    .for_each(|item| self.find_unread(item, &path, unread));
            }
            Jq::Obj(members) => {
                let is_in = |names: &HashSet<String>, key: &Jq| {
                    text(key).is_some_and(|key| names.contains(key))
                };
                if !path.is_empty() && !members.keys().any(|key| is_in(&self.of_fields, key)) {
                    return;
                }
                for (key, value) in members.iter() {
                    let name = text(key).unwrap_or_default();
                    let separator = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{separator}{name}");
                    if is_in(&self.ignored, key) {
                        continue;
                    }
                    if is_in(&self.known, key) {
                        self.find_unread(value, &path, unread);
                    } else if !matches!(value, Jq::Null) {
                        unread.entry(path).or_insert_with(|| sample(value));
                    }
                }
            }
            _ => {}
        }
    }

    fn report(
        mut self,
        definition: &Definition,
        emit: &Emit,
        keys: &HashSet<String>,
    ) -> RuleReport {
        let unread: Vec<UnreadKey> = std::mem::take(&mut self.unread)
            .into_iter()
            .map(|(key, (records, sample))| UnreadKey {
                key,
                records,
                sample,
            })
            .collect();
        let mut fields = Vec::new();
        for (name, expression) in leaves(&emit.fields) {
            let code = &definition.expressions[expression.0].code;
            let missing = missing_keys(code, keys, &unread);
            let tally = self.fields.remove(&name).unwrap_or_default();
            fields.push(tally.report(name, Some(code.clone()), missing));
        }
        let mut rest: Vec<(String, FieldTally)> = self.fields.into_iter().collect();
        rest.sort_by(|a, b| a.0.cmp(&b.0));
        let rest = rest.into_iter();
        fields.extend(rest.map(|(name, tally)| tally.report(name, None, Vec::new())));
        RuleReport {
            kind: emit.kind.as_str(),
            types: emit.types.clone(),
            records: self.records,
            fields,
            unread,
        }
    }
}

impl FieldTally {
    fn report(
        self,
        field: String,
        expression: Option<String>,
        missing: Vec<MissingKey>,
    ) -> FieldReport {
        FieldReport {
            field,
            expression,
            filled: self.filled,
            null: self.null,
            errors: self.errors,
            sample: self.sample,
            error: self.error,
            missing,
        }
    }
}

/// The keys that an expression names as `.key` and that no record has; an unread key that looks
/// like one may be its new name.
fn missing_keys(code: &str, keys: &HashSet<String>, unread: &[UnreadKey]) -> Vec<MissingKey> {
    let last = |path: &str| {
        path.rsplit(['.', ']'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let unread: Vec<String> = unread.iter().map(|unread| last(&unread.key)).collect();
    let unread: Vec<&str> = unread.iter().map(String::as_str).collect();
    let mut missing = key_names(code).paths;
    missing.retain(|name| !keys.contains(name));
    missing.dedup();
    missing
        .into_iter()
        .map(|key| MissingKey {
            suggestion: nearest(&key, &unread).map(str::to_owned),
            key,
        })
        .collect()
}

fn note_keys(value: &Jq, keys: &mut HashSet<String>) {
    match value {
        Jq::Arr(items) => items.iter().for_each(|item| note_keys(item, keys)),
        Jq::Obj(members) => {
            for (key, value) in members.iter() {
                let key = text(key).unwrap_or_default();
                if !keys.contains(key) && keys.len() < KEYS_MAX {
                    keys.insert(key.to_owned());
                }
                note_keys(value, keys);
            }
        }
        _ => {}
    }
}

/// Whether a value is as good as none.
fn is_empty(value: &Jq) -> bool {
    match value {
        Jq::Null => true,
        Jq::Arr(items) => items.is_empty(),
        Jq::Obj(members) => members.is_empty(),
        _ => false,
    }
}

/// The beginning of a value, on one line.
fn sample(value: &Jq) -> String {
    let whole = match text(value) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    match whole.char_indices().nth(SAMPLE_MAX) {
        None => cut(&whole),
        Some((end, _)) => format!("{}…", &whole[..end]),
    }
}
