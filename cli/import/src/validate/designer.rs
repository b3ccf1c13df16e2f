//! A designer of an export.

use super::fields::Fields;
use super::references::Designer;
use super::text::row_text;
use super::values::{id, url};

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
