//! A boat and a manufacturer with every value, or only the required ones.

use crate::base::ids::{IdOrSlug, Slug};
use crate::base::model::{
    Accommodation, BoatDetails, BoatSummary, CeClassification, Currency, Designer, Designers,
    Dimensions, Engine, Hull, Image, ManufacturerDetails, ManufacturerReference,
    ManufacturerSummary, NamedValue, Performance, Price, Production, Reference, Rig, Sails,
    Steering, Tanks,
};
use crate::base::number::Number;
use crate::base::render::{self, coverage::Coverage};
use crate::base::timestamp::Timestamp;
use crate::base::units::{Length, Unit};

fn number(value: f64) -> Option<Number> {
    Number::new(value)
}

fn image() -> Image<'static> {
    Image {
        url: "https://example.org/a.jpg".into(),
        alt: Some("Under sail".into()),
        width: 1,
        height: 1,
        format: "jpg".into(),
    }
}

fn named() -> Vec<NamedValue<'static>> {
    vec![NamedValue {
        name: "Area".into(),
        value: "20 m2".into(),
    }]
}

/// The body of a boat with every value, or only the required ones, and what was observed of it.
pub(super) fn boat(is_full: bool) -> (Vec<u8>, Coverage) {
    let (id, slug) = (IdOrSlug::parse("id").unwrap(), Slug::parse("slug").unwrap());
    let term = Reference {
        id: &id,
        name: "Term",
        slug: &slug,
    };
    let length = Length::parse("9.1", Unit::Metric).unwrap();
    let price = Price {
        amount: Number::new(1000.0).unwrap(),
        currency: Currency {
            code: "EUR".into(),
            symbol: "€".into(),
        },
    };
    let summary = BoatSummary {
        id: &id,
        slug: &id,
        model: "Model".into(),
        version: is_full.then(|| "II".into()),
        manufacturer: ManufacturerReference {
            id: &id,
            name: "Maker",
            slug: &slug,
            website: is_full.then_some("https://example.org"),
        },
        boat_type: term.clone(),
        production: Production {
            first_year: 1990,
            last_year: is_full.then_some(1995),
        },
        length,
        reference_price: is_full.then_some(price),
        image: is_full.then(image),
    };
    let details = if is_full {
        full_details(&term, &id, length)
    } else {
        BoatDetails::of_length(length)
    };
    let mut body = Vec::new();
    let rendered = render::boat(&summary, &details, &mut body).unwrap();
    (body, rendered.coverage)
}

fn full_details<'a>(term: &Reference<'a>, id: &'a IdOrSlug, length: Length) -> BoatDetails<'a> {
    let text = || Some("text".into());
    let designer = || {
        vec![Designer {
            id,
            name: "Designer",
            website: None,
        }]
    };
    BoatDetails {
        description: text(),
        categories: vec![term.clone()],
        activities: vec![term.clone(), term.clone()],
        hull: Hull {
            hull_type: Some(term.clone()),
            material: Some(term.clone()),
            keel_type: text(),
            unsinkable: Some(false),
            trailerable: Some(true),
            appendages: named(),
        },
        dimensions: full_dimensions(length),
        accommodation: Accommodation {
            cabins: Some(0),
            berths: Some(4),
            heads: Some(1),
        },
        steering: Steering {
            helm: text(),
            rudder: text(),
            cockpit_type: text(),
            cockpit_location: text(),
        },
        performance: Performance {
            cruising_speed: number(6.5),
            top_speed: number(7.0),
            displacement_hull_speed: number(1e16),
        },
        rig: full_rig(),
        sails: Sails {
            upwind_area: number(40.0),
            downwind_area: number(80.5),
            mainsail: named(),
            headsail: named(),
            spinnaker: named(),
        },
        tanks: Tanks {
            fuel: vec!["100 l".into()],
            water: vec!["100 l".into()],
            holding: vec!["100 l".into()],
            water_heaters: vec!["100 l".into()],
        },
        engines: vec![Engine::default()],
        designers: Designers {
            naval: designer(),
            interior: designer(),
            exterior: designer(),
        },
        ce_classification: CeClassification {
            a: Some(4),
            b: Some(6),
            c: Some(8),
            d: Some(10),
        },
        gallery: vec![image()],
    }
}

fn full_rig() -> Rig<'static> {
    let text = || Some("text".into());
    Rig {
        mast_height: number(0.000_001),
        mast_configuration: text(),
        rigging_type: text(),
        standing_rigging: text(),
        spars: text(),
        rotating_spars: Some(false),
        spreaders_level: Some(1),
        spreaders_angle: number(-4.5),
    }
}

fn full_dimensions(length: Length) -> Dimensions<'static> {
    Dimensions {
        length_overall: length.own(),
        length_waterline: number(8.0),
        beam_overall: number(3.0),
        beam_cabin_line: number(3.0),
        beam_hull: number(3.0),
        draft_max: number(1.75),
        draft_min: number(1.0),
        headroom: number(1.9),
        bridgedeck_clearance: number(0.5),
        nominal_bridgedeck_clearance: number(0.5),
        displacement: number(4000.0),
        ballast_weight: number(1500.0),
        ballast_type: Some("Lead".into()),
        tonnage_gross: number(5.0),
        tonnage_net: number(4.0),
    }
}

/// The same for a manufacturer.
pub(super) fn manufacturer(is_full: bool) -> (Vec<u8>, Coverage) {
    let summary = ManufacturerSummary {
        id: &IdOrSlug::parse("id").unwrap(),
        slug: &Slug::parse("slug").unwrap(),
        name: "Maker".into(),
        website: is_full.then(|| "https://example.org".into()),
        logo: is_full.then(image),
        updated_at: Timestamp::parse("2026-10-01T12:00:00Z").unwrap(),
    };
    let details = ManufacturerDetails {
        description: is_full.then(|| "text".into()),
        boat_count: 0,
    };
    let mut body = Vec::new();
    let rendered = render::manufacturer(&summary, &details, &mut body).unwrap();
    (body, rendered.coverage)
}
