//! Makes boats as they are served (specification sections 2.2 and 2.3) from checked values.

use shared::base::model::{
    Accommodation, BoatDetails, BoatSummary, CeClassification, Currency, Designers, Dimensions,
    Engine, Hull, NamedValue, Performance, Price, Production, Rig, Sails, Steering, Tanks,
};
use shared::base::units::{Length, Unit};

use super::checked::Values;
use super::identity::Identity;
use super::image::image;
use super::references::References;
use crate::format::Vocabulary;

/// A boat in the forms in which it is served.
pub(crate) struct Boat<'n> {
    /// Its row in a list, which is also the first part of the full record.
    pub(crate) summary: BoatSummary<'n>,
    /// The rest of the full record.
    pub(crate) details: BoatDetails<'n>,
    /// The index of its manufacturer among the usable ones.
    pub(crate) manufacturer: usize,
}

/// Makes a boat of values without errors; the result borrows from its identity.
pub(super) fn make<'n>(
    mut boat: Values<'n>,
    identity: &'n Identity,
    references: &'n References,
) -> Option<Boat<'n>> {
    let model = boat.text("model")?;
    let version = boat.text("version");
    let manufacturer = boat.record("manufacturer")?;
    let boat_type = boat.record("type")?;
    let production = production(boat.part("production"))?;
    let unit = Unit::parse(&boat.text("unit")?)?;
    let length = Length::parse(&boat.text("lengthOverall")?, unit).ok()?;
    let summary = BoatSummary {
        id: identity.id.as_ref()?,
        slug: identity.slug.as_ref()?,
        model,
        version,
        manufacturer: references.manufacturer(manufacturer),
        boat_type: references.term(Vocabulary::Type, boat_type),
        production,
        length,
        reference_price: boat.object("referencePrice").and_then(price),
        image: boat.object("image").and_then(image),
    };
    Some(Boat {
        summary,
        details: details(boat, length, references),
        manufacturer,
    })
}

fn details<'n>(
    mut boat: Values<'n>,
    length: Length,
    references: &'n References,
) -> BoatDetails<'n> {
    let term = |vocabulary| move |index| references.term(vocabulary, index);
    BoatDetails {
        description: boat.text("description"),
        categories: boat.records("categories", term(Vocabulary::Category)),
        activities: boat.records("activities", term(Vocabulary::Activity)),
        hull: hull(boat.part("hull"), references),
        dimensions: dimensions(boat.part("dimensions"), length),
        accommodation: accommodation(boat.part("accommodation")),
        steering: steering(boat.part("steering")),
        performance: performance(boat.part("performance")),
        rig: rig(boat.part("rig")),
        sails: sails(boat.part("sails")),
        tanks: tanks(boat.part("tanks")),
        engines: boat.objects("engines", |member| Some(engine(member))),
        designers: designers(boat.part("designers"), references),
        ce_classification: ce_classification(boat.part("ceClassification")),
        gallery: boat.objects("gallery", image),
    }
}

fn production(mut years: Values<'_>) -> Option<Production> {
    let year = |year: u64| u16::try_from(year).ok();
    Some(Production {
        first_year: years.count("firstYear").and_then(year)?,
        last_year: years.count("lastYear").and_then(year),
    })
}

