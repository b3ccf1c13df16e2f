//! What a command reports, as parts that are the same at a terminal and in a browser: facts,
//! tables, lists, changes and notes. [`facts`] are what programs get too.
//!
//! Commands say what there is. Only [`text`] and [`page`] know how it looks: where lines break, how
//! commands are completed and untrusted text is escaped, and what a form has no room for. Nothing
//! here knows a command.

pub mod coverage;
mod cut;
pub mod facts;
pub mod page;
pub mod text;
mod values;

use coverage::Coverage;

use crate::terminal::table::{Cell, Column};

pub use cut::{cut, width};

/// What a command found out or did, part by part.
#[derive(Default)]
pub struct Report<'a> {
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    Facts(Vec<(&'static str, Cell)>),
    Table(Table),
    List(List),
    Coverage(Vec<Coverage<'a>>),
    Changes(Changes<'a>),
    Note { text: String, is_apart: bool },
    Verbatim(String),
}

/// Rows under the headings of their columns.
struct Table {
    title: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// Rows of one or two cells under a title.
struct List {
    title: String,
    rows: Vec<Vec<Cell>>,
    /// How many rows are left out, which `--full` does not.
    more: u64,
}

/// Reads the records that changed; they may be as many as the catalogue has, so they are never all
/// in memory.
pub type ChangedRecords<'a> =
    Box<dyn Fn() -> Box<dyn Iterator<Item = anyhow::Result<ChangedRecord>> + 'a> + 'a>;

/// What changed in records.
pub struct Changes<'a> {
    /// Without it they are the changes of a single record, which needs no name.
    pub title: Option<String>,
    /// The records.
    pub records: ChangedRecords<'a>,
    /// How many records are left out.
    pub more: u64,
    /// Whether values are shown whole, however long.
    pub is_full: bool,
}

/// A record that changed.
#[derive(Debug)]
pub struct ChangedRecord {
    /// Its slug.
    pub slug: String,
    /// Its id.
    pub id: String,
    /// Its page in the content system.
    pub edit_url: Option<String>,
    /// What changed in it.
    pub changes: Vec<Changed>,
    /// How many changes are left out.
    pub more: usize,
}

/// A value that changed. One that was or is absent is none.
#[derive(Debug)]
pub struct Changed {
    /// Where it is in the record.
    pub path: String,
    /// What it was.
    pub old: Option<String>,
    /// What it is.
    pub new: Option<String>,
}

impl<'a> Report<'a> {
    /// A report of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A report of one sentence.
    pub fn of(note: impl Into<String>) -> Self {
        let mut report = Self::new();
        report.note(note);
        report
    }

    /// Adds the details of one thing, each beside its label, unless there are none.
    pub fn facts(
        &mut self,
        facts: impl IntoIterator<Item = (&'static str, impl Into<Cell>)>,
    ) -> &mut Self {
        let facts = facts.into_iter();
        let facts: Vec<_> = facts.map(|(label, value)| (label, value.into())).collect();
        if facts.is_empty() {
            return self;
        }
        self.add(Part::Facts(facts))
    }

    /// Adds a table; its title may be empty.
    pub fn table<const COLUMNS: usize>(
        &mut self,
        title: impl Into<String>,
        columns: [impl Into<Column>; COLUMNS],
        rows: impl IntoIterator<Item = [impl Into<Cell>; COLUMNS]>,
    ) -> &mut Self {
        self.add(Part::Table(Table {
            title: title.into(),
            columns: columns.map(Into::into).into(),
            rows: cells(rows),
        }))
    }

    /// Adds a list under its title, unless there is nothing to list. Its rows have one cell or two;
    /// `more` are left out.
    pub fn list<const CELLS: usize>(
        &mut self,
        title: impl Into<String>,
        rows: impl IntoIterator<Item = [impl Into<Cell>; CELLS]>,
        more: u64,
    ) -> &mut Self {
        let rows = cells(rows);
        if rows.is_empty() && more == 0 {
            return self;
        }
        let title = title.into();
        self.add(Part::List(List { title, rows, more }))
    }

    /// Adds how many records have each field.
    pub fn coverage(&mut self, of_kinds: impl IntoIterator<Item = Coverage<'a>>) -> &mut Self {
        self.add(Part::Coverage(of_kinds.into_iter().collect()))
    }

    /// Adds what changed in records.
    pub fn changes(&mut self, changes: Changes<'a>) -> &mut Self {
        self.add(Part::Changes(changes))
    }

    /// Adds a sentence that stands apart from what is above it.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Self {
        let (text, is_apart) = (text.into(), true);
        self.add(Part::Note { text, is_apart })
    }

    /// Adds a sentence on the line below the last one.
    pub fn line(&mut self, text: impl Into<String>) -> &mut Self {
        let (text, is_apart) = (text.into(), false);
        self.add(Part::Note { text, is_apart })
    }

    /// Adds sentences, each on a line of its own, that stand apart from what is above them.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        for (place, line) in lines.into_iter().enumerate() {
            match place {
                0 => self.note(line),
                _ => self.line(line),
            };
        }
        self
    }

    /// Adds a line that is never broken, since it is to be copied.
    pub fn verbatim(&mut self, line: impl Into<String>) -> &mut Self {
        self.add(Part::Verbatim(line.into()))
    }

    /// How many parts it has.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    fn add(&mut self, part: Part<'a>) -> &mut Self {
        self.parts.push(part);
        self
    }
}

fn cells<const CELLS: usize>(
    rows: impl IntoIterator<Item = [impl Into<Cell>; CELLS]>,
) -> Vec<Vec<Cell>> {
    let rows = rows.into_iter();
    rows.map(|row| row.map(Into::into).into()).collect()
}
