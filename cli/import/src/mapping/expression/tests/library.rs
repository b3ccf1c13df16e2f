//! Tests of the library: functions that jaq lacks behave as jq's manual says, and errors say what
//! was given and what is accepted.

use super::*;

/// Expressions, inputs and results.
#[rustfmt::skip]
const ANSWERS: [(&str, &str, &str); 36] = [
    (".[] |= IN(2, 3)", "[1, 2, 3]", "[false,true,true]"),
    ("IN(.[]; 2, 3)", "[1, 2]", "true"),
    ("IN(.[]; 2, 3)", "[1]", "false"),
    ("INDEX(.id)", r#"[{"id": 1}, {"id": "b"}]"#, r#"{"1":{"id":1},"b":{"id":"b"}}"#),
    ("INDEX(.[]; .)", r#"["a", "a"]"#, r#"{"a":"a"}"#),
    ("JOIN({a: 1}; .)", r#"["a", "b"]"#, r#"[["a",1],["b",null]]"#),
    ("[JOIN({a: 1}; .[]; .)]", r#"["a"]"#, r#"[["a",1]]"#),
    ("[JOIN({a: 1}; .[]; .; .[1])]", r#"["a"]"#, "[1]"),
    ("map(trimstr(\"sea\"))", r#"["se", "sea", "barsea", "seabarsea", "seab"]"#, r#"["se","","bar","bar","b"]"#),
    ("map(ascii)", "[65, 97]", r#"["A","a"]"#),
    ("map(toarray)", "[1, [2], null]", "[[1],[2],[null]]"),
    ("[have_literal_numbers, have_decnum]", "null", "[true,false]"),
    ("@csv", r#"[1, "a\"b", null, true, 1.5]"#, r#""1,\"a\"\"b\",,true,1.5""#),
    ("@tsv", r#"[1, "a\tb\\\r\n", null, false]"#, r#""1\ta\\tb\\\\\\r\\n\t\tfalse""#),
    ("@csv \"x: \\(.)\"", r#"[1, "a"]"#, r#""x: 1,\"a\"""#),
    ("[format(\"csv\", \"json\", \"html\")]", r#"["<"]"#, r#"["\"<\"","[\"<\"]","[&quot;&lt;&quot;]"]"#),
    ("join(\", \")", r#"["a", 1, 2.3, true, null, false]"#, r#""a, 1, 2.3, true, , false""#),
    ("[join(\",\"), ([] | join(\",\"))]", "[null]", r#"["",""]"#),
    ("from_entries", r#"[{"k": "a", "v": 1}, {"Name": "b", "Value": null}, {"name": "c", "value": false}]"#, r#"{"a":1,"b":null,"c":false}"#),
    ("with_entries(.key |= \"KEY_\" + .)", r#"{"a": 1}"#, r#"{"KEY_a":1}"#),
    ("del(.[1, 2])", r#"["foo", "bar", "baz"]"#, r#"["foo"]"#),
    ("del(.a[1:], .b, .x.y, .c[7])", r#"{"a": [1, 2], "b": null, "c": []}"#, r#"{"a":[1],"c":[]}"#),
    ("del(.. | select(. == null))", r#"{"a": null, "b": [null, 1]}"#, r#"{"b":[1]}"#),
    ("delpaths([[\"a\", \"b\"], [\"a\", \"b\"]])", r#"{"a": {"b": 1, "c": 2}}"#, r#"{"a":{"c":2}}"#),
    ("pick(.[1])", "[1, 2, 3]", "[null,2]"),
    ("pick(.a, .b.c, .x)", r#"{"a": 1, "b": {"c": 2, "d": 3}}"#, r#"{"a":1,"b":{"c":2},"x":null}"#),
    ("setpath([\"a\", 1]; 1)", "null", r#"{"a":[null,1]}"#),
    ("[leaf_paths]", r#"{"a": [1]}"#, r#"[["a",0]]"#),
    ("[1 | truncate_stream([[0], 1], [[1, 0], 2], [[1, 0]], [[1]])]", "null", "[[[0],2],[[0]]]"),
    ("fromstream(1 | truncate_stream([[0], 1], [[1, 0], 2], [[1, 0]], [[1]]))", "null", "[2]"),
    ("[tostream]", r#"{"a": [1, {"b": 2}]}"#, r#"[[["a",0],1],[["a",1,"b"],2],[["a",1,"b"]],[["a",1]],[["a"]]]"#),
    ("[fromstream((., 1) | tostream)]", r#"{"a": [1, {"b": []}]}"#, r#"[{"a":[1,{"b":[]}]},1]"#),
    ("[(0 | date), (1 | dateadd(\"seconds\"; 2)), (3 | datesub(\"seconds\"; 1))]", "null", r#"["1970-01-01T00:00:00Z",3,2]"#),
    ("[test(\"A\"; null), test([\"A\", \"i\"])]", r#""a""#, "[false,true]"),
    ("map(toboolean)", r#"["true", false]"#, "[true,false]"),
    ("map(tonumber)", r#"[1, "1.50", " 2 ", "-1e3"]"#, "[1,1.50,2,-1e3]"),
];

#[test]
fn what_jaq_lacks_does_what_the_manual_of_jq_says() {
    for (code, input, expected) in ANSWERS {
        check(code, &serde_json::from_str(input).unwrap(), expected);
    }
}

#[test]
fn a_definition_of_the_mapping_hides_that_of_the_library() {
    check(
        "def trimstr($s): \"own\"; trimstr(\"a\")",
        &json!("a"),
        r#""own""#,
    );
    check("def join(f): \"own\"; join(.)", &json!([]), r#""own""#);
    check("def @csv: \"own\"; @csv", &json!([]), r#""own""#);
}

/// Expressions, inputs and the beginnings of the resulting errors.
#[rustfmt::skip]
const ERRORS: [(&str, &str, &str); 23] = [
    ("tonumber", r#""1.5m""#, "could not read \"1.5m\" as a number such as `1.5`; `number` reads `1,234.5` and `16,6`, `measure(\"m\")` reads `1.5 m`"),
    ("tonumber", "null", "could not read null as a number such as `1.5`"),
    ("tonumber", r#""null""#, "could not read \"null\" as a number"),
    ("toboolean", r#""yes""#, "could not read \"yes\" as true or false"),
    ("fromjson", r#""{a""#, "could not read \"{a\" as JSON: key must be a string"),
    ("fromdate", r#""1974""#, "could not read \"1974\" as a time such as \"2026-05-01T12:00:00Z\": "),
    ("fromdateiso8601", "1974", "could not read 1974 as a time such as"),
    ("strptime(\"%Y-%m-%d\")", r#""1974""#, "could not read \"1974\" as a time in the form \"%Y-%m-%d\": "),
    ("mktime", r#""1974""#, "could not read \"1974\" as the parts of a time"),
    ("strptime(\"%Y %z\")", r#""1974 +0200""#, "`strptime` drops the offset that `%z` reads; `time(\"%Y %z\"; \"UTC\")` keeps it"),
    ("test(\"a(?=b)\")", r#""ab""#, "invalid regex: look-around, including look-ahead and look-behind, is not supported; match more, and take"),
    ("sub(\"(a)\\\\1\"; \"b\")", r#""ab""#, "invalid regex: backreferences are not supported; match more"),
    ("[splits(\"(?<!a)b\")]", r#""ab""#, "invalid regex: look-around, including look-ahead and look-behind, is not supported; match more"),
    ("@csv", "[[1]]", "[1] cannot stand in a row"),
    ("@tsv", r#""a""#, "only a list can be a row, not \"a\""),
    ("format(\"x\")", "1", "\"x\" is not a format of texts"),
    (". as [$a] ?// $a | $a", "1", "this is not jq: | expected instead of `?`"),
    (".a + .5", "1", "this is not jq: nothing expected instead of `5`"),
    (r#""\ud83d\ude00""#, "1", "this is not jq: 4-digit hexadecimal UTF-8 code point expected instead of `d83d\\ude00\"`"),
    ("input", "1", "there is no function `input`; `deref` leads to other records"),
    ("ltrimstr", "1", "`ltrimstr` takes another number of arguments: 1"),
    ("test", "1", "`test` takes another number of arguments: 1 or 2"),
    ("$__loc__", "1", "there is no variable `$__loc__`; findings name the line of the mapping"),
];

#[test]
fn regular_expressions_know_unicode() {
    for (code, input, expected) in [
        // A narrow space stands between a number and its unit.
        (r#"test("^[0-9.]+\\s*m$")"#, "10.5\u{a0}m", "true"),
        (r#"gsub("\\s"; "")"#, "10.5\u{a0}\u{202f}m", r#""10.5m""#),
        (r#"[scan("\\w+")]"#, "Ångvik å Ö", r#"["Ångvik","å","Ö"]"#),
        (r#"gsub("[^\\w]+"; "-")"#, "Ångvik 34", r#""Ångvik-34""#),
        (r#"[match("\\bvik"; "g").offset]"#, "Ångvik vik", "[7]"),
        (r#"test("ÅNG"; "i")"#, "ångvik", "true"),
        (r#"[splits("\\P{L}+")]"#, "Ö—ß1", r#"["Ö","ß",""]"#),
        (r#"sub("(?<a>\\p{Lu})"; "<\(.a)>")"#, "vÅg", r#""v<Å>g""#),
    ] {
        check(code, &json!(input), expected);
    }
}

#[test]
fn a_group_that_takes_no_part_in_a_match_is_null() {
    let of_match = r#"{"offset":3,"length":2,"string":"ft","captures":[{"offset":-1,"length":0,"string":null,"name":null}]}"#;
    for (code, input, expected) in [
        (
            r#"capture("(?<n>[0-9]+) (?:(?<m>m)|(?<ft>ft))")"#,
            "12 ft",
            r#"{"n":"12","m":null,"ft":"ft"}"#,
        ),
        (r#"[scan("(m)|(f)")]"#, "12 ft", r#"[[null,"f"]]"#),
        (r#"[scan("f|t")]"#, "12 ft", r#"["f","t"]"#),
        (r#"match("(x)?ft")"#, "12 ft", of_match),
        (r#"sub("(?<a>m)?ft"; "\(.a)")"#, "12 ft", r#""12 null""#),
        (r#"[match(""; "g").offset]"#, "é1", "[0,1,2]"),
        (r#"[match("[0-9]*"; "gn").string]"#, "a1", r#"["1"]"#),
    ] {
        check(code, &json!(input), expected);
    }
}

#[test]
fn errors_say_what_was_given_and_what_would_be_read() {
    for (code, input, expected) in ERRORS {
        let error = evaluate(code, &serde_json::from_str(input).unwrap()).expect_err(code);
        assert!(error.starts_with(expected), "{code}: {error}");
        assert!(!error.contains("line is not"), "{code}: {error}");
    }
    check("try tonumber catch 0", &json!("1.5m"), "0");
    check("[.[] | tonumber?]", &json!(["1", "a"]), "[1]");
}

fn names(code: &str) -> Vec<&str> {
    let parsed = Parsed::new(code, "", false).expect(code);
    let used = super::super::library::definitions(parsed.found.called, false);
    used.into_iter().map(|definition| definition.name).collect()
}

#[test]
fn an_expression_is_compiled_with_the_definitions_that_it_uses() {
    assert_eq!(names(".a.b"), Vec::<&str>::new());
    assert_eq!(names(".a | select(.)"), ["empty", "select"]);
    assert!(names("test(\"a\")").ends_with(&["test", "test"]));
    assert!(names("@csv").ends_with(&["@csv"]));
    assert_eq!(names(".select, {map: \"values\"}"), Vec::<&str>::new());
}

#[test]
fn a_definition_is_used_wherever_a_call_of_it_stands() {
    for code in [
        "date",
        "-date",
        "[date]",
        "{a: date}",
        "{(date): 1}",
        "{a: 1, b: [date]}",
        "1 + date",
        "date | 1",
        "label $out | date",
        "reduce date as $x (0; 1)",
        "reduce 1 as $x (date; 1)",
        "foreach 1 as [{(date): $x}] (0; 1)",
        "1 as {(date): $x} | 1",
        "try date",
        "try 1 catch date",
        "if date then 1 end",
        "if 1 then date end",
        "if 1 then 1 elif 1 then 1 else date end",
        "def f: date; 1",
        "def f: 1; date",
        "map(date)",
        "date.a",
        ".[date]",
        ".[date:]",
        ".[:date]?",
        "\"a \\(date)\"",
        "@json \"\\(date)\"",
    ] {
        assert!(names(code).contains(&"date"), "{code}");
    }
}
