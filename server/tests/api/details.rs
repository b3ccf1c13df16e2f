//! The second half of a boat: the same for all, except for the fields that only sailing boats have.

use shared::base::model::{
    Accommodation, BoatDetails, CeClassification, Designers, Dimensions, Engine, Hull, NamedValue,
    Performance, Reference, Rig, Sails, Steering, Tanks,
};
use shared::base::number::Number;
use shared::base::units::Length;

/// Details of a boat of this length; only a sailing boat has a rig.
pub(crate) fn details<'a>(
    length: Length,
    category: Reference<'a>,
    activity: Reference<'a>,
    sails: bool,
) -> BoatDetails<'a> {
    BoatDetails {
        description: Some("A boat for tests.".into()),
        categories: vec![category],
        activities: vec![activity],
        hull: Hull {
            unsinkable: Some(false),
            ..Hull::default()
        },
        dimensions: dimensions(length),
        accommodation: Accommodation {
            cabins: Some(2),
            berths: Some(6),
            heads: Some(1),
        },
        steering: Steering::default(),
        performance: Performance {
            top_speed: number(7.5),
            ..Performance::default()
        },
        rig: if sails { rig() } else { Rig::default() },
        sails: if sails { sail_plan() } else { Sails::default() },
        tanks: Tanks {
            fuel: vec!["1 x 100 l".into()],
            ..Tanks::default()
        },
        engines: vec![Engine {
            power: Some("20 hp".into()),
            ..Engine::default()
        }],
        designers: Designers::default(),
        ce_classification: CeClassification {
            a: Some(6),
            ..CeClassification::default()
        },
        gallery: vec![],
    }
}

fn dimensions(length: Length) -> Dimensions<'static> {
    Dimensions {
        length_overall: length.own(),
        length_waterline: None,
        beam_overall: number(3.25),
        beam_cabin_line: None,
        beam_hull: None,
        draft_max: number(1.9),
        draft_min: None,
        headroom: None,
        bridgedeck_clearance: None,
        nominal_bridgedeck_clearance: None,
        displacement: number(5500.0),
        ballast_weight: None,
        ballast_type: None,
        tonnage_gross: None,
        tonnage_net: None,
    }
}

fn rig() -> Rig<'static> {
    Rig {
        mast_height: number(14.2),
        rotating_spars: Some(false),
        ..Rig::default()
    }
}

fn sail_plan() -> Sails<'static> {
    let mainsail = NamedValue {
        name: "Area".into(),
        value: "28 m²".into(),
    };
    Sails {
        upwind_area: number(62.0),
        mainsail: vec![mainsail],
        ..Sails::default()
    }
}

fn number(value: f64) -> Option<Number> {
    Number::new(value)
}
