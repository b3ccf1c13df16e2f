//! Releases on a real file system: what is published is what is read back, and damage is found.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage files on purpose"
)]

mod errors;
mod finished;
mod listing;
pub(super) mod records;

use std::fs;
use std::os::unix::fs::symlink;

use self::records::{Boat, activate, attempt, boat, columns, maker, publish, published, time};
use super::kind::Kind;
use super::manifest::{FORMAT, MANIFEST};
use super::*;
use crate::base::data_dir::DataDir;
use crate::base::render::BODY_MAX;

#[test]
fn what_was_pushed_is_read_back_byte_for_byte() {
    let (_directory, store, id) = published();
    let release = store.open(&id).unwrap();
    release.verify().unwrap();
    let boats = release.boats().unwrap();
    let pushed = boat("m-340", "340", "10.36");
    assert_eq!((&*boats[1].id, &*boats[1].slug), ("boat-m-340", "m-340"));
    assert_eq!(boats[1].etag, pushed.body().etag);
    for memory_max in [0, u64::MAX] {
        let bodies = release.boat_bodies(memory_max).unwrap();
        assert_eq!(bodies.read(1).unwrap(), pushed.body().bytes);
    }
    let head = String::from_utf8(pushed.body().record()[boats[1].head.row()].to_vec()).unwrap();
    let row: serde_json::Value = serde_json::from_str(&format!("{head}}}")).unwrap();
    assert_eq!(row["lengthOverallMetres"], 10.36);
    assert_eq!(row.as_object().unwrap().len(), 12);
    assert_eq!(release.terms().unwrap().categories, [("sailing".into(), 0)]);
    assert_eq!(
        release.words().unwrap(),
        ["34".into(), "340".into(), "maker".into()] as [Box<str>; 3]
    );
}

