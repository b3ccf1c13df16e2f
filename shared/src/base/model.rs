//! The wire shapes of the specification's section 2, in its order of fields.
//!
//! Serialising one of these is a promise to every consumer: names, order and nullability may not
//! change. Each record comes in two halves, the summary and the details that follow it, because a
//! full record begins with exactly its summary (section 2.2). A key is never left out: what has
//! no value is null, or an empty list.
//!
//! The comments on fields stand in the OpenAPI document for consumers, so they name the unit of
//! every measure. Texts borrow from the export where they can; nothing here checks or converts a
//! value.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::base::ids::{IdOrSlug, Slug};
use crate::base::number::Number;
use crate::base::timestamp::Timestamp;
use crate::base::units::{Length, Unit};

/// First year that a record or a query may name.
pub const YEAR_MIN: u16 = 1800;
/// Last year that a record or a query may name.
pub const YEAR_MAX: u16 = 2100;

/// A text of a record: NFC, trimmed, not empty.
pub type Text<'a> = Cow<'a, str>;

/// A type, category, activity, hull type or hull material.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reference<'a> {
    /// Id within its vocabulary.
    pub id: &'a IdOrSlug,
    /// Name for people.
    pub name: &'a str,
    /// Slug that filters accept.
    pub slug: &'a Slug,
}

/// The terms that boats are found by.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Terms<'a> {
    /// Values of the filter `type`, by name.
    pub types: Vec<Term<'a>>,
    /// Values of the filter `category`, by name.
    pub categories: Vec<Term<'a>>,
    /// Values of the filter `activity`, by name.
    pub activities: Vec<Term<'a>>,
}

/// A type, category or activity, with how many boats have it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Term<'a> {
    /// The term as boats show it.
    #[serde(flatten)]
    pub reference: Reference<'a>,
    /// Boats that its slug finds as a filter; at least one.
    #[schemars(range(min = 1))]
    pub boat_count: u64,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Image<'a> {
    /// Absolute `http` or `https` address.
    #[schemars(extend("format" = "iri"))]
    pub url: Text<'a>,
    /// Text for people who do not see the image.
    pub alt: Option<Text<'a>>,
    /// Pixels.
    #[schemars(range(min = 1))]
    pub width: u64,
    /// Pixels.
    #[schemars(range(min = 1))]
    pub height: u64,
    /// File format, such as `jpg`.
    pub format: Text<'a>,
}

/// The manufacturer as a boat shows it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ManufacturerReference<'a> {
    /// Id of the manufacturer.
    pub id: &'a IdOrSlug,
    /// Name for people.
    pub name: &'a str,
    /// Slug that filters accept.
    pub slug: &'a Slug,
    /// Absolute address of the manufacturer's own pages; null when there are none.
    #[schemars(extend("format" = "iri"))]
    pub website: Option<&'a str>,
}

/// The years in which a boat was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Production {
    /// First year of production.
    #[schemars(range(min = YEAR_MIN, max = YEAR_MAX))]
    pub first_year: u16,
    /// Last year of production, not before the first; null when none is recorded.
    #[schemars(range(min = YEAR_MIN, max = YEAR_MAX))]
    pub last_year: Option<u16>,
}

/// A price in one currency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Price<'a> {
    /// Whole units of the currency, not cents.
    pub amount: Number,
    /// The currency.
    pub currency: Currency<'a>,
}

/// A currency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Currency<'a> {
    /// Three capital letters, as in ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub code: Text<'a>,
    /// Sign for people.
    pub symbol: Text<'a>,
}

/// A row of a boat list, and the first part of a full boat.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoatSummary<'a> {
    /// Record identifier; accepted in paths in place of the slug.
    pub id: &'a IdOrSlug,
    /// Slug, unique among boats.
    pub slug: &'a IdOrSlug,
    /// Model name.
    pub model: Text<'a>,
    /// Version of the model.
    pub version: Option<Text<'a>>,
    /// Who builds it.
    pub manufacturer: ManufacturerReference<'a>,
    /// Boat type.
    #[serde(rename = "type")]
    pub boat_type: Reference<'a>,
    /// When it was built.
    pub production: Production,
    /// `unit`, `lengthOverall` and `lengthOverallMetres`: one value, so that they agree.
    #[serde(flatten, with = "length_overall")]
    #[schemars(with = "length_overall::Fields")]
    pub length: Length,
    /// Reference price; null when none is known.
    pub reference_price: Option<Price<'a>>,
    /// Main image; null when there is none.
    pub image: Option<Image<'a>>,
}

mod length_overall {
    use super::{JsonSchema, Length, Number, Serialize, Serializer, Unit};

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub(super) struct Fields {
        /// The boat's own system: `metric` (metres, kilograms, square metres) or `imperial` (feet,
        /// pounds, square feet). Speeds are knots and angles degrees in both.
        unit: Unit,
        /// Length overall, in metres or feet by `unit`.
        length_overall: Number,
        /// Length overall in metres: of a metric boat the same number, of an imperial one feet x
        /// 0.3048, rounded to 2 decimals.
        length_overall_metres: Number,
    }

