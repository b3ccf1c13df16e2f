//! What a mapping finds in an export, for whoever writes mappings: how often each field has a
//! value, and which keys of the records nothing reads.
//!
//! A key is taken for read when an expression for its record names it, wherever: that may miss a
//! key that nothing reads, and never calls one unread that something reads.

mod names;
mod report;
mod unread;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use self::report::{CheckReport, FieldReport, LinkedReport, RuleReport, UnreadKey};

use self::names::{leaves, names_known, names_of_fields, of_envelope};
use self::report::MissingKey;
use self::unread::{Names, Scan, sample};
use super::definition::{Definition, Emit};
use super::documents::Document;
use super::expression::{Definitions, Jq, key_names, text};
use super::index::Index;
use super::mapper::{Observe, rules_for};
use crate::validate::nearest;

/// Names of keys that are remembered to tell which there are.
const KEYS_MAX: usize = 100_000;

/// Collects a report.
pub(super) struct Checker {
    rules: Vec<RuleChecker>,
    /// Records that no rule is for and that others lead to, by their types.
    linked: BTreeMap<String, Scan>,
    /// Records that nothing reads, by their types.
    unread: BTreeMap<String, u64>,
    /// Every key of every record, and every field of a link, as far as there is room.
    keys: HashSet<String>,
}

struct RuleChecker {
    scan: Scan,
    fields: HashMap<String, FieldTally>,
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
            scan: Scan::new(
                names_known(definition, emit),
                emit.ignored
                    .iter()
                    .chain(&definition.ignored)
                    .cloned()
                    .collect(),
                names_of_fields(definition, emit),
            ),
            fields: HashMap::new(),
        };
        Self {
            rules: definition.emits.iter().map(rule).collect(),
            linked: BTreeMap::new(),
            unread: BTreeMap::new(),
            keys: HashSet::new(),
        }
    }

    /// Nothing collected yet, by the same mapping.
    pub(super) fn anew(&self) -> Self {
        let rule = |rule: &RuleChecker| RuleChecker {
            scan: rule.scan.anew(),
            fields: HashMap::new(),
        };
        Self {
            rules: self.rules.iter().map(rule).collect(),
            linked: BTreeMap::new(),
            unread: BTreeMap::new(),
            keys: HashSet::new(),
        }
    }

    /// Adds what records tell that come after these.
    pub(super) fn merge(&mut self, later: Self) {
        for (rule, later) in self.rules.iter_mut().zip(later.rules) {
            rule.scan.merge(later.scan);
            for (path, tally) in later.fields {
                rule.fields.entry(path).or_default().merge(tally);
            }
        }
        for key in later.keys {
            if self.keys.len() < KEYS_MAX {
                self.keys.insert(key);
            }
        }
    }

    /// Looks at a record, be it read or not.
    pub(super) fn look(
        &mut self,
        definition: &Definition,
        index: &Index,
        document: &Document,
        record: &Jq,
    ) {
        let rules: Vec<usize> = rules_for(definition, document)
            .map(|(rule, _)| rule)
            .collect();
        let fields = index.links.fields_of(document.key, &index.keys);
        self.keys_of(record, &fields);
        if document.is_published {
            self.links(&fields, &rules);
            self.record(record, &rules);
        }
    }

    /// Notes the keys of a record, whether it is read or not, and the fields of its links.
    fn keys_of(&mut self, record: &Jq, links: &[&str]) {
        note_keys(record, &mut self.keys);
        self.keys
            .extend(links.iter().map(|field| (*field).to_owned()));
    }

    /// Notes the links of a record of `rules` that are not followed.
    fn links(&mut self, fields: &[&str], rules: &[usize]) {
        for field in fields {
            for rule in rules {
                let scan = &mut self.rules[*rule].scan;
                let names = &scan.names;
                if !names.known.contains(*field) && !names.ignored.contains(*field) {
                    scan.note(format!("links(\"{field}\")"), String::new());
                }
            }
        }
    }

    /// Notes what is unread of a record that is read by `rules`.
    fn record(&mut self, record: &Jq, rules: &[usize]) {
        for rule in rules {
            self.rules[*rule].scan.record(record);
        }
    }

    /// Notes what is unread of a record that no rule is for, if others lead to it.
    pub(super) fn other(&mut self, record: Option<&Jq>, record_type: &str) {
        let Some(record) = record else {
            *self.unread.entry(record_type.to_owned()).or_default() += 1;
            return;
        };
        let rules = &self.rules;
        let all = || {
            Scan::new(
                union(rules, |names| &names.known),
                union(rules, |names| &names.ignored),
                union(rules, |names| &names.of_fields),
            )
        };
        let scan = self
            .linked
            .entry(record_type.to_owned())
            .or_insert_with(all);
        scan.record(record);
    }

    pub(super) fn report(mut self, definition: &Definition) -> CheckReport {
        let prelude = definition.prelude.as_ref();
        let prelude = Definitions::of(prelude.map_or("", |prelude| &prelude.code));
        let linked = self
            .linked
            .iter_mut()
            .map(|(record_type, scan)| LinkedReport {
                record_type: record_type.clone(),
                records: scan.records,
                unread: scan.take(),
            });
        let linked = linked.collect();
        // A type of which only some records are led to is told of once.
        self.unread
            .retain(|name, _| !self.linked.contains_key(name));
        let rules = definition.emits.iter().zip(self.rules);
        let rules = rules.map(|(emit, rule)| rule.report(definition, emit, &prelude, &self.keys));
        CheckReport {
            rules: rules.collect(),
            linked,
            unread_types: self.unread,
            envelope: missing_of_envelopes(definition, &self.keys),
        }
    }
}

