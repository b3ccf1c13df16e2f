//! A few hundred generated boats, as the oracle knows them and as a release that is served.

use std::sync::{Arc, OnceLock};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use server::catalogue::Catalogue;
use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{
    BoatDetails, BoatSummary, Dimensions, ManufacturerDetails, ManufacturerReference,
    ManufacturerSummary, Production, Reference,
};
use shared::base::number::Number;
use shared::base::timestamp::Timestamp;
use shared::base::units::{Length, Unit};
use shared::release::{Releases, RenderedBoat, RenderedManufacturer};

use crate::records::{columns, empty_store, settings};

pub(super) const BOATS: usize = 400;
/// Slug and name. Two names fold alike, so ties between manufacturers occur.
pub(super) const MAKERS: [(&str, &str); 5] = [
    ("beneteau", "Bénéteau"),
    ("Beneteau", "BENETEAU"),
    ("oja", "Øjabåtar"),
    ("zzz", "Łódź Jachty"),
    ("x-yachts", "X-Yachts"),
];
pub(super) const TYPES: [&str; 3] = ["sailing", "motor", "multihull"];
pub(super) const TAGS: [&str; 4] = ["racer", "cruiser", "day_boat", "Racer"];
const MODELS: [&str; 14] = [
    "First 40.7",
    "first 40,7",
    "FIRST 36",
    "Océanis 40",
    "Oceanis 4O",
    "34",
    "340",
    "3/4 ton",
    "ærø 28",
    "Zephyr",
    "100% Fun",
    "under_score 22",
    "Straße",
    "C/S 30",
];
/// Lengths in thousandths of a unit, close to values that are nearly equal in metres and feet.
pub(super) const LENGTHS: [i64; 16] = [
    12_192, 12_187, 12_186, 12_197, 12_198, 10_540, 10_543, 34_590, 34_600, 40_000, 39_983, 39_984,
    40_016, 40_017, 1, 1_000_000,
];

/// A boat as the oracle knows it.
pub(super) struct Plain {
    pub(super) id: String,
    pub(super) model: &'static str,
    pub(super) maker: usize,
    pub(super) boat_type: usize,
    pub(super) categories: Vec<usize>,
    pub(super) activities: Vec<usize>,
    pub(super) first_year: u16,
    pub(super) last_year: Option<u16>,
    pub(super) unit: Unit,
    pub(super) thousandths: i64,
    /// More than any filter looks at, so that the next one finds its numbers here.
    pub(super) dimensions: Dimensions<'static>,
}

/// Dimensions of a boat of this length, of which most are known.
fn dimensions(random: &mut StdRng, length: Length) -> Dimensions<'static> {
    let mut some = || {
        let is_known = random.random_bool(0.8);
        let twentieths = f64::from(random.random_range(1_u8..80));
        Number::new(twentieths / 20.0).filter(|_| is_known)
    };
    Dimensions {
        length_waterline: some(),
        beam_overall: some(),
        draft_max: some(),
        draft_min: some(),
        headroom: some(),
        displacement: some(),
        ballast_weight: some(),
        tonnage_gross: some(),
        tonnage_net: some(),
        ..BoatDetails::of_length(length).dimensions
    }
}

impl Plain {
    fn generate(random: &mut StdRng, number: usize) -> Self {
        let first_year = random.random_range(1960..=1990);
        let last_year = random
            .random_bool(0.7)
            .then(|| first_year + random.random_range(0..20));
        let mut some = || {
            (0..TAGS.len())
                .filter(|_| random.random_bool(0.3))
                .collect()
        };
        let (categories, activities) = (some(), some());
        let unit = if random.random() {
            Unit::Metric
        } else {
            Unit::Imperial
        };
        let thousandths = *LENGTHS.choose(random).unwrap();
        Self {
            // These ids do not sort like their numbers, so the test sees that ties are broken by
            // text.
            id: format!("b{}.{number}", number % 7),
            model: MODELS.choose(random).unwrap(),
            maker: random.random_range(0..MAKERS.len()),
            boat_type: random.random_range(0..TYPES.len()),
            categories,
            activities,
            first_year,
            last_year,
            unit,
            thousandths,
            dimensions: dimensions(random, length(thousandths, unit)),
        }
    }

