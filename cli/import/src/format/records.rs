//! The rows of the native format, kind by kind, in the order in which a record is checked.
//!
//! What a field means stands with the response types, where consumers read it; a row says it only
//! if no response does, or if the export is about something else.

use shared::base::model::{YEAR_MAX, YEAR_MIN};
use shared::base::number::INTEGER_MAX;
use shared::base::units::Unit;

use super::Shape::{
    Address, BoatSlug, Currency, Derived, Description, Flag, Format, Id, Integer, Length, List,
    Number, Object, Part, Reference, RowText, SameLength, Slug, Text, Timestamp, Word,
};
use super::{DISTANCE, Field, Shape, Target, Vocabulary};

pub(super) const CATALOGUE: &[Field] = &[
    kind(&["catalogue"]),
    required("format", Format).about("The format of the export."),
    optional("generatedAt", Timestamp).about("When the export was made."),
    optional("counts", Part(COUNTS))
        .about("Records of each kind, unpublished ones included, by which a gap is noticed."),
];

const COUNTS: &[Field] = &[
    optional("manufacturer", COUNT).about(OF_KIND),
    optional("term", COUNT).about(OF_KIND),
    optional("designer", COUNT).about(OF_KIND),
    optional("boat", COUNT).about(OF_KIND),
];

pub(super) const MANUFACTURER: &[Field] = &[
    kind(&["manufacturer"]),
    required("id", Id).about(OWN_ID),
    required("slug", Slug),
    required("name", RowText),
    optional("website", Address),
    optional("logo", Object(IMAGE)),
    optional("description", Description),
    required("updatedAt", Timestamp).about(CHANGED),
    optional("published", Flag).about(PUBLISHED),
    derived("boatCount", "the boats of the export", None),
];

pub(super) const TERM: &[Field] = &[
    kind(&["term"]),
    required("vocabulary", Word(&VOCABULARIES)).about("What the term is for."),
    required("id", Id),
    required("slug", Slug).about("Slug that filters accept, unique within the vocabulary."),
    required("name", RowText),
];

pub(super) const DESIGNER: &[Field] = &[
    kind(&["designer"]),
    required("id", Id),
    required("name", RowText),
    optional("website", Address),
];

pub(super) const BOAT: &[Field] = &[
    kind(&["boat"]),
    required("id", Id).about(OWN_ID),
    required("slug", BoatSlug),
    optional("published", Flag).about(PUBLISHED),
    optional("updatedAt", Timestamp).about(CHANGED),
    derived(
        "lengthOverallMetres",
        "`unit` and `lengthOverall`",
        Some("m"),
    ),
    required("model", RowText),
    optional("version", RowText),
    required("manufacturer", Reference(Target::Manufacturer)),
    required("type", term(Vocabulary::Type)),
    optional("production", Part(PRODUCTION)),
    required("unit", Word(&UNITS)).about(
        "The boat's own system. In it are all measures of the boat: metric ones in metres, \
         kilograms and square metres, imperial ones in feet, pounds and square feet.",
    ),
    required("lengthOverall", Length),
    optional("referencePrice", Object(PRICE)),
    optional("image", Object(IMAGE)),
    optional("description", Description),
    optional("categories", List(&term(Vocabulary::Category))),
    optional("activities", List(&term(Vocabulary::Activity))),
    optional("hull", Part(HULL)),
    optional("dimensions", Part(DIMENSIONS)),
    optional("accommodation", Part(ACCOMMODATION)),
    optional("steering", Part(STEERING)),
    optional("performance", Part(PERFORMANCE)),
    optional("rig", Part(RIG)),
    optional("sails", Part(SAILS)),
    optional("tanks", Part(TANKS)),
    optional("engines", List(&Object(ENGINE))),
    optional("designers", Part(DESIGNERS)),
    optional("ceClassification", Part(CE_CLASSIFICATION)),
    optional("gallery", List(&Object(IMAGE))),
];

const PRODUCTION: &[Field] = &[required("firstYear", YEAR), optional("lastYear", YEAR)];

const PRICE: &[Field] = &[
    required("amount", AMOUNT),
    required("currency", Object(CURRENCY)),
];

const CURRENCY: &[Field] = &[required("code", Currency), required("symbol", RowText)];

const IMAGE: &[Field] = &[
    required("url", Address),
    optional("alt", RowText),
    required("width", PIXELS),
    required("height", PIXELS),
    required("format", RowText),
];

const HULL: &[Field] = &[
    optional("type", term(Vocabulary::HullType)),
    optional("material", term(Vocabulary::HullMaterial)),
    optional("keelType", Text),
    optional("unsinkable", Flag),
    optional("trailerable", Flag),
    optional("appendages", NAMED_VALUES),
];

const NAMED_VALUE: &[Field] = &[required("name", Text), required("value", Text)];

