//! Generated queries, and what the answer to each must be: a plain loop over all boats.

use std::cmp::Ordering;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use shared::base::fold::{fold, words};
use shared::base::units::Unit;

use super::world::{BOATS, LENGTHS, MAKERS, Plain, TAGS, TYPES, per_thousandth};

const SEARCHES: [&str; 16] = [
    "fi",
    "first",
    "4 f",
    "oceanis 4",
    "OCÉ",
    "34",
    "3 4",
    "aero",
    "Ærø",
    "100%",
    "_s",
    "strasse",
    "s c",
    "firsts",
    "%_x",
    "first first 40",
];
/// The parameters of one generated query.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) maker: Option<usize>,
    pub(super) boat_type: Option<usize>,
    pub(super) category: Option<usize>,
    pub(super) activity: Option<usize>,
    pub(super) years: (Option<u16>, Option<u16>),
    /// Thousandths of the unit.
    pub(super) lengths: (Option<i64>, Option<i64>),
    pub(super) in_feet: bool,
    pub(super) search: Option<String>,
    pub(super) sort: &'static str,
    pub(super) descending: bool,
    pub(super) limit: usize,
    pub(super) offset: usize,
}

pub(super) fn asks() -> impl Strategy<Value = Ask> {
    let rarely = |count: usize| prop::option::weighted(0.3, 0..count);
    let bound = || {
        let near = (prop::sample::select(&LENGTHS[..]), -1_i64..=1).prop_map(|(l, by)| l + by);
        prop::option::weighted(
            0.3,
            near.prop_filter("in range", |l| (1..=1_000_000).contains(l)),
        )
    };
    let year = || prop::option::weighted(0.3, 1955_u16..2012);
    let slugs = (
        rarely(MAKERS.len() + 1),
        rarely(TYPES.len() + 1),
        rarely(5),
        rarely(5),
    );
    let ranges = (year(), year(), bound(), bound(), any::<bool>());
    let search = prop::option::weighted(0.3, prop::sample::select(&SEARCHES[..]));
    let sort = prop::sample::select(vec!["model", "year", "length", "manufacturer"]);
    let page = (1..=100_usize, prop_oneof![Just(0), 0..BOATS + 50]);
    (slugs, ranges, search, sort, any::<bool>(), page).prop_map(
        |(slugs, ranges, search, sort, descending, (limit, offset))| Ask {
            maker: slugs.0,
            boat_type: slugs.1,
            category: slugs.2,
            activity: slugs.3,
            years: ordered(ranges.0, ranges.1),
            lengths: ordered(ranges.2, ranges.3),
            in_feet: ranges.4,
            search: search.map(str::to_owned),
            sort,
            descending,
            limit,
            offset,
        },
    )
}

fn ordered<T: PartialOrd>(low: Option<T>, high: Option<T>) -> (Option<T>, Option<T>) {
    match (&low, &high) {
        (Some(a), Some(b)) if b < a => (high, low),
        _ => (low, high),
    }
}

impl Ask {
    /// A page of all boats.
    pub(super) fn page(offset: usize, limit: usize) -> Self {
        Self {
            maker: None,
            boat_type: None,
            category: None,
            activity: None,
            years: (None, None),
            lengths: (None, None),
            in_feet: false,
            search: None,
            sort: "model",
            descending: false,
            limit,
            offset,
        }
    }

