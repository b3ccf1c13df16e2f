//! Changed records of small releases.

use std::io::Write as _;

use serde_json::Value;

use super::*;
use crate::release::tests::records::{Boat, empty_store, publish_boats};
use crate::release::{Release, ReleaseStore, Releases};

/// Two releases of these boats, the second one a day later, with their contents.
fn releases(old: &[Boat<'_>], new: &[Boat<'_>]) -> (tempfile::TempDir, [(Release, Contents); 2]) {
    let (directory, store) = empty_store();
    let publish = |store: &ReleaseStore, at: &str, boats: &[Boat<'_>]| {
        let id = publish_boats(store, at, boats.iter().map(Boat::rendered)).id;
        let release = store.open(&id).unwrap();
        let contents = Contents::read(&release).unwrap();
        (release, contents)
    };
    let old = publish(&store, "2026-11-20T10:00:00Z", old);
    let new = publish(&store, "2026-11-21T10:00:00Z", new);
    (directory, [old, new])
}

fn changed(kind: Kind, releases: &[(Release, Contents); 2]) -> ChangedRecords {
    let [(old, before), (new, after)] = releases;
    ChangedRecords::open(kind, (old, before), (new, after)).unwrap()
}

fn counted(records: &ChangedRecords) -> Vec<(String, u64)> {
    let fields = records.count_fields(usize::MAX).unwrap().fields;
    fields.unwrap().into_iter().collect()
}

/// For each field how many values there were, how many are lost, and how many are others.
fn values(changes: &FieldChanges) -> Vec<(&str, [u64; 3])> {
    let values = changes.values.iter();
    let values = values.map(|(field, of)| (&**field, [of.had, of.lost.total, of.replaced.total]));
    values.collect()
}

#[test]
fn changed_records_are_read_in_the_order_of_ids_whatever_their_places() {
    let old = ["c", "b", "a"].map(Boat::new);
    let [model, metres] = [Boat::new("a"), Boat::new("c")];
    let model = Boat {
        model: "Z",
        ..model
    };
    let metres = Boat {
        metres: "11",
        ..metres
    };
    // Bodies are in the order of names, so that the first boat by its id is the last one here.
    let (_directory, releases) = releases(&old, &[Boat::new("b"), model, metres]);
    let boats = changed(Kind::Boats, &releases);
    let ids: Vec<String> = boats
        .read()
        .map(|pair| {
            let ids = pair.unwrap().map(|record| {
                let record: Value = serde_json::from_str(record.get()).unwrap();
                record["id"].as_str().unwrap().to_owned()
            });
            ids.join(" ")
        })
        .collect();
    assert_eq!(ids, ["a a", "c c"]);
    let length = [
        "dimensions.lengthOverall",
        "lengthOverall",
        "lengthOverallMetres",
        "model",
    ];
    assert_eq!(counted(&boats), length.map(|field| (field.to_owned(), 1)));
    let makers = changed(Kind::Manufacturers, &releases);
    assert_eq!((makers.read().count(), counted(&makers)), (0, Vec::new()));
}

#[test]
fn a_record_counts_once_for_each_field() {
    let of_type = |id| Boat {
        type_slug: "motor",
        ..Boat::new(id)
    };
    let (_directory, releases) = releases(&["a", "b"].map(Boat::new), &["a", "b"].map(of_type));
    let expected = ["categories[].slug", "type.slug"].map(|field| (field.to_owned(), 2));
    assert_eq!(counted(&changed(Kind::Boats, &releases)), expected);
}

#[test]
fn values_that_are_lost_or_replaced_are_counted_with_those_that_were_there() {
    let described = |id, description| Boat {
        description,
        ..Boat::new(id)
    };
    let old = [
        described("a", Some("Fast")),
        described("b", Some("Dry")),
        described("c", None),
        described("d", Some("Stiff")),
    ];
    let new = [
        described("a", Some("Slow")),
        described("b", None),
        described("c", Some("New")),
        described("d", Some("Stiff")),
    ];
    let (_directory, releases) = releases(&old, &new);
    let changes = changed(Kind::Boats, &releases)
        .count_fields(usize::MAX)
        .unwrap();
    assert_eq!(values(&changes), [("description", [3, 1, 1])]);
    let lost = &changes.values["description"].lost.examples;
    let example = ValueChange {
        id: "b".to_owned(),
        before: r#""Dry""#.to_owned(),
        after: "null".to_owned(),
    };
    assert_eq!(*lost, [example]);
}

