//! The wire shapes of the specification's section 2, in its order of fields.
//!
//! Serialising one of these is a promise to every consumer: names, order and nullability may not
//! change. Each record comes in two halves, the summary and the details that follow it, because a
//! full record begins with exactly its summary (section 2.2). A key is never left out: what has
//! no value is null, or an empty list.
//!
//! Texts borrow from the export where they can; nothing here checks or converts a value.
//!
//! Longer than 300 lines because it is section 2 on one page, shapes and nothing else.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::ids::{IdOrSlug, Slug};
use crate::number::Number;
use crate::timestamp::Timestamp;
use crate::units::{Length, Unit};

/// First year that a record or a query may name.
pub const YEAR_MIN: u16 = 1800;
/// Last year that a record or a query may name.
pub const YEAR_MAX: u16 = 2100;

/// A text of a record: NFC, trimmed, not empty.
pub type Text<'a> = Cow<'a, str>;

/// A type, category, activity, hull type or hull material (section 2.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reference<'a> {
    /// Id within its vocabulary.
    pub id: &'a IdOrSlug,
    /// Name for people.
    pub name: &'a str,
    /// Slug that filters accept.
    pub slug: &'a Slug,
}

/// An image (section 2.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Image<'a> {
    /// Absolute `http` or `https` address.
    pub url: Text<'a>,
    /// Text for people who do not see the image.
    pub alt: Option<Text<'a>>,
    /// Pixels, at least 1.
    pub width: u64,
    /// Pixels, at least 1.
    pub height: u64,
    /// File format, such as `jpg`.
    pub format: Text<'a>,
}

/// The manufacturer as a boat shows it (section 2.2).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ManufacturerReference<'a> {
    /// Id of the manufacturer.
    pub id: &'a IdOrSlug,
    /// Name for people.
    pub name: &'a str,
    /// Slug that filters accept.
    pub slug: &'a Slug,
    /// Absolute address of the manufacturer's own pages.
    pub website: Option<&'a str>,
}

/// The years in which a boat was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Production {
    /// [`YEAR_MIN`] to [`YEAR_MAX`].
    pub first_year: u16,
    /// [`YEAR_MIN`] to [`YEAR_MAX`], not before the first; null when no last year is recorded.
    pub last_year: Option<u16>,
}

/// A price in one currency.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Price<'a> {
    /// Whole units of the currency, not cents.
    pub amount: Number,
    /// The currency.
    pub currency: Currency<'a>,
}

/// A currency.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Currency<'a> {
    /// Three capital letters, as in ISO 4217.
    pub code: Text<'a>,
    /// Sign for people.
    pub symbol: Text<'a>,
}

/// A row of a boat list, and the first part of a full boat (section 2.2).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoatSummary<'a> {
    /// Record identifier.
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
    pub length: Length,
    /// Reference price.
    pub reference_price: Option<Price<'a>>,
    /// Main image.
    pub image: Option<Image<'a>>,
}

mod length_overall {
    use super::{Length, Number, Serialize, Serializer, Unit};

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Fields {
        unit: Unit,
        length_overall: Number,
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

/// What a full boat adds to its summary (section 2.3).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoatDetails<'a> {
    /// Plain text.
    pub description: Option<Text<'a>>,
    /// Terms of the vocabulary `category`.
    pub categories: Vec<Reference<'a>>,
    /// Terms of the vocabulary `activity`.
    pub activities: Vec<Reference<'a>>,
    /// Hull.
    pub hull: Hull<'a>,
    /// Sizes and weights, in the boat's own system.
    pub dimensions: Dimensions<'a>,
    /// Rooms and beds.
    pub accommodation: Accommodation,
    /// Steering and cockpit.
    pub steering: Steering<'a>,
    /// Speeds, in knots.
    pub performance: Performance,
    /// Mast and rigging; every member is null for a motor boat.
    pub rig: Rig<'a>,
    /// Sails, areas in the boat's own system.
    pub sails: Sails<'a>,
    /// Tanks, each text with its own unit.
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
        Self {
            description: None,
            categories: Vec::new(),
            activities: Vec::new(),
            hull: Hull::default(),
            dimensions: Dimensions::of_length(length),
            accommodation: Accommodation::default(),
            steering: Steering::default(),
            performance: Performance::default(),
            rig: Rig::default(),
            sails: Sails::default(),
            tanks: Tanks::default(),
            engines: Vec::new(),
            designers: Designers::default(),
            ce_classification: CeClassification::default(),
            gallery: Vec::new(),
        }
    }
}

/// A named value of the export, such as a sail's area with its unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedValue<'a> {
    /// What is described.
    pub name: Text<'a>,
    /// The description, with its own unit.
    pub value: Text<'a>,
}

/// `hull` of a full boat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hull<'a> {
    /// Term of the vocabulary `hullType`.
    #[serde(rename = "type")]
    pub hull_type: Option<Reference<'a>>,
    /// Term of the vocabulary `hullMaterial`.
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

