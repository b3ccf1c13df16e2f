//! The rules of a draft for what `catalogue export` writes as CSV or Parquet: each column is the
//! field that it is called like, so an import publishes the same boats.
//!
//! The columns come from the native format, so a field that is new there is in the draft as well.

use std::collections::BTreeMap;

use crate::finding::Kind;
use crate::format::{self, Field, Shape, Target};
use crate::suggest::survey::{Key, Surveyed};
use crate::suggest::text::{jq_path, line, quoted};

/// The length of a boat, which nearly always has decimals.
const LENGTH: &str = "lengthOverallMetres";
/// Columns that no other list has together.
const SIGNS: [&str; 4] = ["manufacturer.id", "type.id", "production.firstYear", LENGTH];
/// Fields of boats that the envelope makes, or that an export lacks.
const APART: [&str; 4] = ["kind", "id", "published", "updatedAt"];

/// A table that `catalogue export` wrote.
pub(super) struct Own {
    /// Whether columns are flat, with numbers and lists in texts of JSON.
    is_flat: bool,
    /// Whether a spreadsheet has written a comma before decimals.
    has_commas: bool,
    /// The fields of boats with their expressions.
    fields: Vec<(String, String)>,
    /// What yields the records that boats refer to.
    referred: BTreeMap<(&'static str, &'static str), Vec<String>>,
}

impl Own {
    pub(super) fn of(file: &Surveyed) -> Option<Self> {
        let has = |sign: &&str| file.keys.iter().any(|key| key.steps.join(".") == *sign);
        if !SIGNS.iter().all(has) {
            return None;
        }
        let is_length = |key: &&Key| key.steps.join(".") == LENGTH;
        let length = file.keys.iter().find(is_length);
        let mut own = Self {
            has_commas: length.is_some_and(|key| key.samples.iter().any(|of| of.contains(','))),
            is_flat: file.keys.iter().all(|key| key.steps.len() == 1),
            fields: Vec::new(),
            referred: BTreeMap::new(),
        };
        for field in format::fields(Kind::Boat) {
            if !APART.contains(&field.key) {
                own.add(field, &[]);
            }
        }
        Some(own)
    }

    fn add(&mut self, field: &'static Field, within: &[&str]) {
        let path = [within, &[field.key]].concat();
        let column = self.column(&path);
        let suffix = if self.is_flat { " | json" } else { "" };
        let read = match &field.shape {
            Shape::Object(fields) | Shape::Part(fields) => {
                fields.iter().for_each(|field| self.add(field, &path));
                return;
            }
            Shape::SameLength | Shape::Derived { .. } => return,
            Shape::Reference(target) => {
                self.refer(*target, self.object(&path, *target));
                self.column(&[&path[..], &["id"]].concat())
            }
            Shape::List(member) => {
                let list = format!("{column}{suffix}");
                if let Shape::Reference(target) = member {
                    self.refer(*target, format!("({list} | many[])"));
                    format!("[{list} | many[] | .id]")
                } else {
                    list
                }
            }
            Shape::Length | Shape::Number { .. } | Shape::Integer { .. } if self.has_commas => {
                format!("{column} | number(\",\")")
            }
            Shape::Flag | Shape::Length | Shape::Number { .. } | Shape::Integer { .. } => {
                format!("{column}{suffix}")
            }
            _ => column,
        };
        self.fields.push((path.join("."), read));
    }

    fn refer(&mut self, target: Target, records: String) {
        let vocabulary = match target {
            Target::Term(vocabulary) => vocabulary.as_str(),
            Target::Manufacturer | Target::Designer => "",
        };
        let of = (target.kind().as_str(), vocabulary);
        self.referred.entry(of).or_default().push(records);
    }

    /// The expression for a column.
    fn column(&self, path: &[&str]) -> String {
        let names: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
        jq_path(&if self.is_flat {
            vec![names.join(".")]
        } else {
            names
        })
    }

    /// What yields the record that an object has the fields of, if there is one.
    fn object(&self, path: &[&str], target: Target) -> String {
        if !self.is_flat {
            return format!("({} | values)", self.column(path));
        }
        let fields = columns_of(target.kind().as_str()).iter();
        let fields =
            fields.map(|name| format!("{name}: {}", self.column(&[path, &[*name]].concat())));
        let fields: Vec<String> = fields.collect();
        format!("({{{}}} | select(.id != null))", fields.join(", "))
    }

    /// Whether a line reads the column with this name, or one within it.
    pub(super) fn reads(&self, column: &str) -> bool {
        let is_within = |(field, _): &(String, String)| {
            let rest = column.strip_prefix(field.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        column == "id" || self.fields.iter().any(is_within)
    }

    /// Appends the rules for boats, and for what they refer to; `rule` begins one.
    pub(super) fn rules(&self, rule: &dyn Fn(&str, &mut String), text: &mut String) {
        rule("boat", text);
        text.push_str("\n[emit.fields]\n");
        for (field, read) in &self.fields {
            line(text, field, &quoted(read));
        }
        for ((kind, vocabulary), records) in &self.referred {
            rule(kind, text);
            line(text, "each", &quoted(&format!("[{}]", records.join(", "))));
            text.push_str("\n[emit.fields]\n");
            if !vocabulary.is_empty() {
                line(text, "vocabulary", &quoted(&format!("\"{vocabulary}\"")));
            }
            for name in columns_of(kind) {
                line(text, name, &quoted(&format!(".{name}")));
            }
        }
    }
}

/// The fields of a record that is shown within boats.
fn columns_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "manufacturer" => &["id", "slug", "name", "website"],
        "designer" => &["id", "name", "website"],
        _ => &["id", "slug", "name"],
    }
}
