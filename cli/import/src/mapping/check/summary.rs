//! Makes the report from what the records have and what expressions did with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use shared::base::field_path::Step;
use url::Url;

use super::observed_keys::{Asker, NodeId, Read, TypeKeys};
use super::report::{CheckReport, FieldReport, LinkedReport, MissingKey, RuleReport, UnreadKey};
use super::unread::{Ignored, Search, Unread};
use super::{Checker, FieldTally};
use crate::finding::{cut, nearest};
use crate::mapping::definition::{Definition, Expression, ExpressionId, Rule};
use crate::mapping::expression::{inside, keys_named};

/// Assembles a report.
struct Summary<'d> {
    definition: &'d Definition,
    checker: Checker,
    /// The keys that nothing reads, by type.
    unread: BTreeMap<String, Unread>,
    /// Those that an expression names and came to look up in no record, by type.
    unknown: BTreeMap<String, Unread>,
    /// By expression, the keys that it asks for.
    asked: HashMap<usize, Vec<Asked>>,
    /// Published records, by type.
    records: HashMap<String, u64>,
}

/// A key that an expression asks for.
struct Asked {
    /// The type of the records.
    record_type: String,
    path: String,
    is_own: bool,
    /// Whether any record has it.
    is_present: bool,
}

pub(super) fn report(checker: Checker, definition: &Definition) -> CheckReport {
    let mut records: HashMap<String, u64> = HashMap::new();
    for ((_, of_type), keys) in &checker.keys.types {
        *records.entry(of_type.to_string()).or_default() += keys.records;
    }
    let mut summary = Summary {
        definition,
        checker,
        unread: BTreeMap::new(),
        unknown: BTreeMap::new(),
        asked: HashMap::new(),
        records,
    };
    summary.find_unread();
    summary.find_asked();
    let mut tallies = std::mem::take(&mut summary.checker.fields);
    let rules = 0..definition.rules.len();
    let rules =
        rules.map(|number| summary.rule(number, tallies.remove(&number).unwrap_or_default()));
    let types = summary.checker.keys.types.keys();
    CheckReport {
        rules: rules.collect(),
        linked: summary.linked(),
        unread_types: summary.unread_types(),
        lone_links: summary.lone_links(),
        envelope: summary.missing_of_envelopes(),
        examples: examples(definition),
        types: types.map(|(_, of)| of.to_string()).collect(),
    }
}

/// The texts that an expression names, and by which it looked up no key while it ran over records
/// of these types.
fn never_reached<'n>(
    expression: usize,
    named: &'n HashMap<String, bool>,
    types: Vec<&TypeKeys>,
) -> Vec<&'n str> {
    let reached = types
        .into_iter()
        .filter_map(|keys| keys.reached.get(&expression));
    let reached: HashSet<&String> = reached.flatten().collect();
    let never = named.keys().filter(|key| !reached.contains(key));
    never.map(String::as_str).collect()
}

/// The variables that hold a URL in a domain that RFC 2606 reserves for examples.
fn examples(definition: &Definition) -> BTreeMap<String, String> {
    let is_example = |address: &str| {
        let host = Url::parse(address).ok()?.host_str()?.to_owned();
        let host = host.trim_end_matches('.');
        let second = ["example.com", "example.net", "example.org"];
        let is_within = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
        (is_within("example") || second.into_iter().any(is_within)).then_some(())
    };
    let variables = definition.variables.iter().filter_map(|(name, value)| {
        let address = value.as_str()?;
        is_example(address).map(|()| (name.clone(), cut(address)))
    });
    variables.collect()
}

