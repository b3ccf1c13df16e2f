//! The shapes of list queries: every filter with every sort. The queries of a shape use values that
//! occur in the release. The same release gives the same queries.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use server::params::{BOATS, List, MANUFACTURERS};
use shared::release::reader::DictionaryEntry;
use shared::release::{Release, ReleaseError};

const SEED: u64 = 1;
const LIMIT: u64 = 20;
/// Most pages of a list that queries ask for.
const PAGES: u64 = 10;

/// Queries that differ only in their values.
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) list: &'static List,
    /// Query strings.
    pub(crate) queries: Vec<String>,
}

/// Values that occur in a release.
struct Values {
    manufacturers: Vec<Box<str>>,
    types: Vec<Box<str>>,
    categories: Vec<Box<str>>,
    activities: Vec<Box<str>>,
    words: Vec<Box<str>>,
    random: StdRng,
}

/// A filter of boats: its name in the table, and a function that makes one.
type Filter = (&'static str, fn(&mut Values) -> String);

const FILTERS: [Filter; 12] = [
    ("", |_| String::new()),
    ("manufacturer", |values| {
        values.slug("manufacturer", |it| &it.manufacturers)
    }),
    ("type", |values| values.slug("type", |it| &it.types)),
    ("category", |values| {
        values.slug("category", |it| &it.categories)
    }),
    ("activity", |values| {
        values.slug("activity", |it| &it.activities)
    }),
    ("yearFrom", |values| format!("&yearFrom={}", values.year())),
    ("yearTo", |values| format!("&yearTo={}", values.year())),
    ("yearFrom yearTo", |values| {
        let year = values.year();
        format!("&yearFrom={year}&yearTo={}", year + 5)
    }),
    ("lengthMin lengthMax, m", |values| {
        let metres = values.random.random_range(4..22);
        format!("&lengthMin={metres}.5&lengthMax={}.25", metres + 3)
    }),
    ("lengthMin lengthMax, ft", |values| {
        let feet = values.random.random_range(13..70);
        format!("&lengthMin={feet}.5&lengthMax={}&lengthUnit=ft", feet + 10)
    }),
    ("search", |values| {
        let word = values.slug("search", |it| &it.words);
        // Two letters are the shortest search and find the most.
        let letters = values.random.random_range(2..5);
        word.chars().take("&search=".len() + letters).collect()
    }),
    ("type category yearFrom", |values| {
        let kind = values.slug("type", |it| &it.types);
        let category = values.slug("category", |it| &it.categories);
        format!("{kind}{category}&yearFrom={}", values.year())
    }),
];

impl Values {
    fn read(release: &Release) -> Result<Self, ReleaseError> {
        let slugs = |terms: Vec<DictionaryEntry>| terms.into_iter().map(|(slug, _)| slug).collect();
        let terms = release.terms()?;
        let makers = release.manufacturers()?.into_iter();
        let mut words = release.words()?;
        words.retain(|word| 3 < word.len() && word.bytes().all(|byte| byte.is_ascii_alphabetic()));
        Ok(Self {
            manufacturers: makers.map(|maker| maker.slug).collect(),
            types: slugs(terms.types),
            categories: slugs(terms.categories),
            activities: slugs(terms.activities),
            words,
            random: StdRng::seed_from_u64(SEED),
        })
    }

    fn slug(&mut self, name: &str, of: fn(&Self) -> &Vec<Box<str>>) -> String {
        let place = self.random.random_range(0..of(self).len().max(1));
        let slug = of(self).get(place).map_or("none", |slug| slug);
        format!("&{name}={slug}")
    }

    fn year(&mut self) -> u16 {
        self.random.random_range(1950..2020)
    }

    fn queries(&mut self, count: usize, fixed: &str, pages: u64, filter: &Filter) -> Vec<String> {
        let query = |_| {
            let offset = self.random.random_range(0..pages) * LIMIT;
            let filter = (filter.1)(self);
            format!("limit={LIMIT}&offset={offset}&{fixed}{filter}")
        };
        (0..count).map(query).collect()
    }
}

/// Every shape, with so many queries each.
pub(crate) fn shapes(release: &Release, count: usize) -> Result<Vec<Shape>, ReleaseError> {
    let mut values = Values::read(release)?;
    let mut shapes = Vec::new();
    let mut add = |list, sort: &str, order: &str, pages, filter: &Filter| {
        let name = if pages == PAGES {
            filter.0
        } else {
            "(any page)"
        };
        let backwards = if order == "desc" { " desc" } else { "" };
        shapes.push(Shape {
            name: format!("{sort}{backwards}: {name}"),
            list,
            queries: values.queries(count, &format!("sort={sort}&order={order}"), pages, filter),
        });
    };
    let pages = (release.manifest().boats / LIMIT).max(1);
    for sort in BOATS.sorts {
        for filter in &FILTERS {
            add(&BOATS, sort.name, "asc", PAGES, filter);
        }
        add(&BOATS, sort.name, "desc", PAGES, &FILTERS[0]);
        add(&BOATS, sort.name, "asc", pages, &FILTERS[0]);
    }
    let search: Filter = ("search", |values| values.slug("search", |it| &it.words));
    for sort in MANUFACTURERS.sorts {
        for filter in [&FILTERS[0], &search] {
            add(&MANUFACTURERS, sort.name, "asc", PAGES, filter);
        }
    }
    Ok(shapes)
}
