//! The tables of a release under construction: what is remembered of each record until the end.
//!
//! Bodies are not kept here, so memory grows with identity and sort keys alone.

use std::collections::HashMap;

use super::ranks::{code, ranks};
use super::rendered::{RenderedBoat, RenderedBody, RenderedManufacturer};
use super::tables::Column;
use crate::etag::ETag;
use crate::fold::words;
use crate::ids::Slug;
use crate::timestamp::Timestamp;
use crate::units::Unit;

/// Columns of a release's table.
pub(super) type Columns = Vec<(&'static str, Column)>;

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

/// `(left, right)` pairs of a side table.
#[derive(Default)]
struct Pairs(Vec<(i32, i32)>);

impl Pairs {
    /// Sorted by the left side, so that a look-up reads one run of rows; repeated pairs are one.
    fn into_columns(mut self, left: &'static str, right: &'static str) -> Columns {
        self.0.sort_unstable();
        self.0.dedup();
        let (lefts, rights) = self.0.into_iter().unzip();
        vec![(left, Column::Int32(lefts)), (right, Column::Int32(rights))]
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
                .0
                .push((code(self.categories.of(category)), ordinal));
        }
        for activity in boat.activities {
            self.boat_activities
                .0
                .push((code(self.activities.of(activity)), ordinal));
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

    /// The tables of boats. The error is the slug of a manufacturer that was never pushed.
    pub(super) fn finish(
        self,
        manufacturers: &ManufacturerColumns,
        vocabulary: &Words,
    ) -> Result<BoatTables, Box<str>> {
        let makers = manufacturers.ordinals_of(&self.manufacturers.slugs)?;
        let maker_of = |boat: usize| makers[self.manufacturer[boat]];
        let maker_names = &manufacturers.folded_names;
        let (ids, count) = (&self.places.ids, self.places.len());
        let model_rank = ranks(count, |boat| (&self.folded_models[boat], &ids[boat]));
        let year_rank = ranks(count, |boat| (self.first_year[boat], &ids[boat]));
        let length_rank = ranks(count, |boat| (self.length[boat], &ids[boat]));
        let maker_rank = ranks(count, |boat| (&maker_names[maker_of(boat)], &ids[boat]));
        let boat_words = vocabulary.pairs(&self.folded_models);
        let manufacturer = (0..count).map(|boat| code(maker_of(boat))).collect();
        let mut boats = self.places.into_columns();
        boats.extend([
            ("manufacturer", Column::Int32(manufacturer)),
            ("type", Column::Int32(self.boat_type)),
            ("first_year", Column::Int32(self.first_year)),
            ("last_year", Column::OptionalInt32(self.last_year)),
            ("unit", Column::Int32(self.unit)),
            ("length", Column::Int64(self.length)),
            ("model_rank", Column::Int32(model_rank)),
            ("year_rank", Column::Int32(year_rank)),
            ("length_rank", Column::Int32(length_rank)),
            ("manufacturer_rank", Column::Int32(maker_rank)),
        ]);
        Ok(BoatTables {
            boats,
            categories: self.boat_categories.into_columns("term", "boat"),
            activities: self.boat_activities.into_columns("term", "boat"),
            words: boat_words.into_columns("word", "boat"),
            terms: term_columns([
                ("type", self.types),
                ("category", self.categories),
                ("activity", self.activities),
            ]),
        })
    }

    pub(super) fn folded_models(&self) -> &[Box<str>] {
        &self.folded_models
    }
}

/// The finished tables of boats.
pub(super) struct BoatTables {
    pub(super) boats: Columns,
    pub(super) categories: Columns,
    pub(super) activities: Columns,
    pub(super) words: Columns,
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

    /// The table of manufacturers, and their words.
    pub(super) fn finish(self, vocabulary: &Words) -> (Columns, Columns) {
        let (ids, count) = (&self.places.ids, self.places.len());
        let name_rank = ranks(count, |maker| (&self.folded_names[maker], &ids[maker]));
        let updated_rank = ranks(count, |maker| (&self.updated_at[maker], &ids[maker]));
        let words = vocabulary.pairs(&self.folded_names);
        let mut manufacturers = self.places.into_columns();
        manufacturers.extend([
            ("name_rank", Column::Int32(name_rank)),
            ("updated_rank", Column::Int32(updated_rank)),
        ]);
        (manufacturers, words.into_columns("word", "manufacturer"))
    }
}

/// Every word of every folded name; a word's code is its place in the order of code points, so
/// that the words with a common prefix are a range of codes.
pub(super) struct Words(Vec<Box<str>>);

impl Words {
    pub(super) fn of(names: [&[Box<str>]; 2]) -> Self {
        let mut all: Vec<&str> = names
            .into_iter()
            .flatten()
            .flat_map(|name| words(name))
            .collect();
        all.sort_unstable();
        all.dedup();
        Self(all.into_iter().map(Into::into).collect())
    }

    fn pairs(&self, names: &[Box<str>]) -> Pairs {
        let mut pairs = Vec::new();
        for (ordinal, name) in names.iter().enumerate() {
            for word in words(name) {
                let place = self.0.binary_search_by(|known| (**known).cmp(word));
                pairs.extend(place.ok().map(|place| (code(place), code(ordinal))));
            }
        }
        Pairs(pairs)
    }

    pub(super) fn into_columns(self) -> Columns {
        vec![("word", Column::Text(self.0))]
    }
}
