//! The document of a shipped mapping while it is fitted: where its parts stand in its text, and the
//! edits of these places. All else stays as it is, comments and order included.
//!
//! Lines that are left out become comments, which no writer of TOML knows: so the text is edited by
//! the places that its reader tells. Nothing here knows what a part means.

use std::ops::Range;

use anyhow::anyhow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place.
pub(super) type Placed<'t> = Spanned<DeValue<'t>>;

/// A mapping with the places of its parts.
pub(super) struct Document<'t> {
    text: &'t str,
    root: DeTable<'t>,
}

/// Edits of a text.
pub(super) struct Edits<'t> {
    text: &'t str,
    /// Ranges of it, with their replacements.
    made: Vec<(Range<usize>, String)>,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str) -> anyhow::Result<Self> {
        let root = DeTable::parse(text);
        let root = root.map_err(|error| anyhow!("the draft is not TOML: {error}"))?;
        Ok(Self {
            text,
            root: root.into_inner(),
        })
    }

    /// A part of the text.
    pub(super) fn text(&self, span: Range<usize>) -> &'t str {
        &self.text[span]
    }

    /// The value of a key in a table.
    pub(super) fn value(&self, table: &[&str], key: &str) -> Option<&Placed<'t>> {
        self.table(table)?.get(key)
    }

    /// The table at a path.
    pub(super) fn table(&self, path: &[&str]) -> Option<&DeTable<'t>> {
        let mut steps = path.iter();
        steps.try_fold(&self.root, |table, step| {
            table.get(*step)?.get_ref().as_table()
        })
    }

    /// The members of a list of tables.
    pub(super) fn list(&self, key: &str) -> impl Iterator<Item = &Placed<'t>> {
        let list = self
            .root
            .get(key)
            .and_then(|list| list.get_ref().as_array());
        list.into_iter().flatten()
    }

    /// All of a table that has a header of its own, with the tables in it.
    pub(super) fn section(&self, table: &Placed<'_>) -> Range<usize> {
        let start = table.span().start;
        let mut own = Vec::new();
        self.add_headers(table, &mut own);
        let all = self.headed().into_iter();
        let ends = all.map(|table| table.span().start);
        let end = ends.filter(|end| start < *end && !own.iter().any(|of| of.span().start == *end));
        start..end.min().unwrap_or(self.text.len())
    }

    /// The table with a header whose list is made by the expression at this place.
    pub(super) fn list_made_by(&self, span: &Range<usize>) -> Option<&Placed<'t>> {
        let makes = |table: &&Placed<'_>| {
            let table = table.get_ref().as_table();
            let each = table.and_then(|table| table.get("each"));
            each.is_some_and(|each| each.span() == *span)
        };
        self.headed().into_iter().find(makes)
    }

    /// The tables that have a header of their own.
    fn headed(&self) -> Vec<&Placed<'t>> {
        let mut all = Vec::new();
        for (_key, value) in &self.root {
            self.add_headers(value, &mut all);
        }
        all
    }

    fn add_headers<'v, 'i>(&self, value: &'v Placed<'i>, all: &mut Vec<&'v Placed<'i>>) {
        match value.get_ref() {
            DeValue::Table(table) => {
                if self.text[value.span()].starts_with('[') {
                    all.push(value);
                }
                for (_key, value) in table {
                    self.add_headers(value, all);
                }
            }
            DeValue::Array(members) => {
                for member in members {
                    self.add_headers(member, all);
                }
            }
            _ => {}
        }
    }
}

impl<'t> Edits<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        let made = Vec::new();
        Self { text, made }
    }

    /// Replaces a part of the text.
    pub(super) fn replace(&mut self, span: Range<usize>, instead: impl Into<String>) {
        self.made.push((span, instead.into()));
    }

    /// Drops the lines of a part.
    pub(super) fn remove_lines(&mut self, span: &Range<usize>) {
        let lines = self.lines(span);
        self.replace(lines, "");
    }

    /// Turns the lines of a part into comments.
    pub(super) fn comment_out(&mut self, span: &Range<usize>) {
        let lines = self.lines(span);
        let comment = |line: &str| match line.trim() {
            "" => line.to_owned(),
            _ if line.starts_with('#') => line.to_owned(),
            _ => format!("# {line}"),
        };
        let commented = self.text[lines.clone()].split_inclusive('\n');
        let commented: String = commented.map(comment).collect();
        self.replace(lines, commented);
    }

    /// The text with all edits; one within another is dropped.
    pub(super) fn finish(mut self) -> String {
        self.made
            .sort_by_key(|(span, _)| (span.start, usize::MAX - span.end));
        let (mut edited, mut at) = (String::with_capacity(self.text.len()), 0);
        for (span, instead) in self.made {
            if at <= span.start {
                edited.push_str(&self.text[at..span.start]);
                edited.push_str(&instead);
                at = span.end;
            }
        }
        edited.push_str(&self.text[at..]);
        edited
    }

    /// The whole lines of a part.
    fn lines(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        if self.text[..span.end].ends_with('\n') {
            return start..span.end;
        }
        let rest = self.text[span.end..].find('\n');
        start..rest.map_or(self.text.len(), |at| span.end + at + 1)
    }
}

/// A text in quotation marks, which TOML and jq read as JSON does.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
