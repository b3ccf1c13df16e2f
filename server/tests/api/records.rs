//! A small release: three manufacturers, one without boats, and seven boats. One is a motor boat
//! without most values, one is measured in feet, and one has an id that is nearly another's slug.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use import::schema::{self, Kind};
use server::catalogue::{Catalogue, OpenSettings, QueueLimits};
use server::comparisons::OtherReleases;
use shared::base::data_dir::DataDir;
use shared::base::etag::ETag;
use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{
    BoatSummary, Currency, Image, ManufacturerDetails, ManufacturerReference, ManufacturerSummary,
    Price, Production, Reference,
};
use shared::base::number::Number;
use shared::base::operator::Operator;
use shared::base::timestamp::Timestamp;
use shared::base::units::{Length, Unit};
use shared::release::log::{Attempt, Command};
use shared::release::reader::Identities;
use shared::release::{
    ExpectedActive, RecordColumns, ReleaseError, ReleaseId, ReleaseLock, ReleaseStore, Releases,
    RenderedBoat, RenderedManufacturer,
};
use tempfile::TempDir;

use crate::details::details;

/// When the release of most tests was published.
pub(crate) const PUBLISHED_AT: &str = "2026-10-01T00:00:00Z";

struct Maker {
    id: IdOrSlug,
    slug: Slug,
    name: &'static str,
    website: Option<&'static str>,
    updated_at: &'static str,
}

struct Term {
    id: IdOrSlug,
    slug: Slug,
    name: &'static str,
}

impl Term {
    fn new(id: &str, slug: &str, name: &'static str) -> Self {
        Self {
            id: IdOrSlug::parse(id).unwrap(),
            slug: Slug::parse(slug).unwrap(),
            name,
        }
    }

    fn reference(&self) -> Reference<'_> {
        Reference {
            id: &self.id,
            name: self.name,
            slug: &self.slug,
        }
    }
}

/// Slug, model, manufacturer, years, length, unit, and whether it sails.
type BoatRow = (
    &'static str,
    &'static str,
    usize,
    (u16, Option<u16>),
    &'static str,
    Unit,
    bool,
);

#[rustfmt::skip]
const BOATS: [BoatRow; 7] = [
    ("first-36",    "First 36",    0, (1979, Some(1985)), "10.85", Unit::Metric,   true),
    ("first-40-7",  "First 40.7",  0, (1997, Some(2007)), "11.92", Unit::Metric,   true),
    ("antares-8",   "Antarès 8",   0, (2011, None),       "8.23",  Unit::Metric,   false),
    ("hr-31",       "HR 31",       1, (1992, Some(2009)), "9.68",  Unit::Metric,   true),
    ("hr-340",      "HR 340",      1, (2019, None),       "10.4",  Unit::Metric,   true),
    ("catalina-30", "Catalina 30", 0, (1974, Some(2008)), "29.92", Unit::Imperial, true),
    ("zero.five",   "Zero 5",      1, (2020, Some(2020)), "5",     Unit::Metric,   true),
];

fn makers() -> [Maker; 3] {
    let maker = |id, slug, name, website, updated_at| Maker {
        id: IdOrSlug::parse(id).unwrap(),
        slug: Slug::parse(slug).unwrap(),
        name,
        website,
        updated_at,
    };
    [
        maker(
            "m1",
            "beneteau",
            "Bénéteau",
            Some("https://www.example.com/b"),
            "2026-01-02T03:04:05Z",
        ),
        maker(
            "m2",
            "hallberg-rassy",
            "Hallberg-Rassy",
            None,
            "2026-03-01T00:00:00.5Z",
        ),
        maker("m3", "new-yard", "New Yard", None, "2025-12-31T23:59:59Z"),
    ]
}

