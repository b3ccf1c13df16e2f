//! Tests of what expressions read: each case has an expression and the places it looks at. A place
//! with `.*` is read with everything inside it.

use serde_json::json;

use super::*;
use crate::mapping::big_stack::deep;

const PRELUDE: &str = r#"
def field($name): .fields[$name] as $values | [$locales[] as $locale | $values[$locale] | values][0];
def ref: if . == null then null else key | deref | .id end;
def key: .sys.id;
def specs: [.[]? | {name: .label, value}];
def image: .alt as $alt | .asset | if . == null then null else {url: "x/\(.name)", alt: $alt} end;
def of(f): [f | .name];
"#;

fn reader(prelude: &str) -> Reader {
    let locales = json!(["en", "de"]);
    let key = json!("hull");
    Reader::new(prelude, [("locales", &locales), ("part", &key)])
}

fn names(tree: &Tree, name: &str, names_of: &mut Vec<String>) {
    if tree.is_whole {
        names_of.push(format!("{name}.*").trim_start_matches('.').to_owned());
        return;
    }
    if tree.keys.is_empty() && tree.members.is_none() {
        names_of.push(name.to_owned());
    }
    for (key, tree) in &tree.keys {
        let dot = if name.is_empty() { "" } else { "." };
        names(tree, &format!("{name}{dot}{key}"), names_of);
    }
    if let Some(members) = &tree.members {
        names(members, &format!("{name}[]"), names_of);
    }
}

/// What an expression reads from its record and from the records it is led to.
fn read(prelude: &str, code: &str) -> String {
    let reads = deep(|| {
        let mut reads = Reads::default();
        reader(prelude).evaluate_whole((0, code), &Values::record(), &mut reads);
        reads
    });
    let reads = reads.unwrap();
    let mut all = Vec::new();
    for (root, tree) in &reads.places {
        let mut of_record = Vec::new();
        names(tree, "", &mut of_record);
        let led = if *root == Root::Record { "" } else { "-> " };
        all.push(format!("{led}{}", of_record.join(" ")));
    }
    all.join(" ")
}

#[track_caller]
fn check(code: &str, expected: &str) {
    assert_eq!(read("", code), expected, "{code}");
}

#[test]
fn a_value_is_read_as_a_whole() {
    check(".name", "name.*");
    check(".hull.colour", "hull.colour.*");
    check(".", "*");
    check("[.a, {b: .b, c, \"d\": .e}]", "a.* b.* c.* e.*");
    check(".\"Built to\" | year", "Built to.*");
    check(".a | tojson", "a.*");
    check("\"\\(.a)-\\(.b)\"", "a.* b.*");
    check(".a[.b]", "a.* b.*");
    check(".a + .b - .c", "a.* b.* c.*");
    check("-.a", "a.*");
    check("\"length i\"", "");
}

#[test]
fn what_is_only_looked_at_is_not_read_by_that() {
    check("if .a then .b else .c end", "a b.* c.*");
    check(".a | select(.b) | .c", "a.b a.c.*");
    check("if .a == null and (.b | not) then 1 else 2 end", "a b");
    check(".a == .b", "a.* b.*");
    check(".a == {b: 1}", "a.*");
    check(".a < [[{b: 1}]] and .c != [] and .d == {}", "a.* c d");
    check(".a | length", "a");
    check(".a | type", "a");
    check("has(\"a\")", "a");
    check(".a | if . == \"-\" then null else . end", "a.*");
    check(".title // .name", "name.* title.*");
    check(".a as $x | .b", "a b.*");
    check("try .a catch .b", "a.*");
    check("try error(.a) catch .b", "a.*");
}

#[test]
fn members_of_lists_are_places() {
    check(".engines[0].maker", "engines[].maker.*");
    check(".engines[-1].maker", "engines[].maker.*");
    check(".engines | map(.hours) | add", "engines[].hours.*");
    check(".engines[.engines | length - 1].hours", "engines[].hours.*");
    check(
        "[.engines[] | select(.main) | .hours][0]",
        "engines[].hours.* engines[].main",
    );
    check(".engines | first | .hours", "engines[].hours.*");
    check(
        ".engines | sort_by(.power) | .[0].hours",
        "engines[].hours.* engines[].power.*",
    );
    check(".engines[1:] | .[] | .hours", "engines[].hours.*");
    check("[limit(2; .engines[].hours)]", "engines[].hours.*");
    check("first(.engines[] | .hours)", "engines[].hours.*");
    check("any(.engines[]; .main)", "engines[].main");
    check(".tags | join(\",\")", "tags[].*");
    check(".a | min_by(.b) | .c", "a[].b.* a[].c.*");
    check(".a | group_by(.b) | map(.[0].c)", "a[].b.* a[].c.*");
    check(". as {a: [$x, {b: $y}]} | $y", "a[].b.*");
}

