//! Small releases for tests: boats of one manufacturer, published at a time that the test names.

use arrow::datatypes::{DataType, Field, Fields};

use crate::base::data_dir::DataDir;
use crate::base::ids::{IdOrSlug, Slug};
use crate::base::model::{
    BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerReference, ManufacturerSummary,
    Production, Reference,
};
use crate::base::name::Name;
use crate::base::operator::Operator;
use crate::base::timestamp::Timestamp;
use crate::base::units::{Length, Unit};
use crate::release::log::{Attempt, Command};
use crate::release::{
    ExpectedActive, Finished, RecordColumns, ReleaseError, ReleaseId, ReleaseLock, ReleaseStore,
    Releases, RenderedBoat, RenderedManufacturer,
};

/// What differs between the boats of tests.
#[derive(Clone, Copy)]
pub(in crate::release) struct Boat<'a> {
    pub(in crate::release) id: &'a str,
    pub(in crate::release) slug: &'a str,
    pub(in crate::release) model: &'a str,
    pub(in crate::release) metres: &'a str,
    pub(in crate::release) description: Option<&'a str>,
    /// The type, which is the only category too.
    pub(in crate::release) type_slug: &'a str,
    /// Its name.
    pub(in crate::release) type_name: &'a str,
}

impl<'a> Boat<'a> {
    /// A boat whose slug and model are its id.
    pub(in crate::release) const fn new(id: &'a str) -> Self {
        Self {
            id,
            slug: id,
            model: id,
            metres: "10",
            description: None,
            type_slug: "sailing",
            type_name: "Sailing",
        }
    }

    pub(in crate::release) fn rendered(&self) -> RenderedBoat {
        let (boat_id, boat_slug) = (id(self.id), id(self.slug));
        let (maker_id, maker_slug) = (id("maker-1"), slug("maker"));
        let (type_id, type_slug) = (id("type-1"), slug(self.type_slug));
        let boat_type = Reference {
            id: &type_id,
            name: self.type_name,
            slug: &type_slug,
        };
        let length = Length::parse(self.metres, Unit::Metric).unwrap();
        let summary = BoatSummary {
            id: &boat_id,
            slug: &boat_slug,
            model: self.model.into(),
            version: None,
            manufacturer: ManufacturerReference {
                id: &maker_id,
                name: "Maker",
                slug: &maker_slug,
                website: None,
            },
            boat_type: boat_type.clone(),
            production: Production {
                first_year: 1990,
                last_year: None,
            },
            length,
            reference_price: None,
            image: None,
        };
        let details = BoatDetails {
            categories: vec![boat_type],
            description: self.description.map(Into::into),
            ..BoatDetails::of_length(length)
        };
        RenderedBoat::new(&summary, &details).unwrap()
    }
}

fn id(text: &str) -> IdOrSlug {
    IdOrSlug::parse(text).unwrap()
}

fn slug(text: &str) -> Slug {
    Slug::parse(text).unwrap()
}

pub(in crate::release) fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

pub(in crate::release) fn boat(name: &str, model: &str, metres: &str) -> RenderedBoat {
    let id = format!("boat-{name}");
    let boat = Boat {
        slug: name,
        model,
        metres,
        ..Boat::new(&id)
    };
    boat.rendered()
}

pub(in crate::release) fn maker(boat_count: u64) -> RenderedManufacturer {
    let summary = ManufacturerSummary {
        id: &id("maker-1"),
        slug: &slug("maker"),
        name: "Maker".into(),
        website: None,
        logo: None,
        updated_at: time("2026-10-01T12:00:00Z"),
    };
    let details = ManufacturerDetails {
        description: None,
        boat_count,
    };
    RenderedManufacturer::new(&summary, &details).unwrap()
}

/// Columns of nothing but ids: the import knows the others.
pub(in crate::release) fn columns() -> RecordColumns {
    let ids = Fields::from(vec![Field::new("id", DataType::Utf8, false)]);
    RecordColumns {
        boats: ids.clone(),
        manufacturers: ids,
    }
}

/// A store in a temporary directory that has nothing yet.
pub(in crate::release) fn empty_store() -> (tempfile::TempDir, ReleaseStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = ReleaseStore::new(DataDir::new(directory.path().join("data")));
    (directory, store)
}

/// A store in a temporary directory, with two boats published and active.
pub(in crate::release) fn published() -> (tempfile::TempDir, ReleaseStore, ReleaseId) {
    let (directory, store) = empty_store();
    let finished = publish(&store, "2026-11-21T10:00:00Z", &["34", "340"]);
    activate(&store, &finished.id, &finished.lock).unwrap();
    (directory, store, finished.id)
}

/// Makes a release the active one, whatever is active.
pub(in crate::release) fn activate(
    store: &ReleaseStore,
    id: &ReleaseId,
    lock: &ReleaseLock,
) -> Result<(), ReleaseError> {
    let before = ExpectedActive::of(store.pointer())?;
    store.activate(id, &before, &attempt(), lock)
}

/// An attempt to activate a release.
pub(in crate::release) fn attempt() -> Attempt {
    let author = Operator {
        user: Some(Name::parse("alice").unwrap()),
        uid: 1000,
        sudo_user: None,
    };
    Attempt::new(Command::Activate, author, 1_790_856_000)
}

/// Publishes boats of these models.
pub(in crate::release) fn publish(store: &ReleaseStore, at: &str, models: &[&str]) -> Finished {
    let boats = models
        .iter()
        .map(|model| boat(&format!("m-{model}"), model, "10.36"));
    publish_boats(store, at, boats)
}

/// Publishes these boats.
pub(in crate::release) fn publish_boats(
    store: &ReleaseStore,
    at: &str,
    boats: impl IntoIterator<Item = RenderedBoat>,
) -> Finished {
    let mut writer = store.begin(columns()).unwrap();
    let mut count = 0;
    for boat in boats {
        writer.push_boat(boat).unwrap();
        count += 1;
    }
    writer.push_manufacturer(maker(count)).unwrap();
    store.finish(writer, &time(at)).unwrap()
}