    /// The length in ten-millionths of a metre.
    pub(super) fn physical(&self) -> i64 {
        self.thousandths * per_thousandth(self.unit)
    }

    /// `lengthOverallMetres` in thousandths of a metre; of feet, two decimals are shown.
    pub(super) fn shown_thousandths(&self) -> i64 {
        match self.unit {
            Unit::Metric => self.thousandths,
            Unit::Imperial => (self.physical() + 50_000) / 100_000 * 10,
        }
    }

    fn render(&self) -> RenderedBoat {
        let id = |text: &str| IdOrSlug::parse(text).unwrap();
        let slug = |text: &str| Slug::parse(text).unwrap();
        let length = length(self.thousandths, self.unit);
        let maker_slug = slug(MAKERS[self.maker].0);
        let (maker_id, boat_type) = (id(&format!("m{}", self.maker)), slug(TYPES[self.boat_type]));
        let tags = TAGS.map(slug);
        let tag_id = id("tag");
        let of = |chosen: &[usize]| {
            let terms = chosen.iter().map(|&tag| &tags[tag]);
            terms
                .map(|slug| Reference {
                    id: &tag_id,
                    name: "tag",
                    slug,
                })
                .collect()
        };
        let summary = BoatSummary {
            id: &id(&self.id),
            slug: &id(&format!("slug-{}", self.id)),
            model: self.model.into(),
            version: None,
            manufacturer: ManufacturerReference {
                id: &maker_id,
                name: MAKERS[self.maker].1,
                slug: &maker_slug,
                website: None,
            },
            boat_type: Reference {
                id: &tag_id,
                name: "type",
                slug: &boat_type,
            },
            production: Production {
                first_year: self.first_year,
                last_year: self.last_year,
            },
            length,
            reference_price: None,
            image: None,
        };
        let details = BoatDetails {
            categories: of(&self.categories),
            activities: of(&self.activities),
            dimensions: self.dimensions.clone(),
            ..BoatDetails::of_length(length)
        };
        RenderedBoat::new(&summary, &details).unwrap()
    }
}

fn length(thousandths: i64, unit: Unit) -> Length {
    let length = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    Length::parse(&length, unit).unwrap()
}

pub(super) const fn per_thousandth(unit: Unit) -> i64 {
    match unit {
        Unit::Metric => 10_000,
        Unit::Imperial => 3_048,
    }
}

pub(super) fn world() -> &'static (Vec<Plain>, Arc<Catalogue>) {
    static WORLD: OnceLock<(Vec<Plain>, Arc<Catalogue>)> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut random = StdRng::seed_from_u64(1);
        let boats: Vec<Plain> = (0..BOATS)
            .map(|n| Plain::generate(&mut random, n))
            .collect();
        let (_directory, store) = empty_store();
        let mut writer = store.begin(columns()).unwrap();
        for boat in &boats {
            writer.push_boat(boat.render()).unwrap();
        }
        for (number, (slug, name)) in MAKERS.iter().enumerate() {
            let summary = ManufacturerSummary {
                id: &IdOrSlug::parse(&format!("m{number}")).unwrap(),
                slug: &Slug::parse(slug).unwrap(),
                name: (*name).into(),
                website: None,
                logo: None,
                updated_at: Timestamp::from_unix_seconds(0),
            };
            let details = ManufacturerDetails {
                description: None,
                boat_count: 0,
            };
            writer
                .push_manufacturer(RenderedManufacturer::new(&summary, &details).unwrap())
                .unwrap();
        }
        let finished = store
            .finish(writer, &Timestamp::from_unix_seconds(0))
            .unwrap();
        let release = store.open(&finished.id).unwrap();
        (
            boats,
            Arc::new(Catalogue::open(&release, settings()).unwrap()),
        )
    })
}