#[test]
fn a_list_is_one_value_and_a_renamed_reference_is_none_that_changed() {
    let of_type = |id, slug, name| Boat {
        type_slug: slug,
        type_name: name,
        ..Boat::new(id)
    };
    let old = [of_type("a", "sailing", "Sailing")];
    let (_directory, releases) = releases(&old, &[of_type("a", "sail", "Sail")]);
    let boats = changed(Kind::Boats, &releases);
    assert_eq!(counted(&boats).len(), 4);
    assert_eq!(values(&boats.count_fields(usize::MAX).unwrap()), []);
}

#[test]
fn of_more_records_than_are_compared_the_numbers_are_estimates() {
    let ids: Vec<String> = (10..30).map(|number| number.to_string()).collect();
    let boats = |description| {
        let boats = ids.iter().map(move |id| Boat {
            description,
            ..Boat::new(id)
        });
        boats.collect::<Vec<_>>()
    };
    let (_directory, releases) = releases(&boats(Some("Fast")), &boats(None));
    for (compared_max, lost) in [(0, 20), (1, 20), (3, 20), (19, 20), (20, 20)] {
        let boats = changed(Kind::Boats, &releases);
        let changes = boats.count_fields(compared_max).unwrap();
        assert_eq!(values(&changes), [("description", [20, lost, 0])]);
        assert_eq!(changes.fields.is_some(), compared_max == 20);
    }
}

#[test]
fn a_body_that_does_not_match_its_tag_is_damage() {
    let described = Boat {
        description: Some("Fast"),
        ..Boat::new("a")
    };
    let (_directory, releases) = releases(&[Boat::new("a")], &[described]);
    let path = releases[0].0.path(Kind::Boats.lines());
    let text = std::fs::read_to_string(&path).unwrap();
    let mut file = File::create(&path).unwrap();
    file.write_all(text.replace("Sailing", "Seiling").as_bytes())
        .unwrap();
    let counted = changed(Kind::Boats, &releases).count_fields(usize::MAX);
    assert!(counted.unwrap_err().is_damage());
}

#[test]
fn records_are_found_by_id_and_slug() {
    let boat = Boat {
        slug: "summer",
        ..Boat::new("a")
    };
    let (_directory, [(release, contents), _]) = releases(&[Boat::new("b"), boat], &[]);
    let bodies = RecordBodies::open(&release, Kind::Boats).unwrap();
    let found = contents.find(Kind::Boats, "a").unwrap();
    let record: Value = serde_json::from_str(bodies.read(found).unwrap().get()).unwrap();
    assert_eq!(record["slug"], "summer");
    assert_eq!(contents.id_of_slug(Kind::Boats, "summer"), Some("a"));
    assert_eq!(contents.find(Kind::Boats, "summer"), None);
    assert_eq!(contents.find(Kind::Manufacturers, "a"), None);
    assert!(contents.find(Kind::Manufacturers, "maker-1").is_some());
}

#[test]
fn fields_beyond_the_most_are_counted_together() {
    let mut counts = BTreeMap::new();
    let fields = |numbers: std::ops::Range<usize>| {
        numbers.map(|number| format!("field{number:04}")).collect()
    };
    count(&mut counts, fields(0..FIELDS_MAX));
    assert_eq!(counts.len(), FIELDS_MAX);
    count(&mut counts, fields(0..FIELDS_MAX + 2));
    count(&mut counts, fields(FIELDS_MAX..FIELDS_MAX + 1));
    assert_eq!((counts["field0000"], counts[FURTHER_FIELDS]), (2, 2));
    assert_eq!(counts.len(), FIELDS_MAX + 1);
}
