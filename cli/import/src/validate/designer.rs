//! Reads the designers of an export.

use shared::base::ids::IdOrSlug;

use super::fields::Fields;
use super::text::row_text;
use super::values::{id, url};

/// A designer, kept for the boats that refer to it.
#[derive(Debug)]
pub(crate) struct Designer {
    pub(crate) id: IdOrSlug,
    pub(crate) name: String,
    pub(crate) website: Option<String>,
}

/// Reads a designer.
pub(crate) fn read(record: &mut Fields<'_, '_>) -> Option<Designer> {
    let id = record.required("id", id);
    let name = record.required("name", row_text);
    let website = record.optional("website", url);
    Some(Designer {
        id: id?,
        name: name?.into_owned(),
        website: website.map(Into::into),
    })
}