#[test]
fn a_body_is_the_summary_followed_by_the_details() {
    let body = boat("340", "340", "10.36").body().bytes.clone();
    insta::assert_snapshot!(String::from_utf8(body).unwrap(), @r#"{"data":{"id":"boat-340","slug":"340","model":"340","version":null,"manufacturer":{"id":"maker-1","name":"Maker","slug":"maker","website":null},"type":{"id":"type-1","name":"Sailing","slug":"sailing"},"production":{"firstYear":1990,"lastYear":null},"unit":"metric","lengthOverall":10.36,"lengthOverallMetres":10.36,"referencePrice":null,"image":null,"description":null,"categories":[{"id":"type-1","name":"Sailing","slug":"sailing"}],"activities":[],"hull":{"type":null,"material":null,"keelType":null,"unsinkable":null,"trailerable":null,"appendages":[]},"dimensions":{"lengthOverall":10.36,"lengthWaterline":null,"beamOverall":null,"beamCabinLine":null,"beamHull":null,"draftMax":null,"draftMin":null,"headroom":null,"bridgedeckClearance":null,"nominalBridgedeckClearance":null,"displacement":null,"ballastWeight":null,"ballastType":null,"tonnageGross":null,"tonnageNet":null},"accommodation":{"cabins":null,"berths":null,"heads":null},"steering":{"helm":null,"rudder":null,"cockpitType":null,"cockpitLocation":null},"performance":{"cruisingSpeed":null,"topSpeed":null,"displacementHullSpeed":null},"rig":{"mastHeight":null,"mastConfiguration":null,"riggingType":null,"standingRigging":null,"spars":null,"rotatingSpars":null,"spreadersLevel":null,"spreadersAngle":null},"sails":{"upwindArea":null,"downwindArea":null,"mainsail":[],"headsail":[],"spinnaker":[]},"tanks":{"fuel":[],"water":[],"holding":[],"waterHeaters":[]},"engines":[],"designers":{"naval":[],"interior":[],"exterior":[]},"ceClassification":{"a":null,"b":null,"c":null,"d":null},"gallery":[]}}"#);
}

#[test]
fn the_same_records_in_another_order_are_the_same_release() {
    let (_directory, store) = records::empty_store();
    let boat = |id, slug, type_slug| {
        let boat = Boat {
            slug,
            model: slug,
            type_slug,
            ..Boat::new(id)
        };
        boat.rendered()
    };
    let boats = || {
        vec![
            boat("b", "one", "sail"),
            boat("a", "two", "motor"),
            boat("c", "3", "sail"),
        ]
    };
    let at = "2026-11-21T10:00:00Z";
    let first = records::publish_boats(&store, at, boats()).id;
    let release = store.open(&first).unwrap();
    let ids: Vec<_> = release
        .boats()
        .unwrap()
        .into_iter()
        .map(|boat| boat.id)
        .collect();
    assert_eq!(ids, ["a".into(), "b".into(), "c".into()] as [Box<str>; 3]);
    let types = release.terms().unwrap().types;
    assert_eq!(types, [("sail".into(), 0), ("motor".into(), 1)]);
    let types: Vec<i32> = release
        .listing()
        .unwrap()
        .boats
        .iter()
        .map(|boat| boat.boat_type)
        .collect();
    assert_eq!(types, [1, 0, 0]);
    for order in [[0, 2, 1], [2, 1, 0], [1, 2, 0]] {
        let again = boats();
        let again = order.map(|place| again[place].clone());
        assert_eq!(records::publish_boats(&store, at, again).id, first);
    }
}

#[test]
fn the_files_of_all_records_are_lines_in_the_order_of_ids_as_they_are_and_compressed() {
    let (_directory, store, id) = published();
    let release = store.open(&id).unwrap();
    let expected = ["34", "340"].map(|model| {
        let pushed = boat(&format!("m-{model}"), model, "10.36");
        String::from_utf8(pushed.body().record().to_vec()).unwrap() + "\n"
    });
    let read = |file| fs::read(release.path(Kind::Boats.whole(file))).unwrap();
    let plain = read(WholeFile::Lines);
    assert_eq!(String::from_utf8(plain.clone()).unwrap(), expected.concat());
    assert_eq!(
        zstd::decode_all(&*read(WholeFile::LinesZstd)).unwrap(),
        plain
    );
    let (mut unpacked, gzip) = (Vec::new(), read(WholeFile::LinesGzip));
    let mut decoder = flate2::read::GzDecoder::new(&*gzip);
    std::io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
}

#[test]
fn all_records_of_a_kind_are_read_in_order_and_a_changed_one_is_damage() {
    let (_directory, store, id) = published();
    let release = store.open(&id).unwrap();
    let read = || {
        let mut records = Vec::new();
        let read = release.each_record(Kind::Boats, |record| {
            records.push(record.to_vec());
            Ok::<_, ReleaseError>(())
        });
        read.map(|()| records)
    };
    let pushed = ["34", "340"].map(|model| boat(&format!("m-{model}"), model, "10.36"));
    assert_eq!(
        read().unwrap(),
        pushed.map(|boat| boat.body().record().to_vec())
    );
    let path = release.path(FileName::BoatLines);
    let mut contents = fs::read(&path).unwrap();
    *contents.last_mut().unwrap() ^= 1;
    fs::write(&path, contents).unwrap();
    assert!(read().unwrap_err().is_damage());
}

#[test]
fn a_release_without_records_is_whole_too() {
    let directory = tempfile::tempdir().unwrap();
    let store = ReleaseStore::new(DataDir::new(directory.path()));
    let writer = store.begin(columns()).unwrap();
    let finished = store.finish(writer, &time("2026-11-21T10:00:00Z")).unwrap();
    let release = store.open(&finished.id).unwrap();
    release.verify().unwrap();
    assert_eq!(release.boats().unwrap(), []);
}

#[test]
fn a_head_that_does_not_fit_its_body_is_damage() {
    let record = boat("34", "34", "10").body().record().len();
    for (head_length, fits) in [(0, true), (record, true), (record + 1, false)] {
        let (_directory, store) = records::empty_store();
        let mut writer = store.begin(columns()).unwrap();
        writer.push_manufacturer(maker(1)).unwrap();
        let mut pushed = boat("34", "34", "10");
        pushed.body.head_length = head_length;
        writer.push_boat(pushed).unwrap();
        let finished = store.finish(writer, &time("2026-11-21T10:00:00Z")).unwrap();
        let release = store.open(&finished.id).unwrap();
        let boats = release.boats();
        assert_eq!(boats.is_ok(), fits, "{head_length}");
        assert!(boats.err().is_none_or(|error| error.is_damage()));
    }
}

#[test]
fn a_dropped_writer_leaves_nothing_and_frees_the_lock() {
    let (_directory, store, id) = published();
    let mut writer = store.begin(columns()).unwrap();
    writer.push_manufacturer(maker(0)).unwrap();
    assert!(matches!(
        store.begin(columns()),
        Err(ReleaseError::Busy { .. })
    ));
    drop(writer);
    assert_eq!(
        fs::read_dir(store.directory(&id).parent().unwrap())
            .unwrap()
            .count(),
        1
    );
    assert!(store.begin(columns()).is_ok());
}

#[test]
fn what_a_killed_import_left_is_cleared_away_by_the_next() {
    let (_directory, store, id) = published();
    let releases = store.directory(&id).parent().unwrap().to_owned();
    for name in [".staging-abandoned", ".pruned-abandoned"] {
        fs::create_dir(releases.join(name)).unwrap();
        fs::write(releases.join(name).join("boats.ndjson"), b"x").unwrap();
    }
    fs::write(releases.join(".new-abandoned"), b"x").unwrap();
    drop(store.begin(columns()).unwrap());
    assert_eq!(fs::read_dir(&releases).unwrap().count(), 1);
}

#[test]
fn every_damaged_file_is_named() {
    let (_directory, store, id) = published();
    let names = FileName::ALL.map(FileName::as_str);
    for name in names.into_iter().chain([MANIFEST]) {
        let path = store.directory(&id).join(name);
        let good = fs::read(&path).unwrap();
        for damaged in damages(&good) {
            fs::write(&path, damaged).unwrap();
            let error = store
                .open(&id)
                .and_then(|release| release.verify())
                .unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        fs::write(&path, good).unwrap();
    }
    store.open(&id).unwrap().verify().unwrap();
}

/// A flipped bit at the start, in the middle and at the end; a cut; an addition; nothing at all.
fn damages(good: &[u8]) -> Vec<Vec<u8>> {
    let flipped = [0, good.len() / 2, good.len() - 1].map(|place| {
        let mut bytes = good.to_vec();
        bytes[place] ^= 0x10;
        bytes
    });
    let cut = good[..good.len() - 1].to_vec();
    let longer = [good, b"x"].concat();
    flipped
        .into_iter()
        .chain([cut, longer, Vec::new()])
        .collect()
}

#[test]
fn the_manifest_counts_the_records_that_have_each_field() {
    let (_directory, store, id) = published();
    let fields = store.open(&id).unwrap().manifest().fields.clone();
    let count = |path: &str| {
        let mut fields = fields.boats.iter();
        fields.find(|field| field.path == path).cloned().unwrap()
    };
    let found = ["id", "lengthOverall", "categories", "version", "hull.type"].map(count);
    let found = found.map(|field| (field.present, field.fractional));
    let (none, all) = ((0, false), (2, false));
    assert_eq!(found, [all, (2, true), all, none, none]);
    let paths = fields.manufacturers.iter();
    let present = paths.filter(|field| field.present == 1);
    let present: Vec<&str> = present.map(|field| &*field.path).collect();
    assert_eq!(present, ["id", "slug", "name", "updatedAt", "boatCount"]);
}

#[test]
fn a_release_of_another_format_is_refused_whether_it_proves_itself_or_not() {
    let (_directory, store, id) = published();
    let path = store.directory(&id).join(MANIFEST);
    let manifest = fs::read_to_string(&path).unwrap();
    let other = manifest.replacen(FORMAT, "boat-release/1", 1);
    fs::write(&path, other).unwrap();
    let refused = store.open(&id).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "release {id} has the format \"boat-release/1\", and this version reads only \
             \"boat-release/4\"; import its export again"
        )
    );
    assert!(refused.is_damage());
    // It is no reason not to publish its contents.
    let again = publish(&store, "2026-11-21T11:00:00Z", &["34", "340"]);
    assert!(!again.existed);
}

