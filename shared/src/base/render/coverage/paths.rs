//! The fields of each kind of record, by their paths in the body.
//!
//! A test holds these lists to the bodies themselves.

use std::sync::LazyLock;

use super::Fields;

/// The fields of a boat.
pub static BOAT_FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::new(&BOAT_PATHS));
/// The fields of a manufacturer.
pub static MANUFACTURER_FIELDS: LazyLock<Fields> =
    LazyLock::new(|| Fields::new(&MANUFACTURER_PATHS));

/// The paths of a full boat, in the order of its body.
#[rustfmt::skip]
const BOAT_PATHS: [&str; 92] = [
    "id", "slug", "model", "version",
    "manufacturer.id", "manufacturer.name", "manufacturer.slug", "manufacturer.website",
    "type.id", "type.name", "type.slug", "production.firstYear", "production.lastYear",
    "unit", "lengthOverall", "lengthOverallMetres",
    "referencePrice", "referencePrice.amount",
    "referencePrice.currency.code", "referencePrice.currency.symbol",
    "image", "image.url", "image.alt", "image.width", "image.height", "image.format",
    "description", "categories", "activities",
    "hull.type", "hull.type.id", "hull.type.name", "hull.type.slug",
    "hull.material", "hull.material.id", "hull.material.name", "hull.material.slug",
    "hull.keelType", "hull.unsinkable", "hull.trailerable", "hull.appendages",
    "dimensions.lengthOverall", "dimensions.lengthWaterline", "dimensions.beamOverall",
    "dimensions.beamCabinLine", "dimensions.beamHull", "dimensions.draftMax",
    "dimensions.draftMin", "dimensions.headroom", "dimensions.bridgedeckClearance",
    "dimensions.nominalBridgedeckClearance", "dimensions.displacement",
    "dimensions.ballastWeight", "dimensions.ballastType", "dimensions.tonnageGross",
    "dimensions.tonnageNet",
    "accommodation.cabins", "accommodation.berths", "accommodation.heads",
    "steering.helm", "steering.rudder", "steering.cockpitType", "steering.cockpitLocation",
    "performance.cruisingSpeed", "performance.topSpeed", "performance.displacementHullSpeed",
    "rig.mastHeight", "rig.mastConfiguration", "rig.riggingType", "rig.standingRigging",
    "rig.spars", "rig.rotatingSpars", "rig.spreadersLevel", "rig.spreadersAngle",
    "sails.upwindArea", "sails.downwindArea", "sails.mainsail", "sails.headsail",
    "sails.spinnaker",
    "tanks.fuel", "tanks.water", "tanks.holding", "tanks.waterHeaters",
    "engines", "designers.naval", "designers.interior", "designers.exterior",
    "ceClassification.a", "ceClassification.b", "ceClassification.c", "ceClassification.d",
    "gallery",
];

/// The paths of a full manufacturer, in the order of its body.
#[rustfmt::skip]
const MANUFACTURER_PATHS: [&str; 13] = [
    "id", "slug", "name", "website",
    "logo", "logo.url", "logo.alt", "logo.width", "logo.height", "logo.format",
    "updatedAt", "description", "boatCount",
];
