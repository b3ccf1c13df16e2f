//! What an expression is evaluated with: its values, and what its functions may ask about the
//! export and the mapping.

use jaq_core::data::HasLut;
use jaq_core::{DataT, Lut};
use jaq_json::Val;

use super::rewrite::SiteNumber;
use crate::mapping::image_files::ImageFile;

/// A value of an expression; cheap to clone.
pub(in crate::mapping) type Jq = Val;

/// What the functions of an expression know about the export and the mapping.
pub(in crate::mapping) trait EvalContext {
    /// The record with this key, which is asked for at a place of the expression.
    fn record(&self, key: &str, site: SiteNumber) -> Result<Referred<Val>, String>;
    /// The public id of the record with this key.
    fn public_id(&self, key: &str) -> Referred<String>;
    /// Keys that what has the key `from`, or else the current record, is linked to by a field, in
    /// their order, but for those of records that are not published.
    fn linked(&self, from: Option<&str>, field: &str) -> Vec<String>;
    /// Takes note that a text of the current record looks like Markdown.
    fn note_markdown(&self);
    /// The published records that refer to this key, by the name of a join, in their order.
    fn joined(&self, join: &str, key: &str, site: SiteNumber) -> Result<Vec<Val>, String>;
    /// How large the image file with this path is.
    fn image(&self, path: &str) -> Result<Option<ImageFile>, String>;
    /// What a word becomes by a vocabulary table.
    fn lookup(&self, table: &str, word: &str) -> Result<Val, String>;
}

/// What a key leads to.
pub(in crate::mapping) enum Referred<T> {
    /// No record has it.
    Nowhere,
    /// Its record is not published.
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

/// The kind of data that programs run on.
pub(super) struct Language;

impl DataT for Language {
    type V<'a> = Val;
    type Data<'a> = Data<'a>;
}

/// What a running program has at hand.
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