fn image(name: &str, alt: Option<&'static str>) -> Image<'static> {
    Image {
        url: format!("https://images.example.com/{name}.jpg").into(),
        alt: alt.map(Into::into),
        width: 1600,
        height: 900,
        format: "jpg".into(),
    }
}

fn boat(row: &BoatRow, index: usize, makers: &[Maker; 3]) -> RenderedBoat {
    let (slug, model, maker, (first_year, last_year), length, unit, sails) = *row;
    let maker = &makers[maker];
    let boat_type = if sails {
        Term::new("t1", "sailing-yacht", "Sailing yacht")
    } else {
        Term::new("t2", "motor-boat", "Motor boat")
    };
    let categories = [
        Term::new("c1", "cruiser", "Cruiser"),
        Term::new("c2", "racer", "Racer"),
    ];
    let activities = [
        Term::new("a1", "cruising", "Cruising"),
        Term::new("a2", "fishing", "Fishing"),
    ];
    let id = IdOrSlug::parse(&format!("b{}", index + 1)).unwrap();
    let slug_value = IdOrSlug::parse(slug).unwrap();
    let length = Length::parse(length, unit).unwrap();
    let summary = BoatSummary {
        id: &id,
        slug: &slug_value,
        model: model.into(),
        version: (index == 1).then(|| "Racing".into()),
        manufacturer: ManufacturerReference {
            id: &maker.id,
            name: maker.name,
            slug: &maker.slug,
            website: maker.website,
        },
        boat_type: boat_type.reference(),
        production: Production {
            first_year,
            last_year,
        },
        length,
        reference_price: (index == 1).then(|| Price {
            amount: Number::new(89_500.0).unwrap(),
            currency: Currency {
                code: "EUR".into(),
                symbol: "€".into(),
            },
        }),
        image: (index == 0).then(|| image(slug, Some("Under sail"))),
    };
    let category = &categories[usize::from(index == 1)];
    let activity = &activities[usize::from(!sails)];
    let details = details(length, category.reference(), activity.reference(), sails);
    RenderedBoat::new(&summary, &details).unwrap()
}

fn manufacturer(maker: &Maker, index: usize) -> RenderedManufacturer {
    let boats = BOATS.iter().filter(|row| row.2 == index).count();
    let summary = ManufacturerSummary {
        id: &maker.id,
        slug: &maker.slug,
        name: maker.name.into(),
        website: maker.website.map(Into::into),
        logo: (index == 0).then(|| image("logo", None)),
        updated_at: Timestamp::parse(maker.updated_at).unwrap(),
    };
    let description = (index == 0).then(|| "Builds boats.".into());
    RenderedManufacturer::new(
        &summary,
        &ManufacturerDetails {
            description,
            boat_count: boats as u64,
        },
    )
    .unwrap()
}

/// The columns of records, as an import has them.
pub(crate) fn columns() -> RecordColumns {
    RecordColumns {
        boats: schema::columns(Kind::Boat),
        manufacturers: schema::columns(Kind::Manufacturer),
    }
}

/// Publishes and activates a release of the first `boats` boats.
pub(crate) fn publish(store: &ReleaseStore, boats: usize, published_at: &str) -> ReleaseId {
    publish_of(store, boats, published_at, &makers())
}

/// The same, where the second manufacturer has another name.
pub(crate) fn publish_renamed(store: &ReleaseStore, boats: usize, published_at: &str) -> ReleaseId {
    let mut makers = makers();
    makers[1].name = "Hallberg & Rassy";
    publish_of(store, boats, published_at, &makers)
}

fn publish_of(
    store: &ReleaseStore,
    boats: usize,
    published_at: &str,
    makers: &[Maker; 3],
) -> ReleaseId {
    let mut writer = store.begin(columns()).unwrap();
    for (index, row) in BOATS.iter().enumerate().take(boats) {
        writer.push_boat(boat(row, index, makers)).unwrap();
    }
    for (index, maker) in makers.iter().enumerate() {
        writer
            .push_manufacturer(manufacturer(maker, index))
            .unwrap();
    }
    let published_at = Timestamp::parse(published_at).unwrap();
    let finished = store.finish(writer, &published_at).unwrap();
    activate(store, &finished.id, &finished.lock).unwrap();
    finished.id
}

/// Makes a release the active one, whichever was active before.
pub(crate) fn activate(
    store: &ReleaseStore,
    id: &ReleaseId,
    lock: &ReleaseLock,
) -> Result<(), ReleaseError> {
    let attempt = attempt(Command::Activate, 0);
    store.activate(id, &ExpectedActive::of(store.pointer())?, &attempt, lock)
}

/// A command that nobody in particular runs at that Unix time, in seconds.
pub(crate) fn attempt(command: Command, at: i64) -> Attempt {
    let author = Operator {
        user: None,
        uid: 0,
        sudo_user: None,
    };
    Attempt::new(command, author, at)
}

/// The text with the hash of every release that a test published as zeros: it changes with every
/// column that a release gets, which no answer shows.
pub(crate) fn without_hashes(text: &str) -> String {
    const HASH: usize = 16;
    const MIDNIGHT: &str = "T000000Z-";
    let mut fixed = String::new();
    let mut rest = text;
    while let Some(dash) = rest.find(MIDNIGHT) {
        let (id, after) = rest.split_at(dash + MIDNIGHT.len());
        let hash = &after[..HASH];
        assert!(hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
        fixed = fixed + id + &"0".repeat(HASH);
        rest = &after[HASH..];
    }
    fixed + rest
}

/// A store in a directory that is removed after the test.
pub(crate) fn empty_store() -> (TempDir, ReleaseStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = ReleaseStore::new(DataDir::new(directory.path()));
    (directory, store)
}

pub(crate) fn settings() -> OpenSettings {
    OpenSettings {
        connections: 2,
        // Limits so long that they never refuse a request on a slow machine.
        queues: QueueLimits {
            waiting: Duration::from_mins(1),
            working: Duration::from_mins(1),
            ..QueueLimits::default()
        },
        ..OpenSettings::default()
    }
}

/// The release of all boats, opened once for all tests.
pub(crate) fn catalogue() -> Arc<Catalogue> {
    Arc::clone(&opened().0)
}

/// The only other release that the usual app knows of: there a boat was of another slug and is gone
/// since, a boat and a manufacturer had other bodies, and a boat was missing.
pub(crate) const EARLIER: &str = "20260901T000000Z-0000000000000000";

/// The other releases of the usual app.
pub(crate) fn others() -> OtherReleases {
    OtherReleases {
        identities: Box::new(read),
        find: Box::new(|id| read(id).map(drop)),
    }
}

/// What is read of them.
pub(crate) fn read(id: &ReleaseId) -> Result<Identities, ReleaseError> {
    match id.as_str() {
        EARLIER => Ok(opened().1.clone()),
        _ => Err(ReleaseError::Unknown { id: id.to_string() }),
    }
}

fn opened() -> &'static (Arc<Catalogue>, Identities) {
    static OPENED: OnceLock<(Arc<Catalogue>, Identities)> = OnceLock::new();
    OPENED.get_or_init(|| {
        let (_directory, store) = empty_store();
        let id = publish(&store, BOATS.len(), PUBLISHED_AT);
        let release = store.open(&id).unwrap();
        let mut earlier = release.identities().unwrap();
        let mut gone = earlier.boats.pop().unwrap();
        (gone.id, gone.slug) = ("b0".into(), "first-30".into());
        earlier.boats.push(gone);
        earlier.boats[0].etag = ETag::of(b"another body");
        earlier.manufacturers[1].etag = ETag::of(b"another body");
        let catalogue = Catalogue::open(&release, settings()).unwrap();
        (Arc::new(catalogue), earlier)
    })
}