#[test]
fn boats_whose_terms_do_not_fit_into_one_body_are_not_published() {
    let (_directory, store) = records::empty_store();
    let name = "x".repeat(BODY_MAX / 3);
    let publish = |ids: &[&str]| {
        let mut writer = store.begin(columns()).unwrap();
        for id in ids {
            let boat = Boat {
                type_slug: id,
                type_name: &name,
                ..Boat::new(id)
            };
            // With its category and its type, a boat has the name twice.
            writer.push_boat(boat.rendered()).unwrap();
        }
        writer.push_manufacturer(maker(ids.len() as u64)).unwrap();
        store.finish(writer, &time("2026-11-21T10:00:00Z"))
    };
    let error = publish(&["a", "b"]).unwrap_err();
    assert!(matches!(error, ReleaseError::TermsTooLarge(_)), "{error}");
    assert!(publish(&["a"]).is_ok());
}

#[test]
fn the_same_records_have_the_same_hash_in_the_id_whenever_they_are_published() {
    let (_directory, _store, id) = published();
    let (_other_directory, other) = records::empty_store();
    let later = publish(&other, "2026-11-22T09:08:07.5Z", &["34", "340"]);
    assert!(id.has_contents_of(&later.id) && id != later.id);
    assert_eq!(later.manifest.published_at, "2026-11-22T09:08:07Z");
    let release = other.open(&later.id).unwrap();
    assert_eq!(release.manifest(), &later.manifest);
}

