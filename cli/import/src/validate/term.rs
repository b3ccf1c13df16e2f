//! A term of a vocabulary: a type, category, activity, hull type or hull material.

use shared::base::ids::{IdOrSlug, Slug};

use super::fields::Fields;
use super::text::row_text;
use super::values::{id, slug, word};
use super::vocabulary::Vocabulary;

/// A term of a vocabulary, kept for the boats that refer to it.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) id: IdOrSlug,
    pub(crate) slug: Slug,
    pub(crate) name: String,
}

/// Reads a term. Its vocabulary is returned even if the rest of it cannot be used.
pub(crate) fn read(record: &mut Fields<'_, '_>) -> (Option<Vocabulary>, Option<Term>) {
    let vocabulary = record.required("vocabulary", |node, reporter| {
        word(
            node,
            reporter,
            &Vocabulary::ALL.map(|vocabulary| (vocabulary.as_str(), vocabulary)),
        )
    });
    let id = record.required("id", id);
    let slug = record.required("slug", slug);
    let name = record.required("name", row_text);
    let term = || {
        Some(Term {
            id: id?,
            slug: slug?,
            name: name?.into_owned(),
        })
    };
    (vocabulary, term())
}
