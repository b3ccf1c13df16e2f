//! Tests of mistakes in mapping files: all are reported at once, each with its place.

use super::*;

/// Every mistake of a mapping, as `line: message`, with its hint.
fn mistakes(text: &str) -> Vec<String> {
    let parsed =
        parse::parse(text).and_then(|definition| mapper::compile(&definition, false).map(|_| ()));
    let mistakes = parsed.err().unwrap_or_default();
    let shown = mistakes.into_iter().map(|mistake| {
        let line = 1 + text[..mistake.span.start].matches('\n').count();
        let hint = mistake
            .hint
            .map_or_else(String::new, |hint| format!(" [{hint}]"));
        format!("{line}: {}{hint}", mistake.message)
    });
    shown.collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(mistakes(text), expected);
}

#[test]
fn mistakes_in_kinds_of_nodes_are_told_like_others() {
    let rich_text = |lines: &str| {
        format!(
            "mapping = \"boat-catalogue-mapping/1\"\nignore = [\"{{\"]\n\
             [[sources]]\nfiles = [\"x\"]\nreader = \"csv\"\nkey = \".id\"\ntype = '\"boat\"'\n\
             [[emit]]\nkind = \"boat\"\ntype = \"boat\"\nfields.model = \".model\"\n\
             [rich_text]\n{lines}"
        )
    };
    let lines = "shortcode = true\nshortcodes = 1\n[rich_text.blocks]\na = \"text\"\nb = { from = [\"x\"] }\n\
                 c = { as = \"paragraf\" }\nd = { as = \"text\", from = [], of = 1 }\n";
    check(
        &rich_text(lines),
        &[
            "2: this is not a pattern of file names: unclosed alternate group; missing '}' (maybe \
             escape '{' with '[{]'?)",
            "13: `shortcode` is not a key of this table [did you mean `shortcodes`?]",
            "14: this must be true or false",
            "16: this must be a table",
            "17: `as` is required here",
            "18: this must be one of paragraph, heading, quote, group, list, item, table, row, cell, \
             text, break, ignored [did you mean `paragraph`?]",
            "19: this must name at least one",
            "19: `of` is not a key of this table [its keys are as, from]",
        ],
    );
}

#[test]
fn words_of_a_table_that_are_not_decided_are_named_together() {
    let table = |words: &str| {
        format!(
            "mapping = \"boat-catalogue-mapping/1\"\n\
             [[sources]]\nfiles = [\"x\"]\nreader = \"csv\"\nkey = \".id\"\n\
             type = '\"boat\"'\npublished = '.state | lookup(\"status\")'\n\
             [tables.status]\nlive = true\n{words}\
             [[emit]]\nkind = \"boat\"\ntype = \"boat\"\nfields.model = \".model\"\n"
        )
    };
    check(
        &table("reserved = \"?\"\n\"on hold\" = \"?\"\n"),
        &[
            "10: [tables.status] does not say yet what \"reserved\", \"on hold\" stands for \
             [write true in place of \"?\" if consumers may see records with the word, and false \
             if not]",
        ],
    );
    check(
        &table("[tables.currency]\n\"€\" = \"EUR\"\n\"$\" = \"?\"\n"),
        &[
            "12: [tables.currency] does not say yet what \"$\" stands for [write it in place of \"?\"]",
        ],
    );
    check(
        &table("[tables.currency]\n\"$\" = \"?\"\n"),
        &[
            "11: [tables.currency] does not say yet what \"$\" stands for [write it in place of \"?\"]",
        ],
    );
    check(&table("reserved = false\n\"?\" = true\n"), &[]);
    let many = (1..=25).map(|number| format!("w{number:02} = \"?\""));
    let many = many.collect::<Vec<_>>().join("\n");
    let named = mistakes(&table(&format!("{many}\n"))).remove(0);
    assert!(named.contains("\"w20\" and 5 others"), "{named}");
    let many = many.split("\nw22").next().unwrap_or_default();
    let named = mistakes(&table(&format!("{many}\n"))).remove(0);
    assert!(named.contains("\"w20\" and 1 other "), "{named}");
    // False would hide nothing.
    check(
        &table("[tables.unread_status]\nisHidden = false\nsold = \"?\"\narchived = true\n"),
        &[
            "11: nothing reads \"isHidden\", \"sold\", which may say that a record is not public \
             [name the key in `published` or `where`, then write true; only write true if it does \
             not say so]",
        ],
    );
}

