//! Warnings about many records at once: things that may be wrong with an export or its mapping
//! although every record can be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::finding::nearest;
use crate::finding::{Code, CountAndFirst, ExportFile, Finding, Place, cut, listed, others};
use crate::mapping::definition::Role;
use crate::mapping::expression::keys_named;
use crate::mapping::index::{ErrorCells, Index, Reading, Unknown};
use crate::mapping::mapper::identify::absent_hint;
use crate::mapping::{Mapping, line_of};
use crate::source::{FilesRead, GroupFiles};

/// The most types of records, or keys of them, that a warning names.
const NAMED_MAX: usize = 8;

/// The most files that are not read that a warning names besides the first.
const FILES_NAMED: usize = 5;

/// Everything that was read and the warnings about it.
pub(super) struct Warnings<'a> {
    pub(super) mapping: &'a Mapping,
    pub(super) mapping_file: Arc<ExportFile>,
    pub(super) index: &'a Index,
    pub(super) files: &'a FilesRead,
    pub(super) findings: Vec<Finding>,
}

impl Warnings<'_> {
    /// All warnings, in the order of their subjects.
    pub(super) fn about(mut self, reading: &Reading) -> Vec<Finding> {
        self.unidentified(&reading.unidentified);
        self.error_cells(&reading.error_cells);
        self.status_keys(&reading.status_keys);
        // Whatever is missing may be in the part of a file that was cut off.
        if !self.files.is_damaged {
            self.empty_sections(reading);
            self.published_keys(reading);
            self.empty_joins(&reading.types);
            self.missing_types(&reading.types);
            self.missed_files();
            self.unread_lists();
        }
        self.findings
    }

    fn unidentified(&mut self, noted: &CountAndFirst<Unknown>) {
        let several = |count| format!("{count} records, from here on, were");
        let Some((first, records)) = noted.told("1 record was", several) else {
            return;
        };
        let message = format!("{records} without a key or a type, and not read");
        let place = Some(first.place.clone());
        let finding = Finding::new(Code::RecordsUnidentified, place, message);
        let finding = match self.absent(first) {
            Some(hint) => finding.hint(&hint),
            None => finding,
        };
        self.findings.push(finding);
    }

    /// Which key a record does not have that an envelope reads for its key or its type. An expression
    /// that names several may do without some of them.
    fn absent(&self, record: &Unknown) -> Option<String> {
        let definition = &self.mapping.definition;
        let [source] = definition.sources.as_slice() else {
            return None;
        };
        let keys: Vec<&str> = record.keys.iter().map(String::as_str).collect();
        let parts = [
            ("key", source.envelope.key),
            ("type", source.envelope.record_type),
        ];
        parts.into_iter().find_map(|(part, expression)| {
            let named = keys_named(&definition.expressions[expression?.0].code, "");
            let mut own = named.iter().filter(|(_, is_key)| **is_key);
            let (key, _) = own.next().filter(|_| own.next().is_none())?;
            let is_absent = !keys.contains(&key.as_str());
            is_absent.then(|| absent_hint(part, key, &keys))
        })
    }

    fn error_cells(&mut self, noted: &ErrorCells) {
        let Some((place, first)) = &noted.records.first else {
            return;
        };
        let message = match noted.cells {
            1 => format!("a value is {first}, an error of a spreadsheet; it counts as empty"),
            count => format!(
                "{count} values, from here on, are errors of a spreadsheet such as {first}; they count as empty"
            ),
        };
        let finding = Finding::new(Code::SpreadsheetError, Some(place.clone()), message);
        self.findings.push(finding);
    }

    /// Warns of something at an offset in the mapping file.
    fn at_offset(&mut self, code: Code, offset: usize, message: String) {
        let line = Some(line_of(&self.mapping.text, offset));
        let finding = Finding::in_file(code, &self.mapping_file, line, message);
        self.findings.push(finding);
    }

    fn empty_sections(&mut self, reading: &Reading) {
        let definition = &self.mapping.definition;
        for (index, group) in definition.plan.groups.iter().enumerate() {
            let patterns = group.names.words().join(", ");
            let role = definition.role(index);
            let (code, message) = match (self.files.groups.get(&index), role) {
                (None, _) => (
                    Code::SourceWithoutFiles,
                    format!("no file of the export is called {patterns}"),
                ),
                (Some(GroupFiles::Read), Role::Records(source))
                    if !reading.sources.contains(&source) =>
                {
                    (
                        Code::SourceWithoutRecords,
                        format!(
                            "the files called {patterns} have no record that could be identified"
                        ),
                    )
                }
                (Some(GroupFiles::Read), Role::Links) if !reading.has_links => (
                    Code::SourceWithoutRecords,
                    format!("the files called {patterns} have no link"),
                ),
                (Some(_), _) => continue,
            };
            let section = definition.section_of(role);
            self.at_offset(code, section.map_or(0, |span| span.start), message);
        }
    }

    /// Tells of keys that decide what is published and that no record has: they may have been
    /// renamed, and drafts may pass for published records. Every row of a table has all columns, so
    /// there it is an error. Types that no rule covers are skipped.
    fn published_keys(&mut self, reading: &Reading) {
        let definition = &self.mapping.definition;
        let is_mapped = |name: &str| definition.rules.iter().any(|rule| rule.is_for(name));
        for ((source, record_type), found) in &reading.published_keys {
            let layout = definition.layout_of(Role::Records(*source));
            let is_table = layout.is_some_and(|layout| layout.format.is_table());
            let (code, what) = if is_table {
                (Code::PublishedColumnNotFound, "column")
            } else {
                (Code::PublishedKeyNotFound, "key")
            };
            let source = &definition.sources[*source];
            let Some(published) = source.envelope.published.filter(|_| is_mapped(record_type))
            else {
                continue;
            };
            for (key, _) in found.iter().filter(|(_, is_found)| !**is_found) {
                let key = cut(key);
                let message = format!(
                    "no record of the type `{}` has the {what} `{key}`, which `published` asks for",
                    cut(record_type)
                );
                let span = &definition.expressions[published.0].span;
                self.at_offset(code, span.start, message);
            }
        }
    }

    /// Warns of keys called like a status that the mapping does not name, not even in a comment: what
    /// was added to the export to withhold a record would do nothing.
    fn status_keys(&mut self, keys: &BTreeMap<String, Place>) {
        // TOML may have quotes behind backslashes.
        let mapping = self.mapping.text.replace("\\\"", "\"");
        let unread = keys.iter().filter(|(key, _)| !is_named_in(&mapping, key));
        let unread: Vec<_> = unread.collect();
        let Some((_, place)) = unread.first() else {
            return;
        };
        let named = unread.iter().map(|(key, _)| format!("`{}`", cut(key)));
        let message = format!(
            "the mapping does not name {}, which may say that a record is not public",
            listed(named, NAMED_MAX)
        );
        let place = Some((*place).clone());
        self.findings
            .push(Finding::new(Code::StatusKeyNotRead, place, message));
    }

    /// Warns of joins whose records all refer to nothing: the key they ask for may have been
    /// renamed. Missing types are reported by [`Self::missing_types`].
    fn empty_joins(&mut self, found: &BTreeMap<String, u64>) {
        let definition = &self.mapping.definition;
        for join in &definition.joins {
            let mut types = join.types.iter();
            if self.index.has_joined(&join.name) || !types.any(|name| found.contains_key(name)) {
                continue;
            }
            let name = &join.name;
            let code = cut(definition.expressions[join.to.0].code.trim());
            let message = format!(
                "no published record refers to another one by [joins.{name}], which asks for `{code}`"
            );
            self.at_offset(Code::JoinWithoutRecords, join.span.start, message);
        }
    }

    /// Warns of types that a rule or a join covers and no record has: they may have been renamed.
    fn missing_types(&mut self, types: &BTreeMap<String, u64>) {
        let definition = &self.mapping.definition;
        let rules = definition.rules.iter();
        let joins = definition.joins.iter();
        let sections: Vec<(&Vec<String>, &Range<usize>)> = rules
            .map(|rule| (&rule.types, &rule.span))
            .chain(joins.map(|join| (&join.types, &join.span)))
            .collect();
        let wanted = || sections.iter().flat_map(|(types, _)| *types);
        let others = types
            .keys()
            .filter(|name| !wanted().any(|wanted| wanted == *name));
        let others: Vec<&str> = others.map(String::as_str).collect();
        for (wanted, span) in &sections {
            for name in wanted.iter().filter(|name| !types.contains_key(*name)) {
                let message = missing_type(name, &others, types);
                self.at_offset(Code::TypeNotFound, span.start, message);
            }
        }
    }

    /// Warns of files that may hold records and that no section reads.
    fn missed_files(&mut self) {
        let Some((first, more)) = self.files.missed.split_first() else {
            return;
        };
        let named: Vec<&str> = more
            .iter()
            .take(FILES_NAMED)
            .map(|file| &*file.name)
            .collect();
        let dots = if named.len() < more.len() {
            ", …"
        } else {
            ""
        };
        let message = match more.len() {
            0 => "no section of the mapping reads this file".to_owned(),
            count => format!(
                "no section of the mapping reads this file, nor {}: {}{dots}",
                others(count),
                named.join(", ")
            ),
        };
        let finding = Finding::in_file(Code::FileNotRead, first, None, message);
        let hint = "name what is wanted in `files` of a [[sources]], and what is not in `ignore` \
                    at the top of the mapping";
        self.findings.push(finding.hint(hint));
    }

    /// Warns of lists beside those that are read.
    fn unread_lists(&mut self) {
        let files = self.files;
        for (list, (file, count)) in &files.unread_lists {
            let files = match count - 1 {
                0 => String::new(),
                1 => " of this file and of 1 other".to_owned(),
                more => format!(" of this file and of {more} others"),
            };
            let message = format!(
                "no section of the mapping reads the list `{}`{files}",
                cut(list)
            );
            let finding = Finding::in_file(Code::ListNotRead, file, None, message);
            let hint = "name it in `records` of a [[sources]] if it is wanted, and in its `ignore` \
                        if not";
            self.findings.push(finding.hint(hint));
        }
    }
}

