//! DuckDB without the service: its tables, its statements, one connection.
//!
//! Tables and statements are those of the service, compiled from the same source. Only the way
//! from slugs and words to codes is written anew, since it is not what is measured.

use std::collections::HashMap;
use std::time::Duration;

use duckdb::Connection;
use server::params::{BoatQuery, ManufacturerQuery, Page, SearchWords};
use shared::base::ids::Slug;
use shared::release::Release;
use shared::release::reader::Coded;

use crate::fill;
use crate::measured::timed;
use crate::sql::{Condition, ListPlan, Statement};
use crate::tables::Sort;

/// A code that no row has.
const UNKNOWN: i64 = -1;

type Codes = HashMap<Box<str>, i64>;

/// The tables of a release, and the codes in them.
pub(crate) struct Bare {
    connection: Connection,
    manufacturers: Codes,
    types: Codes,
    categories: Codes,
    activities: Codes,
    words: Vec<Box<str>>,
}

/// What a statement found, and how long it took.
pub(crate) struct Answer {
    /// The last value of the last row.
    pub(crate) found: u64,
    pub(crate) took: Duration,
}

impl Bare {
    pub(crate) fn load(release: &Release) -> anyhow::Result<Self> {
        let connection = fill::filled(&release.listing()?, release.pace())?;
        let terms = release.terms()?;
        let makers = release.manufacturers()?.into_iter();
        Ok(Self {
            connection,
            manufacturers: makers.map(|maker| maker.slug).zip(0..).collect(),
            types: by_slug(terms.types),
            categories: by_slug(terms.categories),
            activities: by_slug(terms.activities),
            words: release.words()?,
        })
    }

    pub(crate) fn boat_plan(&self, query: &BoatQuery) -> ListPlan {
        let code = |codes: &Codes, slug: &Option<Slug>| {
            let slug = slug.as_ref()?;
            Some(codes.get(slug.as_str()).copied().unwrap_or(UNKNOWN))
        };
        let length = query.length.as_ref();
        let length = length.map(|length| Condition::Length(length.ranges().clone()));
        let conditions = [
            code(&self.manufacturers, &query.manufacturer).map(Condition::Manufacturer),
            code(&self.types, &query.boat_type).map(Condition::Type),
            code(&self.categories, &query.category).map(Condition::Category),
            code(&self.activities, &query.activity).map(Condition::Activity),
            query
                .year_from
                .map(|year| Condition::BuiltFrom(year.into())),
            query.year_to.map(|year| Condition::BuiltTo(year.into())),
            length,
        ];
        let words = self.words(query.search.as_ref());
        ListPlan {
            conditions: conditions
                .into_iter()
                .flatten()
                .chain(words.map(|(low, high)| Condition::BoatWord(low, high)))
                .collect(),
            sort: Sort::Boats(query.sort),
            order: query.order,
        }
    }

    pub(crate) fn manufacturer_plan(&self, query: &ManufacturerQuery) -> ListPlan {
        let words = self.words(query.search.as_ref());
        ListPlan {
            conditions: words
                .map(|(low, high)| Condition::ManufacturerWord(low, high))
                .collect(),
            sort: Sort::Manufacturers(query.sort),
            order: query.order,
        }
    }

    /// The codes of the words that begin with each word of `search`.
    fn words(&self, search: Option<&SearchWords>) -> impl Iterator<Item = (i64, i64)> {
        let prefixes = search.into_iter().flat_map(SearchWords::iter);
        prefixes.map(|prefix| {
            let first = self.words.partition_point(|word| **word < *prefix);
            let matching = self.words[first..].partition_point(|word| word.starts_with(prefix));
            let code = |place: usize| i64::try_from(place).unwrap_or(i64::MAX);
            (code(first), code(first + matching) - 1)
        })
    }

    pub(crate) fn total(&self, plan: &ListPlan) -> duckdb::Result<Answer> {
        self.ask(&plan.total())
    }

    pub(crate) fn page(&self, plan: &ListPlan, page: Page, total: u64) -> duckdb::Result<Answer> {
        self.ask(&plan.page(page, total).statement)
    }

    fn ask(&self, asked: &Statement) -> duckdb::Result<Answer> {
        let (found, took) = timed(|| {
            let mut statement = self.connection.prepare_cached(&asked.text)?;
            let values = duckdb::params_from_iter(&asked.values);
            let rows = statement.query_map(values, |row| row.get::<_, i64>(0))?;
            rows.collect::<duckdb::Result<Vec<i64>>>()
        });
        let found = found?.last().copied().unwrap_or(0).unsigned_abs();
        Ok(Answer { found, took })
    }
}

fn by_slug(terms: Vec<Coded>) -> Codes {
    let terms = terms.into_iter();
    terms.map(|(slug, code)| (slug, code.into())).collect()
}
