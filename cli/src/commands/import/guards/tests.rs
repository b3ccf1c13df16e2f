//! Guards on differences made by hand: what they refuse, and from which number on.

use shared::release::ReleaseId;
use shared::release::diff::{FieldsDiff, Listed, MovedSlug, RecordName};

use super::*;

fn removed(removed: u64, before: u64) -> KindDiff {
    KindDiff {
        before,
        removed: Listed {
            total: removed,
            examples: vec![RecordName {
                id: "1".into(),
                slug: "first".into(),
            }],
        },
        ..KindDiff::default()
    }
}

fn diff(boats: KindDiff, manufacturers: KindDiff) -> Comparison {
    let id = |text| ReleaseId::parse(text).unwrap();
    Comparison::Diff(Box::new(ReleaseDiff {
        from: id("20261120T101500Z-3f2a9c1b4d5e6f70"),
        to: id("20261121T101500Z-3f2a9c1b4d5e6f70"),
        boats,
        manufacturers,
        lost_filters: Listed::default(),
    }))
}

fn guards(max_removals: &str, allow: &[Allowed]) -> GuardArgs {
    GuardArgs {
        max_removals: max_removals.parse().unwrap(),
        allow: allow.to_owned(),
        ..GuardArgs::default()
    }
}

fn messages(guards: &GuardArgs, comparison: &Comparison) -> Vec<String> {
    let refusals = guards
        .refusals(comparison, None, ImageTally::default())
        .into_iter();
    refusals.map(|refusal| refusal.message).collect()
}

#[test]
fn as_many_removals_as_allowed_may_be_and_no_more() {
    for (most, gone, before, passes) in [
        ("10", 1, 10, true),
        ("10", 2, 19, false),
        ("10", 4, 41, true),
        ("10", 5, 41, false),
        ("0", 0, 0, true),
        ("0", 1, 1_000_000, false),
        ("0.1", 1, 1000, true),
        ("0.1", 2, 1001, false),
        ("12.3456", 123_456, 1_000_000, true),
        ("12.3456", 123_457, 1_000_000, false),
        ("100", 41, 41, true),
    ] {
        for diff in [
            diff(removed(gone, before), KindDiff::default()),
            diff(removed(0, 0), removed(gone, before)),
        ] {
            let refused = guards(most, &[]).refusals(&diff, None, ImageTally::default());
            assert_eq!(refused.is_empty(), passes, "{gone} of {before}, {most} %");
        }
    }
}

#[test]
fn the_option_that_is_named_lets_the_same_pass() {
    for (gone, before) in [(5, 41), (41, 41), (1, 3), (100_001, 1_000_000)] {
        let diff = diff(removed(gone, before), KindDiff::default());
        let refused = guards("10", &[]).refusals(&diff, None, ImageTally::default());
        let option = refused[0].allowed_by.to_string();
        let most = option.strip_prefix("--max-removals ").unwrap();
        assert_eq!(
            guards(most, &[]).refusals(&diff, None, ImageTally::default()),
            []
        );
    }
}

#[test]
fn everything_that_breaks_consumers_is_refused_at_once_unless_it_is_allowed() {
    let moved = MovedSlug {
        id: "a".into(),
        from: "old".into(),
        to: "new".into(),
        taken_by: None,
    };
    let boats = KindDiff {
        moved_slugs: Listed {
            total: 1,
            examples: vec![moved],
        },
        ..removed(3, 4)
    };
    let manufacturers = KindDiff {
        fields: FieldsDiff {
            null_now: vec!["logo".to_owned()],
            gone: vec!["website".to_owned()],
            // Consumers may have to cope with these, but are promised nothing about them.
            optional_now: vec!["description".to_owned()],
            fractional_now: vec!["boatCount".to_owned()],
        },
        ..removed(1, 1)
    };
    let diff = diff(boats, manufacturers);
    let refusals = guards("10", &[]).refusals(&diff, None, ImageTally::default());
    assert_eq!(
        messages(&guards("10", &[]), &diff),
        [
            "3 of 4 boats are removed, more than 10 %: first and 2 more",
            "1 slug of boats no longer leads to its record: old",
            "1 of 1 manufacturers is removed, more than 10 %: first",
            "2 fields of manufacturers are null in every record now, or gone: logo, website",
        ]
    );
    assert_eq!(
        options(&refusals),
        "--max-removals 100 --allow moved-slugs --allow null-fields"
    );
    let all = [Allowed::NullFields, Allowed::MovedSlugs];
    assert_eq!(messages(&guards("100", &all), &diff), [""; 0]);
    assert_eq!(messages(&guards("100", &all[..1]), &diff).len(), 1);
}

