//! The shapes of list queries: every filter with every sort. The queries of a shape use values that
//! occur in the release. The same release gives the same queries.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use server::params::{BOATS, Bounds, List, MANUFACTURERS, Parameter, Role, Vocabulary};
use shared::release::reader::{DictionaryEntry, ListedBoat, Measure};
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
    boats: Vec<ListedBoat>,
    random: StdRng,
}

/// A filter of boats: its name in the table, and a function that makes one.
type Filter = (&'static str, Box<dyn Fn(&mut Values) -> String>);

/// None, each filter alone, and some together.
fn filters() -> Vec<Filter> {
    let none: Filter = ("", Box::new(|_| String::new()));
    let alone = BOATS.parameters.iter().filter_map(alone);
    let together: [Filter; 4] = [
        (
            "yearFrom yearTo",
            Box::new(|values| {
                let year = values.year();
                format!("&yearFrom={year}&yearTo={}", year + 5)
            }),
        ),
        (
            "lengthMin lengthMax, m",
            Box::new(|values| {
                let metres = values.random.random_range(4..22);
                format!("&lengthMin={metres}.5&lengthMax={}.25", metres + 3)
            }),
        ),
        (
            "lengthMin lengthMax, ft",
            Box::new(|values| {
                let feet = values.random.random_range(13..70);
                format!("&lengthMin={feet}.5&lengthMax={}&lengthUnit=ft", feet + 10)
            }),
        ),
        (
            "type category yearFrom",
            Box::new(|values| {
                let kind = values.slug("type", |it| &it.types);
                let category = values.slug("category", |it| &it.categories);
                format!("{kind}{category}&yearFrom={}", values.year())
            }),
        ),
    ];
    [none].into_iter().chain(alone).chain(together).collect()
}

/// A filter alone; lengths are measured together.
fn alone(parameter: &'static Parameter) -> Option<Filter> {
    let name = parameter.name;
    Some(match parameter.role {
        Role::Slug(vocabulary) => {
            let slugs: fn(&Values) -> &Vec<Box<str>> = match vocabulary {
                Vocabulary::Manufacturers => |values| &values.manufacturers,
                Vocabulary::Types => |values| &values.types,
                Vocabulary::Categories => |values| &values.categories,
                Vocabulary::Activities => |values| &values.activities,
            };
            (name, Box::new(move |values| values.slug(name, slugs)))
        }
        Role::AtLeast(measure, bounds) | Role::AtMost(measure, bounds) => {
            let make = move |values: &mut Values| values.number(name, measure, bounds);
            (name, Box::new(make))
        }
        Role::Search => (
            name,
            Box::new(|values| {
                let word = values.slug("search", |it| &it.words);
                // Two letters are the shortest search and find the most.
                let letters = values.random.random_range(2..5);
                word.chars().take("&search=".len() + letters).collect()
            }),
        ),
        Role::LengthMin
        | Role::LengthMax
        | Role::LengthUnit
        | Role::Limit { .. }
        | Role::Offset
        | Role::Sort(_)
        | Role::Order
        | Role::Release => return None,
    })
}

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
            boats: release.listing()?.boats,
            random: StdRng::seed_from_u64(SEED),
        })
    }

    fn slug(&mut self, name: &str, of: fn(&Self) -> &Vec<Box<str>>) -> String {
        let place = self.random.random_range(0..of(self).len().max(1));
        let slug = of(self).get(place).map_or("none", |slug| slug);
        format!("&{name}={slug}")
    }

    /// The number of some boat of which it is known, within the bounds of the filter.
    fn number(&mut self, name: &str, measure: Measure, (min, max): Bounds) -> String {
        let place = self.random.random_range(0..self.boats.len().max(1));
        let (before, after) = self.boats.split_at(place.min(self.boats.len()));
        let number = after.iter().chain(before).find_map(measure.of).unwrap_or(0);
        let one = 10_u64.pow(measure.decimals);
        let number = number.unsigned_abs().clamp(min * one, max * one);
        let (whole, decimals) = (number / one, number % one);
        match measure.decimals {
            0 => format!("&{name}={whole}"),
            count => format!(
                "&{name}={whole}.{decimals:0>width$}",
                width = count as usize
            ),
        }
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
    let filters = filters();
    for sort in BOATS.sorts {
        for filter in &filters {
            add(&BOATS, sort.name, "asc", PAGES, filter);
        }
        add(&BOATS, sort.name, "desc", PAGES, &filters[0]);
        add(&BOATS, sort.name, "asc", pages, &filters[0]);
    }
    let search: Filter = (
        "search",
        Box::new(|values| values.slug("search", |it| &it.words)),
    );
    for sort in MANUFACTURERS.sorts {
        for filter in [&filters[0], &search] {
            add(&MANUFACTURERS, sort.name, "asc", PAGES, filter);
        }
    }
    Ok(shapes)
}
