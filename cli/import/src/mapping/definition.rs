//! The contents of a mapping file as types: which files hold records, what identifies a record,
//! what accompanies it, and what is made of it.
//!
//! Expressions are stored as indices into one list, because each mapping thread compiles its own
//! copies.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use super::functions::plain::RichText;
use crate::finding::{Kind, cut};
use crate::source::{Format, Layout, Plan};

/// The version of the mapping language, which every mapping file must name.
pub(super) const FORMAT: &str = "boat-catalogue-mapping/1";

/// The value of a word in a vocabulary table that a person has yet to decide. No export is read
/// while a table has one.
pub(crate) const UNDECIDED: &str = "?";

/// The vocabulary table of the keys that may say that a record is not public, and that nothing
/// reads. No expression asks for it: a person writes true for each that was looked at.
pub(crate) const UNREAD_STATUS: &str = "unread_status";

/// The placeholder for a record's id in the template of its URL.
pub(super) const EDIT_ID: &str = "{id}";

/// A mapping file with valid syntax.
#[derive(Debug)]
pub(super) struct Definition {
    /// The operator's settings, which every expression sees as `$name`.
    pub(super) variables: Vec<(String, Value)>,
    /// The variables, other than `$record` and those above, that expressions use.
    pub(super) whereabouts: Vec<WhereVariable>,
    /// Definitions in jq, shared by all expressions.
    pub(super) prelude: Option<Expression>,
    /// Which files of an export are read: those of each source, then those of links.
    pub(super) plan: Plan,
    /// Records.
    pub(super) sources: Vec<Source>,
    /// Links between records, which some systems store separately.
    pub(super) links: Option<Links>,
    /// Lookups of records by what they refer to.
    pub(super) joins: Vec<Join>,
    /// Vocabulary tables by name.
    pub(super) tables: HashMap<String, Table>,
    /// What it says about rich text.
    pub(super) rich_text: RichText,
    /// Native records that do not depend on the export.
    pub(super) records: Vec<Constant>,
    /// Keys of any record that are known and ignored.
    pub(super) ignored: Vec<String>,
    /// The URL of a record's page in its content system, with `{id}` in place of its id.
    pub(super) edit_url: Option<String>,
    /// What is made of the records.
    pub(super) rules: Vec<Rule>,
    /// All expressions above except the prelude, by [`ExpressionId`].
    pub(super) expressions: Vec<Expression>,
}

impl Definition {
    /// Fills in the position of everything that findings name; `place` turns an offset into text
    /// for people.
    pub(super) fn locate(&mut self, place: impl Fn(usize) -> String) {
        for expression in &mut self.expressions {
            expression.place = place(expression.span.start);
        }
        for table in self.tables.values_mut() {
            table.place = place(table.span.start);
        }
    }

    /// The role that the files of a group of the plan have in the mapping.
    pub(super) fn role(&self, group: usize) -> Role {
        if group < self.sources.len() {
            Role::Records(group)
        } else {
            Role::Links
        }
    }

    /// How records are laid out in files with this role.
    pub(super) fn layout_of(&self, role: Role) -> Option<&Layout> {
        let group = match role {
            Role::Records(source) => source,
            Role::Links => self.sources.len(),
        };
        self.plan.groups.get(group).map(|group| &group.layout)
    }

    /// The position in the mapping file of the section that reads files with this role.
    pub(super) fn section_of(&self, role: Role) -> Option<&Range<usize>> {
        match role {
            Role::Records(source) => self.sources.get(source).map(|source| &source.section),
            Role::Links => self.links.as_ref().map(|links| &links.section),
        }
    }
}

/// A variable that tells where in the export a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhereVariable {
    /// The path of the record's file within the export.
    File,
    /// The path of the record's list within the file, as written in the mapping.
    List,
    /// The record's position in its list or file, starting at 1.
    Position,
}

impl WhereVariable {
    pub(super) const ALL: [Self; 3] = [Self::File, Self::List, Self::Position];

    /// Its name, without the `$`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::List => "list",
            Self::Position => "position",
        }
    }
}

/// A vocabulary table.
#[derive(Debug)]
pub(super) struct Table {
    /// From words to values.
    pub(super) words: HashMap<String, Value>,
    /// The position of its name in the mapping file, in bytes.
    pub(super) span: Range<usize>,
    /// The same position as text for people, once the file is known.
    pub(super) place: String,
}

