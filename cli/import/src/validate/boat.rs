//! A boat of an export (specification sections 2.2 and 2.3).

use shared::base::model::{BoatDetails, BoatSummary, Production};
use shared::base::units::{Length, Unit};

use super::boat_parts::{
    accommodation, ce_classification, designers, dimensions, engine, hull, length_problem,
    performance, rig, sails, steering, tanks,
};
use super::fields::Fields;
use super::identity::Identity;
use super::numbers::{spelled_number, year};
use super::references::{References, Resolver};
use super::reporter::Problem;
use super::shapes::{image, price};
use super::text::{description, row_text, text};
use super::values::{boat_slug, flag, id, timestamp, word};
use super::vocabulary::Vocabulary;
use crate::finding::Code;

/// The shapes of a boat.
pub(crate) struct Boat<'n> {
    /// The row of a list, and the first part of the full record.
    pub(crate) summary: BoatSummary<'n>,
    /// The rest of the full record.
    pub(crate) details: BoatDetails<'n>,
    /// The place of its manufacturer among the usable ones.
    pub(crate) manufacturer: usize,
}

/// Reads a boat, whose shapes borrow its identity.
pub(crate) fn read<'n>(
    record: &mut Fields<'n, '_>,
    identity: &'n Identity,
    references: &'n References,
) -> Option<Boat<'n>> {
    let resolver = Resolver {
        references,
        is_published: identity.is_published,
    };
    record.optional("kind", text);
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

    let (place, manufacturer) = manufacturer?;
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
        manufacturer: place,
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
    let spelling = record.required("lengthOverall", spelled_number)?;
    // A length is judged alike in both systems, so that a wrong unit does not hide a wrong length.
    match Length::parse(spelling, unit.unwrap_or(Unit::Metric)) {
        Ok(length) => unit.and(Some(length)),
        Err(invalid) => {
            record.report("lengthOverall", length_problem(invalid));
            None
        }
    }
}