#[test]
fn all_mistakes_are_told_with_their_places() {
    check(
        r#"mapping = "boat-catalogue-mapping/2"
variabels = {}
[[sources]]
files = ["**/{a"]
reader = "yaml"
[envelope]
kee = ".id"
type = 3
[tables]
keels = "fin"
[[emit]]
kind = "boot"
type = "boat"
each = "[.]"
distinct = "yes"
fields.model = 7
fields.hull.keelType = { from = ".keel", tabel = "keels" }
fields.gallery = { each = ".images", value = ".url", from = ".x" }
fields.version = { from = ".v", unlisted = "Other" }
"#,
        &[
            "1: the language of a mapping file is \"boat-catalogue-mapping/1\"",
            "2: `variabels` is not a key of this table [did you mean `variables`?]",
            "3: neither this source nor [envelope] says what the `key` of a record is",
            "4: this is not a pattern of file names: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
            "5: this must be one of ndjson, json, csv, workbook, parquet, xml",
            "7: `kee` is not a key of this table [did you mean `key`?]",
            "8: this must be a text",
            "10: a vocabulary table has a text for each word",
            "11: `each` makes several records of one, so `fields` must say what their `id` is",
            "12: this must be one of manufacturer, term, designer, boat [did you mean `boat`?]",
            "15: this must be true or false",
            "16: a field is an expression, or a table with `from` or `each`",
            "17: `tabel` is not a key of this table [did you mean `table`?]",
            "18: `each` is not a key of this table [its keys are from, default, unlisted, table]",
            "18: `value` is not a key of this table [its keys are from, default, unlisted, table]",
            "19: `unlisted` stands for words that a table does not have, and no `table` is named here",
        ],
    );
}

#[test]
fn a_value_of_another_form_is_told_and_hides_no_other_mistake() {
    check(
        r#"mapping = 1
edit_url = ["x"]
variables = { "a b" = 9223372036854775808, record = 1 }
tables = "x"
records = { kind = "term" }
sources = { files = "x" }
links = [1]
joins = { j = "x" }
[[emit]]
kind = ["boat"]
type = ["b", 2, ""]
where = 3
ignore = []
fields = ".a"
[[emit]]
kind = "boat"
type = "b"
fields.model = { from = ".a", table = "keel" }
fields.type = { each = ".a", fields = { id = 1 }, default = "x" }
"#,
        &[
            "1: the language of a mapping file is \"boat-catalogue-mapping/1\"",
            "2: this must be a text",
            "3: a variable is called by letters, digits and underscores, and not `record`",
            "3: so large a number cannot be used here",
            "3: a variable is called by letters, digits and underscores, and not `record`",
            "4: this must be a table",
            "5: native records are written as [[records]]",
            "6: this is written as [[sources]]",
            "7: this must be a table",
            "8: this must be a table",
            "10: this must be a text",
            "11: this must be a text",
            "12: this must be a text",
            "13: this must name at least one",
            "14: fields are a table: the name of each, and where its value comes from",
            "18: there is no vocabulary table [tables.keel]",
            "19: a field is an expression, or a table with `from` or `each`",
            "19: `default` is not a key of this table [its keys are each, fields]",
        ],
    );
}

#[test]
fn what_is_missing_is_told() {
    check(
        "",
        &[
            "1: `mapping` is required here",
            "1: `sources` is required here",
            "1: `emit` is required here",
        ],
    );
    check(
        "mapping = ",
        &[
            "1: this is not TOML: string values must be quoted, expected literal string [a text or an expression must be in quotes, all of it: '.name | slugify']",
        ],
    );
}

#[test]
fn what_is_no_toml_gets_no_advice_about_values_unless_it_is_one() {
    check("a = 1\na = 2\n", &["2: this is not TOML: duplicate key"]);
}

#[test]
fn an_envelope_with_a_fault_is_not_told_to_be_absent() {
    let rule = "[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \".a\"\n";
    let source =
        "mapping = \"boat-catalogue-mapping/1\"\n[[sources]]\nfiles = [\"x\"]\nreader = \"csv\"\n";
    let number = format!("{source}[envelope]\nkey = 5\ntype = \".t\"\n{rule}");
    check(&number, &["6: this must be a text"]);
    let misspelt = format!("{source}[envelop]\nkey = \".k\"\ntype = \".t\"\n{rule}");
    check(
        &misspelt,
        &["5: `envelop` is not a key of this table [did you mean `envelope`?]"],
    );
}