/// An expression in jq and its position in the mapping file, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) code: String,
    pub(super) span: Range<usize>,
    /// The same position as text for people, once the file is known.
    pub(super) place: String,
}

/// As findings show it: the beginning of its code and its position.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", cut(self.code.trim()), self.place)
    }
}

/// The index of an expression in [`Definition::expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ExpressionId(pub(super) usize);

/// The role of a file in the mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It holds records of the source with this index.
    Records(usize),
    /// It holds links.
    Links,
}

/// All formats with their names in a mapping file.
pub(super) const FORMATS: [(&str, Format); 5] = [
    ("ndjson", Format::NDJSON),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("parquet", Format::Parquet),
    ("xml", Format::Xml),
];

/// Where a group of records comes from, and what identifies each of them.
#[derive(Debug)]
pub(super) struct Source {
    /// The source's position in the mapping file.
    pub(super) section: Range<usize>,
    pub(super) envelope: Envelope,
}

/// What identifies a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    /// The key that references use.
    pub(super) key: ExpressionId,
    /// The id that consumers see; the key if this is absent.
    pub(super) id: Option<ExpressionId>,
    /// The record's type, which decides what is made of it.
    pub(super) record_type: ExpressionId,
    /// Whether it is published; if this is absent, it is.
    pub(super) published: Option<ExpressionId>,
    pub(super) updated_at: Option<ExpressionId>,
    /// Whether it was changed after it was published, in which case the export has the changed
    /// contents.
    pub(super) changed: Option<ExpressionId>,
}

impl Envelope {
    /// Its parts with their names.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, ExpressionId)> + use<> {
        let parts = [
            ("key", Some(self.key)),
            ("id", self.id),
            ("type", Some(self.record_type)),
            ("published", self.published),
            ("updatedAt", self.updated_at),
            ("changed", self.changed),
        ];
        let parts = parts.into_iter();
        parts.filter_map(|(name, part)| Some((name, part?)))
    }
}

/// Links between records.
#[derive(Debug)]
pub(super) struct Links {
    /// Their position in the mapping file.
    pub(super) section: Range<usize>,
    /// Makes links from a row, each as `{from, field, to, position}`.
    pub(super) each: ExpressionId,
}

/// Makes records that refer to others findable by what they refer to.
#[derive(Debug)]
pub(super) struct Join {
    /// Its name in expressions.
    pub(super) name: String,
    /// Types of the records that refer to others.
    pub(super) types: Vec<String>,
    /// Makes, from such a record, the key it refers to or a list of keys.
    pub(super) to: ExpressionId,
    /// The record's position among the others, a number; if this is absent, the export's order
    /// applies.
    pub(super) order: Option<ExpressionId>,
    /// The join's position in the mapping file.
    pub(super) span: Range<usize>,
}

/// A native record written in the mapping file itself.
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) record: Map<String, Value>,
    pub(super) span: Range<usize>,
}

/// What is made of records of certain types.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: Kind,
    /// The types of the records it covers.
    pub(super) types: Vec<String>,
    /// Selects among them; all if absent.
    pub(super) condition: Option<ExpressionId>,
    /// Makes a list, and each of its members becomes one native record.
    pub(super) each: Option<ExpressionId>,
    /// Whether a record is skipped if its id was already made.
    pub(super) is_distinct: bool,
    /// Keys of the records that are known and ignored.
    pub(super) ignored: Vec<String>,
    /// The rule's position in the mapping file.
    pub(super) span: Range<usize>,
    /// The fields of the native record.
    pub(super) fields: Vec<(String, Field)>,
}

impl Rule {
    /// Whether records that share a value become one native record, whose id is not that of any of
    /// them.
    pub(super) fn merges_records(&self) -> bool {
        self.is_distinct && self.fields.iter().any(|(name, _)| name == "id")
    }
}

/// How a field of a native record is made.
#[derive(Clone, Debug)]
pub(super) enum Field {
    /// One value.
    Value { from: ExpressionId, rest: Rest },
    /// One value for each member of a list.
    List {
        each: ExpressionId,
        member: Box<Self>,
    },
    /// An object of fields.
    Object(Vec<(String, Self)>),
}

/// How a value is translated and replaced.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// The vocabulary table that translates the value.
    pub(super) table: Option<String>,
    /// The value for a word that the table does not have.
    pub(super) unlisted: Option<Value>,
    /// The value that replaces null.
    pub(super) default: Option<Value>,
}