impl RuleChecker {
    fn report(
        mut self,
        definition: &Definition,
        emit: &Emit,
        prelude: &Definitions,
        keys: &HashSet<String>,
    ) -> RuleReport {
        let unread = self.scan.take();
        let mut fields = Vec::new();
        for (name, expression) in leaves(&emit.fields) {
            let code = &definition.expressions[expression.0].code;
            let tally = self.fields.remove(&name).unwrap_or_default();
            // A definition may know several keys of which a record has one.
            let asked = match tally.filled {
                0 => prelude.keys_asked_for(code),
                _ => key_names(code).paths,
            };
            let missing = missing_keys(asked, keys, &unread);
            fields.push(tally.report(name, Some(code.clone()), missing));
        }
        let mut rest: Vec<(String, FieldTally)> = self.fields.into_iter().collect();
        rest.sort_by(|a, b| a.0.cmp(&b.0));
        let rest = rest.into_iter();
        fields.extend(rest.map(|(name, tally)| tally.report(name, None, Vec::new())));
        RuleReport {
            kind: emit.kind.as_str(),
            types: emit.types.clone(),
            records: self.scan.records,
            fields,
            unread,
        }
    }
}

impl FieldTally {
    fn merge(&mut self, later: Self) {
        self.filled += later.filled;
        self.null += later.null;
        self.errors += later.errors;
        self.sample = self.sample.take().or(later.sample);
        self.error = self.error.take().or(later.error);
    }

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

/// The keys that envelopes ask for and no record has, by the part that asks.
fn missing_of_envelopes(
    definition: &Definition,
    keys: &HashSet<String>,
) -> BTreeMap<&'static str, Vec<String>> {
    let mut missing: BTreeMap<_, Vec<String>> = BTreeMap::new();
    let envelopes = definition.sources.iter();
    for (part, id) in envelopes.flat_map(|source| of_envelope(&source.envelope)) {
        // A definition may serve other rows as well, such as those of links.
        let asked = key_names(&definition.expressions[id.0].code).paths;
        let of_part = missing.entry(part).or_default();
        of_part.extend(asked.into_iter().filter(|key| !keys.contains(key)));
        of_part.dedup();
    }
    missing.retain(|_, keys| !keys.is_empty());
    missing
}

/// Those of the keys that an expression asks for that no record has; an unread key that looks like
/// one may be its new name.
fn missing_keys(
    mut asked: Vec<String>,
    keys: &HashSet<String>,
    unread: &[UnreadKey],
) -> Vec<MissingKey> {
    let last = |key: &UnreadKey| {
        let end = key.key.rsplit(['.', ']']).next();
        end.unwrap_or_default().to_owned()
    };
    let unread: Vec<String> = unread.iter().map(last).collect();
    let unread: Vec<&str> = unread.iter().map(String::as_str).collect();
    asked.retain(|name| !keys.contains(name));
    asked.dedup();
    asked
        .into_iter()
        .map(|key| MissingKey {
            suggestion: nearest(&key, &unread).map(str::to_owned),
            key,
        })
        .collect()
}

fn union(rules: &[RuleChecker], names: fn(&Names) -> &HashSet<String>) -> HashSet<String> {
    let names = rules.iter().flat_map(|rule| names(&rule.scan.names));
    names.cloned().collect()
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
