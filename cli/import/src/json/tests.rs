//! Tests of reading JSON: places, spellings, limits.

use super::{parse as parse_to, *};

/// The value with every span, as `value@start..end`.
fn parse(line: &str) -> Result<Node<'_>, InvalidJson> {
    parse_to(line, NATIVE_DEPTH_MAX)
}

fn shown(line: &str) -> String {
    parse(line).map_or_else(|invalid| invalid.to_string(), |node| show(&node))
}

fn show(node: &Node<'_>) -> String {
    let value = match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(spelling) => (*spelling).to_owned(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let member = |member: &Member<'_>| {
                format!(
                    "{}@{:?}={}",
                    member.key,
                    member.key_span,
                    show(&member.node)
                )
            };
            format!(
                "{{{}}}",
                members.iter().map(member).collect::<Vec<_>>().join(" ")
            )
        }
    };
    format!("{value}@{:?}", node.span)
}

#[test]
fn values_keep_their_places_and_numbers_their_spelling() {
    let table = [
        ("null", "null@0..4"),
        (" [ true ,1.50e+2 ] ", "[true@3..7 1.50e+2@9..16]@1..18"),
        (r#"{"a":-0.0}"#, "{a@1..4=-0.0@5..9}@0..10"),
        (
            r#"{ "é" : "ü" , "b":[]}"#,
            r#"{é@2..6="ü"@9..13 b@16..19=[]@20..22}@0..23"#,
        ),
        (
            r#"{"\u0061\"":"\ud83d\ude00"}"#,
            r#"{a"@1..11="😀"@12..26}@0..27"#,
        ),
        (r#"{"a":1,"a":2}"#, "{a@1..4=1@5..6 a@7..10=2@11..12}@0..13"),
        (r#"["\\\\"]"#, r#"["\\\\"@1..7]@0..8"#),
        (r#"{"":""}"#, r#"{@1..3=""@4..6}@0..7"#),
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890@0..30",
        ),
    ];
    for (line, expected) in table {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    let table = [
        ("", 0, true),
        ("{", 1, true),
        (r#"{"a":"b"#, 7, true),
        (r#"{"a":1} {}"#, 8, false),
        ("NaN", 0, false),
        ("[-Infinity]", 2, false),
        ("[01]", 2, false),
        ("[1,]", 3, false),
        (r#"{"a":1,}"#, 7, false),
        ("{a:1}", 1, false),
        (r#"["\ud800"]"#, 8, false),
        (r#"["\x"]"#, 3, false),
        ("[\"\u{1}\"]", 2, false),
        ("'a'", 0, false),
    ];
    for (line, expected, expected_early) in table {
        let Err(InvalidJson::Syntax { at, ends_early, .. }) = parse(line) else {
            panic!("{line} was read")
        };
        assert_eq!((at, ends_early), (expected, expected_early), "{line}");
    }
}

#[test]
fn nesting_ends_at_32() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(NATIVE_DEPTH_MAX)).is_ok());
    assert_eq!(
        parse(&nested(NATIVE_DEPTH_MAX + 1)),
        Err(InvalidJson::TooDeep {
            at: NATIVE_DEPTH_MAX,
            depth_max: NATIVE_DEPTH_MAX
        })
    );
    let hostile = "[".repeat(1_000_000);
    assert_eq!(
        parse(&hostile),
        Err(InvalidJson::TooDeep {
            at: NATIVE_DEPTH_MAX,
            depth_max: NATIVE_DEPTH_MAX
        })
    );
}

#[test]
fn every_text_reads_back_as_itself() {
    proptest::proptest!(|(key: String, text: String)| {
        let line = serde_json::json!({ &key: &text }).to_string();
        let node = parse(&line).unwrap();
        let Value::Object(members) = node.value else { panic!("not an object") };
        proptest::prop_assert_eq!(&members[0].key, &key);
        proptest::prop_assert_eq!(&members[0].node.value, &Value::Text(text.into()));
    });
}

#[test]
fn any_bytes_that_are_a_text_are_read_or_refused() {
    proptest::proptest!(|(line in "[\\[\\]{}\",:\\\\ 0-9a-eunlrts.-]{0,40}")| {
        let is_json = serde_json::from_str::<serde_json::Value>(&line).is_ok();
        let is_read = parse(&line).is_ok();
        // serde_json also refuses numbers that no float holds.
        proptest::prop_assert!(is_read || !is_json, "{}", line);
    });
}
