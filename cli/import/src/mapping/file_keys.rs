//! The tables of a mapping file and their keys, in the one list that both the parser and the schema
//! for editors use.
//!
//! The parser decides what the values mean and which of them fit together.

use super::definition::{FORMAT, FORMATS};
use super::functions::plain::Kind as NodeKind;
use crate::finding::Kind;

use Takes::{
    Any, Expression, Fields, Flag, Many, Named, One, Records, Text, Texts, Variables, Vocabularies,
    Word,
};

/// A table of a mapping file.
#[derive(Debug)]
pub struct Table {
    /// Its name as written in a mapping file.
    pub name: &'static str,
    /// A description of the table.
    pub about: &'static str,
    /// All keys it may have.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Whether it is required.
    pub is_required: bool,
    /// The values it takes.
    pub takes: Takes,
    /// A description of its value.
    pub about: &'static str,
}

/// The values a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A text.
    Text,
    /// An expression in jq.
    Expression,
    /// A text, or a list of at least one text.
    Texts,
    /// `true` or `false`.
    Flag,
    /// One of a few words.
    Word(fn() -> Vec<&'static str>),
    /// Any value.
    Any,
    /// Any values by name.
    Variables,
    /// Tables by name, each with any values.
    Vocabularies,
    /// A table.
    One(&'static Table),
    /// Tables by name.
    Named(&'static Table),
    /// A list of tables.
    Many(&'static Table),
    /// A list of tables with any values.
    Records,
    /// Fields of a native record.
    Fields,
}

impl Table {
    /// The key with this name.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

const fn key(name: &'static str, takes: Takes, about: &'static str) -> Key {
    Key {
        name,
        is_required: false,
        takes,
        about,
    }
}

const fn required(name: &'static str, takes: Takes, about: &'static str) -> Key {
    Key {
        is_required: true,
        ..key(name, takes, about)
    }
}

const KEY: Key = key("key", Expression, "What references to a record name.");
const ID: Key = key(
    "id",
    Expression,
    "The id that consumers see; the key where it is absent.",
);
const TYPE: Key = key(
    "type",
    Expression,
    "The type of a record, by which `emit` chooses.",
);
const PUBLISHED: Key = key(
    "published",
    Expression,
    "Whether a record is published; it is where this is absent.",
);
const UPDATED_AT: Key = key("updatedAt", Expression, "When a record last changed.");
const CHANGED: Key = key(
    "changed",
    Expression,
    "Whether a record was changed after it was published.",
);
const FILES: Key = required("files", Texts, "Patterns of paths within the export.");
const READER: Key = required(
    "reader",
    Word(|| FORMATS.map(|(word, _)| word).to_vec()),
    "How the files are written.",
);
const ENCODING: Key = key(
    "encoding",
    Text,
    "How csv, json and ndjson are encoded, such as windows-1252; UTF-8 where it is absent.",
);
const UNWANTED_LISTS: Key = key(
    "ignore",
    Texts,
    "Lists of JSON in these files that are known and not wanted: paths as in `records`.",
);
const RECORDS: Key = key("records", Texts, "Where in a file the records are.");
const LISTS: Key = key(
    "lists",
    Texts,
    "Elements of XML that are lists even where there is one.",
);
const DEFAULT: Key = key("default", Any, "What stands in for null.");
const UNLISTED: Key = key(
    "unlisted",
    Any,
    "What stands in for a word that the table lacks.",
);
const TABLE: Key = key(
    "table",
    Text,
    "The table of [tables] that translates the value.",
);
const EACH: Key = required("each", Expression, "Makes the members of the list.");

/// All tables, except one whose keys another table has as well.
pub static TABLES: [&Table; 10] = [
    &ROOT, &ENVELOPE, &SOURCE, &LINKS, &JOIN, &RICH_TEXT, &BLOCK, &RULE, &VALUE, &LIST,
];

/// A mapping file.
pub(crate) static ROOT: Table = Table {
    name: "the file",
    about: "How an export becomes native records.",
    keys: &[
        required(
            "mapping",
            Word(|| vec![FORMAT]),
            "The language of this file.",
        ),
        key(
            "variables",
            Variables,
            "Values that expressions see as `$name`.",
        ),
        key(
            "definitions",
            Expression,
            "Functions in jq, for all expressions.",
        ),
        key(
            "ignore",
            Texts,
            "Files that are known and not wanted: patterns of paths within the export.",
        ),
        key(
            "edit_url",
            Text,
            "The page of a record in its content system, with {id} for its id.",
        ),
        key(
            "tables",
            Vocabularies,
            "Words of the export, and what they become.",
        ),
        key(
            "envelope",
            One(&ENVELOPE),
            "What identifies a record, for all sources.",
        ),
        required("sources", Many(&SOURCE), "Files that hold records."),
        key(
            "links",
            One(&LINKS),
            "Files that hold links between records.",
        ),
        key(
            "joins",
            Named(&JOIN),
            "Records that are found by what they refer to.",
        ),
        key(
            "rich_text",
            One(&RICH_TEXT),
            "What rich text has that `plain` does not know.",
        ),
        key(
            "records",
            Records,
            "Native records that are the same whatever the export has.",
        ),
        required("emit", Many(&RULE), "What is made of the records."),
    ],
};

/// The table that says what identifies a record.
pub(super) static ENVELOPE: Table = Table {
    name: "[envelope]",
    about: "What identifies a record.",
    keys: &[
        KEY,
        ID,
        TYPE,
        PUBLISHED,
        UPDATED_AT,
        CHANGED,
        key(
            "ignore",
            Texts,
            "Keys of all records that are known and not wanted.",
        ),
    ],
};

/// Files that hold records.
pub(super) static SOURCE: Table = Table {
    name: "[[sources]]",
    about: "Files that hold records. `key` and `type` stand here or in [envelope].",
    keys: &[
        KEY,
        ID,
        TYPE,
        PUBLISHED,
        UPDATED_AT,
        CHANGED,
        FILES,
        READER,
        ENCODING,
        RECORDS,
        LISTS,
        UNWANTED_LISTS,
    ],
};

/// Files that hold links.
pub(super) static LINKS: Table = Table {
    name: "[links]",
    about: "Files that hold links between records.",
    keys: &[
        FILES,
        READER,
        ENCODING,
        RECORDS,
        LISTS,
        UNWANTED_LISTS,
        required(
            "each",
            Expression,
            "Links of a row: `{from, field, to, position}` each.",
        ),
    ],
};

/// A join.
pub(super) static JOIN: Table = Table {
    name: "[joins.NAME]",
    about: "Records that refer to others, to be found by these.",
    keys: &[
        required("type", Texts, "Types of the records that refer to others."),
        required(
            "to",
            Expression,
            "What such a record refers to: a key or a list of them.",
        ),
        key("order", Expression, "Its place among the others, a number."),
    ],
};

/// What is said about rich text.
pub(super) static RICH_TEXT: Table = Table {
    name: "[rich_text]",
    about: "What rich text has that `plain` does not know.",
    keys: &[
        key(
            "shortcodes",
            Flag,
            "Whether texts have shortcodes of WordPress, which `plain` removes then.",
        ),
        key(
            "blocks",
            Named(&BLOCK),
            "What nodes of a kind are, by its name.",
        ),
    ],
};

/// A kind of nodes of rich text.
pub(super) static BLOCK: Table = Table {
    name: "[rich_text.blocks.KIND]",
    about: "What nodes of a kind are in a text.",
    keys: &[
        required(
            "as",
            Word(|| NodeKind::WORDS.map(|(word, _)| word).to_vec()),
            "What such a node is; `text` is part of a line.",
        ),
        key(
            "from",
            Texts,
            "Keys of such a node that hold its text or its parts, in their order: `text` or `attrs.label`.",
        ),
    ],
};

/// A rule.
pub(super) static RULE: Table = Table {
    name: "[[emit]]",
    about: "What is made of the records of some types.",
    keys: &[
        required(
            "kind",
            Word(|| Kind::COUNTED.map(Kind::as_str).to_vec()),
            "The kind of the native record.",
        ),
        required("type", Texts, "Types of the records that this is for."),
        key("where", Expression, "Which of them, if not all."),
        key(
            "each",
            Expression,
            "Makes one native record of each member of a list.",
        ),
        key(
            "distinct",
            Flag,
            "Whether a record with an id that was made already is passed over.",
        ),
        key(
            "ignore",
            Texts,
            "Keys of the records that are known and not wanted.",
        ),
        required("fields", Fields, "The fields of the native record."),
    ],
};

/// A field that is one value.
pub(crate) static VALUE: Table = Table {
    name: "one value",
    about: "One value.",
    keys: &[
        required("from", Expression, "Where the value comes from."),
        DEFAULT,
        UNLISTED,
        TABLE,
    ],
};

/// A field that is a list.
pub(crate) static LIST: Table = Table {
    name: "a list",
    about: "One value for each member of a list.",
    keys: &[
        EACH,
        key(
            "fields",
            Fields,
            "The fields of a member, if it is an object.",
        ),
        key(
            "value",
            Expression,
            "The value of a member; the member itself where it is absent.",
        ),
        DEFAULT,
        UNLISTED,
        TABLE,
    ],
};

/// A field that is a list of objects.
pub(crate) static LIST_OF_OBJECTS: Table = Table {
    name: "a list",
    about: "One object for each member of a list.",
    keys: &[EACH, required("fields", Fields, "The fields of a member.")],
};