    pub(super) fn serialize<S: Serializer>(length: &Length, to: S) -> Result<S::Ok, S::Error> {
        let fields = Fields {
            unit: length.unit(),
            length_overall: length.own(),
            length_overall_metres: length.metres(),
        };
        fields.serialize(to)
    }
}

/// What a full boat adds to its summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoatDetails<'a> {
    /// Plain text; null when there is none.
    pub description: Option<Text<'a>>,
    /// Categories.
    pub categories: Vec<Reference<'a>>,
    /// What it is used for.
    pub activities: Vec<Reference<'a>>,
    /// Hull.
    pub hull: Hull<'a>,
    /// Sizes and weights.
    pub dimensions: Dimensions<'a>,
    /// Rooms and beds.
    pub accommodation: Accommodation,
    /// Steering and cockpit.
    pub steering: Steering<'a>,
    /// Speeds.
    pub performance: Performance,
    /// Mast and rigging; every member is null for a motor boat.
    pub rig: Rig<'a>,
    /// Sails.
    pub sails: Sails<'a>,
    /// Tanks.
    pub tanks: Tanks<'a>,
    /// Engines.
    pub engines: Vec<Engine<'a>>,
    /// Designers by discipline.
    pub designers: Designers<'a>,
    /// People allowed aboard by CE category.
    pub ce_classification: CeClassification,
    /// Further images.
    pub gallery: Vec<Image<'a>>,
}

impl BoatDetails<'_> {
    /// The details of a boat of which nothing but the length is known.
    pub fn of_length(length: Length) -> Self {
        let mut details = Self::default();
        details.dimensions.length_overall = length.own();
        details
    }
}

/// A named value of the export, such as a sail's area with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NamedValue<'a> {
    /// What is described.
    pub name: Text<'a>,
    /// The description, with its own unit.
    pub value: Text<'a>,
}

/// The hull.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hull<'a> {
    /// Type of the hull; null when it is not known.
    #[serde(rename = "type")]
    pub hull_type: Option<Reference<'a>>,
    /// Material of the hull; null when it is not known.
    pub material: Option<Reference<'a>>,
    /// Kind of keel.
    pub keel_type: Option<Text<'a>>,
    /// Whether the boat stays afloat when flooded.
    pub unsinkable: Option<bool>,
    /// Whether it can be towed on a trailer.
    pub trailerable: Option<bool>,
    /// Keels, rudders and the like.
    pub appendages: Vec<NamedValue<'a>>,
}

/// Sizes and weights, in the boat's own system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dimensions<'a> {
    /// Always equal to `lengthOverall` of the summary, in metres or feet by `unit`.
    pub length_overall: Number,
    /// Length of the waterline, in metres or feet by `unit`.
    pub length_waterline: Option<Number>,
    /// Greatest beam, in metres or feet by `unit`.
    pub beam_overall: Option<Number>,
    /// Beam at the cabin, in metres or feet by `unit`.
    pub beam_cabin_line: Option<Number>,
    /// Beam of the hull, in metres or feet by `unit`.
    pub beam_hull: Option<Number>,
    /// Greatest draft, in metres or feet by `unit`.
    pub draft_max: Option<Number>,
    /// Least draft, in metres or feet by `unit`.
    pub draft_min: Option<Number>,
    /// Headroom, in metres or feet by `unit`.
    pub headroom: Option<Number>,
    /// Clearance under the bridgedeck, in metres or feet by `unit`.
    pub bridgedeck_clearance: Option<Number>,
    /// Nominal clearance under the bridgedeck, in metres or feet by `unit`.
    pub nominal_bridgedeck_clearance: Option<Number>,
    /// Displacement, in kilograms or pounds by `unit`.
    pub displacement: Option<Number>,
    /// Weight of the ballast, in kilograms or pounds by `unit`.
    pub ballast_weight: Option<Number>,
    /// Kind of ballast.
    pub ballast_type: Option<Text<'a>>,
    /// Gross tonnage, which has no unit.
    pub tonnage_gross: Option<Number>,
    /// Net tonnage, which has no unit.
    pub tonnage_net: Option<Number>,
}

/// Rooms and beds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Accommodation {
    /// Separate cabins.
    pub cabins: Option<u64>,
    /// Places to sleep.
    pub berths: Option<u64>,
    /// Toilets.
    pub heads: Option<u64>,
}

/// Steering and cockpit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Steering<'a> {
    /// Kind of helm, such as wheel or tiller.
    pub helm: Option<Text<'a>>,
    /// Kind of rudder.
    pub rudder: Option<Text<'a>>,
    /// Kind of cockpit.
    pub cockpit_type: Option<Text<'a>>,
    /// Where the cockpit is.
    pub cockpit_location: Option<Text<'a>>,
}

/// Speeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Performance {
    /// Cruising speed, in knots.
    pub cruising_speed: Option<Number>,
    /// Top speed, in knots.
    pub top_speed: Option<Number>,
    /// Hull speed of a displacement hull, in knots.
    pub displacement_hull_speed: Option<Number>,
}

/// Mast and rigging; every member is null for a motor boat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rig<'a> {
    /// Height of the mast, in metres or feet by `unit`.
    pub mast_height: Option<Number>,
    /// Kind of rig, such as sloop.
    pub mast_configuration: Option<Text<'a>>,
    /// Kind of rigging.
    pub rigging_type: Option<Text<'a>>,
    /// Kind of standing rigging.
    pub standing_rigging: Option<Text<'a>>,
    /// Material of the spars.
    pub spars: Option<Text<'a>>,
    /// Whether the spars rotate.
    pub rotating_spars: Option<bool>,
    /// Pairs of spreaders.
    pub spreaders_level: Option<u64>,
    /// Sweep of the spreaders, in degrees; may be negative.
    pub spreaders_angle: Option<Number>,
}

/// Sails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sails<'a> {
    /// Area of the sails set upwind, in square metres or square feet by `unit`.
    pub upwind_area: Option<Number>,
    /// Area of the sails set downwind, in square metres or square feet by `unit`.
    pub downwind_area: Option<Number>,
    /// Facts about the mainsail; each text carries its own unit.
    pub mainsail: Vec<NamedValue<'a>>,
    /// Facts about the headsail; each text carries its own unit.
    pub headsail: Vec<NamedValue<'a>>,
    /// Facts about the spinnaker; each text carries its own unit.
    pub spinnaker: Vec<NamedValue<'a>>,
}

/// Tanks: one text a tank, with its own unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tanks<'a> {
    /// Fuel tanks.
    pub fuel: Vec<Text<'a>>,
    /// Fresh water tanks.
    pub water: Vec<Text<'a>>,
    /// Holding tanks.
    pub holding: Vec<Text<'a>>,
    /// Water heaters.
    pub water_heaters: Vec<Text<'a>>,
}

/// An engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Engine<'a> {
    /// Who makes it.
    pub maker: Option<Text<'a>>,
    /// Model of the engine.
    pub model: Option<Text<'a>>,
    /// Kind of engine, such as inboard.
    #[serde(rename = "type")]
    pub engine_type: Option<Text<'a>>,
    /// Kind of drive.
    pub drive: Option<Text<'a>>,
    /// Fuel.
    pub fuel: Option<Text<'a>>,
    /// Power, a text that carries its own unit.
    pub power: Option<Text<'a>>,
    /// Kind of power.
    pub power_type: Option<Text<'a>>,
}

/// A designer as a boat shows it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Designer<'a> {
    /// Id of the designer.
    pub id: &'a IdOrSlug,
    /// Name for people.
    pub name: &'a str,
    /// Absolute address; null when there is none.
    #[schemars(extend("format" = "iri"))]
    pub website: Option<&'a str>,
}

/// Designers by discipline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Designers<'a> {
    /// Designers of the hull and its lines.
    pub naval: Vec<Designer<'a>>,
    /// Designers of the interior.
    pub interior: Vec<Designer<'a>>,
    /// Designers of the exterior.
    pub exterior: Vec<Designer<'a>>,
}

/// People allowed aboard in each CE design category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CeClassification {
    /// People allowed aboard in category A, ocean.
    pub a: Option<u64>,
    /// People allowed aboard in category B, offshore.
    pub b: Option<u64>,
    /// People allowed aboard in category C, inshore.
    pub c: Option<u64>,
    /// People allowed aboard in category D, sheltered waters.
    pub d: Option<u64>,
}

/// A row of a manufacturer list, and the first part of a full manufacturer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManufacturerSummary<'a> {
    /// Record identifier; accepted in paths in place of the slug.
    pub id: &'a IdOrSlug,
    /// Slug, unique among manufacturers.
    pub slug: &'a Slug,
    /// Name for people.
    pub name: Text<'a>,
    /// Absolute address; null when there is none.
    #[schemars(extend("format" = "iri"))]
    pub website: Option<Text<'a>>,
    /// Logo; null when there is none.
    pub logo: Option<Image<'a>>,
    /// When the record last changed: RFC 3339 in UTC, with a fraction where one is recorded.
    pub updated_at: Timestamp,
}

/// What a full manufacturer adds to its summary.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManufacturerDetails<'a> {
    /// Plain text; null when there is none.
    pub description: Option<Text<'a>>,
    /// Published boats attributed to the manufacturer; 0 means that its list of boats is empty.
    pub boat_count: u64,
}
