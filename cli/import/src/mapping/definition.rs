//! The contents of a mapping file as types: which files hold records, what identifies a record,
//! what accompanies it, and what is made of it.
//!
//! Those that are tables of the file say which keys these have. Expressions are stored as indices
//! into one list, because each mapping thread compiles its own copies.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};
use shared::base::field_path::{FieldPath, Step};

use super::file_keys::{Table as Described, Takes};
use super::functions::plain::RichText;
use super::mistake::Mistake;
pub(super) use super::read::{Expression, ExpressionId};
use super::read::{Keys, Read, Reader, Section, Toml, did_you_mean, table};
use crate::finding::{Kind, cut};
use crate::source::{Layout, Plan};

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
    /// Whether images without a size are to be measured by their addresses.
    pub(super) measures_images: bool,
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

/// As findings show it: the beginning of its code and its position.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", cut(self.code.trim()), self.place)
    }
}

/// The role of a file in the mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It holds records of the source with this index.
    Records(usize),
    /// It holds links.
    Links,
}

/// Where a group of records comes from, and what identifies each of them.
#[derive(Debug)]
pub(super) struct Source {
    /// The source's position in the mapping file.
    pub(super) section: Range<usize>,
    /// A record has a key and a type.
    pub(super) envelope: Envelope,
}

table! {
    /// The parts of an envelope: what identifies a record.
    pub(super) struct Envelope {
        /// What references to a record name.
        optional "key" key: Option<ExpressionId>,
        /// The id that consumers see; the key where it is absent.
        optional "id" id: Option<ExpressionId>,
        /// The type of a record, by which `emit` chooses.
        optional "type" record_type: Option<ExpressionId>,
        /// Whether a record is published; it is where this is absent.
        optional "published" published: Option<ExpressionId>,
        /// When a record last changed.
        optional "updatedAt" updated_at: Option<ExpressionId>,
        /// Whether a record was changed after it was published.
        optional "changed" changed: Option<ExpressionId>,
    }
}

impl Envelope {
    /// Its parts, and those of another one where it has none.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self {
            key: self.key.or(other.key),
            id: self.id.or(other.id),
            record_type: self.record_type.or(other.record_type),
            published: self.published.or(other.published),
            updated_at: self.updated_at.or(other.updated_at),
            changed: self.changed.or(other.changed),
        }
    }

    /// Its parts with their names.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, ExpressionId)> + use<> {
        let parts = [
            ("key", self.key),
            ("id", self.id),
            ("type", self.record_type),
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

table! {
    /// Records that refer to others, to be found by these.
    pub(super) struct Join = "[joins.NAME]" {
        /// Types of the records that refer to others.
        required "type" types: Vec<String>,
        /// What such a record refers to: a key or a list of them.
        required "to" to: ExpressionId,
    }
    with { name: String, span: Range<usize> }
}

impl Join {
    /// Whether it is for records of a type.
    pub(super) fn is_for(&self, record_type: &str) -> bool {
        self.types.iter().any(|of| of == record_type)
    }
}

/// A native record written in the mapping file itself.
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) record: Map<String, Value>,
    pub(super) span: Range<usize>,
}

impl Read for Vec<Constant> {
    const TAKES: Takes = Takes::Records;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let Some(list) = value.get_ref().as_array() else {
            reader.mistake(value.span(), "native records are written as [[records]]");
            return None;
        };
        let mut constants = Self::new();
        for member in list {
            let span = member.span();
            match Value::read(member, reader) {
                Some(Value::Object(record)) => constants.push(Constant { record, span }),
                Some(_) => reader.mistake(span, "a native record is a table"),
                None => {}
            }
        }
        Some(constants)
    }
}

table! {
    /// What is made of the records of some types.
    pub(super) struct Rule = "[[emit]]" {
        /// The kind of the native record.
        required "kind" kind: Kind,
        /// Types of the records that this is for.
        required "type" types: Vec<String>,
        /// Which of them, if not all.
        optional "where" condition: Option<ExpressionId>,
        /// Makes one native record of each member of a list.
        optional "each" each: Option<ExpressionId>,
        /// Whether a record with an id that was made already is passed over.
        optional "distinct" is_distinct: bool,
        /// Keys of the records that are known and not wanted.
        optional "ignore" ignored: Vec<String>,
        /// The fields of the native record.
        required "fields" fields: Fields,
    }
    with { span: Range<usize> }
    check has_ids
}

impl Rule {
    /// Whether records that share a value become one native record, whose id is not that of any of
    /// them.
    pub(super) fn merges_records(&self) -> bool {
        self.is_distinct && self.makes_ids()
    }

    /// Whether it is for records of a type.
    pub(super) fn is_for(&self, record_type: &str) -> bool {
        self.types.iter().any(|of| of == record_type)
    }

    pub(super) fn makes_ids(&self) -> bool {
        self.fields.iter().any(|(name, _)| name == "id")
    }

    /// The fields that expressions make, in the mapping's order, lists before their members.
    pub(super) fn made(&self) -> Vec<(FieldPath<'static>, ExpressionId)> {
        let mut made = Vec::new();
        for (name, field) in &self.fields {
            let path = FieldPath::record().then(Step::key(name.clone()));
            add_made(path, field, &mut made);
        }
        made
    }