#[test]
fn expressions_are_compiled_before_anything_is_read() {
    let text = format!(
        "{BEGINNING}[[emit]]\nkind = \"boat\"\ntype = \"b\"\n[emit.fields]\nmodel = \".a |\"\nslug = \"titel\"\nid = \"$nobody\"\n"
    );
    check(
        &text,
        &[
            "13: this is not jq: term expected instead of the end of it",
            "14: there is no function `titel`",
            "15: there is no variable `$nobody`",
        ],
    );
    let text = text.replace("[[sources]]", "definitions = 'def a: b;'\n[[sources]]");
    check(&text, &["3: there is no function `b`"]);
}

#[test]
fn lists_of_what_is_not_xml_are_told() {
    let text = BEGINNING.replace("[envelope]", "lists = \"tag\"\n[envelope]");
    check(
        &format!("{text}[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {{}}\n"),
        &["6: only in XML may a list of one look like no list; `many` makes one of anything"],
    );
}

#[test]
fn a_path_to_records_that_leads_nowhere_is_told() {
    let records = |records: &str| {
        let reader = format!("reader = \"xml\"\nrecords = {records}");
        let text = BEGINNING.replace("reader = \"ndjson\"", &reader);
        format!("{text}[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {{}}\n")
    };
    check(&records("[\"a.wp:b\"]"), &[]);
    check(
        &records("[\"a[0].b\", \"a[b\"]"),
        &[
            "6: every element with a name is meant, so paths in XML have no brackets",
            "6: brackets hold the place in a list, [0] for the first, or nothing for all members; put quotes around a key that has brackets itself",
        ],
    );
}

#[test]
fn a_path_to_records_within_other_records_is_told() {
    for (records, told) in [
        ("[\"a\", \"b\"]", None),
        ("[\"a.b\", \"a.c\", \"a[0]\"]", None),
        ("[\"a\", \"a.b\"]", Some("one of `a` and `a.b` lies")),
        (
            "[\"a[0].b\", \"a[]\"]",
            Some("one of `a[0].b` and `a[]` lies"),
        ),
    ] {
        let reader = format!("reader = \"json\"\nrecords = {records}");
        let text = BEGINNING.replace("reader = \"ndjson\"", &reader);
        let text = format!("{text}[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields = {{}}\n");
        let told = told.map(|told| {
            format!(
                "6: {told} in the records of the other; read it there, by `each` in an [[emit]]"
            )
        });
        let told: Vec<&str> = told.as_deref().into_iter().collect();
        check(&text, &told);
    }
}

#[test]
fn a_join_or_a_table_that_is_named_and_not_there_is_told() {
    let rule = "[[emit]]\nkind = \"boat\"\ntype = \"b\"\n\
                fields.model = '.a | joined(\"variant\")'\n\
                fields.type = '.b | lookup(\"keel\")'\n\
                fields.slug = '\"ke\" + \"el\" | . as $table | \"fin\" | lookup($table)'\n";
    let sections =
        "[joins.variants]\ntype = \"v\"\nto = \".of\"\n[tables.keels]\nfin = \"fin-keel\"\n";
    check(
        &format!("{BEGINNING}{sections}{rule}"),
        &[
            "17: there is no join [joins.variant] [did you mean `variants`?]",
            "18: there is no vocabulary table [tables.keel] [did you mean `keels`?]",
        ],
    );
    let shared = |definitions: &str| {
        let ours = format!("definitions = '{definitions}'\n[[sources]]");
        format!("{BEGINNING}{rule}").replace("[[sources]]", &ours)
    };
    let hidden = shared("def joined($name): $name; def lookup($name): $name;");
    check(&hidden, &[]);
    let within = shared("def joined($name): $name; def state: lookup(\"states\");");
    check(
        &within,
        &[
            "3: there is no vocabulary table [tables.states]",
            "14: there is no vocabulary table [tables.keel]",
        ],
    );
}

#[test]
fn a_join_that_is_not_whole_is_told() {
    let rule = "[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \".a\"\n";
    check(
        &format!("{BEGINNING}[joins.variants]\nby = \".of\"\n{rule}"),
        &[
            "9: `type` is required here",
            "9: `to` is required here",
            "10: `by` is not a key of this table [its keys are type, to]",
        ],
    );
}

#[test]
fn a_mapping_without_mistakes_has_none() {
    let text = format!(
        "{BEGINNING}[variables]\na = 1\n[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \"$a\"\n"
    );
    check(&text, &[]);
}

