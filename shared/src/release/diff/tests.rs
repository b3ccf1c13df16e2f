//! Differences between small releases, and between lists of fields.

use super::*;
use crate::release::manifest::FieldCount;
use crate::release::tests::records::{Boat, empty_store, publish_boats};
use crate::release::{ReleaseStore, Releases};

/// The difference between a release of the boats `old` and one of the boats `new`.
fn between(old: &[Boat<'_>], new: &[Boat<'_>], examples_max: usize) -> ReleaseDiff {
    let (_directory, store) = empty_store();
    let publish = |store: &ReleaseStore, at: &str, boats: &[Boat<'_>]| {
        publish_boats(store, at, boats.iter().map(Boat::rendered)).id
    };
    let from = publish(&store, "2026-11-20T10:00:00Z", old);
    let to = publish(&store, "2026-11-21T10:00:00Z", new);
    let [old, new] = [from, to].map(|id| store.open(&id).unwrap());
    ReleaseDiff::between(&old, &new, examples_max).unwrap()
}

fn ids(names: &Listed<RecordName>) -> Vec<&str> {
    names.examples.iter().map(|name| &*name.id).collect()
}

fn model<'a>(id: &'a str, model: &'a str) -> Boat<'a> {
    let boat = Boat::new(id);
    Boat { model, ..boat }
}

fn slug<'a>(id: &'a str, slug: &'a str) -> Boat<'a> {
    let boat = Boat::new(id);
    Boat { slug, ..boat }
}

#[test]
fn records_are_added_changed_removed_or_the_same() {
    let old = ["a", "b", "c", "d"].map(Boat::new);
    let new = [
        Boat::new("e"),
        Boat::new("d"),
        model("b", "B2"),
        Boat::new("0"),
    ];
    let boats = between(&old, &new, 20).boats;
    assert_eq!((boats.before, boats.after, boats.unchanged), (4, 4, 1));
    assert_eq!(ids(&boats.added), ["0", "e"]);
    assert_eq!(ids(&boats.changed), ["b"]);
    assert_eq!(ids(&boats.removed), ["a", "c"]);
    assert_eq!(boats.moved_slugs.total, 0);
}

#[test]
fn a_release_does_not_differ_from_itself() {
    let boats = ["a", "b"].map(Boat::new);
    let diff = between(&boats, &boats, 20);
    let expected = |count| KindDiff {
        before: count,
        after: count,
        unchanged: count,
        fields: FieldsDiff::default(),
        ..KindDiff::default()
    };
    assert_eq!((diff.boats, diff.manufacturers), (expected(2), expected(1)));
}

#[test]
fn everything_may_vanish_or_appear() {
    let boats = ["a", "b"].map(Boat::new);
    let [gone, come] = [between(&boats, &[], 20), between(&[], &boats, 20)];
    assert_eq!((gone.boats.removed.total, gone.boats.after), (2, 0));
    assert_eq!((come.boats.added.total, come.boats.before), (2, 0));
    // Without boats there are no fields to compare; the manufacturer changed, since it has their
    // number.
    assert_eq!(gone.boats.fields, FieldsDiff::default());
    assert_eq!(gone.manufacturers.changed.total, 1);
}

#[test]
fn examples_are_the_first_by_id_and_totals_are_exact() {
    let names = ["e", "d", "c", "b", "a"].map(Boat::new);
    let boats = between(&[], &names, 2).boats;
    assert_eq!((boats.added.total, boats.added.more()), (5, 3));
    assert_eq!(ids(&boats.added), ["a", "b"]);
}

#[test]
fn a_slug_has_moved_when_it_no_longer_leads_to_its_record() {
    let old = [
        slug("a", "one"),
        slug("b", "two"),
        slug("c", "three"),
        slug("d", "four"),
    ];
    let new = [
        // Still found by its former slug, which is its id.
        slug("a", "one"),
        slug("b", "new-two"),
        slug("c", "new-three"),
        slug("e", "three"),
    ];
    let moved = between(&old, &new, 20).boats.moved_slugs;
    let shown = moved.examples.iter().map(|one| {
        let taken_by = one.taken_by.as_deref().unwrap_or("none");
        format!(
            "{}: {} -> {}, taken by {taken_by}",
            one.id, one.from, one.to
        )
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "b: two -> new-two, taken by none",
            "c: three -> new-three, taken by e"
        ]
    );
    assert_eq!(moved.total, 2);
}

#[test]
fn a_former_slug_that_is_the_id_of_the_record_still_leads_to_it() {
    let moved = between(&[Boat::new("a")], &[slug("a", "b")], 20)
        .boats
        .moved_slugs;
    assert_eq!(moved.total, 0);
}

