//! Findings: everything that is wrong with an export, collected rather than stopped at.
//!
//! A finding is a result of validation, not an error of the program. Counts are always exact; only
//! the list is cut, and it keeps errors in preference to warnings.

mod causes;
mod code;
mod count_and_first;
mod excerpt;
mod findings;
mod kind;
mod mistake;
pub(crate) mod nearest;
mod origins;
mod place;
pub mod report;

use std::sync::Arc;

use shared::base::field_path::FieldPath;

pub use self::causes::{Cause, EXAMPLES_MAX};
pub use self::code::{Blame, Code, Severity};
pub use self::count_and_first::CountAndFirst;
pub use self::excerpt::Excerpt;
pub use self::findings::{Findings, LISTED_DEFAULT};
pub use self::kind::Kind;
pub use self::mistake::Mistake;
pub use self::nearest::nearest;
pub(crate) use self::origins::{Origins, RuleOrigins};
pub(crate) use self::place::BYTE_ORDER_MARK;
pub use self::place::{ExportFile, Line, Made, Nth, Place, Start};

/// How many characters of an offending value are shown.
pub const VALUE_MAX: usize = 200;

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of problem it is; decides the severity.
    pub code: Code,
    /// The file and line; `None` if the finding is about the export as a whole.
    pub place: Option<Place>,
    /// From 1, in characters; `None` if no single place is wrong.
    pub column: Option<usize>,
    /// What is known of the record's kind and id.
    pub record: Option<RecordName>,
    /// The way to the value within the record.
    pub path: Option<FieldPath<'static>>,
    /// The offending value, cut at [`VALUE_MAX`] characters.
    pub value: Option<String>,
    /// What is wrong, for people.
    pub message: String,
    /// What to do about it, if known.
    pub hint: Option<String>,
    /// The mapping rule that made the record, if one did.
    pub rule: Option<u32>,
    /// The part of a mapping that makes the value, if one does.
    pub origin: Option<String>,
    /// The text around the place in its line.
    pub excerpt: Option<Excerpt>,
}

/// How messages name a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordName {
    /// What it is.
    pub kind: Kind,
    /// Its id, if that could be read.
    pub id: Option<String>,
    /// What people call it: the model of a boat, the name of any other.
    pub name: Option<String>,
    /// How many boats are left out because they refer to it.
    pub left_out: u64,
}

impl RecordName {
    /// A record of which only the kind is known.
    pub fn of_kind(kind: Kind) -> Self {
        Self {
            kind,
            id: None,
            name: None,
            left_out: 0,
        }
    }

    /// What it costs, if anything: `13 boats are left out with it`.
    pub fn cost(&self) -> Option<String> {
        match self.left_out {
            0 => None,
            1 => Some("1 boat is left out with it".to_owned()),
            boats => Some(format!("{boats} boats are left out with it")),
        }
    }
}

impl Finding {
    /// A finding about a place, or the export, as a whole.
    pub fn new(code: Code, place: Option<Place>, message: impl Into<String>) -> Self {
        Self {
            code,
            place,
            column: None,
            record: None,
            path: None,
            value: None,
            message: message.into(),
            hint: None,
            rule: None,
            origin: None,
            excerpt: None,
        }
    }

    /// A finding about a file, or a line of it.
    pub(crate) fn in_file(
        code: Code,
        file: &Arc<ExportFile>,
        line: Option<u64>,
        message: impl Into<String>,
    ) -> Self {
        let place = Place {
            file: Arc::clone(file),
            start: line.map(Start::from),
        };
        Self::new(code, Some(place), message)
    }

    /// The finding with this hint.
    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }

    /// Whether this is an error that remains when its record is left out.
    fn blocks_import(&self) -> bool {
        let kind = self.record.as_ref().map(|record| record.kind);
        let blames_export = self.code.blame() == Blame::Export || kind == Some(Kind::Catalogue);
        self.code.severity() == Severity::Error && blames_export
    }

    /// Approximate size in memory, in bytes.
    fn size(&self) -> usize {
        let record = self.record.iter();
        let record = record.flat_map(|record| [&record.id, &record.name]);
        let texts = [&self.value, &self.hint, &self.origin];
        let texts = texts.into_iter().chain(record).flatten();
        let excerpt = self.excerpt.as_ref().map(|excerpt| &excerpt.text);
        let texts = texts.chain(excerpt).chain([&self.message]);
        let path = self.path.as_ref().map_or(0, FieldPath::size);
        size_of::<Self>() + path + texts.map(String::capacity).sum::<usize>()
    }

    /// Sorts errors before warnings, then by file, line and column; findings about the export as a
    /// whole come last.
    fn order(&self) -> impl Ord + '_ {
        let place = self.place.as_ref().map(|place| (&place.file, place.start));
        let severity = self.code.severity();
        (severity, place.is_none(), place, self.column)
    }
}

/// Cuts `value` to at most [`VALUE_MAX`] characters.
pub fn cut(value: &str) -> String {
    match value.char_indices().nth(VALUE_MAX) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
    }
}

/// How many are not named, as in `2 others`.
pub(crate) fn others(count: usize) -> String {
    let noun = if count == 1 { "other" } else { "others" };
    format!("{count} {noun}")
}

/// The first of some names, and how many others there are.
pub(crate) fn listed(names: impl Iterator<Item = String>, max: usize) -> String {
    let mut names: Vec<String> = names.collect();
    if max < names.len() {
        let rest = format!("and {}", others(names.len() - max));
        names.truncate(max);
        names.push(rest);
    }
    names.join(", ")
}

#[cfg(test)]
mod tests;
