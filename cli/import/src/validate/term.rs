//! A term of a vocabulary: a type, category, activity, hull type or hull material.

use shared::base::ids::{IdOrSlug, Slug};

use super::checked::Values;

/// A term of a vocabulary, kept for the boats that refer to it.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) id: IdOrSlug,
    pub(crate) slug: Slug,
    pub(crate) name: String,
}

impl Term {
    /// Makes a term of values without errors.
    pub(super) fn of(mut values: Values<'_>) -> Option<Self> {
        Some(Self {
            id: IdOrSlug::parse(&values.text("id")?).ok()?,
            slug: Slug::parse(&values.text("slug")?).ok()?,
            name: values.text("name")?.into_owned(),
        })
    }
}
