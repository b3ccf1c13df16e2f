//! What a mapping file says, as types: which files hold records, what identifies a record, what
//! stands beside it, and what is made of it.
//!
//! Expressions are kept as numbers into one list, because each thread that maps compiles them for
//! itself.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use super::expression::Asked;
use crate::finding::{Kind, cut};
use crate::source::{Format, Layout, Plan};

/// The version of the language that a mapping file names.
pub(super) const FORMAT: &str = "boat-catalogue-mapping/1";

/// What stands for the id of a record in the template for its address.
pub(super) const EDIT_ID: &str = "{id}";

/// A mapping file whose grammar is right.
#[derive(Debug)]
pub(super) struct Definition {
    /// Settings of the operator, which every expression sees as `$name`.
    pub(super) variables: Vec<(String, Value)>,
    /// The variables beside `$record` that expressions use and that are not set above.
    pub(super) whereabouts: Vec<WhereVariable>,
    /// Definitions in jq for all expressions.
    pub(super) prelude: Option<Expression>,
    /// What is read of an export: files for each of the sources, and then those of links.
    pub(super) plan: Plan,
    /// Records.
    pub(super) sources: Vec<Source>,
    /// Links between records, which some systems keep beside them.
    pub(super) links: Option<Links>,
    /// Records that are found by what they refer to.
    pub(super) joins: Vec<Join>,
    /// Vocabulary tables, by their names.
    pub(super) tables: HashMap<String, Table>,
    /// Native records that are the same whatever the export has.
    pub(super) records: Vec<Constant>,
    /// Keys of all records that are known and not wanted.
    pub(super) ignored: Vec<String>,
    /// The page of a record in its content system, with `{id}` for its id.
    pub(super) edit_url: Option<String>,
    /// What is made of the records.
    pub(super) rules: Vec<Rule>,
    /// All expressions of the above but for the prelude, by [`ExpressionId`].
    pub(super) expressions: Vec<Expression>,
}

impl Definition {
    /// Says where everything stands that findings name; `place` is for people, of an offset.
    pub(super) fn locate(&mut self, place: impl Fn(usize) -> String) {
        for expression in &mut self.expressions {
            expression.place = place(expression.span.start);
        }
        for table in self.tables.values_mut() {
            table.place = place(table.span.start);
        }
    }

    /// What the files of a group of the plan are to the mapping.
    pub(super) fn role(&self, group: usize) -> Role {
        if group < self.sources.len() {
            Role::Records(group)
        } else {
            Role::Links
        }
    }

    /// How records lie in files with this role.
    pub(super) fn layout_of(&self, role: Role) -> Option<&Layout> {
        let group = match role {
            Role::Records(source) => source,
            Role::Links => self.sources.len(),
        };
        self.plan.groups.get(group).map(|group| &group.layout)
    }

    /// Where the section that wants files with this role stands in the mapping file.
    pub(super) fn section_of(&self, role: Role) -> Option<&Range<usize>> {
        match role {
            Role::Records(source) => self.sources.get(source).map(|source| &source.section),
            Role::Links => self.links.as_ref().map(|links| &links.section),
        }
    }
}

/// A variable that says where a record stands in the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhereVariable {
    /// The path of its file within the export.
    File,
    /// The path of its list within the file, as the mapping writes it.
    List,
    /// Its place in the list, or the file, from 1.
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
    /// Where its name stands in the mapping file, in bytes.
    pub(super) span: Range<usize>,
    /// The same for people, once the file is known.
    pub(super) place: String,
}

/// An expression in jq and its place in the mapping file, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) code: String,
    pub(super) span: Range<usize>,
    /// The same for people, once the file is known.
    pub(super) place: String,
}

/// For findings: the beginning of its code and its place.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", cut(self.code.trim()), self.place)
    }
}

/// The place of an expression in [`Definition::expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ExpressionId(pub(super) usize);

/// What a file is to the mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It has records of the source at this place.
    Records(usize),
    /// It has links.
    Links,
}

/// All formats by the words of a mapping file.
pub(super) const FORMATS: [(&str, Format); 5] = [
    ("ndjson", Format::NDJSON),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("parquet", Format::Parquet),
    ("xml", Format::Xml),
];

/// Records, and what identifies one of them.
#[derive(Debug)]
pub(super) struct Source {
    /// Where the source stands in the mapping file.
    pub(super) section: Range<usize>,
    pub(super) envelope: Envelope,
    /// The keys that `published` names itself, once its expression is analysed.
    pub(super) published_keys: Vec<Asked>,
}

/// What identifies a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    /// What references join on.
    pub(super) key: ExpressionId,
    /// The id that consumers see; the key where it is absent.
    pub(super) id: Option<ExpressionId>,
    /// Chooses what is made of the record.
    pub(super) record_type: ExpressionId,
    /// Whether it is published; it is where this is absent.
    pub(super) published: Option<ExpressionId>,
    pub(super) updated_at: Option<ExpressionId>,
    /// Whether it was changed after it was published, so that the export has the changed contents.
    pub(super) changed: Option<ExpressionId>,
}

/// Links between records.
#[derive(Debug)]
pub(super) struct Links {
    /// Where they stand in the mapping file.
    pub(super) section: Range<usize>,
    /// From a row to links: `{from, field, to, position}` each.
    pub(super) each: ExpressionId,
}

/// Records that refer to others, to be found by what they refer to.
#[derive(Debug)]
pub(super) struct Join {
    /// What expressions call it.
    pub(super) name: String,
    /// Types of the records that refer to others.
    pub(super) types: Vec<String>,
    /// From such a record to the key that it refers to, or a list of them.
    pub(super) to: ExpressionId,
    /// The place among the others, a number; that in the export where it is absent.
    pub(super) order: Option<ExpressionId>,
    /// Where the join stands in the mapping file.
    pub(super) span: Range<usize>,
}

/// A native record that stands in the mapping file itself.
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) record: Map<String, Value>,
    pub(super) span: Range<usize>,
}

/// What is made from the records of some types.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: Kind,
    /// Types of records this is for.
    pub(super) types: Vec<String>,
    /// The condition that selects some of them; none means all.
    pub(super) condition: Option<ExpressionId>,
    /// Makes one native record of each member of a list.
    pub(super) each: Option<ExpressionId>,
    /// Whether a record is skipped if one with its id was already made.
    pub(super) is_distinct: bool,
    /// Keys of the records that the mapping ignores on purpose.
    pub(super) ignored: Vec<String>,
    /// Where the rule stands in the mapping file.
    pub(super) span: Range<usize>,
    /// The fields of the native record.
    pub(super) fields: Vec<(String, Field)>,
}

impl Rule {
    /// Whether records that share a value become one record, whose id is none of theirs.
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

/// What is done with a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// The vocabulary table that translates it.
    pub(super) table: Option<String>,
    /// The value for a word that the table does not have.
    pub(super) unlisted: Option<Value>,
    /// The value used instead of null.
    pub(super) default: Option<Value>,
}