    fn has_ids(&self, section: &Section<'_>, reader: &mut Reader) {
        if self.each.is_some() && !self.makes_ids() {
            let message =
                "`each` makes several records of one, so `fields` must say what their `id` is";
            reader.mistake(section.span(), message);
        }
    }
}

/// The fields of an object in the file's order.
pub(super) type Fields = Vec<(String, Field)>;

/// How a field of a native record is made.
#[derive(Debug)]
pub(super) enum Field {
    /// One value.
    Value { from: ExpressionId, rest: Rest },
    /// One value for each member of a list.
    List {
        each: ExpressionId,
        member: Box<Self>,
    },
    /// An object of fields.
    Object(Fields),
}

fn add_made(
    path: FieldPath<'static>,
    field: &Field,
    all: &mut Vec<(FieldPath<'static>, ExpressionId)>,
) {
    match field {
        Field::Value { from, .. } => all.push((path, *from)),
        Field::List { each, member } => {
            all.push((path.clone(), *each));
            add_made(path.then(Step::Each), member, all);
        }
        Field::Object(fields) => {
            for (name, field) in fields {
                add_made(path.clone().then(Step::key(name.clone())), field, all);
            }
        }
    }
}

table! {
    /// One value.
    pub(super) struct OneValue = "one value" {
        /// Where the value comes from.
        required "from" from: ExpressionId,
        group rest: Rest,
    }
}

table! {
    /// One value for each member of a list.
    pub(super) struct List = "a list" {
        /// Makes the members of the list.
        required "each" each: ExpressionId,
        /// The fields of a member, if it is an object.
        optional "fields" fields: Option<Fields>,
        /// The value of a member; the member itself where it is absent.
        optional "value" value: Option<ExpressionId>,
        group rest: Rest,
    }
}

table! {
    /// How a value is translated and replaced.
    pub(super) struct Rest {
        /// What stands in for null.
        optional "default" default: Option<Value>,
        /// What stands in for a word that the table lacks.
        optional "unlisted" unlisted: Option<Value>,
        /// The table of [tables] that translates the value.
        optional "table" table: Option<String>,
    }
    check has_table
}

/// The table of a field that is a list of objects: it has only two of the keys of a list.
pub(crate) fn list_of_objects() -> Described {
    let mut keys = List::keys();
    keys.retain(|key| ["each", "fields"].contains(&key.name));
    for key in &mut keys {
        key.is_required = true;
    }
    if let [_each, fields] = keys.as_mut_slice() {
        fields.about = "The fields of a member.";
    }
    Described {
        about: "One object for each member of a list.",
        keys,
        ..List::table()
    }
}

impl Rest {
    fn has_table(&self, section: &Section<'_>, reader: &mut Reader) {
        let Some(name) = &self.table else {
            if let Some(unlisted) = section.value("unlisted") {
                let message = "`unlisted` stands for words that a table does not have, and no `table` is named here";
                reader.mistake(unlisted.span(), message);
            }
            return;
        };
        let tables: Vec<&str> = reader.tables.iter().map(String::as_str).collect();
        if let Some(named) = section
            .value("table")
            .filter(|_| !tables.contains(&name.as_str()))
        {
            let message = format!("there is no vocabulary table [tables.{name}]");
            let hint = did_you_mean(name, &tables);
            let mistake = Mistake::new(named.span(), message).hint(hint);
            reader.mistakes.push(mistake);
        }
    }
}

impl Read for Fields {
    const TAKES: Takes = Takes::Fields;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let Some(table) = value.get_ref().as_table() else {
            let message = "fields are a table: the name of each, and where its value comes from";
            reader.mistake(value.span(), message);
            return None;
        };
        let fields = table.iter().map(|(name, value)| {
            let field = Field::read(value, reader);
            (name.get_ref().to_string(), field)
        });
        Some(fields.collect())
    }
}

impl Field {
    fn read(value: &Toml<'_>, reader: &mut Reader) -> Self {
        if let Some(code) = value.get_ref().as_str() {
            return Self::Value {
                from: reader.number(code, value.span()),
                rest: Rest::default(),
            };
        }
        let Some(table) = value.get_ref().as_table() else {
            let message = "a field is an expression, or a table with `from` or `each`";
            reader.mistake(value.span(), message);
            return Self::Object(Fields::new());
        };
        let section = Section::new("", table, value.span());
        if table.contains_key("from") {
            let OneValue { from, rest } = section.whole(reader);
            Self::Value { from, rest }
        } else if table.contains_key("each") {
            Self::list(&section, reader)
        } else {
            Self::Object(Fields::read(value, reader).unwrap_or_default())
        }
    }

    fn list(section: &Section<'_>, reader: &mut Reader) -> Self {
        let list = List::take(section, reader);
        let known = match &list.fields {
            Some(_) => list_of_objects().keys,
            None => List::keys(),
        };
        section.finish(&known, reader);
        let member = match (list.fields, list.value) {
            (Some(fields), _) => Self::Object(fields),
            (None, value) => Self::Value {
                from: value.unwrap_or_else(|| reader.number(".", section.span())),
                rest: list.rest,
            },
        };
        Self::List {
            each: list.each,
            member: Box::new(member),
        }
    }
}
