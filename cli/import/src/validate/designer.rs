//! The designers of an export.

use shared::base::ids::IdOrSlug;

use super::checked::Values;

/// A designer, kept for the boats that refer to it.
#[derive(Debug)]
pub(crate) struct Designer {
    pub(crate) id: IdOrSlug,
    pub(crate) name: String,
    pub(crate) website: Option<String>,
}

impl Designer {
    /// Makes a designer of values without errors.
    pub(super) fn of(mut values: Values<'_>) -> Option<Self> {
        Some(Self {
            id: IdOrSlug::parse(&values.text("id")?).ok()?,
            name: values.text("name")?.into_owned(),
            website: values.text("website").map(Into::into),
        })
    }
}
