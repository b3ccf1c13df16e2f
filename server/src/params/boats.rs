//! The query of both boat lists (specification sections 4.1 and 4.5).

use shared::base::ids::Slug;
use shared::base::model::{YEAR_MAX, YEAR_MIN};
use shared::base::units::{LengthBound, LengthRanges, LengthUnit};

use super::canonical::{Canonical, Parameters, Understood};
use super::reader::{Accepted, Reader};
use super::values::{self, Choice};
use super::{Order, Page, ParamIssue, QueryString, SearchWords};

const NAMES: [&str; 14] = [
    "manufacturer",
    "type",
    "category",
    "activity",
    "yearFrom",
    "yearTo",
    "lengthMin",
    "lengthMax",
    "lengthUnit",
    "search",
    "limit",
    "offset",
    "sort",
    "order",
];

const ALL: Accepted = Accepted {
    names: &NAMES,
    refused: None,
};

const OF_MANUFACTURER: Accepted = Accepted {
    // All but the first, `manufacturer`.
    names: NAMES.split_at(1).1,
    refused: Some((
        NAMES[0],
        "not accepted here, because the path already names the manufacturer",
    )),
};

/// Which boat list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoatList {
    /// Every boat; `manufacturer` is a filter.
    All,
    /// The boats of the manufacturer in the path; `manufacturer` is refused.
    OfManufacturer,
}

impl BoatList {
    /// Names of the parameters, in the order in which messages list them.
    pub const fn parameters(self) -> &'static [&'static str] {
        self.accepted().names
    }

    const fn accepted(self) -> &'static Accepted {
        match self {
            Self::All => &ALL,
            Self::OfManufacturer => &OF_MANUFACTURER,
        }
    }
}

/// A checked query of a boat list. Equal queries ask for the same rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoatQuery {
    /// Slug of the manufacturer. For the nested list, set from the record that the path names.
    pub manufacturer: Option<Slug>,
    /// Slug of the boat type.
    pub boat_type: Option<Slug>,
    /// Slug of a category.
    pub category: Option<Slug>,
    /// Slug of an activity.
    pub activity: Option<Slug>,
    /// Still built in or after this year.
    pub year_from: Option<u16>,
    /// First built in or before this year; never before `year_from`.
    pub year_to: Option<u16>,
    /// Length overall within bounds.
    pub length: Option<LengthFilter>,
    /// Words of the model's name.
    pub search: Option<SearchWords>,
    /// Which rows.
    pub page: Page,
    /// Sorted by what.
    pub sort: BoatSort,
    /// In which direction.
    pub order: Order,
}

impl BoatQuery {
    /// Reads the query of `list`, or every issue it has, in request order.
    pub fn parse(query: &QueryString, list: BoatList) -> Result<Self, Vec<ParamIssue>> {
        let mut reader = Reader::new(query, list.accepted());
        let (year_from, year_to) = read_years(&mut reader);
        let parsed = Self {
            manufacturer: reader.take("manufacturer", values::slug),
            boat_type: reader.take("type", values::slug),
            category: reader.take("category", values::slug),
            activity: reader.take("activity", values::slug),
            year_from,
            year_to,
            length: read_length(&mut reader),
            search: reader.take("search", SearchWords::parse),
            page: Page::read(&mut reader),
            sort: reader.take("sort", values::choice).unwrap_or_default(),
            order: reader.take("order", values::choice).unwrap_or_default(),
        };
        reader.finish(parsed)
    }

    /// The text that equal boat queries share and different ones do not. A manufacturer query
    /// may have the same text.
    pub fn canonical(&self) -> String {
        let mut canonical = Canonical::default();
        self.write(&mut canonical);
        canonical.finish()
    }

    /// All parameters as they were understood; `lengthUnit` only where there is a bound.
    pub fn understood(&self) -> Vec<Understood> {
        let mut all = Vec::new();
        self.write(&mut all);
        all
    }

    fn write(&self, parameters: &mut impl Parameters) {
        parameters.add("manufacturer", self.manufacturer.as_ref());
        parameters.add("type", self.boat_type.as_ref());
        parameters.add("category", self.category.as_ref());
        parameters.add("activity", self.activity.as_ref());
        parameters.add("yearFrom", self.year_from);
        parameters.add("yearTo", self.year_to);
        let length = self.length.as_ref();
        parameters.add("lengthMin", length.and_then(|length| length.min.as_ref()));
        parameters.add("lengthMax", length.and_then(|length| length.max.as_ref()));
        if let Some(length) = length {
            parameters.add_choice("lengthUnit", length.unit);
        }
        parameters.add("search", self.search.as_ref());
        self.page.write(parameters);
        parameters.add_choice("sort", self.sort);
        parameters.add_choice("order", self.order);
    }
}

/// Bounds of the length overall, at least one, as given and as the lengths they admit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthFilter {
    min: Option<LengthBound>,
    max: Option<LengthBound>,
    unit: LengthUnit,
    ranges: LengthRanges,
}

impl LengthFilter {
    /// A filter, where there is a bound: without one, the unit means nothing.
    fn new(min: Option<LengthBound>, max: Option<LengthBound>, unit: LengthUnit) -> Option<Self> {
        if min.is_none() && max.is_none() {
            return None;
        }
        let ranges = LengthRanges::new(min.as_ref(), max.as_ref(), unit);
        Some(Self {
            min,
            max,
            unit,
            ranges,
        })
    }

    /// The physical lengths that the bounds admit.
    pub const fn ranges(&self) -> &LengthRanges {
        &self.ranges
    }
}

/// What a boat list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoatSort {
    /// Folded model name.
    #[default]
    Model,
    /// First year of production.
    Year,
    /// Physical length.
    Length,
    /// Folded name of the manufacturer.
    Manufacturer,
}

impl Choice for BoatSort {
    const VALUES: &'static [Self] = &[Self::Model, Self::Year, Self::Length, Self::Manufacturer];

    fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Year => "year",
            Self::Length => "length",
            Self::Manufacturer => "manufacturer",
        }
    }
}

fn read_years(reader: &mut Reader<'_>) -> (Option<u16>, Option<u16>) {
    let year = |text: &str| values::integer(text, &(u64::from(YEAR_MIN)..=u64::from(YEAR_MAX)));
    let from: Option<u16> = reader.take("yearFrom", year);
    let to: Option<u16> = reader.take("yearTo", year);
    if is_reversed(from.as_ref(), to.as_ref()) {
        reader.conflict("yearTo", "must not be before yearFrom");
    }
    (from, to)
}

fn read_length(reader: &mut Reader<'_>) -> Option<LengthFilter> {
    let min = reader.take("lengthMin", values::length_bound);
    let max = reader.take("lengthMax", values::length_bound);
    let unit = reader
        .take("lengthUnit", values::choice)
        .unwrap_or_default();
    if is_reversed(min.as_ref(), max.as_ref()) {
        reader.conflict("lengthMax", "must not be less than lengthMin");
    }
    LengthFilter::new(min, max, unit)
}

fn is_reversed<T: Ord>(low: Option<&T>, high: Option<&T>) -> bool {
    low.zip(high).is_some_and(|(low, high)| high < low)
}
