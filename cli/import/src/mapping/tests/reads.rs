//! Tests of what a check says of the keys of records: which of them an expression reads, which it
//! does not, and which it names without coming to look them up.

use super::*;

const DEFINITIONS: &str = r#"
definitions = '''
def field($name): .fields[$name] as $values | [$locales[] as $locale | $values[$locale] | values][0];
def key: .sys.id;
def specs: [.[]? | {name: .label, value}];
def of(f): [f | .name];
'''
[variables]
locales = ["en", "de"]
part = "hull"
"#;

const RULE: &str = r#"
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
id = "$record.key"
"#;

const OTHERS: &str = r#"
{"key":"m","type":"m","name":"M","site":"x"}
{"key":"n","type":"n","name":"N","site":"y"}
"#;

/// The keys that nothing reads of a record, then, after `?`, those that are named in vain, and
/// after `!`, those that no record has.
fn read(code: &str, record: &str) -> String {
    let (mapping, sources) = BEGINNING.split_once("[[sources]]").unwrap();
    let mapping = format!(
        "{mapping}{DEFINITIONS}[[sources]]{sources}{RULE}x_made = {}\n",
        serde_json::Value::from(code)
    );
    let directory = tempfile::tempdir().unwrap();
    let record = record.trim_start_matches('{');
    let lines = format!("{{\"key\":\"1\",\"type\":\"b\",{record}{OTHERS}");
    std::fs::File::create(directory.path().join("a.ndjson"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, lines.as_bytes()))
        .unwrap();
    let mapping = Mapping::parse("a.toml".to_owned(), mapping).unwrap();
    let (_, report) = mapped_at_once(&mapping, directory.path(), 2);
    let report = report.unwrap();
    let keys = |keys: &[UnreadKey]| {
        let keys: Vec<&str> = keys.iter().map(|key| key.key.as_str()).collect();
        keys.join(" ")
    };
    let rule = &report.rules[0];
    let mut said = vec![keys(&rule.unread)];
    said.extend(
        report
            .linked
            .iter()
            .map(|of| format!("-> {}", keys(&of.unread))),
    );
    let unknown = keys(&rule.unknown);
    said.extend((!unknown.is_empty()).then(|| format!("? {unknown}")));
    let missing = rule.fields.iter().flat_map(|field| &field.missing);
    let missing: Vec<&str> = missing.map(|missing| missing.key.as_str()).collect();
    said.extend((!missing.is_empty()).then(|| format!("! {}", missing.join(" "))));
    said.join(" ").trim().to_owned()
}

#[track_caller]
fn check(record: &str, cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        assert_eq!(read(code, record), *expected, "{code}");
    }
}

#[test]
fn a_value_is_read_with_everything_in_it() {
    let record = r#"{"a":{"x":1,"y":{"z":2}},"b":[{"x":1}],"c":"x","d d":3}"#;
    check(
        record,
        &[
            (".", ""),
            (".a", "b c d d"),
            (".a.x", "a.y b c d d"),
            ("[.b, {c: .c, d: .\"d d\"}]", "a"),
            ("{a, \"b\": .b[0].x}", "c d d"),
            (".a | tojson", "b c d d"),
            ("\"\\(.a)-\\(.c)\"", "b d d"),
            ("..", ""),
            (".a | to_entries", "b c d d"),
            (".a | with_entries(.value |= 1)", "b c d d"),
            ("\"length c\"", "a b c d d"),
        ],
    );
}

#[test]
fn what_is_only_looked_at_is_not_read_by_that() {
    let record = r#"{"a":{"x":1,"y":{"z":2}},"b":{"x":1},"c":"x"}"#;
    check(
        record,
        &[
            ("if .a then .c else null end", "a.x a.y b"),
            (".a | select(.x) | .y.z", "b c"),
            (".a == null", "a.x a.y b c"),
            (".a == .b", "c"),
            (".a | length", "a.x a.y b c"),
            (".a | type", "a.x a.y b c"),
            ("has(\"a\")", "a.x a.y b c"),
            (".a as $x | .c", "a.x a.y b"),
            ("try error(.a) catch .x", "b c"),
        ],
    );
}

