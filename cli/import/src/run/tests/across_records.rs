//! The rules across records: identity, references, drafts, and leaving records out.

use serde_json::{Value, json};

use super::{Run, boat, designer, lines, manufacturer, term, with};

fn check(records: &[Value], expected: &[&str]) -> Run {
    let run = Run::of(&lines(records), false);
    assert_eq!(run.findings(), expected, "{records:#?}");
    run
}

fn named(record: Value, id: &str, slug: &str) -> Value {
    with(with(record, "/id", json!(id)), "/slug", json!(slug))
}

fn draft(record: Value) -> Value {
    with(record, "/published", json!(false))
}

#[test]
fn references_may_point_forward() {
    let run = check(&[boat(), term(), manufacturer()], &[]);
    assert_eq!(run.served.boats[0]["manufacturer"]["name"], json!("Maker"));
}

#[test]
fn ids_are_unique_per_kind_drafts_included() {
    let (maker, type_term) = (manufacturer(), term());
    let again = named(boat(), "boat-1", "other");
    check(
        &[maker.clone(), type_term.clone(), boat(), again.clone()],
        &["DUPLICATE_ID /id"],
    );
    check(
        &[maker.clone(), type_term.clone(), draft(boat()), again],
        &["DUPLICATE_ID /id"],
    );
    check(
        &[maker.clone(), named(maker.clone(), "maker-1", "other")],
        &["DUPLICATE_ID /id"],
    );
    check(&[designer(), designer()], &["DUPLICATE_ID /id"]);
    check(
        &[
            type_term.clone(),
            named(type_term.clone(), "type-1", "other"),
        ],
        &["DUPLICATE_ID /id"],
    );
    let other_vocabulary = with(type_term.clone(), "/vocabulary", json!("category"));
    check(&[type_term, other_vocabulary], &[]);
    check(
        &[named(maker, "same", "same"), named(designer(), "same", "x")],
        &["UNKNOWN_FIELD /slug"],
    );
}

#[test]
fn slugs_are_unique_among_published_records() {
    let base = [manufacturer(), term(), boat()];
    let with_more = |more: Value| [base.as_slice(), &[more]].concat();
    check(
        &with_more(named(boat(), "boat-2", "boat")),
        &["DUPLICATE_SLUG /slug"],
    );
    check(&with_more(draft(named(boat(), "boat-2", "boat"))), &[]);
    check(&with_more(named(boat(), "boat-2", "Boat")), &[]);
    check(
        &with_more(named(manufacturer(), "maker-2", "maker")),
        &["DUPLICATE_SLUG /slug"],
    );
    check(
        &with_more(named(term(), "type-2", "monohull")),
        &["DUPLICATE_SLUG /slug"],
    );
    check(&with_more(named(manufacturer(), "maker-2", "boat")), &[]);
}

#[test]
fn no_published_slug_is_the_id_of_another_record() {
    let base = [manufacturer(), term(), boat()];
    let with_more = |more: Value| [base.as_slice(), &[more]].concat();
    check(
        &with_more(named(boat(), "boat-2", "boat-1")),
        &["SLUG_IS_AN_ID /slug"],
    );
    check(
        &with_more(named(boat(), "boat", "boat-2")),
        &["SLUG_IS_AN_ID /id"],
    );
    check(&with_more(named(boat(), "same", "same")), &[]);
    check(&with_more(draft(named(boat(), "boat", "boat-2"))), &[]);
    check(
        &with_more(named(manufacturer(), "maker-2", "maker-1")),
        &["SLUG_IS_AN_ID /slug"],
    );
    check(&with_more(named(manufacturer(), "maker-2", "boat-1")), &[]);
}

#[test]
fn a_clash_says_where_the_first_one_is() {
    let run = check(
        &[manufacturer(), term(), boat(), named(boat(), "boat-1", "b")],
        &["DUPLICATE_ID /id"],
    );
    let message = &run.outcome.findings.listed()[0].message;
    assert!(message.ends_with("export.ndjson:3"), "{message}");
}

#[test]
fn a_published_boat_needs_a_published_manufacturer_and_a_draft_does_not() {
    let hidden = draft(manufacturer());
    check(
        &[hidden.clone(), term(), boat()],
        &["UNPUBLISHED_MANUFACTURER /manufacturer"],
    );
    check(&[term(), boat()], &["DANGLING_REFERENCE /manufacturer"]);
    check(&[hidden, term(), draft(boat())], &[]);
    let run = check(&[draft(with(boat(), "/categories", json!(["none"])))], &[]);
    assert_eq!(run.outcome.tally.boat.unpublished, 1);
}

#[test]
fn drafts_are_validated_too_and_never_served() {
    let records = [
        manufacturer(),
        term(),
        draft(with(boat(), "/unit", json!("feet"))),
    ];
    check(&records, &["UNKNOWN_VALUE /unit"]);
    let run = check(&[draft(manufacturer()), term(), draft(boat())], &[]);
    assert!(run.served.boats.is_empty() && run.served.manufacturers.is_empty());
}