/// `dimensions` of a full boat, in its own system; tonnage has no unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Dimensions<'a> {
    /// Always equal to the summary's `lengthOverall`.
    pub length_overall: Number,
    pub length_waterline: Option<Number>,
    pub beam_overall: Option<Number>,
    pub beam_cabin_line: Option<Number>,
    pub beam_hull: Option<Number>,
    pub draft_max: Option<Number>,
    pub draft_min: Option<Number>,
    pub headroom: Option<Number>,
    pub bridgedeck_clearance: Option<Number>,
    pub nominal_bridgedeck_clearance: Option<Number>,
    pub displacement: Option<Number>,
    pub ballast_weight: Option<Number>,
    pub ballast_type: Option<Text<'a>>,
    pub tonnage_gross: Option<Number>,
    pub tonnage_net: Option<Number>,
}

impl Dimensions<'_> {
    /// The dimensions of a boat of which nothing but the length is known.
    pub fn of_length(length: Length) -> Self {
        Self {
            length_overall: length.own(),
            length_waterline: None,
            beam_overall: None,
            beam_cabin_line: None,
            beam_hull: None,
            draft_max: None,
            draft_min: None,
            headroom: None,
            bridgedeck_clearance: None,
            nominal_bridgedeck_clearance: None,
            displacement: None,
            ballast_weight: None,
            ballast_type: None,
            tonnage_gross: None,
            tonnage_net: None,
        }
    }
}

/// `accommodation` of a full boat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Accommodation {
    /// Separate cabins.
    pub cabins: Option<u64>,
    /// Places to sleep.
    pub berths: Option<u64>,
    /// Toilets.
    pub heads: Option<u64>,
}

/// `steering` of a full boat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Steering<'a> {
    pub helm: Option<Text<'a>>,
    pub rudder: Option<Text<'a>>,
    pub cockpit_type: Option<Text<'a>>,
    pub cockpit_location: Option<Text<'a>>,
}

/// `performance` of a full boat, in knots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Performance {
    pub cruising_speed: Option<Number>,
    pub top_speed: Option<Number>,
    pub displacement_hull_speed: Option<Number>,
}

/// `rig` of a full boat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Rig<'a> {
    /// In the boat's own system.
    pub mast_height: Option<Number>,
    pub mast_configuration: Option<Text<'a>>,
    pub rigging_type: Option<Text<'a>>,
    pub standing_rigging: Option<Text<'a>>,
    pub spars: Option<Text<'a>>,
    pub rotating_spars: Option<bool>,
    /// Pairs of spreaders.
    pub spreaders_level: Option<u64>,
    /// Degrees; may be negative.
    pub spreaders_angle: Option<Number>,
}

/// `sails` of a full boat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Sails<'a> {
    /// In the boat's own system.
    pub upwind_area: Option<Number>,
    /// In the boat's own system.
    pub downwind_area: Option<Number>,
    pub mainsail: Vec<NamedValue<'a>>,
    pub headsail: Vec<NamedValue<'a>>,
    pub spinnaker: Vec<NamedValue<'a>>,
}

/// `tanks` of a full boat: one text a tank, with its own unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Tanks<'a> {
    pub fuel: Vec<Text<'a>>,
    pub water: Vec<Text<'a>>,
    pub holding: Vec<Text<'a>>,
    pub water_heaters: Vec<Text<'a>>,
}

/// An engine; `power` carries its own unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct Engine<'a> {
    pub maker: Option<Text<'a>>,
    pub model: Option<Text<'a>>,
    #[serde(rename = "type")]
    pub engine_type: Option<Text<'a>>,
    pub drive: Option<Text<'a>>,
    pub fuel: Option<Text<'a>>,
    pub power: Option<Text<'a>>,
    pub power_type: Option<Text<'a>>,
}

/// A designer as a boat shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Designer<'a> {
    /// Id of the designer.
    pub id: &'a IdOrSlug,
    /// Name for people.
    pub name: &'a str,
    /// Absolute address.
    pub website: Option<&'a str>,
}

/// `designers` of a full boat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Designers<'a> {
    /// Hull and lines.
    pub naval: Vec<Designer<'a>>,
    /// Interior.
    pub interior: Vec<Designer<'a>>,
    /// Exterior.
    pub exterior: Vec<Designer<'a>>,
}

/// `ceClassification` of a full boat: people allowed aboard in each design category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(
    missing_docs,
    reason = "each name says it, and the specification says no more"
)]
pub struct CeClassification {
    pub a: Option<u64>,
    pub b: Option<u64>,
    pub c: Option<u64>,
    pub d: Option<u64>,
}

/// A row of a manufacturer list, and the first part of a full manufacturer (section 2.4).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManufacturerSummary<'a> {
    /// Record identifier.
    pub id: &'a IdOrSlug,
    /// Slug, unique among manufacturers.
    pub slug: &'a Slug,
    /// Name for people.
    pub name: Text<'a>,
    /// Absolute address.
    pub website: Option<Text<'a>>,
    /// Logo.
    pub logo: Option<Image<'a>>,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

/// What a full manufacturer adds to its summary (section 2.5).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManufacturerDetails<'a> {
    /// Plain text.
    pub description: Option<Text<'a>>,
    /// Published boats attributed to the manufacturer.
    pub boat_count: u64,
}
