//! What expressions are evaluated with: their values, and what their functions may ask about the
//! export and the mapping.

use jaq_core::data::HasLut;
use jaq_core::{DataT, Lut};
use jaq_json::Val;

use crate::image::ImageSize;
use crate::mapping::functions::measure::Convention;
use crate::mapping::functions::plain::RichText;

/// A value of an expression; cheap to clone.
pub(in crate::mapping) type Jq = Val;

/// What the functions of an expression know about the export and the mapping.
pub(in crate::mapping) trait EvalContext {
    /// The record with this key.
    fn record(&self, key: &str) -> Result<Referred<Val>, String>;
    /// The public id of the record with this key.
    fn public_id(&self, key: &str) -> Referred<String>;
    /// The keys of the published records that a field links the record `from` to, or the current
    /// record if that is absent, in their order.
    fn linked(&self, from: Option<&str>, field: &str) -> Vec<String>;
    /// What the mapping says about rich text.
    fn rich_text(&self) -> &RichText;
    /// Notes that rich text of the current record has nodes of a kind that is not known.
    fn note_unknown_node(&self, kind: &str);
    /// Notes that a text of the current record looks like Markdown.
    fn note_markdown(&self);
    /// Notes what a number that was read shows of the convention by which it is written.
    fn note_number(&self, given: &str, convention: Convention);
    /// The published records that refer to this key, by the name of a join, in their order.
    fn joined(&self, join: &str, key: &str) -> Result<Vec<Val>, String>;
    /// The format and size of the image file with this path.
    fn image(&self, path: &str) -> Result<Option<ImageSize>, String>;
    /// Takes note, in an observed expression, that a key is looked up in a value, or all keys are. One
    /// that `is_expected` should be there.
    fn looked_up(&self, of: &Val, key: Option<&str>, is_expected: bool);
    /// Takes note, in an observed expression, that everything in a value is read.
    fn read(&self, value: &Val);
    /// The time of the import, in seconds since 1970.
    fn now(&self) -> i64;
    /// The value of a word in a vocabulary table.
    fn lookup(&self, table: &str, word: &str) -> Result<Val, String>;
}

/// What a key leads to.
pub(in crate::mapping) enum Referred<T> {
    /// No record has the key.
    Nowhere,
    /// The record is not published.
    Unpublished,
    Published(T),
}

impl<T> Referred<T> {
    pub(in crate::mapping) fn map<U>(self, change: impl FnOnce(T) -> U) -> Referred<U> {
        match self {
            Self::Nowhere => Referred::Nowhere,
            Self::Unpublished => Referred::Unpublished,
            Self::Published(of) => Referred::Published(change(of)),
        }
    }

    pub(in crate::mapping) fn try_map<U, E>(
        self,
        change: impl FnOnce(T) -> Result<U, E>,
    ) -> Result<Referred<U>, E> {
        Ok(match self {
            Self::Nowhere => Referred::Nowhere,
            Self::Unpublished => Referred::Unpublished,
            Self::Published(of) => Referred::Published(change(of)?),
        })
    }
}

/// The data that programs run on, as `jaq` wants it declared.
pub(super) struct Language;

impl DataT for Language {
    type V<'a> = Val;
    type Data<'a> = Data<'a>;
}

/// The data available to a running program.
#[derive(Clone, Copy)]
pub(super) struct Data<'a> {
    pub(super) lut: &'a Lut<Language>,
    pub(super) eval: &'a dyn EvalContext,
}

impl<'a> HasLut<'a, Language> for Data<'a> {
    fn lut(&self) -> &'a Lut<Language> {
        self.lut
    }
}
