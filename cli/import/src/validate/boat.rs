//! Reads the boats of an export (specification sections 2.2 and 2.3).

use shared::base::model::{
    Accommodation, BoatDetails, BoatSummary, CeClassification, Designers, Dimensions, Engine, Hull,
    Performance, Production, Rig, Sails, Steering, Tanks,
};
use shared::base::units::{InvalidLength, Length, Unit};

use super::fields::{Fields, ReadResult, object};
use super::identity::Identity;
use super::numbers::{angle, area, count, distance, number, speed, spelled_length, weight, year};
use super::references::{References, Resolver};
use super::reporter::{Problem, Reporter};
use super::text::{description, row_text, text};
use super::values::{boat_slug, flag, id, image, named_value, price, timestamp, word};
use super::vocabulary::Vocabulary;
use crate::finding::Code;
use crate::json::Node;

/// A boat in the forms in which it is served.
pub(crate) struct Boat<'n> {
    /// Its row in a list, which is also the first part of the full record.
    pub(crate) summary: BoatSummary<'n>,
    /// The rest of the full record.
    pub(crate) details: BoatDetails<'n>,
    /// The index of its manufacturer among the usable ones.
    pub(crate) manufacturer: usize,
}

/// Reads a boat; the result borrows from its identity.
pub(crate) fn read<'n>(
    record: &mut Fields<'n, '_>,
    identity: &'n Identity,
    references: &'n References,
) -> Option<Boat<'n>> {
    let resolver = Resolver {
        references,
        is_published: identity.is_published,
    };
    record.required("id", id);
    record.required("slug", boat_slug);
    record.optional("published", flag);
    record.optional("updatedAt", timestamp);
    record.derived("lengthOverallMetres", "`unit` and `lengthOverall`");

    let model = record.required("model", row_text);
    let version = record.optional("version", row_text);
    let manufacturer = record.required("manufacturer", resolver.manufacturer());
    let boat_type = record.required("type", resolver.term(Vocabulary::Type));
    let production = record.object("production", production).flatten();
    let length = length(record);
    let reference_price = record.optional("referencePrice", price);
    let main_image = record.optional("image", image);
    let details = details(record, resolver, length);

    let (manufacturer_index, manufacturer) = manufacturer?;
    let summary = BoatSummary {
        id: identity.id.as_ref()?,
        slug: identity.slug.as_ref()?,
        model: model?,
        version,
        manufacturer,
        boat_type: boat_type?,
        production: production?,
        length: length?,
        reference_price,
        image: main_image,
    };
    Some(Boat {
        summary,
        details: details?,
        manufacturer: manufacturer_index,
    })
}

fn details<'n>(
    record: &mut Fields<'n, '_>,
    resolver: Resolver<'n>,
    length: Option<Length>,
) -> Option<BoatDetails<'n>> {
    let description = record.optional("description", description);
    let categories = record.list("categories", resolver.term(Vocabulary::Category));
    let activities = record.list("activities", resolver.term(Vocabulary::Activity));
    let hull = record.object("hull", |part| hull(part, resolver));
    let dimensions = record
        .object("dimensions", |part| dimensions(part, length))
        .flatten();
    Some(BoatDetails {
        accommodation: record
            .object("accommodation", accommodation)
            .unwrap_or_default(),
        steering: record.object("steering", steering).unwrap_or_default(),
        performance: record
            .object("performance", performance)
            .unwrap_or_default(),
        rig: record.object("rig", rig).unwrap_or_default(),
        sails: record.object("sails", sails).unwrap_or_default(),
        tanks: record.object("tanks", tanks).unwrap_or_default(),
        engines: record.list("engines", engine),
        designers: record
            .object("designers", |part| designers(part, resolver))
            .unwrap_or_default(),
        ce_classification: record
            .object("ceClassification", ce_classification)
            .unwrap_or_default(),
        gallery: record.list("gallery", image),
        description,
        categories,
        activities,
        hull: hull.unwrap_or_default(),
        dimensions: dimensions?,
    })
}

fn production(production: &mut Fields<'_, '_>) -> Option<Production> {
    let first_year = production.required("firstYear", year);
    let last_year = production.optional("lastYear", year);
    let first_year = first_year?;
    if last_year.is_some_and(|last_year| last_year < first_year) {
        let message = format!("the last year is before the first, {first_year}");
        production.report("lastYear", Problem::new(Code::YearsReversed, message));
    }
    Some(Production {
        first_year,
        last_year,
    })
}

fn length(record: &mut Fields<'_, '_>) -> Option<Length> {
    let unit = record.required("unit", |node, reporter| {
        word(node, reporter, &Unit::ALL.map(|unit| (unit.as_str(), unit)))
    });
    let spelling = record.required("lengthOverall", spelled_length)?;
    // Lengths have the same bounds in both systems, so a wrong unit does not hide a wrong length.
    match Length::parse(spelling, unit.unwrap_or(Unit::Metric)) {
        Ok(length) => unit.and(Some(length)),
        Err(invalid) => {
            record.report("lengthOverall", length_problem(invalid));
            None
        }
    }
}

fn hull<'n>(hull: &mut Fields<'n, '_>, references: Resolver<'n>) -> Hull<'n> {
    Hull {
        hull_type: hull.optional("type", references.term(Vocabulary::HullType)),
        material: hull.optional("material", references.term(Vocabulary::HullMaterial)),
        keel_type: hull.optional("keelType", text),
        unsinkable: hull.optional("unsinkable", flag),
        trailerable: hull.optional("trailerable", flag),
        appendages: hull.list("appendages", named_value),
    }
}