const DIMENSIONS: &[Field] = &[
    optional("lengthOverall", SameLength)
        .about("Filled in by the import; where it is given, equal to the boat's `lengthOverall`."),
    optional("lengthWaterline", LENGTH),
    optional("beamOverall", LENGTH),
    optional("beamCabinLine", LENGTH),
    optional("beamHull", LENGTH),
    optional("draftMax", LENGTH),
    optional("draftMin", LENGTH),
    optional("headroom", LENGTH),
    optional("bridgedeckClearance", LENGTH),
    optional("nominalBridgedeckClearance", LENGTH),
    optional("displacement", WEIGHT),
    optional("ballastWeight", WEIGHT),
    optional("ballastType", Text),
    optional("tonnageGross", AMOUNT),
    optional("tonnageNet", AMOUNT),
];

const ACCOMMODATION: &[Field] = &[
    optional("cabins", COUNT),
    optional("berths", COUNT),
    optional("heads", COUNT),
];

const STEERING: &[Field] = &[
    optional("helm", Text),
    optional("rudder", Text),
    optional("cockpitType", Text),
    optional("cockpitLocation", Text),
];

const PERFORMANCE: &[Field] = &[
    optional("cruisingSpeed", SPEED),
    optional("topSpeed", SPEED),
    optional("displacementHullSpeed", SPEED),
];

const RIG: &[Field] = &[
    optional("mastHeight", LENGTH),
    optional("mastConfiguration", Text),
    optional("riggingType", Text),
    optional("standingRigging", Text),
    optional("spars", Text),
    optional("rotatingSpars", Flag),
    optional("spreadersLevel", COUNT),
    optional("spreadersAngle", ANGLE),
];

const SAILS: &[Field] = &[
    optional("upwindArea", AREA),
    optional("downwindArea", AREA),
    optional("mainsail", NAMED_VALUES),
    optional("headsail", NAMED_VALUES),
    optional("spinnaker", NAMED_VALUES),
];

const TANKS: &[Field] = &[
    optional("fuel", List(&Text)),
    optional("water", List(&Text)),
    optional("holding", List(&Text)),
    optional("waterHeaters", List(&Text)),
];

const ENGINE: &[Field] = &[
    optional("maker", Text),
    optional("model", Text),
    optional("type", Text),
    optional("drive", Text),
    optional("fuel", Text),
    optional("power", Text),
    optional("powerType", Text),
];

const DESIGNERS: &[Field] = &[
    optional("naval", List(&Reference(Target::Designer))),
    optional("interior", List(&Reference(Target::Designer))),
    optional("exterior", List(&Reference(Target::Designer))),
];

const CE_CLASSIFICATION: &[Field] = &[
    optional("a", COUNT),
    optional("b", COUNT),
    optional("c", COUNT),
    optional("d", COUNT),
];

const CHANGED: &str = "When the record last changed.";
const OF_KIND: &str = "Records of this kind.";
const OWN_ID: &str = "Id of the record.";
const PUBLISHED: &str = "Whether consumers see the record; they do where it is absent.";

const LENGTH: Shape = not_negative(Some(DISTANCE));
const WEIGHT: Shape = not_negative(Some("kg or lb"));
const AREA: Shape = not_negative(Some("m² or ft²"));
const SPEED: Shape = not_negative(Some("knots"));
const AMOUNT: Shape = not_negative(None);
const ANGLE: Shape = Number {
    unit: Some("degrees"),
    is_signed: true,
};
const COUNT: Shape = integer(None, 0, INTEGER_MAX);
const PIXELS: Shape = integer(Some("pixels"), 1, INTEGER_MAX);
const YEAR: Shape = integer(None, YEAR_MIN as u64, YEAR_MAX as u64);
const NAMED_VALUES: Shape = List(&Object(NAMED_VALUE));

const UNITS: [&str; 2] = [Unit::Metric.as_str(), Unit::Imperial.as_str()];
const VOCABULARIES: [&str; 5] = [
    Vocabulary::Type.as_str(),
    Vocabulary::Category.as_str(),
    Vocabulary::Activity.as_str(),
    Vocabulary::HullType.as_str(),
    Vocabulary::HullMaterial.as_str(),
];

const fn kind(word: &'static [&'static str]) -> Field {
    required("kind", Word(word)).about("What the record is.")
}

const fn required(key: &'static str, shape: Shape) -> Field {
    Field {
        is_required: true,
        ..optional(key, shape)
    }
}

const fn optional(key: &'static str, shape: Shape) -> Field {
    Field {
        key,
        shape,
        about: None,
        is_required: false,
    }
}

const fn derived(key: &'static str, from: &'static str, unit: Option<&'static str>) -> Field {
    optional(key, Derived { unit, from })
}

const fn term(vocabulary: Vocabulary) -> Shape {
    Reference(Target::Term(vocabulary))
}

const fn not_negative(unit: Option<&'static str>) -> Shape {
    Number {
        unit,
        is_signed: false,
    }
}

const fn integer(unit: Option<&'static str>, min: u64, max: u64) -> Shape {
    Integer { unit, min, max }
}

impl Field {
    /// Says what the field means.
    const fn about(self, about: &'static str) -> Self {
        Self {
            about: Some(about),
            ..self
        }
    }
}