    /// A place past the end of a list of slugs stands for one that no boat has.
    pub(super) fn to_query_string(&self) -> String {
        let slug = |place: usize, known: &[&str]| (*known.get(place).unwrap_or(&"none")).to_owned();
        let makers = MAKERS.map(|(slug, _)| slug);
        let length = |l: i64| format!("{}.{:03}", l / 1000, l % 1000);
        let pairs = [
            ("manufacturer", self.maker.map(|maker| slug(maker, &makers))),
            (
                "type",
                self.boat_type.map(|boat_type| slug(boat_type, &TYPES)),
            ),
            (
                "category",
                self.category.map(|category| slug(category, &TAGS)),
            ),
            (
                "activity",
                self.activity.map(|activity| slug(activity, &TAGS)),
            ),
            ("yearFrom", self.years.0.map(|year| year.to_string())),
            ("yearTo", self.years.1.map(|year| year.to_string())),
            ("lengthMin", self.lengths.0.map(length)),
            ("lengthMax", self.lengths.1.map(length)),
            ("lengthUnit", self.in_feet.then(|| "ft".to_owned())),
            (
                "search",
                self.search
                    .as_ref()
                    .map(|search| utf8_percent_encode(search, NON_ALPHANUMERIC).to_string()),
            ),
            ("sort", Some(self.sort.to_owned())),
            ("order", self.descending.then(|| "desc".to_owned())),
            ("limit", Some(self.limit.to_string())),
            ("offset", Some(self.offset.to_string())),
        ];
        let given = pairs
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
        given.collect::<Vec<_>>().join("&")
    }

    pub(super) fn admits(&self, boat: &Plain) -> bool {
        let still_built = |year| boat.last_year.is_none_or(|last| year <= last);
        self.maker.is_none_or(|maker| maker == boat.maker)
            && self
                .boat_type
                .is_none_or(|boat_type| boat_type == boat.boat_type)
            && self
                .category
                .is_none_or(|category| boat.categories.contains(&category))
            && self
                .activity
                .is_none_or(|activity| boat.activities.contains(&activity))
            && self.years.0.is_none_or(still_built)
            && self.years.1.is_none_or(|year| boat.first_year <= year)
            && self.admits_length(boat)
            && self
                .search
                .as_ref()
                .is_none_or(|search| names(search, boat.model))
    }

    fn admits_length(&self, boat: &Plain) -> bool {
        let unit = if self.in_feet {
            Unit::Imperial
        } else {
            Unit::Metric
        };
        let slack = if unit == boat.unit { 0 } else { 50_000 };
        let bound = |thousandths: i64| thousandths * per_thousandth(unit);
        self.lengths
            .0
            .is_none_or(|min| bound(min) - slack <= boat.physical())
            && self
                .lengths
                .1
                .is_none_or(|max| boat.physical() <= bound(max) + slack)
    }

    fn compare(&self, a: &Plain, b: &Plain) -> Ordering {
        let by_key = match self.sort {
            "model" => fold(a.model).cmp(&fold(b.model)),
            "year" => a.first_year.cmp(&b.first_year),
            "length" => a.physical().cmp(&b.physical()),
            _ => fold(MAKERS[a.maker].1).cmp(&fold(MAKERS[b.maker].1)),
        };
        let ascending = by_key.then_with(|| a.id.cmp(&b.id));
        if self.descending {
            ascending.reverse()
        } else {
            ascending
        }
    }

    /// The ids of the page, and how many boats there are in all.
    pub(super) fn answer<'a>(&self, boats: &'a [Plain]) -> (Vec<&'a str>, usize) {
        self.answer_among(boats, |_| true)
    }

    /// The same of those boats alone that have something else too.
    pub(super) fn answer_among<'a>(
        &self,
        boats: &'a [Plain],
        has: impl Fn(&Plain) -> bool,
    ) -> (Vec<&'a str>, usize) {
        let asked_for = |boat: &&Plain| has(boat) && self.admits(boat);
        let mut rows: Vec<&Plain> = boats.iter().filter(asked_for).collect();
        rows.sort_by(|a, b| self.compare(a, b));
        let page = rows.iter().skip(self.offset).take(self.limit);
        (page.map(|boat| boat.id.as_str()).collect(), rows.len())
    }
}

/// Whether every word of the search begins some word of the name.
pub(super) fn names(search: &str, model: &str) -> bool {
    let (search, model) = (fold(search), fold(model));
    words(&search).all(|wanted| words(&model).any(|word| word.starts_with(wanted)))
}