#[test]
fn a_number_that_readers_of_json_would_change_is_told() {
    for (number, is_refused) in [
        ("0.1000000000000000055", true),
        ("5e-324", true),
        ("1e400", true),
        ("+1_000.50", false),
        ("-0.0", false),
    ] {
        let text = format!(
            "{BEGINNING}[variables]\na = {number}\n[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \"$a\"\n"
        );
        let message = "10: a number that readers of JSON would change cannot be used here";
        let expected: &[&str] = if is_refused { &[message] } else { &[] };
        assert_eq!(mistakes(&text), expected, "{number}");
    }
}

#[test]
fn a_file_that_is_too_long_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.toml");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(FILE_MAX + 1).unwrap();
    let error = format!("{:#}", Mapping::read(&path).unwrap_err());
    assert!(error.ends_with("it has more than 1048576 bytes"), "{error}");
}

#[test]
fn the_page_of_a_record_is_an_address_of_the_web_with_its_id() {
    let said = "1: this must be an address of http or https with `{id}` in place of the id, of at \
                most 2000 bytes";
    let long = format!("https://cms.example/{{id}}{}", "x".repeat(1_977));
    for wrong in ["javascript:alert('{id}')", "https://cms.example/", &long] {
        let text = format!(
            "edit_url = \"{wrong}\"\n{BEGINNING}[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \".m\"\n"
        );
        check(&text, &[said]);
    }
}

#[test]
fn the_page_of_a_record_has_no_placeholder_that_is_not_known() {
    let checked = |url: &str, said: &[&str]| {
        let text = format!(
            "edit_url = \"{url}\"\n{BEGINNING}[[emit]]\nkind = \"boat\"\ntype = \"b\"\nfields.model = \".m\"\n"
        );
        check(&text, said);
    };
    checked(
        "https://cms.example/{lang}/{id}?as={ id }",
        &[
            "1: `{lang}` is not a placeholder of an address; the only one is `{id}`",
            "1: `{ id }` is not a placeholder of an address; the only one is `{id}`",
        ],
    );
    // Braces around anything but a word are text.
    checked(r#"https://cms.example/{id}?q={\"a\":1}&b={}&c={"#, &[]);
}

/// A mapping whose source has these lines.
fn with_source(lines: &str) -> String {
    format!(
        "mapping = \"boat-catalogue-mapping/1\"\n[[sources]]\nfiles = [\"*\"]\n{lines}\nkey = \".id\"\ntype = \".type\"\n\
         [[emit]]\nkind = \"boat\"\ntype = \"boat\"\n[emit.fields]\nmodel = \".model\"\n"
    )
}

#[test]
fn an_encoding_must_be_one_that_is_known_and_not_known_otherwise() {
    let mapping = |reader: &str, encoding: &str| {
        with_source(&format!("reader = \"{reader}\"\nencoding = {encoding}"))
    };
    let cases = [
        ("csv", "\"Latin1\"", vec![]),
        (
            "csv",
            "\"ansi\"",
            vec!["5: no encoding is called so; `windows-1252` and `utf-16le` are the usual ones"],
        ),
        (
            "json",
            "\"utf-8\"",
            vec!["5: UTF-8 is read without this key"],
        ),
        ("csv", "1252", vec!["5: this must be a text"]),
        ("parquet", "\"latin1\"", vec!["5: Parquet is always UTF-8"]),
        (
            "xml",
            "\"latin1\"",
            vec!["5: an XML file names its encoding itself"],
        ),
    ];
    for (reader, encoding, expected) in cases {
        assert_eq!(
            mistakes(&mapping(reader, encoding)),
            expected,
            "{reader} {encoding}"
        );
    }
}

#[test]
fn a_table_has_a_header_or_columns_and_only_a_workbook_has_sheets() {
    let mapping = |reader: &str, key: &str| with_source(&format!("reader = \"{reader}\"\n{key}"));
    for (reader, key, expected) in [
        ("workbook", "sheet = \"Boats\"\nheader = 3", vec![]),
        ("workbook", "sheet = 2\ncolumns = [\"a\", \"\"]", vec![]),
        ("csv", "header = 3", vec![]),
        (
            "csv",
            "header = 0",
            vec!["5: this must be a number from 1 on"],
        ),
        ("csv", "sheet = 1", vec!["5: only a workbook has sheets"]),
        (
            "json",
            "header = 1",
            vec!["5: only csv and a workbook have a header"],
        ),
        (
            "csv",
            "header = 1\ncolumns = [\"a\"]",
            vec!["6: a table with `columns` has no header"],
        ),
        (
            "workbook",
            "encoding = \"latin1\"",
            vec!["5: a workbook names its encoding itself"],
        ),
    ] {
        assert_eq!(mistakes(&mapping(reader, key)), expected, "{reader} {key}");
    }
}
