//! What lists are asked by, as it is read back.

use std::sync::Arc;

use super::records::{Boat, empty_store, publish_boats, published};
use crate::base::units::Unit;
use crate::release::listing::Row;
use crate::release::reader::{ListedBoat, ListedManufacturer};
use crate::release::throttle::CountedSteps;
use crate::release::{Release, Releases};

#[test]
fn a_listing_is_that_of_the_records_that_were_pushed() {
    let (_directory, store, id) = published();
    let release = store.open(&id).unwrap();
    let listing = release.listing().unwrap();
    let expected = [0, 1].map(|place| ListedBoat {
        manufacturer: 0,
        boat_type: 0,
        first_year: 1990,
        unit: Unit::Metric,
        length: 103_600_000,
        model_rank: place,
        year_rank: place,
        length_rank: place,
        manufacturer_rank: place,
        // No value is known of what else boats are filtered by.
        ..ListedBoat::default()
    });
    assert_eq!(listing.boats, expected);
    assert_eq!(listing.boat_categories, [(0, 0), (0, 1)]);
    assert_eq!(listing.boat_activities, []);
    assert_eq!(listing.boat_words, [(0, 0), (1, 1)]);
    let first = ListedManufacturer {
        name_rank: 0,
        updated_rank: 0,
    };
    assert_eq!(listing.manufacturers, [first]);
    assert_eq!(listing.manufacturer_words, [(2, 0)]);
}

#[test]
fn what_is_read_for_serving_is_read_step_by_step() {
    let (_directory, store) = empty_store();
    let names: Vec<_> = (0..1000).map(|number| format!("b-{number}")).collect();
    let boats = names.iter().map(|name| Boat::new(name).rendered());
    let id = publish_boats(&store, "2026-11-21T10:00:00Z", boats)
        .id
        .clone();
    let steps = |read: fn(&Release)| {
        let throttle = Arc::new(CountedSteps::default());
        read(
            &store
                .open(&id)
                .unwrap()
                .throttled(Arc::<CountedSteps>::clone(&throttle)),
        );
        throttle.steps()
    };
    let found = [
        steps(|release| drop(release.boats().unwrap())),
        steps(|release| drop(release.listing().unwrap())),
        steps(|release| drop(release.boat_bodies(u64::MAX).unwrap())),
        steps(|release| drop(release.boat_bodies(0).unwrap())),
    ];
    // One a part of a file, one a column, and one each time that so many records were gone through.
    // A column of what boats are filtered by takes two.
    let columns = ListedBoat::to_columns(&[]).len();
    assert_eq!(found, [13, 76 + 2 * columns, 33, 33]);
}