/// Whether a mapping names a key, as `.key`, `."key"` or `"key"` in brackets, but not as that of a table.
fn is_named_in(mapping: &str, key: &str) -> bool {
    let quoted = serde_json::Value::from(key).to_string();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_path = |named: &str| {
        mapping.match_indices(named).any(|(at, _)| {
            let (before, after) = (&mapping[..at], &mapping[at + named.len()..]);
            !before.ends_with("[tables") && !after.starts_with(is_word)
        })
    };
    let is_in_brackets = mapping.match_indices(&quoted).any(|(at, _)| {
        let before = &mapping[..at];
        before.ends_with(['[', '(']) && !before.ends_with("lookup(")
    });
    is_path(&format!(".{key}")) || is_path(&format!(".{quoted}")) || is_in_brackets
}

fn missing_type(name: &str, others: &[&str], types: &BTreeMap<String, u64>) -> String {
    let message = format!("no record is of the type `{}`", cut(name));
    if let Some(near) = nearest(name, others) {
        return format!("{message}; did you mean `{}`?", cut(near));
    }
    if others.is_empty() {
        return message;
    }
    let mut named = others.to_vec();
    named.sort_by_key(|name| Reverse(types[*name]));
    let named = named.into_iter().take(NAMED_MAX);
    let named: Vec<String> = named
        .map(|name| format!("{} ({})", cut(name), types[name]))
        .collect();
    format!("{message}; types that no rule is for: {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_names_a_key_wherever_it_says_so_and_not_in_the_name_of_a_table() {
        for named in [
            ".status",
            ".\"status\"",
            ".[\"status\"]",
            "has(\"status\")",
            "#   .status  3",
            ".status?",
            "published = \".status\"",
        ] {
            assert!(is_named_in(named, "status"), "{named}");
        }
        for other in [
            "[tables.status]",
            "lookup(\"status\")",
            ".statuses",
            ".status_2",
            "status",
        ] {
            assert!(!is_named_in(other, "status"), "{other}");
        }
        assert!(is_named_in("published = '.\"Hide me\" | not'", "Hide me"));
    }
}
