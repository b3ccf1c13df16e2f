//! Makes the report by comparing what the records have with what the mapping reads.

use std::collections::{BTreeMap, HashMap, HashSet};

use url::Url;

use super::coverage::{Coverage, FieldCoverage, PartCoverage};
use super::observed_keys::{Keys, has};
use super::report::{CheckReport, FieldReport, LinkedReport, MissingKey, RuleReport, UnreadKey};
use super::unread::{Ignored, Unread};
use super::{Checker, FieldTally};
use crate::finding::{cut, nearest};
use crate::mapping::definition::{Definition, Expression, Rule};
use crate::mapping::expression::{Asked, Links, Root, Tree, ValuePath};

/// Assembles a report.
struct Summary<'d> {
    definition: &'d Definition,
    coverage: Coverage,
    checker: Checker,
    /// The keys that nothing reads, by type.
    unread: BTreeMap<String, Unread>,
    /// Published records, by type.
    records: HashMap<String, u64>,
    /// The types of the records that references lead to.
    led: HashSet<String>,
}

pub(super) fn report(checker: Checker, coverage: Coverage, definition: &Definition) -> CheckReport {
    let mut records: HashMap<String, u64> = HashMap::new();
    for ((_, of_type), keys) in &checker.keys {
        *records.entry(of_type.clone()).or_default() += keys.records;
    }
    let led = checker.led.values().flatten().cloned().collect();
    let mut summary = Summary {
        definition,
        coverage,
        checker,
        unread: BTreeMap::new(),
        records,
        led,
    };
    summary.find_unread();
    let mut tallies = std::mem::take(&mut summary.checker.fields);
    let rules = 0..definition.rules.len();
    let rules =
        rules.map(|number| summary.rule(number, tallies.remove(&number).unwrap_or_default()));
    CheckReport {
        rules: rules.collect(),
        linked: summary.linked(),
        unread_types: summary.unread_types(),
        lone_links: summary.lone_links(),
        envelope: summary.missing_of_envelopes(),
        examples: examples(definition),
        types: summary
            .checker
            .keys
            .keys()
            .map(|(_, of)| of.clone())
            .collect(),
    }
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
        rules.filter(move |(_, rule)| rule.types.iter().any(|of| of == record_type))
    }

    fn is_led_to(&self, record_type: &str) -> bool {
        self.led.contains(record_type)
    }

    fn find_unread(&mut self) {
        let mut all: BTreeMap<String, Unread> = BTreeMap::new();
        for ((source, record_type), keys) in &self.checker.keys {
            let (read, links) = self.read(*source, record_type);
            let ignored = self.ignored(record_type);
            let unread = all.entry(record_type.clone()).or_default();
            let is_mapped = self.rules_for(record_type).next().is_some();
            if is_mapped || self.is_led_to(record_type) {
                unread.keys(keys, &read, &ignored);
            }
            // Links of a record can be read without any reference to that record.
            let links = if is_mapped {
                &links
            } else {
                &self.coverage.links
            };
            unread.links(keys, links, &ignored);
        }
        self.unread = all;
    }

    /// What is read from the records of a type.
    fn read(&self, source: usize, record_type: &str) -> (Tree, Links) {
        let (mut read, mut links) = (Tree::default(), self.coverage.other_links.clone());
        let envelope = &self.coverage.envelopes[source];
        let rules = self.rules_for(record_type);
        let rules = rules.map(|(number, _)| &self.coverage.rules[number].reads);
        let joins = self.definition.joins.iter().zip(&self.coverage.joins);
        let joins = joins.filter(|(join, _)| join.types.iter().any(|of| of == record_type));
        let joins = joins.map(|(_, reads)| reads);
        for reads in rules.chain(joins).chain([envelope]) {
            if let Some(tree) = reads.places.get(&Root::Record) {
                read.merge(tree);
            }
            links.merge(&reads.links);
        }
        for (root, tree) in self
            .coverage
            .rules
            .iter()
            .flat_map(|rule| &rule.reads.places)
        {
            if self.types(*root, &[]).any(|of| of == record_type) {
                read.merge(tree);
            }
        }
        // The types that references in envelopes lead to are not recorded.
        for (root, tree) in self.coverage.envelopes.iter().flat_map(|of| &of.places) {
            if *root != Root::Record {
                read.merge(tree);
            }
        }
        (read, links)
    }

    /// The types of the records that may have a place, for a rule that covers the types `own`.
    fn types<'s>(&'s self, root: Root, own: &'s [String]) -> impl Iterator<Item = &'s str> {
        let (own, led) = match root {
            Root::Record => (own, None),
            Root::Led(site) => (&[][..], self.checker.led.get(&site)),
        };
        own.iter()
            .chain(led.into_iter().flatten())
            .map(String::as_str)
    }

    /// The keys of a type that the mapping ignores on purpose.
    fn ignored(&self, record_type: &str) -> Ignored<'_> {
        let is_mapped = self.rules_for(record_type).next().is_some();
        let is_for = |rule: &&Rule| !is_mapped || rule.types.iter().any(|of| of == record_type);
        let rules = self.definition.rules.iter().filter(is_for);
        let ignored = rules.flat_map(|rule| &rule.ignored);
        ignored.chain(&self.definition.ignored).collect()
    }

    fn of_type<'s>(&'s self, record_type: &'s str) -> impl Iterator<Item = &'s Keys> {
        let all = self.checker.keys.iter();
        all.filter(move |((_, of), _)| of == record_type)
            .map(|(_, keys)| keys)
    }

    fn records(&self, record_type: &str) -> u64 {
        self.records.get(record_type).copied().unwrap_or_default()
    }

    fn rule(&self, number: usize, mut tallies: HashMap<String, FieldTally>) -> RuleReport {
        let rule = &self.definition.rules[number];
        let mut fields = Vec::new();
        for field in &self.coverage.rules[number].fields {
            let tally = tallies.remove(&field.name).unwrap_or_default();
            let expression = &self.definition.expressions[field.expression.0];
            let missing = self.missing(rule, field, &tally);
            fields.push(tally.report(field.name.clone(), Some(expression), missing));
        }
        let mut rest: Vec<(String, FieldTally)> = tallies.into_iter().collect();
        rest.sort_by(|a, b| a.0.cmp(&b.0));
        let rest = rest.into_iter();
        fields.extend(rest.map(|(name, tally)| tally.report(name, None, Vec::new())));
        RuleReport {
            kind: rule.kind.as_str(),
            types: rule.types.clone(),
            records: rule.types.iter().map(|of| self.records(of)).sum(),
            fields,
            unread: self.unread_of(number),
        }
    }

    /// The unread keys of the types that this rule is the first to cover.
    fn unread_of(&self, number: usize) -> Vec<UnreadKey> {
        let types = self.definition.rules[number].types.iter();
        let is_first = |of: &&String| {
            self.rules_for(of)
                .next()
                .is_some_and(|(at, _)| at == number)
        };
        let mut unread = Unread::default();
        for of_type in types.filter(is_first).filter_map(|of| self.unread.get(of)) {
            unread.merge(of_type);
        }
        unread.report()
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
            if !self.coverage.links.have(field) && !ignored.has(field, field) {
                unread.link(field, *count, first);
            }
        }
        unread.report()
    }

    /// The keys that a field asks for and no record has. A definition may try several keys because
    /// records differ, so its keys count only if the field was made but never filled.
    fn missing(&self, rule: &Rule, field: &FieldCoverage, tally: &FieldTally) -> Vec<MissingKey> {
        let is_never_filled = tally.filled == 0 && 0 < tally.null + tally.errors;
        let asked = field.asked.iter();
        let asked = asked.filter(|asked| asked.is_own || is_never_filled);
        let keys_of = |root| {
            let types = self.types(root, &rule.types);
            types.flat_map(|of| self.of_type(of)).collect()
        };
        let mut missing = Vec::new();
        for place in asked.filter_map(|asked| missing_of(asked, keys_of)) {
            let key = place.to_string();
            if missing.iter().all(|known: &MissingKey| known.key != key) {
                let suggestion = self.suggestion(place, self.types(place.root, &rule.types));
                missing.push(MissingKey { key, suggestion });
            }
        }
        missing.sort_by(|a, b| a.key.cmp(&b.key));
        missing
    }

    /// An unread key that may be the new name of a missing one, preferably in the same object.
    fn suggestion<'s>(
        &'s self,
        missing: &ValuePath,
        types: impl Iterator<Item = &'s str>,
    ) -> Option<String> {
        let missing = missing.to_string();
        let (around, name) = split(&missing);
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

    /// The keys that envelopes ask for and no record has, by the part that asks.
    fn missing_of_envelopes(&self) -> BTreeMap<&'static str, Vec<String>> {
        let mut missing: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for ((part, _), PartCoverage { sources, asked }) in &self.coverage.parts {
            let of_sources = |root| match root {
                Root::Record => {
                    let all = self.checker.keys.iter();
                    let of = all.filter(|((source, _), _)| sources.contains(source));
                    of.map(|(_, keys)| keys).collect()
                }
                Root::Led(_) => Vec::new(),
            };
            // Keys named only by a shared definition do not count: it may also serve other rows,
            // such as those of links.
            let own = asked.iter().filter(|asked| asked.is_own);
            let places = own.filter_map(|asked| missing_of(asked, of_sources));
            let of_part = missing.entry(*part).or_default();
            of_part.extend(places.map(ValuePath::to_string));
        }
        for keys in missing.values_mut() {
            keys.sort_unstable();
            keys.dedup();
        }
        missing.retain(|_, keys| !keys.is_empty());
        missing
    }
}

/// One of the places asked for, if no record has any of them although some record has an object
/// that could hold it.
fn missing_of<'a, 'k>(
    asked: &'a Asked,
    keys_of: impl Fn(Root) -> Vec<&'k Keys>,
) -> Option<&'a ValuePath> {
    let mut missing = None;
    for place in &asked.places {
        match has(keys_of(place.root), &place.steps) {
            Some(true) => return None,
            Some(false) => missing = missing.or(Some(place)),
            None => {}
        }
    }
    missing
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
            error: self.error.take(),
            missing,
        }
    }
}
