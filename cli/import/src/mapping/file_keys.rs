//! What a table of a mapping file may hold, for people and for editors: its keys, and the values
//! they take.
//!
//! The types that are read of a file declare their keys; nothing here knows which there are.

/// A table of a mapping file.
#[derive(Debug)]
pub struct Table {
    /// Its name as written in a mapping file.
    pub name: &'static str,
    /// A description of the table.
    pub about: &'static str,
    /// All keys it may have.
    pub keys: Vec<Key>,
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
    /// A whole number from 1.
    Count,
    /// A text, or a whole number from 1.
    TextOrCount,
    /// One of a few words.
    Word(fn() -> Vec<&'static str>),
    /// Any value.
    Any,
    /// Any values by name.
    Variables,
    /// Tables by name, each with any values.
    Vocabularies,
    /// A table.
    One(fn() -> Table),
    /// Tables by name.
    Named(fn() -> Table),
    /// A list of tables.
    Many(fn() -> Table),
    /// A list of tables with any values.
    Records,
    /// Fields of a native record.
    Fields,
}