impl Summary<'_> {
    /// The rules that cover a type.
    fn rules_for(&self, record_type: &str) -> impl Iterator<Item = (usize, &Rule)> {
        let rules = self.definition.rules.iter().enumerate();
        rules.filter(move |(_, rule)| rule.is_for(record_type))
    }

    fn is_led_to(&self, record_type: &str) -> bool {
        let mut keys = self.of_type(record_type);
        keys.any(|keys| !keys.led_by.is_empty())
    }

    fn find_unread(&mut self) {
        let named = self.named();
        let (mut all, mut unknown) = (BTreeMap::new(), BTreeMap::new());
        for ((source, record_type), keys) in &self.checker.keys.types {
            let ignored = self.ignored(record_type);
            let mut search = Search {
                keys: &self.checker.keys,
                ignored: &ignored,
                unreached: &self.unreached(*source, record_type, &named),
                unread: all.remove(&**record_type).unwrap_or_default(),
                unknown: unknown.remove(&**record_type).unwrap_or_default(),
            };
            let is_mapped = self.rules_for(record_type).next().is_some();
            if is_mapped || self.is_led_to(record_type) {
                search.find(keys.root, "");
            }
            let Search {
                mut unread,
                unknown: unknown_here,
                ..
            } = search;
            let is_asked_for = |field: &str| {
                let links = &self.checker.links_asked;
                // Links of a record can be read without any reference to that record.
                links.contains(field)
                    || keys.links_asked.contains(field)
                    || (!is_mapped && self.is_any_asked_for(field))
            };
            unread.links(keys, is_asked_for, &ignored);
            all.insert(record_type.to_string(), unread);
            unknown.insert(record_type.to_string(), unknown_here);
        }
        (self.unread, self.unknown) = (all, unknown);
    }

    /// Whether links by this field are asked for of any record.
    fn is_any_asked_for(&self, field: &str) -> bool {
        let mut types = self.checker.keys.types.values();
        self.checker.links_asked.contains(field)
            || types.any(|keys| keys.links_asked.contains(field))
    }

    /// For each expression, the texts that it names, which may be keys.
    fn named(&self) -> Vec<HashMap<String, bool>> {
        let prelude = self.definition.prelude.as_ref();
        let prelude = prelude.map_or("", |prelude| prelude.code.as_str());
        let expressions = self.definition.expressions.iter();
        let named = expressions.map(|expression| keys_named(&expression.code, prelude));
        named.collect()
    }

    /// The texts that the expressions about records of a type name, and by which they never looked
    /// up a key while they ran over them.
    fn unreached<'n>(
        &self,
        source: usize,
        record_type: &str,
        named: &'n [HashMap<String, bool>],
    ) -> HashSet<&'n str> {
        let rules = self.rules_for(record_type).map(|(_, rule)| rule);
        let of_rules = rules.flat_map(|rule| {
            let fields = rule.made().into_iter();
            // A member of a list is no record.
            let of_record = fields
                .filter(|(field, _)| rule.each.is_none() && !field.steps().contains(&Step::Each));
            let of_record = of_record.map(|(_, expression)| expression);
            of_record.chain(rule.condition).chain(rule.each)
        });
        let joins = self.definition.joins.iter();
        let joins = joins.filter(|join| join.is_for(record_type));
        let of_joins = joins.map(|join| join.to);
        let envelope = self.definition.sources[source].envelope.parts();
        let of_envelope = envelope.map(|(_, id)| id);
        let own = of_rules.chain(of_joins).chain(of_envelope);
        let own = own.flat_map(|id| {
            let types = self.of_type(record_type).collect();
            never_reached(id.0, &named[id.0], types)
        });
        let led = self.of_type(record_type).flat_map(|keys| &keys.led_by);
        let led = led.flat_map(|expression| {
            let types = self.checker.keys.types.values().collect();
            never_reached(*expression, &named[*expression], types)
        });
        own.chain(led).collect()
    }

    /// Collects the keys that expressions ask for.
    fn find_asked(&mut self) {
        let mut asked = HashMap::new();
        for ((_, record_type), keys) in &self.checker.keys.types {
            self.add_asked(record_type, keys.root, "", &mut asked);
        }
        self.asked = asked;
    }

    fn add_asked(
        &self,
        record_type: &str,
        at: NodeId,
        path: &str,
        all: &mut HashMap<usize, Vec<Asked>>,
    ) {
        let node = self.checker.keys.node(at);
        for (key, child) in &node.keys {
            let of_key = self.checker.keys.node(*child);
            let key_path = inside(path, key);
            for Asker { expression, is_own } in &of_key.asked_by {
                all.entry(*expression).or_default().push(Asked {
                    record_type: record_type.to_owned(),
                    path: key_path.clone(),
                    is_own: *is_own,
                    is_present: of_key.is_present,
                });
            }
            // Where all members of an object are looked at, each counts as any of them.
            let within = if Read::EachKey <= node.read {
                format!("{path}[]")
            } else {
                key_path
            };
            self.add_asked(record_type, *child, &within, all);
        }
        if let Some(members) = node.members {
            self.add_asked(record_type, members, &format!("{path}[]"), all);
        }
    }

    /// The paths of the keys that an expression asks for and no record has, with the types of the
    /// records. Those that only definitions name are among them if it `also_by_definitions` asks.
    fn missing_of(
        &self,
        expression: ExpressionId,
        also_by_definitions: bool,
    ) -> BTreeMap<&str, Vec<&str>> {
        let asked = self.asked.get(&expression.0).into_iter().flatten();
        let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for asked in asked.clone().filter(|of| of.is_own || also_by_definitions) {
            missing
                .entry(&asked.path)
                .or_default()
                .push(&asked.record_type);
        }
        for present in asked.filter(|asked| asked.is_present) {
            missing.remove(present.path.as_str());
        }
        missing
    }

    /// The keys of a type that the mapping ignores on purpose.
    fn ignored(&self, record_type: &str) -> Ignored<'_> {
        let is_mapped = self.rules_for(record_type).next().is_some();
        let rules = self.definition.rules.iter();
        let rules = rules.filter(|rule| !is_mapped || rule.is_for(record_type));
        let ignored = rules.flat_map(|rule| &rule.ignored);
        ignored.chain(&self.definition.ignored).collect()
    }

    fn of_type<'s>(&'s self, record_type: &'s str) -> impl Iterator<Item = &'s TypeKeys> {
        let all = self.checker.keys.types.iter();
        all.filter(move |((_, of), _)| **of == *record_type)
            .map(|(_, keys)| keys)
    }

    fn records(&self, record_type: &str) -> u64 {
        self.records.get(record_type).copied().unwrap_or_default()
    }

    fn rule(&self, number: usize, mut tallies: HashMap<String, FieldTally>) -> RuleReport {
        let rule = &self.definition.rules[number];
        let mut fields = Vec::new();
        for (field, id) in rule.made() {
            let name = field.to_string();
            let tally = tallies.remove(&name).unwrap_or_default();
            let missing = self.missing(id, &tally);
            fields.push(tally.report(name, Some(&self.definition.expressions[id.0]), missing));
        }
        let mut rest: Vec<(String, FieldTally)> = tallies.into_iter().collect();
        rest.sort_by(|a, b| a.0.cmp(&b.0));
        let rest = rest.into_iter();
        fields.extend(rest.map(|(name, tally)| tally.report(name, None, Vec::new())));
        let unread = self.of_rule(number, &self.unread);
        RuleReport {
            kind: rule.kind.as_str(),
            types: rule.types.clone(),
            records: rule.types.iter().map(|of| self.records(of)).sum(),
            fields,
            unread: unread.report(),
            unknown: self.of_rule(number, &self.unknown).report(),
            null: unread.null(),
        }
    }

    /// The keys of the types that this rule is the first to cover.
    fn of_rule(&self, number: usize, by_type: &BTreeMap<String, Unread>) -> Unread {
        let types = self.definition.rules[number].types.iter();
        let is_first = |of: &&String| {
            self.rules_for(of)
                .next()
                .is_some_and(|(at, _)| at == number)
        };
        let mut keys = Unread::default();
        for of_type in types.filter(is_first).filter_map(|of| by_type.get(of)) {
            keys.merge(of_type);
        }
        keys
    }

    fn linked(&self) -> Vec<LinkedReport> {
        let others = self.unread.iter();
        let others = others.filter(|(of, unread)| {
            let is_mapped = self.rules_for(of).next().is_some();
            !is_mapped && (self.is_led_to(of) || !unread.is_empty())
        });
        let report = |(record_type, unread): (&String, &Unread)| LinkedReport {
            record_type: record_type.clone(),
            records: self.records(record_type),
            unread: unread.report(),
            unknown: self.unknown[record_type].report(),
        };
        others.map(report).collect()
    }

    fn unread_types(&self) -> BTreeMap<String, u64> {
        let types = self.unread.keys();
        let types = types.filter(|of| self.rules_for(of).next().is_none() && !self.is_led_to(of));
        let types = types.map(|of| (of.clone(), self.records(of)));
        types.filter(|(_, records)| *records != 0).collect()
    }

    fn lone_links(&self) -> Vec<UnreadKey> {
        let rules = self.definition.rules.iter();
        let of_rules = rules.flat_map(|rule| &rule.ignored);
        let ignored: Ignored<'_> = of_rules.chain(&self.definition.ignored).collect();
        let mut unread = Unread::default();
        for (field, (count, first)) in &self.checker.lone_links {
            if !self.is_any_asked_for(field) && !ignored.has(field, field) {
                unread.link(field, *count, first);
            }
        }
        unread.report()
    }

    /// The keys that a field asks for and no record has. A definition may try several keys because
    /// records differ, so its keys count only if the field was made but never filled.
    fn missing(&self, expression: ExpressionId, tally: &FieldTally) -> Vec<MissingKey> {
        let is_never_filled = tally.filled == 0 && 0 < tally.null + tally.errors;
        let missing = self.missing_of(expression, is_never_filled).into_iter();
        let missing = missing.map(|(key, types)| MissingKey {
            key: key.to_owned(),
            suggestion: self.suggestion(key, types.into_iter()),
        });
        missing.collect()
    }

    /// An unread key that may be the new name of a missing one, preferably in the same object.
    fn suggestion<'s>(
        &'s self,
        missing: &str,
        types: impl Iterator<Item = &'s str>,
    ) -> Option<String> {
        let (around, name) = split(missing);
        let unread = types.filter_map(|of| self.unread.get(of));
        let unread: Vec<&str> = unread.flat_map(Unread::names).collect();
        let beside = unread.iter().filter(|key| split(key).0 == around);
        let beside: Vec<&str> = beside.map(|key| split(key).1).collect();
        if let Some(near) = nearest(name, &beside) {
            return unread
                .iter()
                .find(|key| split(key) == (around, near))
                .map(|key| (*key).to_owned());
        }
        let anywhere: Vec<&str> = unread.iter().map(|key| split(key).1).collect();
        let near = nearest(name, &anywhere)?;
        let key = unread.iter().find(|key| split(key).1 == near);
        key.map(|key| (*key).to_owned())
    }

    /// The keys that envelopes ask for and no record has, by the part that asks. Keys named only by
    /// a shared definition do not count: it may also serve other rows, such as those of links.
    fn missing_of_envelopes(&self) -> BTreeMap<&'static str, Vec<String>> {
        let mut missing: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        let sources = self.definition.sources.iter();
        for (part, id) in sources.flat_map(|source| source.envelope.parts()) {
            let keys = self.missing_of(id, false).into_keys();
            missing.entry(part).or_default().extend(keys);
        }
        let missing = missing.into_iter().filter(|(_, keys)| !keys.is_empty());
        let owned = |keys: BTreeSet<&str>| keys.into_iter().map(str::to_owned).collect();
        missing.map(|(part, keys)| (part, owned(keys))).collect()
    }
}

/// The path of the object that contains a key, and the key's name.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

impl FieldTally {
    fn report(
        self,
        field: String,
        expression: Option<&Expression>,
        missing: Vec<MissingKey>,
    ) -> FieldReport {
        FieldReport {
            field,
            expression: expression.map(|expression| expression.code.clone()),
            span: expression.map(|expression| expression.span.clone()),
            filled: self.filled,
            null: self.null,
            errors: self.errors,
            sample: self.sample.take(),
            numbers: self.numbers.range(),
            error: self.error.take(),
            missing,
        }
    }
}
