//! A few small releases, made once, of which runs publish the files.

use std::fs;
use std::sync::OnceLock;

use shared::base::data_dir::DataDir;
use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{ManufacturerDetails, ManufacturerSummary};
use shared::base::timestamp::Timestamp;
use shared::release::{FileName, ReleaseId, ReleaseStore, Releases, RenderedManufacturer};

/// As many as a run may publish.
pub(crate) const COUNT: usize = 6;

/// A release, and its files by name, the manifest last.
pub(crate) struct Made {
    pub(crate) id: ReleaseId,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// All of them, the oldest first.
pub(crate) fn made() -> &'static [Made] {
    static MADE: OnceLock<Vec<Made>> = OnceLock::new();
    MADE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let store = ReleaseStore::new(DataDir::new(directory.path().join("data")));
        (1..=COUNT).map(|day| make(&store, day)).collect()
    })
}

fn make(store: &ReleaseStore, day: usize) -> Made {
    let mut writer = store.begin().unwrap();
    let name = format!("Maker {day}");
    let at = |text: &str| Timestamp::parse(text).unwrap();
    let summary = ManufacturerSummary {
        id: &IdOrSlug::parse("maker-1").unwrap(),
        slug: &Slug::parse("maker").unwrap(),
        name: name.as_str().into(),
        website: None,
        logo: None,
        updated_at: at("2026-08-01T12:00:00Z"),
    };
    let details = ManufacturerDetails {
        description: None,
        boat_count: 0,
    };
    let maker = RenderedManufacturer::new(&summary, &details).unwrap();
    writer.push_manufacturer(maker).unwrap();
    let published_at = at(&format!("2026-09-{day:02}T10:00:00Z"));
    let id = store.finish(writer, &published_at).unwrap().id;
    let open = store.open(&id).unwrap();
    let directory = open.path(FileName::Boats).parent().unwrap().to_owned();
    let files = fs::read_dir(directory).unwrap().map(|file| {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        (name, fs::read(file.path()).unwrap())
    });
    let mut files: Vec<_> = files.collect();
    files.sort_by_key(|(name, _)| (name == "manifest.json", name.clone()));
    Made { id, files }
}
