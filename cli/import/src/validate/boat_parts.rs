//! The parts of a full boat (specification section 2.3), in its order of fields.

use shared::base::model::{
    Accommodation, CeClassification, Designers, Dimensions, Engine, Hull, Performance, Rig, Sails,
    Steering, Tanks,
};
use shared::base::units::{InvalidLength, Length};

use super::fields::{Fields, Reading, object};
use super::numbers::{angle, count, number, spelled_number};
use super::references::Resolver;
use super::reporter::{Problem, Reporter};
use super::shapes::named_value;
use super::text::text;
use super::values::flag;
use super::vocabulary::Vocabulary;
use crate::finding::Code;
use crate::json::Node;

/// `hull`
pub(crate) fn hull<'n>(hull: &mut Fields<'n, '_>, references: Resolver<'n>) -> Hull<'n> {
    Hull {
        hull_type: hull.optional("type", references.term(Vocabulary::HullType)),
        material: hull.optional("material", references.term(Vocabulary::HullMaterial)),
        keel_type: hull.optional("keelType", text),
        unsinkable: hull.optional("unsinkable", flag),
        trailerable: hull.optional("trailerable", flag),
        appendages: hull.list("appendages", named_value),
    }
}

/// `dimensions`, whose own length overall must be `length` if it is given.
pub(crate) fn dimensions<'n>(
    dimensions: &mut Fields<'n, '_>,
    length: Option<Length>,
) -> Option<Dimensions<'n>> {
    let given = dimensions.optional("lengthOverall", spelled_number);
    check_same_length(dimensions, given, length);
    let length_waterline = dimensions.optional("lengthWaterline", number);
    Some(Dimensions {
        length_waterline,
        beam_overall: dimensions.optional("beamOverall", number),
        beam_cabin_line: dimensions.optional("beamCabinLine", number),
        beam_hull: dimensions.optional("beamHull", number),
        draft_max: dimensions.optional("draftMax", number),
        draft_min: dimensions.optional("draftMin", number),
        headroom: dimensions.optional("headroom", number),
        bridgedeck_clearance: dimensions.optional("bridgedeckClearance", number),
        nominal_bridgedeck_clearance: dimensions.optional("nominalBridgedeckClearance", number),
        displacement: dimensions.optional("displacement", number),
        ballast_weight: dimensions.optional("ballastWeight", number),
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

/// What is wrong with a length overall.
pub(crate) fn length_problem(invalid: InvalidLength) -> Problem {
    let code = match invalid {
        InvalidLength::TooPrecise => Code::TooPrecise,
        InvalidLength::OutOfRange | InvalidLength::TooLong | InvalidLength::NotANumber => {
            Code::OutOfRange
        }
    };
    Problem::new(code, invalid.to_string())
}

/// `accommodation`
pub(crate) fn accommodation(accommodation: &mut Fields<'_, '_>) -> Accommodation {
    Accommodation {
        cabins: accommodation.optional("cabins", count),
        berths: accommodation.optional("berths", count),
        heads: accommodation.optional("heads", count),
    }
}

/// `steering`
pub(crate) fn steering<'n>(steering: &mut Fields<'n, '_>) -> Steering<'n> {
    Steering {
        helm: steering.optional("helm", text),
        rudder: steering.optional("rudder", text),
        cockpit_type: steering.optional("cockpitType", text),
        cockpit_location: steering.optional("cockpitLocation", text),
    }
}

/// `performance`
pub(crate) fn performance(performance: &mut Fields<'_, '_>) -> Performance {
    Performance {
        cruising_speed: performance.optional("cruisingSpeed", number),
        top_speed: performance.optional("topSpeed", number),
        displacement_hull_speed: performance.optional("displacementHullSpeed", number),
    }
}

/// `rig`
pub(crate) fn rig<'n>(rig: &mut Fields<'n, '_>) -> Rig<'n> {
    Rig {
        mast_height: rig.optional("mastHeight", number),
        mast_configuration: rig.optional("mastConfiguration", text),
        rigging_type: rig.optional("riggingType", text),
        standing_rigging: rig.optional("standingRigging", text),
        spars: rig.optional("spars", text),
        rotating_spars: rig.optional("rotatingSpars", flag),
        spreaders_level: rig.optional("spreadersLevel", count),
        spreaders_angle: rig.optional("spreadersAngle", angle),
    }
}

/// `sails`
pub(crate) fn sails<'n>(sails: &mut Fields<'n, '_>) -> Sails<'n> {
    Sails {
        upwind_area: sails.optional("upwindArea", number),
        downwind_area: sails.optional("downwindArea", number),
        mainsail: sails.list("mainsail", named_value),
        headsail: sails.list("headsail", named_value),
        spinnaker: sails.list("spinnaker", named_value),
    }
}

/// `tanks`
pub(crate) fn tanks<'n>(tanks: &mut Fields<'n, '_>) -> Tanks<'n> {
    Tanks {
        fuel: tanks.list("fuel", text),
        water: tanks.list("water", text),
        holding: tanks.list("holding", text),
        water_heaters: tanks.list("waterHeaters", text),
    }
}

/// A member of `engines`.
pub(crate) fn engine<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> Reading<Engine<'n>> {
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

/// `designers`
pub(crate) fn designers<'n>(
    designers: &mut Fields<'n, '_>,
    references: Resolver<'n>,
) -> Designers<'n> {
    Designers {
        naval: designers.list("naval", references.designer()),
        interior: designers.list("interior", references.designer()),
        exterior: designers.list("exterior", references.designer()),
    }
}

/// `ceClassification`
pub(crate) fn ce_classification(classes: &mut Fields<'_, '_>) -> CeClassification {
    CeClassification {
        a: classes.optional("a", count),
        b: classes.optional("b", count),
        c: classes.optional("c", count),
        d: classes.optional("d", count),
    }
}