fn price(mut price: Values<'_>) -> Option<Price<'_>> {
    let amount = price.number("amount")?;
    let mut currency = price.object("currency")?;
    let currency = Currency {
        code: currency.text("code")?,
        symbol: currency.text("symbol")?,
    };
    Some(Price { amount, currency })
}

fn hull<'n>(mut hull: Values<'n>, references: &'n References) -> Hull<'n> {
    let term = |vocabulary| move |index| references.term(vocabulary, index);
    Hull {
        hull_type: hull.record("type").map(term(Vocabulary::HullType)),
        material: hull.record("material").map(term(Vocabulary::HullMaterial)),
        keel_type: hull.text("keelType"),
        unsinkable: hull.flag("unsinkable"),
        trailerable: hull.flag("trailerable"),
        appendages: hull.objects("appendages", named_value),
    }
}

fn named_value(mut pair: Values<'_>) -> Option<NamedValue<'_>> {
    Some(NamedValue {
        name: pair.text("name")?,
        value: pair.text("value")?,
    })
}

/// The dimensions, whose length overall, if it is given, equals `length`.
fn dimensions(mut dimensions: Values<'_>, length: Length) -> Dimensions<'_> {
    Dimensions {
        length_overall: length.own(),
        length_waterline: dimensions.number("lengthWaterline"),
        beam_overall: dimensions.number("beamOverall"),
        beam_cabin_line: dimensions.number("beamCabinLine"),
        beam_hull: dimensions.number("beamHull"),
        draft_max: dimensions.number("draftMax"),
        draft_min: dimensions.number("draftMin"),
        headroom: dimensions.number("headroom"),
        bridgedeck_clearance: dimensions.number("bridgedeckClearance"),
        nominal_bridgedeck_clearance: dimensions.number("nominalBridgedeckClearance"),
        displacement: dimensions.number("displacement"),
        ballast_weight: dimensions.number("ballastWeight"),
        ballast_type: dimensions.text("ballastType"),
        tonnage_gross: dimensions.number("tonnageGross"),
        tonnage_net: dimensions.number("tonnageNet"),
    }
}

fn accommodation(mut accommodation: Values<'_>) -> Accommodation {
    Accommodation {
        cabins: accommodation.count("cabins"),
        berths: accommodation.count("berths"),
        heads: accommodation.count("heads"),
    }
}

fn steering(mut steering: Values<'_>) -> Steering<'_> {
    Steering {
        helm: steering.text("helm"),
        rudder: steering.text("rudder"),
        cockpit_type: steering.text("cockpitType"),
        cockpit_location: steering.text("cockpitLocation"),
    }
}

fn performance(mut performance: Values<'_>) -> Performance {
    Performance {
        cruising_speed: performance.number("cruisingSpeed"),
        top_speed: performance.number("topSpeed"),
        displacement_hull_speed: performance.number("displacementHullSpeed"),
    }
}

fn rig(mut rig: Values<'_>) -> Rig<'_> {
    Rig {
        mast_height: rig.number("mastHeight"),
        mast_configuration: rig.text("mastConfiguration"),
        rigging_type: rig.text("riggingType"),
        standing_rigging: rig.text("standingRigging"),
        spars: rig.text("spars"),
        rotating_spars: rig.flag("rotatingSpars"),
        spreaders_level: rig.count("spreadersLevel"),
        spreaders_angle: rig.number("spreadersAngle"),
    }
}

fn sails(mut sails: Values<'_>) -> Sails<'_> {
    Sails {
        upwind_area: sails.number("upwindArea"),
        downwind_area: sails.number("downwindArea"),
        mainsail: sails.objects("mainsail", named_value),
        headsail: sails.objects("headsail", named_value),
        spinnaker: sails.objects("spinnaker", named_value),
    }
}

fn tanks(mut tanks: Values<'_>) -> Tanks<'_> {
    Tanks {
        fuel: tanks.texts("fuel"),
        water: tanks.texts("water"),
        holding: tanks.texts("holding"),
        water_heaters: tanks.texts("waterHeaters"),
    }
}

fn engine(mut engine: Values<'_>) -> Engine<'_> {
    Engine {
        maker: engine.text("maker"),
        model: engine.text("model"),
        engine_type: engine.text("type"),
        drive: engine.text("drive"),
        fuel: engine.text("fuel"),
        power: engine.text("power"),
        power_type: engine.text("powerType"),
    }
}

fn designers<'n>(mut designers: Values<'n>, references: &'n References) -> Designers<'n> {
    let designer = |index| references.designer(index);
    Designers {
        naval: designers.records("naval", designer),
        interior: designers.records("interior", designer),
        exterior: designers.records("exterior", designer),
    }
}

fn ce_classification(mut classes: Values<'_>) -> CeClassification {
    CeClassification {
        a: classes.count("a"),
        b: classes.count("b"),
        c: classes.count("c"),
        d: classes.count("d"),
    }
}