#[test]
fn members_of_lists_are_one_place() {
    let record = r#"{"e":[{"p":2,"h":1,"k":{"l":1}},{"p":1,"h":2,"main":true}],"t":["a"]}"#;
    check(
        record,
        &[
            (".e[0].h", "e[].k e[].main e[].p t"),
            (".e | map(.h) | add", "e[].k e[].main e[].p t"),
            ("[.e[] | select(.main) | .h][0]", "e[].k e[].p t"),
            (".e | sort_by(.p) | .[0].h", "e[].k e[].main t"),
            (".e[1:] | .[] | .h", "e[].k e[].main e[].p t"),
            (".e | min_by(.p) | .h", "e[].k e[].main t"),
            (".e | group_by(.p) | map(.[0].h)", "e[].k e[].main t"),
            (".t | join(\",\")", "e"),
            (".e | sort | length", "t"),
            ("reduce .e[] as $e (0; . + $e.h)", "e[].k e[].main e[].p t"),
            (". as {e: [$x]} | $x.h", ""),
        ],
    );
}

#[test]
fn keys_may_be_named_by_variables_and_computed() {
    let record = r#"{"hull":{"x":1},"fields":{"slug":{"en":1,"de":2,"fr":3},"i":{"en":4}},"n":"x","sys":{"id":1,"v":2}}"#;
    check(
        record,
        &[
            (".[$part].x", "fields n sys"),
            ("field(\"slug\")", "fields.i fields.slug.fr hull n sys"),
            ("getpath([\"sys\", \"id\"])", "fields hull n sys.v"),
            (".hull[.n]", "fields sys"),
            (".hull[.n | ascii_downcase]", "fields sys"),
            (".sys | pick(.id)", "fields hull n sys.v"),
            ("key", "fields hull n sys.v"),
            ("of(.sys, .hull)", "fields hull.x n sys.id sys.v"),
        ],
    );
}

#[test]
fn what_is_changed_counts_as_read() {
    let record = r#"{"a":{"x":1,"y":2},"b":1,"c":1}"#;
    check(
        record,
        &[
            (".a | .x = 2 | .y", "b c"),
            (".a | del(.x) | .y", "b c"),
            (".a + {z: 1} | .x", "b c"),
            (".a * {z: 1} | .x", "b c"),
            ("{z: .b} + {y: .c} | .z", "a"),
        ],
    );
}

#[test]
fn a_key_that_is_named_and_never_looked_up_may_be_read_in_other_records() {
    let record = r#"{"title":"T","name":"N","kind":"x","loa":1,"beam":2}"#;
    check(
        record,
        &[
            (".title // .name", "beam kind loa ? name"),
            (
                "if .kind == \"sail\" then .loa else .title end",
                "beam name ? loa",
            ),
            (
                ".kind | select(. == \"sail\") | $record.loa",
                "beam name title ? loa",
            ),
            ("{name: .title}", "beam kind loa name"),
        ],
    );
}

#[test]
fn a_key_that_no_record_has_is_missing_where_it_is_looked_up() {
    let record = r#"{"a":{"x":1},"l":[{"p":1},{"q":2}],"o":{"en":{"t":1},"de":{}}}"#;
    check(
        record,
        &[
            (".a.y", "a.x l o ! a.y"),
            (".b.y", "a l o ! b"),
            (".a.y // .a.x", "l o ! a.y"),
            (".l[].q", "a l[].p o"),
            ("if .a | has(\"y\") then .a.y else .a.x end", "l o"),
            ("[.o[].t]", "a l"),
            ("[.l[] | .hp]", "a l[].p l[].q o ! l[].hp"),
            ("key", "a l o ! sys"),
        ],
    );
}

#[test]
fn references_lead_to_other_records() {
    let record = r#"{"maker":"m","series":"n","name":"A"}"#;
    check(
        record,
        &[
            (".maker | deref | .name", "name series -> site"),
            (
                "[(.maker, .series) | deref] | map(.name)",
                "name -> site -> site",
            ),
            (".maker | deref", "name series ->"),
            (".maker | pub", "name series"),
            ("[links(\"a\")[] | deref.name]", "maker series ? name"),
        ],
    );
}