#[test]
fn constants_name_keys() {
    check(".fields[\"a\", \"b\"]", "fields.a.* fields.b.*");
    check(".[$part].colour", "hull.colour.*");
    check(".[\"title_\" + $locales[]]", "title_de.* title_en.*");
    check(".[\"title_\\($locales[0])\"]", "title_de.* title_en.*");
    check("getpath([\"a\", 0, \"b\"])", "a[].b.*");
    check("{a: .b}.a", "b.*");
    check("{a: .b, c: .d}.a", "b.* d");
    check("[.a, .b] | .[0]", "a.* b.*");
    check("{x: .a} + {y: .b} | .x", "a.* b");
    check(". * {x: .a} | .b", "a b.*");
    check("$record.a", "a.*");
    check(".[\"is_\\(.a == 1)\"]", "*");
    check(".[\"is_\\(null)\"]", "");
}

#[test]
fn what_may_be_anything_is_everything() {
    check("..", "*");
    check(".a | to_entries", "a.*");
    check(".a | keys", "a.*");
    check(".a | with_entries(.value |= 1)", "a.*");
    check("getpath([\"a\", .b])", "*");
    check(".a[.b | ascii_downcase]", "a.* b.*");
    check("[.a | recurse(.b)] | length", "a.b.*");
    check(".a | walk(.)", "a.*");
    check("def f: .a; def g: f, f; def h: g, g; [h]", "a.*");
}

#[test]
fn what_would_take_too_long_to_tell_is_everything() {
    let doubled = (1..40).map(|n| format!("def f{n}: f{0}, f{0};", n - 1));
    let code = format!("def f0: .a; {} [f39]", doubled.collect::<String>());
    check(&code, "*");
    check("[limit(3; repeat(.a)) | .b]", "*");
}

#[test]
fn what_is_assigned_leaves_the_rest() {
    check(".a = .b | .c", "a b.* c.*");
    check(".a |= tonumber | .c", "a.* c.*");
    check("del(.a) | .c", "a c.*");
    check("pick(.a.b, .c[0].d)", "a.b.* c[].d.*");
    check(".a | pick(first(.b[] | select(.c)))", "a.b[].*");
    check(
        "setpath([\"a\", .b]; .c) | .a.d.e, .f",
        "a.d.e.* b.* c.* f.*",
    );
    check(".a += .b | .a", "a.* b.*");
    check(".a *= .b | .c", "a.* b.* c.*");
}

#[test]
fn loops_read_what_every_round_reads() {
    check("reduce .a[] as $x (0; . + $x.b)", "a[].b.*");
    check(
        "[foreach .a[] as {b: $x} (0; . + $x; [., $record.c])]",
        "a[].b.* c.*",
    );
    check("reduce range(9) as $_ (.up; .up) | .name", "up.*");
    check("reduce .a[] as $_ ([]; [.])", "a[]");
    check("[while(.a; .b)]", "*");
}

#[test]
fn definitions_are_read_where_they_are_used() {
    let check = |code: &str, expected: &str| assert_eq!(read(PRELUDE, code), expected, "{code}");
    check("field(\"slug\")", "fields.slug.de.* fields.slug.en.*");
    check(
        "field(\"hero\") | .url",
        "fields.hero.de.url.* fields.hero.en.url.*",
    );
    check(".parts | specs", "parts[].label.* parts[].value.*");
    check(".cover | image", "cover.alt.* cover.asset.name.*");
    check("of(.a, .b)", "a.name.* b.name.*");
    check("def of: .own; of", "own.*");
    check("[.x[] | of(.y | of(.z)[])]", "x[].y.z.name.name.*");
}

#[test]
fn keys_that_the_expression_names_itself_are_told_from_those_of_definitions() {
    let asked = |code: &str| {
        let mut reads = Reads::default();
        let asked = reader("def f: .a; def g(f): f; def h: .b;").evaluate_whole(
            (0, code),
            &Values::record(),
            &mut reads,
        );
        let asked = asked.iter().map(|asked| {
            let places: Vec<String> = asked.places.iter().map(ValuePath::to_string).collect();
            format!(
                "{}{}",
                places.join("|"),
                if asked.is_own { "!" } else { "" }
            )
        });
        asked.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(asked("f, h"), "a b");
    assert_eq!(asked("g(.c) | .d"), "c! c.d!");
    assert_eq!(asked("def k: .c; k"), "c!");
    assert_eq!(asked("(.a // .b).c"), "a! b! a.c|b.c!");
    assert_eq!(
        asked("has(\"a\"), (.. | .b?), ({a: 1} | .b), (\"\" | fromjson | .c)"),
        ""
    );
    assert_eq!(asked(".a = 1 | .a.b, .c"), "c!");
    assert_eq!(asked("del(.a) | .b"), "b!");
    assert_eq!(asked("if has(\"a\") then .a.c else .b end"), "b!");
}

#[test]
fn references_lead_to_other_records() {
    check(".maker | deref | .name", "maker.* -> name.*");
    check(
        "(.a | deref | .x), (.b | deref | .y)",
        "a.* b.* -> x.* -> y.*",
    );
    check(".a | deref | .b | deref | .c", "a.* -> b.* -> c.*");
    check("[links(\"a\")[] | deref.name]", "-> name.*");
    check("def deref: .own; .a | deref", "a.own.*");
    check(".maker | pub", "maker.*");
}