/// Reads `dimensions`, whose length overall, if given, must equal `length`.
fn dimensions<'n>(
    dimensions: &mut Fields<'n, '_>,
    length: Option<Length>,
) -> Option<Dimensions<'n>> {
    let given = dimensions.optional("lengthOverall", spelled_length);
    check_same_length(dimensions, given, length);
    let length_waterline = dimensions.optional("lengthWaterline", distance);
    Some(Dimensions {
        length_waterline,
        beam_overall: dimensions.optional("beamOverall", distance),
        beam_cabin_line: dimensions.optional("beamCabinLine", distance),
        beam_hull: dimensions.optional("beamHull", distance),
        draft_max: dimensions.optional("draftMax", distance),
        draft_min: dimensions.optional("draftMin", distance),
        headroom: dimensions.optional("headroom", distance),
        bridgedeck_clearance: dimensions.optional("bridgedeckClearance", distance),
        nominal_bridgedeck_clearance: dimensions.optional("nominalBridgedeckClearance", distance),
        displacement: dimensions.optional("displacement", weight),
        ballast_weight: dimensions.optional("ballastWeight", weight),
        ballast_type: dimensions.optional("ballastType", text),
        tonnage_gross: dimensions.optional("tonnageGross", number),
        tonnage_net: dimensions.optional("tonnageNet", number),
        length_overall: length?.own(),
    })
}

fn check_same_length(dimensions: &mut Fields<'_, '_>, given: Option<&str>, length: Option<Length>) {
    let (Some(given), Some(length)) = (given, length) else {
        return;
    };
    if Length::parse(given, length.unit()) != Ok(length) {
        let problem = Problem::new(
            Code::LengthMismatch,
            "differs from the boat's `lengthOverall`",
        );
        dimensions.report(
            "lengthOverall",
            problem.hint("leave the key out: it is filled in"),
        );
    }
}

/// The problem with an invalid length overall.
fn length_problem(invalid: InvalidLength) -> Problem {
    let code = match invalid {
        InvalidLength::TooPrecise => Code::TooPrecise,
        InvalidLength::OutOfRange | InvalidLength::TooLong | InvalidLength::NotANumber => {
            Code::OutOfRange
        }
    };
    Problem::new(code, invalid.to_string())
}

fn accommodation(accommodation: &mut Fields<'_, '_>) -> Accommodation {
    Accommodation {
        cabins: accommodation.optional("cabins", count),
        berths: accommodation.optional("berths", count),
        heads: accommodation.optional("heads", count),
    }
}

fn steering<'n>(steering: &mut Fields<'n, '_>) -> Steering<'n> {
    Steering {
        helm: steering.optional("helm", text),
        rudder: steering.optional("rudder", text),
        cockpit_type: steering.optional("cockpitType", text),
        cockpit_location: steering.optional("cockpitLocation", text),
    }
}

fn performance(performance: &mut Fields<'_, '_>) -> Performance {
    Performance {
        cruising_speed: performance.optional("cruisingSpeed", speed),
        top_speed: performance.optional("topSpeed", speed),
        displacement_hull_speed: performance.optional("displacementHullSpeed", speed),
    }
}

fn rig<'n>(rig: &mut Fields<'n, '_>) -> Rig<'n> {
    Rig {
        mast_height: rig.optional("mastHeight", distance),
        mast_configuration: rig.optional("mastConfiguration", text),
        rigging_type: rig.optional("riggingType", text),
        standing_rigging: rig.optional("standingRigging", text),
        spars: rig.optional("spars", text),
        rotating_spars: rig.optional("rotatingSpars", flag),
        spreaders_level: rig.optional("spreadersLevel", count),
        spreaders_angle: rig.optional("spreadersAngle", angle),
    }
}

fn sails<'n>(sails: &mut Fields<'n, '_>) -> Sails<'n> {
    Sails {
        upwind_area: sails.optional("upwindArea", area),
        downwind_area: sails.optional("downwindArea", area),
        mainsail: sails.list("mainsail", named_value),
        headsail: sails.list("headsail", named_value),
        spinnaker: sails.list("spinnaker", named_value),
    }
}

fn tanks<'n>(tanks: &mut Fields<'n, '_>) -> Tanks<'n> {
    Tanks {
        fuel: tanks.list("fuel", text),
        water: tanks.list("water", text),
        holding: tanks.list("holding", text),
        water_heaters: tanks.list("waterHeaters", text),
    }
}

/// Reads a member of `engines`.
fn engine<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Engine<'n>> {
    object(node, reporter, |engine| {
        Some(Engine {
            maker: engine.optional("maker", text),
            model: engine.optional("model", text),
            engine_type: engine.optional("type", text),
            drive: engine.optional("drive", text),
            fuel: engine.optional("fuel", text),
            power: engine.optional("power", text),
            power_type: engine.optional("powerType", text),
        })
    })
}

fn designers<'n>(designers: &mut Fields<'n, '_>, references: Resolver<'n>) -> Designers<'n> {
    Designers {
        naval: designers.list("naval", references.designer()),
        interior: designers.list("interior", references.designer()),
        exterior: designers.list("exterior", references.designer()),
    }
}

fn ce_classification(classes: &mut Fields<'_, '_>) -> CeClassification {
    CeClassification {
        a: classes.optional("a", count),
        b: classes.optional("b", count),
        c: classes.optional("c", count),
        d: classes.optional("d", count),
    }
}