#[test]
fn with_an_error_nothing_more_is_handed_on() {
    let bad = named(with(boat(), "/unit", json!("feet")), "boat-0", "boat-0");
    let run = check(
        &[manufacturer(), term(), bad, boat()],
        &["UNKNOWN_VALUE /unit"],
    );
    assert!(!run.outcome.is_usable);
    assert!(run.served.boats.is_empty() && run.served.manufacturers.is_empty());
}

#[test]
fn boats_are_served_in_the_order_of_the_export_and_counted_by_manufacturer() {
    let boats = (0..3000).map(|n| named(boat(), &format!("boat-{n}"), &format!("slug-{n}")));
    let other = named(manufacturer(), "maker-2", "maker-2");
    let records: Vec<Value> = [manufacturer(), other, term()]
        .into_iter()
        .chain(boats)
        .collect();
    let run = check(&records, &[]);
    let ids: Vec<&str> = run
        .served
        .boats
        .iter()
        .map(|boat| boat["id"].as_str().unwrap())
        .collect();
    let expected: Vec<String> = (0..3000).map(|n| format!("boat-{n}")).collect();
    assert_eq!(ids, expected);
    let counts: Vec<&Value> = run
        .served
        .manufacturers
        .iter()
        .map(|maker| &maker["boatCount"])
        .collect();
    assert_eq!(counts, [&json!(3000), &json!(0)]);
}

#[test]
fn skipping_leaves_invalid_records_out_unchanged_with_what_refers_to_them() {
    let bad_maker = with(
        named(manufacturer(), "maker-2", "maker-2"),
        "/website",
        json!("x"),
    );
    let orphan = with(
        named(boat(), "boat-2", "boat-2"),
        "/manufacturer",
        json!("maker-2"),
    );
    let bad_boat = with(named(boat(), "boat-3", "boat-3"), "/unit", json!("feet"));
    let records = [
        manufacturer(),
        bad_maker.clone(),
        term(),
        orphan.clone(),
        boat(),
        bad_boat.clone(),
    ];
    let mut export = lines(&records);
    export.push("{\"kind\" : nonsense".to_owned());
    let run = Run::of(&export, true);
    assert!(run.outcome.is_usable);
    let found = [
        "INVALID_URL /website",
        "REFERENCE_TO_INVALID /manufacturer",
        "UNKNOWN_VALUE /unit",
        "INVALID_JSON -",
    ];
    assert_eq!(run.findings(), found);
    let expected = [&export[1], &export[6], &export[3], &export[5]].map(|line| format!("{line}\n"));
    assert_eq!(run.rejects, expected.concat());
    assert_eq!(run.served.boats.len(), 1);
    assert_eq!(run.served.manufacturers.len(), 1);
    assert_eq!(run.outcome.tally.invalid(), 4);
}

#[test]
fn of_two_records_that_clash_the_first_is_kept() {
    let run = Run::of(
        &lines(&[manufacturer(), term(), boat(), named(boat(), "boat-1", "b")]),
        true,
    );
    assert_eq!(run.served.boats.len(), 1);
    assert_eq!(run.served.boats[0]["slug"], json!("boat"));
    assert_eq!(run.outcome.tally.boat.invalid, 1);
}

#[test]
fn an_invalid_record_says_how_many_boats_are_left_out_with_it() {
    let bad_maker = with(manufacturer(), "/website", json!("x"));
    let bad_designer = with(designer(), "/website", json!("x"));
    let designers = json!({ "naval": ["designer-1"], "interior": ["designer-1"] });
    let run = Run::of(
        &lines(&[
            bad_maker,
            term(),
            bad_designer,
            with(boat(), "/designers", designers),
            named(boat(), "boat-2", "boat-2"),
            draft(named(boat(), "boat-3", "boat-3")),
        ]),
        true,
    );
    let listed = run.outcome.findings.listed();
    let costs: Vec<_> = listed
        .iter()
        .filter_map(|finding| finding.record.as_ref())
        .map(|record| (record.name.as_deref().unwrap(), record.cost()))
        .collect();
    let cost = |cost: &str| Some(cost.to_owned());
    let expected = [
        ("Maker", cost("2 boats are left out with it")),
        ("Designer", cost("1 boat is left out with it")),
        ("Boat", None),
        ("Boat", None),
        ("Boat", None),
        ("Boat", None),
    ];
    assert_eq!(costs, expected);
    let message = &listed[5].message;
    let maker = "the manufacturer maker-1 (Maker) is left out for an error of its own at ";
    assert!(message.starts_with(maker), "{message}");
    let why = "export.ndjson:1: an address must begin with http:// or https://";
    assert!(message.ends_with(why), "{message}");
}
