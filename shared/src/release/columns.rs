//! The tables of a release under construction: what is remembered of each record until the end.
//!
//! Bodies are not kept here, so memory grows with identity and sort keys alone.

use std::collections::HashMap;

use super::pairs::Pairs;
use super::ranks::{code, ranks};
use super::rendered::{RenderedBoat, RenderedBody, RenderedManufacturer};
use super::tables::{Column, Columns};
use crate::base::etag::ETag;
use crate::base::ids::Slug;
use crate::base::timestamp::Timestamp;
use crate::base::units::Unit;

/// Identity and place of body, which every kind of record has.
#[derive(Default)]
struct Places {
    ids: Vec<Box<str>>,
    slugs: Vec<Box<str>>,
    etags: Vec<ETag>,
    offsets: Vec<i64>,
    lengths: Vec<i32>,
    head_lengths: Vec<i32>,
}

impl Places {
    fn push(&mut self, id: &str, slug: &str, body: &RenderedBody, offset: i64) {
        self.ids.push(id.into());
        self.slugs.push(slug.into());
        self.etags.push(body.etag);
        self.offsets.push(offset);
        self.lengths.push(code(body.bytes.len()));
        self.head_lengths.push(code(body.head_length));
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn into_columns(self) -> Columns {
        vec![
            (
                "ordinal",
                Column::Int32((0..self.len()).map(code).collect()),
            ),
            ("id", Column::Text(self.ids)),
            ("slug", Column::Text(self.slugs)),
            ("etag", Column::ETags(self.etags)),
            ("body_offset", Column::Int64(self.offsets)),
            ("body_length", Column::Int32(self.lengths)),
            ("head_length", Column::Int32(self.head_lengths)),
        ]
    }
}

/// Slugs numbered in the order in which they first appear.
#[derive(Default)]
pub(super) struct Codes {
    by_slug: HashMap<Slug, usize>,
    slugs: Vec<Box<str>>,
}

impl Codes {
    fn of(&mut self, slug: Slug) -> usize {
        let next = self.slugs.len();
        *self.by_slug.entry(slug).or_insert_with_key(|slug| {
            self.slugs.push(slug.as_str().into());
            next
        })
    }
}

/// All boats pushed so far.
#[derive(Default)]
pub(super) struct BoatColumns {
    places: Places,
    manufacturers: Codes,
    types: Codes,
    categories: Codes,
    activities: Codes,
    manufacturer: Vec<usize>,
    boat_type: Vec<i32>,
    first_year: Vec<i32>,
    last_year: Vec<Option<i32>>,
    unit: Vec<i32>,
    length: Vec<i64>,
    folded_models: Vec<Box<str>>,
    boat_categories: Pairs,
    boat_activities: Pairs,
}

impl BoatColumns {
    pub(super) fn push(&mut self, boat: RenderedBoat, offset: i64) {
        let ordinal = code(self.places.len());
        self.places
            .push(boat.id.as_str(), boat.slug.as_str(), &boat.body, offset);
        self.manufacturer
            .push(self.manufacturers.of(boat.manufacturer));
        self.boat_type.push(code(self.types.of(boat.boat_type)));
        for category in boat.categories {
            self.boat_categories
                .push(code(self.categories.of(category)), ordinal);
        }
        for activity in boat.activities {
            self.boat_activities
                .push(code(self.activities.of(activity)), ordinal);
        }
        self.first_year.push(i32::from(boat.production.first_year));
        self.last_year
            .push(boat.production.last_year.map(i32::from));
        self.unit.push(match boat.length.unit() {
            Unit::Metric => 0,
            Unit::Imperial => 1,
        });
        self.length.push(boat.length.physical());
        self.folded_models.push(boat.folded_model);
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The orders of boats. The error is the slug of a manufacturer that was never pushed.
    pub(super) fn order(&self, manufacturers: &ManufacturerColumns) -> Result<BoatOrder, Box<str>> {
        let makers = manufacturers.ordinals_of(&self.manufacturers.slugs)?;
        let maker_of = |boat: usize| makers[self.manufacturer[boat]];
        let maker_names = &manufacturers.folded_names;
        let (ids, count) = (&self.places.ids, self.places.len());
        Ok(BoatOrder {
            manufacturer: (0..count).map(|boat| code(maker_of(boat))).collect(),
            model_rank: ranks(count, |boat| (&self.folded_models[boat], &ids[boat])),
            year_rank: ranks(count, |boat| (self.first_year[boat], &ids[boat])),
            length_rank: ranks(count, |boat| (self.length[boat], &ids[boat])),
            manufacturer_rank: ranks(count, |boat| (&maker_names[maker_of(boat)], &ids[boat])),
        })
    }

    /// The tables of boats.
    pub(super) fn finish(self, order: BoatOrder) -> BoatTables {
        let mut boats = self.places.into_columns();
        boats.extend([
            ("manufacturer", Column::Int32(order.manufacturer)),
            ("type", Column::Int32(self.boat_type)),
            ("first_year", Column::Int32(self.first_year)),
            ("last_year", Column::OptionalInt32(self.last_year)),
            ("unit", Column::Int32(self.unit)),
            ("length", Column::Int64(self.length)),
            ("model_rank", Column::Int32(order.model_rank)),
            ("year_rank", Column::Int32(order.year_rank)),
            ("length_rank", Column::Int32(order.length_rank)),
            ("manufacturer_rank", Column::Int32(order.manufacturer_rank)),
        ]);
        BoatTables {
            boats,
            categories: self.boat_categories.into_columns("term", "boat"),
            activities: self.boat_activities.into_columns("term", "boat"),
            terms: term_columns([
                ("type", self.types),
                ("category", self.categories),
                ("activity", self.activities),
            ]),
        }
    }

    pub(super) fn folded_models(&self) -> &[Box<str>] {
        &self.folded_models
    }
}

/// By boat: the ordinal of its manufacturer, and its places in the sort orders.
pub(super) struct BoatOrder {
    manufacturer: Vec<i32>,
    model_rank: Vec<i32>,
    year_rank: Vec<i32>,
    length_rank: Vec<i32>,
    manufacturer_rank: Vec<i32>,
}

/// The finished tables of boats.
pub(super) struct BoatTables {
    pub(super) boats: Columns,
    pub(super) categories: Columns,
    pub(super) activities: Columns,
    pub(super) terms: Columns,
}

fn term_columns(vocabularies: [(&str, Codes); 3]) -> Columns {
    let (mut names, mut codes, mut slugs) = (Vec::new(), Vec::new(), Vec::new());
    for (name, terms) in vocabularies {
        for (place, slug) in terms.slugs.into_iter().enumerate() {
            names.push(name.into());
            codes.push(code(place));
            slugs.push(slug);
        }
    }
    vec![
        ("vocabulary", Column::Text(names)),
        ("code", Column::Int32(codes)),
        ("slug", Column::Text(slugs)),
    ]
}

/// All manufacturers pushed so far.
#[derive(Default)]
pub(super) struct ManufacturerColumns {
    places: Places,
    folded_names: Vec<Box<str>>,
    updated_at: Vec<Timestamp>,
}

impl ManufacturerColumns {
    pub(super) fn push(&mut self, manufacturer: RenderedManufacturer, offset: i64) {
        let RenderedManufacturer {
            body,
            id,
            slug,
            folded_name,
            updated_at,
        } = manufacturer;
        self.places.push(id.as_str(), slug.as_str(), &body, offset);
        self.folded_names.push(folded_name);
        self.updated_at.push(updated_at);
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn folded_names(&self) -> &[Box<str>] {
        &self.folded_names
    }

    fn ordinals_of(&self, slugs: &[Box<str>]) -> Result<Vec<usize>, Box<str>> {
        let all = self.places.slugs.iter().enumerate();
        let by_slug: HashMap<&str, usize> = all.map(|(ordinal, slug)| (&**slug, ordinal)).collect();
        slugs
            .iter()
            .map(|slug| by_slug.get(&**slug).copied().ok_or_else(|| slug.clone()))
            .collect()
    }

    /// The table of manufacturers.
    pub(super) fn finish(self) -> Columns {
        let (ids, count) = (&self.places.ids, self.places.len());
        let name_rank = ranks(count, |maker| (&self.folded_names[maker], &ids[maker]));
        let updated_rank = ranks(count, |maker| (&self.updated_at[maker], &ids[maker]));
        let mut manufacturers = self.places.into_columns();
        manufacturers.extend([
            ("name_rank", Column::Int32(name_rank)),
            ("updated_rank", Column::Int32(updated_rank)),
        ]);
        manufacturers
    }
}