#[test]
fn an_id_proves_every_byte_of_the_manifest_the_time_of_publication_included() {
    let (_directory, store, id) = published();
    let path = store.directory(&id).join(MANIFEST);
    let manifest = fs::read_to_string(&path).unwrap();
    let later = manifest.replacen("10:00:00Z", "10:00:01Z", 1);
    assert_ne!(later, manifest);
    fs::write(&path, later).unwrap();
    assert!(store.open(&id).unwrap_err().is_damage());
    for place in 0..manifest.len() {
        let mut damaged = manifest.clone().into_bytes();
        damaged[place] ^= 1;
        let proved = Manifest::prove(&id, &damaged, &path);
        assert!(proved.unwrap_err().is_damage(), "byte {place}");
    }
    Manifest::prove(&id, manifest.as_bytes(), &path).unwrap();
}

#[test]
fn links_and_files_are_no_releases_whatever_their_names() {
    let (directory, store, id) = published();
    let other = |digit: &str| {
        let id = format!("20200101T000000Z-{}", digit.repeat(16));
        store.directory(&ReleaseId::parse(&id).unwrap())
    };
    fs::write(other("1"), b"").unwrap();
    symlink("/nowhere", other("2")).unwrap();
    symlink(directory.path(), other("3")).unwrap();
    assert_eq!(store.list().unwrap(), [id]);
}

#[test]
fn activating_mends_a_damaged_pointer_and_forgets_what_was_before() {
    let (directory, store, first) = published();
    let second = publish(&store, "2026-11-21T11:00:00Z", &["34"]);
    activate(&store, &second.id, &second.lock).unwrap();
    for damage in [&b"x"[..], b"\xff\xfe", b""] {
        fs::write(directory.path().join("data/current"), damage).unwrap();
        let error = store.pointer().unwrap_err();
        assert!(matches!(error, ReleaseError::DamagedPointer { .. }));
        activate(&store, &first, &second.lock).unwrap();
        let pointer = store.pointer().unwrap().unwrap();
        assert_eq!((pointer.release, pointer.previous), (first.clone(), vec![]));
    }
}

#[test]
fn rolling_back_passes_over_what_is_damaged_or_gone() {
    let (_directory, store, first) = published();
    let later: Vec<ReleaseId> = ["1", "2", "3"]
        .map(|model| {
            let made = publish(&store, "2026-11-21T11:00:00Z", &[model]);
            activate(&store, &made.id, &made.lock).unwrap();
            made.id
        })
        .into();
    fs::remove_dir_all(store.directory(&later[1])).unwrap();
    let words = store.directory(&later[0]).join(FileName::Words.as_str());
    fs::write(words, b"x").unwrap();
    let lock = store.lock().unwrap();
    let back = store.roll_back(&attempt(), &lock).unwrap().unwrap();
    let passed_over: Vec<&ReleaseId> = back.passed_over.iter().map(|one| &one.id).collect();
    assert_eq!(passed_over, [&later[1], &later[0]]);
    assert_eq!(
        (back.from, back.to),
        (later[2].clone(), Some(first.clone()))
    );
    assert_eq!(store.current().unwrap(), Some(first));
    // There is nothing further back, and what was left is not gone forward to.
    let back = store.roll_back(&attempt(), &lock).unwrap().unwrap();
    assert_eq!((back.to, back.passed_over.len()), (None, 0));
}
