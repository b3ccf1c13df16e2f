//! `GET /v1/changes`: a page of what changed between two releases, as a body.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use shared::keys::scope::{Scope, Scopes};
use shared::release::Kind;

use crate::catalogue::{Catalogue, Change, Changes};
use crate::params::{CHANGES_LIMIT_MAX, ChangesQuery, OFFSET_MAX, Page};

/// The kinds of records in their order, each with the scope that it takes to read of it.
const KINDS: [(Kind, Scope); 2] = [
    (Kind::Boats, Scope::BoatsRead),
    (Kind::Manufacturers, Scope::ManufacturersRead),
];

/// A page of what changed between two releases: boats first, then by id.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChangeList")]
pub(crate) struct ChangesPage<'a> {
    /// The records that changed. Kinds that the key may not read are left out.
    #[schemars(length(max = CHANGES_LIMIT_MAX))]
    data: Vec<ChangedRecord<'a>>,
    /// Id of the release before.
    since: &'a str,
    /// Id of the release after, which is the active one.
    release: &'a str,
    /// Where this page stands among all changes.
    pagination: ChangesPagination,
}

/// A record that is not the same in both releases.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Change")]
struct ChangedRecord<'a> {
    /// What it is.
    #[schemars(extend("enum" = KINDS.map(|(kind, _)| kind.singular())))]
    kind: &'static str,
    /// Record identifier.
    id: &'a str,
    /// Its slug; the one that it had, if it was removed.
    slug: &'a str,
    /// What happened to it. It has changed if a byte of its body has, and so its `ETag`; a boat also
    /// with what it shows of its manufacturer.
    #[schemars(extend("enum" = Change::WORDS))]
    change: &'static str,
}

/// Where a page stands among all changes.
#[derive(Serialize, JsonSchema)]
struct ChangesPagination {
    /// Records that changed.
    total: u64,
    /// Changes on a page at most, as applied.
    #[schemars(range(min = 1, max = CHANGES_LIMIT_MAX))]
    limit: u64,
    /// Changes skipped before this page.
    #[schemars(range(max = OFFSET_MAX))]
    offset: u64,
}

impl<'a> ChangesPage<'a> {
    /// The page of `changes` that `query` asks for, of the kinds that may be read with `scopes`.
    pub(super) fn of(
        catalogue: &'a Arc<Catalogue>,
        changes: &'a Changes,
        scopes: Scopes,
        query: &'a ChangesQuery,
    ) -> Self {
        let Page { limit, offset } = query.page;
        let readable = KINDS.iter().filter(|(_, scope)| scopes.contains(*scope));
        let of_kinds = readable.map(|(kind, _)| (*kind, changes.of(*kind)));
        let total = of_kinds.clone().map(|(_, changes)| changes.len() as u64);
        let all = of_kinds.flat_map(|(kind, changes)| changes.iter().map(move |it| (kind, it)));
        let [skipped, most] =
            [offset, limit].map(|rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let row = |(kind, change): (Kind, &'a Change)| {
            let [id, slug] = catalogue.names_of_changed(kind, change);
            ChangedRecord {
                kind: kind.singular(),
                id,
                slug,
                change: change.as_str(),
            }
        };
        Self {
            data: all.skip(skipped).take(most).map(row).collect(),
            since: &query.since,
            release: catalogue.release_id(),
            pagination: ChangesPagination {
                total: total.sum(),
                limit,
                offset,
            },
        }
    }

    /// Changes in all, whatever the page.
    pub(super) const fn total(&self) -> u64 {
        self.pagination.total
    }

    /// Changes on the page.
    pub(super) const fn rows(&self) -> u64 {
        self.data.len() as u64
    }
}