#[test]
fn shares_are_numbers_from_0_to_100() {
    for (text, shown) in [
        ("0", "0"),
        ("10", "10"),
        ("010", "10"),
        ("2.50", "2.5"),
        ("0.0001", "0.0001"),
        ("100.0", "100"),
    ] {
        assert_eq!(text.parse::<Percent>().unwrap().to_string(), shown);
    }
    for text in [
        "",
        ".",
        "5.",
        ".5",
        "-1",
        "+1",
        "100.0001",
        "101",
        "1e1",
        "5%",
        "1.23456",
        "٣",
        "99999999999999999999",
    ] {
        assert!(text.parse::<Percent>().is_err(), "{text}");
    }
}

#[test]
fn releases_that_could_not_be_compared_are_refused_unless_that_is_allowed() {
    let impossible = Comparison::Impossible("it is gone".to_owned());
    assert_eq!(
        messages(&guards("100", &[Allowed::NullFields]), &impossible),
        ["the new release could not be compared with the active one: it is gone"]
    );
    let refusals = guards("10", &[]).refusals(&impossible, None, ImageTally::default());
    assert_eq!(options(&refusals), "--allow uncompared");
    let allowed = guards("0", &[Allowed::Uncompared]);
    assert_eq!(messages(&allowed, &impossible), [""; 0]);
    assert_eq!(
        messages(&guards("0", &[]), &Comparison::NoneActive),
        [""; 0]
    );
}

#[test]
fn fields_that_are_not_known_are_not_guarded_and_the_rest_is() {
    let diff = diff(removed(3, 4), KindDiff::default());
    assert_eq!(messages(&guards("10", &[]), &diff).len(), 1);
}

#[test]
fn a_tenth_of_the_images_may_be_left_out_and_no_more_unless_that_is_allowed() {
    let tally = |left_out, all| ImageTally {
        all,
        left_out,
        may_follow: 0,
    };
    for (left_out, all, passes) in [(0, 0, true), (1, 10, true), (2, 19, false), (9, 9, false)] {
        let images = tally(left_out, all);
        let refused = guards("10", &[]).refusals(&Comparison::NoneActive, None, images);
        assert_eq!(refused.is_empty(), passes, "{left_out} of {all}");
        let allowed = guards("10", &[Allowed::LostImages]);
        assert_eq!(allowed.refusals(&Comparison::NoneActive, None, images), []);
    }
    let refused = guards("10", &[]).refusals(&Comparison::NoneActive, None, tally(60, 577));
    assert_eq!(
        refused[0].message,
        "60 of 577 images are left out, more than 10 %, because they could not be measured"
    );
    assert_eq!(options(&refused), "--allow lost-images");
}

#[test]
fn what_is_allowed_is_shown_as_it_is_typed() {
    for what in Allowed::value_variants() {
        let typed = what.to_possible_value().unwrap();
        assert_eq!(what.word(), typed.get_name());
    }
}

#[test]
fn the_log_has_what_was_refused_and_what_options_let_pass() {
    let mut boats = removed(3, 10);
    boats.moved_slugs.total = 1;
    boats.moved_slugs.examples.clear();
    let comparison = diff(boats, removed(1, 2));
    let objections = |guards: &GuardArgs| {
        let objections = guards
            .objections(&comparison, None, ImageTally::default())
            .into_iter();
        let of = |one: Objection| (one.allowed_by, one.is_allowed);
        objections.map(of).collect::<Vec<_>>()
    };
    let said = |allowed: [bool; 3]| {
        let by = [
            "--max-removals 30",
            "--allow moved-slugs",
            "--max-removals 50",
        ];
        let by = by.map(ToOwned::to_owned);
        by.into_iter().zip(allowed).collect::<Vec<_>>()
    };
    assert_eq!(objections(&GuardArgs::default()), said([false; 3]));
    let some = guards("30", &[Allowed::MovedSlugs]);
    assert_eq!(objections(&some), said([true, true, false]));
    let all = guards("50", &[Allowed::MovedSlugs]);
    assert_eq!(objections(&all), said([true; 3]));
    let none = diff(removed(1, 10), KindDiff::default());
    assert!(
        GuardArgs::default()
            .objections(&none, None, ImageTally::default())
            .is_empty()
    );
    let uncompared = Comparison::Impossible("cut".to_owned());
    let allowed =
        guards("10", &[Allowed::Uncompared]).objections(&uncompared, None, ImageTally::default());
    assert!(matches!(&*allowed, [one] if one.is_allowed));
}
