//! Changes as text, and the result of applying them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

/// Each change as `path: old -> new`, where `none` is no value.
#[track_caller]
fn check(old: &str, new: &str, expected: &[&str]) {
    let [old, new] = [old, new].map(|text| RawValue::from_string(text.to_owned()).unwrap());
    let value = |value: Option<&RawValue>| value.map_or("none".to_owned(), RawValue::to_string);
    let shown: Vec<String> = changes(&old, &new)
        .iter()
        .map(|change| {
            let (old, new) = (value(change.old), value(change.new));
            format!("{}: {old} -> {new}", change.path)
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn values_are_replaced_new_or_gone() {
    check(
        r#"{"model":"Sum","price":{"amount":1,"code":"EUR"},"rig":null,"old":1}"#,
        r#"{"model":"Sum II","price":{"amount":2,"code":"EUR"},"rig":{"spars":3},"new":2}"#,
        &[
            r#"model: "Sum" -> "Sum II""#,
            "old: 1 -> none",
            "price.amount: 1 -> 2",
            r#"rig: null -> {"spars":3}"#,
            "new: none -> 2",
        ],
    );
    check(r#"{"a":[1,{"b":2}]}"#, r#"{"a":[1,{"b":2}]}"#, &[]);
}

#[test]
fn numbers_are_compared_as_they_are_written() {
    check(
        r#"{"a":0.1000000000000000000000000001}"#,
        r#"{"a":0.1}"#,
        &["a: 0.1000000000000000000000000001 -> 0.1"],
    );
}

#[test]
fn an_object_with_another_id_is_another_thing() {
    check(
        r#"{"type":{"id":1,"name":"Sailing"}}"#,
        r#"{"type":{"id":1,"name":"Sail"}}"#,
        &[r#"type.name: "Sailing" -> "Sail""#],
    );
    check(
        r#"{"type":{"id":1,"name":"Sailing"}}"#,
        r#"{"type":{"id":2,"name":"Motor"}}"#,
        &[r#"type: {"id":1,"name":"Sailing"} -> {"id":2,"name":"Motor"}"#],
    );
}

#[test]
fn elements_of_lists_come_go_and_change() {
    check(
        "[1,2,3,4]",
        "[2,4,5]",
        &["[0]: 1 -> none", "[1]: 3 -> none", "[2]: none -> 5"],
    );
    check("[1,2,3]", "[0,1,2,3]", &["[0]: none -> 0"]);
    check(
        "[1,2,3]",
        "[1,8,9,7,3]",
        &["[1]: 2 -> 8", "[2]: none -> 9", "[3]: none -> 7"],
    );
    check("[]", "[1]", &["[0]: none -> 1"]);
    check(
        r#"{"engines":[{"power":"20 hp","fuel":"diesel"}]}"#,
        r#"{"engines":[{"power":"30 hp","fuel":"diesel"}]}"#,
        &[r#"engines[0].power: "20 hp" -> "30 hp""#],
    );
}

#[test]
fn a_list_too_long_or_a_value_too_deep_is_one_value() {
    for (length, expected) in [(ELEMENTS_MAX, 1), (ELEMENTS_MAX + 1, 0)] {
        let old = raw(&json!(vec![1; length]));
        let new = raw(&json!(vec![1; length - 1]));
        let changes = changes(&old, &new);
        assert_eq!(
            (changes.len(), changes[0].path.steps().len()),
            (1, expected)
        );
    }
    let deep = |depth: usize, value: u8| {
        let text = format!("{}{value}{}", "[".repeat(depth), "]".repeat(depth));
        RawValue::from_string(text).unwrap()
    };
    for (depth, expected) in [
        (DEPTH_MAX, DEPTH_MAX),
        (DEPTH_MAX + 1, DEPTH_MAX),
        (100, DEPTH_MAX),
    ] {
        let (old, new) = (deep(depth, 1), deep(depth, 2));
        let changes = changes(&old, &new);
        assert_eq!(
            (changes.len(), changes[0].path.steps().len()),
            (1, expected)
        );
    }
}

/// Small values that often share parts.
fn value() -> impl Strategy<Value = Value> {
    let single = prop_oneof![
        Just(Value::Null),
        (0..4_u8).prop_map(|number| json!(number)),
        "[ab/~]{0,2}".prop_map(Value::String),
    ];
    single.prop_recursive(4, 40, 6, |inner| {
        let members = prop::collection::btree_map("id|[ab/~]", inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::Array),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Applies one change, by its pointer.
fn make(change: &Change<'_>, record: &mut Value) {
    let pointer = change.path.pointer();
    let parsed = |value: &RawValue| serde_json::from_str::<Value>(value.get()).unwrap();
    let Some((inside, step)) = pointer.rsplit_once('/') else {
        *record = parsed(change.new.unwrap());
        return;
    };
    if let Some(old) = change.old {
        assert_eq!(record.pointer(&pointer), Some(&parsed(old)));
    }
    let name = step.replace("~1", "/").replace("~0", "~");
    match (record.pointer_mut(inside).unwrap(), change.old, change.new) {
        (Value::Object(members), _, Some(new)) => _ = members.insert(name, parsed(new)),
        (Value::Object(members), _, None) => _ = members.remove(&name),
        (Value::Array(list), None, Some(new)) => list.insert(name.parse().unwrap(), parsed(new)),
        (Value::Array(list), _, Some(new)) => list[name.parse::<usize>().unwrap()] = parsed(new),
        (Value::Array(list), _, None) => _ = list.remove(name.parse().unwrap()),
        (inside, ..) => panic!("nothing is in {inside}"),
    }
}

proptest! {
    #[test]
    fn changes_made_one_after_the_other_make_the_new_value(old in value(), new in value()) {
        let (before, after) = (raw(&old), raw(&new));
        let changes = changes(&before, &after);
        prop_assert_eq!(changes.is_empty(), old == new);
        let mut made = old;
        for change in &changes {
            make(change, &mut made);
        }
        prop_assert_eq!(made, new);
    }
}
