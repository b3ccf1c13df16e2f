//! How many records have each field.
//!
//! Most of the ninety fields are unremarkable, so at a terminal people see only the number of fields
//! that every record has, and the others grouped by the object they belong to, in lines that fit a
//! narrow one.

use shared::base::render::coverage::is_member;
use shared::release::manifest::FieldCount;

use crate::terminal::Terminal;
use crate::terminal::share::Share;
use crate::terminal::wrap;

/// Begins each line below the first.
const INDENT: &str = "  ";
/// Between words that stay on one line.
const NO_BREAK: &str = "\u{a0}";

/// How many records of a kind have each field.
#[derive(Clone, Copy, Debug)]
pub struct Coverage<'a> {
    /// The kind, in the singular.
    pub kind: &'static str,
    /// How many records there are.
    pub records: u64,
    /// Their fields.
    pub fields: &'a [FieldCount],
    /// Those of the release to compare with, and its number of records.
    pub before: Option<(&'a [FieldCount], u64)>,
}

impl Coverage<'_> {
    /// The share of records that have a field.
    pub(super) fn share(&self, field: &FieldCount) -> Share {
        Share::of(field.present, self.records)
    }

    /// The share of records that had a field before.
    pub(super) fn share_before(&self, field: &FieldCount) -> Option<Share> {
        let (fields, records) = self.before?;
        let field = fields.iter().find(|before| before.path == field.path)?;
        Some(Share::of(field.present, records))
    }
}

/// Field coverage in lines; leaves out kinds without records.
pub(super) fn text(of_kinds: &[Coverage<'_>], terminal: Terminal) -> String {
    let width = wrap::width(terminal);
    let of_kinds = of_kinds.iter();
    let texts = of_kinds.map(|of| of_kind(of.kind, of.records, of.fields, width));
    texts.collect()
}

fn of_kind(kind: &str, records: u64, fields: &[FieldCount], width: usize) -> String {
    if records == 0 {
        return String::new();
    }
    let fields = telling(fields);
    let in_every = fields.iter().filter(|field| field.present == records);
    let in_none: Vec<&str> = fields
        .iter()
        .filter(|field| field.present == 0)
        .map(|field| &*field.path)
        .collect();
    let in_some = fields
        .iter()
        .filter(|field| field.present != 0 && field.present != records);
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for field in in_some {
        let (group, name) = field.path.split_once('.').unwrap_or((kind, &field.path));
        let share = Share::of(field.present, records);
        let item = format!("{name}{NO_BREAK}{share}");
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, items)) => items.push(item),
            None => groups.push((group, vec![item])),
        }
    }
    if !in_none.is_empty() {
        let names = in_none.iter().map(|&name| name.to_owned()).collect();
        groups.push(("in none", names));
    }
    let others = if groups.is_empty() {
        "."
    } else {
        ", the others in % of records:"
    };
    let title = format!(
        "Fields of {kind}s: {} in every record{others}",
        in_every.count()
    );
    let mut text = wrap::wrap_at(width, &title, 0);
    text.push('\n');
    let label_width = groups.iter().map(|(group, _)| group.len()).max();
    let label_width = label_width.unwrap_or(0);
    for (group, items) in &groups {
        let items = items.join(", ");
        let line = format!("{INDENT}{group:label_width$}  {items}");
        let indent = INDENT.len() + label_width + 2;
        text.push_str(&wrap::wrap_at(width, &line, indent).replace(NO_BREAK, " "));
        text.push('\n');
    }
    text
}

/// The fields worth showing: leaves out members of an object that are present exactly when the
/// object is.
fn telling(fields: &[FieldCount]) -> Vec<&FieldCount> {
    let mut telling: Vec<&FieldCount> = Vec::new();
    for field in fields {
        let says_the_same = |object: &&FieldCount| {
            is_member(&field.path, &object.path) && field.present == object.present
        };
        if !telling.iter().any(says_the_same) {
            telling.push(field);
        }
    }
    telling
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(path: &str, present: u64) -> FieldCount {
        FieldCount {
            path: path.to_owned(),
            present,
            fractional: false,
        }
    }

    #[test]
    fn fields_are_summed_up_where_they_say_nothing() {
        let fields = [
            field("id", 1000),
            field("version", 1),
            field("image", 999),
            field("image.url", 999),
            field("image.alt", 500),
            field("hull.type", 0),
            field("hull.type.id", 0),
            field("gallery", 0),
        ];
        let expected = "\
Fields of boats: 1 in every record, the others in % of records:
  boat     version <1, image 99
  image    alt 50
  in none  hull.type, gallery
";
        assert_eq!(of_kind("boat", 1000, &fields, wrap::WIDTH), expected);
        let all = of_kind("boat", 1000, &fields[..1], wrap::WIDTH);
        assert_eq!(all, "Fields of boats: 1 in every record.\n");
        assert_eq!(of_kind("boat", 0, &fields, wrap::WIDTH), "");
    }

    #[test]
    fn no_line_is_wider_than_a_narrow_terminal() {
        let fields: Vec<FieldCount> = (0..200).map(|n| field(&format!("hull.f{n}"), 1)).collect();
        for line in [60, wrap::WIDTH] {
            let text = of_kind("boat", 3, &fields, line);
            let widths = || text.lines().skip(1).map(str::len);
            assert!(widths().all(|width| width <= line), "{text}");
            assert!(widths().any(|width| line - 3 <= width), "{text}");
            let shares = text.matches("33").count();
            assert_eq!(shares, 200 + 1 + 1, "f33, f133, and each share");
        }
    }
}