#[test]
fn a_former_slug_that_is_the_id_of_another_record_is_taken() {
    let old = [slug("a", "one")];
    let moved = between(&old, &[slug("a", "two"), slug("one", "x")], 20);
    let moved = moved.boats.moved_slugs;
    assert_eq!(moved.examples[0].taken_by.as_deref(), Some("one"));
}

#[test]
fn fields_of_releases_are_compared() {
    let described = Boat {
        description: Some("Fast"),
        ..Boat::new("a")
    };
    let longer = Boat {
        metres: "10.5",
        ..Boat::new("a")
    };
    let fields = between(&[described], &[longer], 20).boats.fields;
    let expected = FieldsDiff {
        null_now: vec!["description".to_owned()],
        fractional_now: [
            "lengthOverall",
            "lengthOverallMetres",
            "dimensions.lengthOverall",
        ]
        .map(str::to_owned)
        .into(),
        ..FieldsDiff::default()
    };
    assert_eq!(fields, expected);
}

fn field(path: &str, present: u64, fractional: bool) -> FieldCount {
    FieldCount {
        path: path.to_owned(),
        present,
        fractional,
    }
}

#[test]
fn what_happened_to_fields_is_told_from_their_counts() {
    let old = [
        field("kept", 10, false),
        field("emptied", 1, false),
        field("always_empty", 0, false),
        field("thinned", 10, false),
        field("already_thin", 9, false),
        field("image", 5, false),
        field("image.alt", 5, false),
        field("logo", 5, false),
        field("logo.alt", 5, false),
        field("whole", 10, false),
        field("split", 10, true),
        field("dropped", 1, false),
        field("dropped_but_always_empty", 0, false),
        field("first_fractions", 0, false),
    ];
    let new = [
        field("kept", 20, false),
        field("emptied", 0, false),
        field("always_empty", 0, false),
        field("thinned", 19, false),
        field("already_thin", 1, false),
        field("image", 0, false),
        field("image.alt", 0, false),
        field("logo", 5, false),
        field("logo.alt", 0, false),
        field("whole", 20, true),
        field("split", 20, true),
        field("first_fractions", 20, true),
        field("invented", 20, true),
    ];
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(
        fields_diff((&old, 10), (&new, 20)),
        FieldsDiff {
            null_now: names(&["emptied", "image", "logo.alt"]),
            gone: names(&["dropped"]),
            optional_now: names(&["thinned"]),
            fractional_now: names(&["whole"]),
        }
    );
}

#[test]
fn members_of_an_object_that_may_be_null_are_judged_by_the_records_that_have_it() {
    let counts = |image, alt, url| {
        [
            field("image", image, false),
            field("image.alt", alt, false),
            field("image.meta.url", url, false),
        ]
    };
    let thinned = ["image.alt", "image.meta.url"];
    for (before, after, expected) in [
        (counts(5, 5, 5), counts(5, 4, 5), &thinned[..1]),
        (counts(5, 5, 5), counts(8, 7, 7), &thinned[..]),
        (counts(5, 5, 5), counts(4, 4, 4), &[][..]),
        (counts(5, 4, 4), counts(5, 3, 3), &[][..]),
        (counts(10, 10, 10), counts(9, 9, 9), &["image"][..]),
        (counts(10, 10, 10), counts(9, 8, 9), &["image"][..]),
    ] {
        let diff = fields_diff((&before, 10), (&after, 10));
        assert_eq!(diff.optional_now, expected, "{before:?} {after:?}");
    }
}

#[test]
fn names_of_records_that_are_gone_may_lead_to_others() {
    let old = [slug("a", "one"), slug("b", "two"), slug("c", "three")];
    let new = [slug("d", "one"), slug("e", "b"), slug("three", "x")];
    for (examples_max, shown) in [(20, 3), (1, 1)] {
        let taken = between(&old, &new, examples_max).boats.taken_names;
        let names = taken.examples.iter().map(|one| {
            let TakenName { name, from, to } = one;
            format!("{name}: {from} -> {to}")
        });
        let expected = ["one: a -> d", "b: b -> e", "three: c -> three"];
        assert_eq!(names.collect::<Vec<_>>(), expected[..shown]);
        assert_eq!(taken.total, 3);
    }
    // Gone altogether, or still the same record's.
    let new = [slug("b", "new-two"), slug("c", "three")];
    assert_eq!(between(&old, &new, 20).boats.taken_names.total, 0);
}

#[test]
fn filters_that_find_no_boat_any_more_are_lost() {
    let of_type = |type_slug| {
        let boat = Boat::new("a");
        Boat { type_slug, ..boat }
    };
    let lost = between(&[of_type("old")], &[of_type("new")], 20).lost_filters;
    let shown: Vec<String> = lost.examples.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["type=old", "category=old"]);
    let kept = between(&[Boat::new("a"), Boat::new("b")], &[Boat::new("b")], 20);
    assert_eq!(kept.lost_filters.total, 0);
}
