//! Suggestions for small exports, by their texts.

use std::fs::File;
use std::io::Write as _;

use proptest::prelude::*;

use super::names::WANTED;
use super::*;

/// A time that no test depends on.
fn now() -> Timestamp {
    Timestamp::from_unix_seconds(1_700_000_000)
}

/// What is suggested for a file.
fn suggested(name: &str, contents: &str) -> anyhow::Result<Suggestion> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    File::create(&path)
        .and_then(|mut file| file.write_all(contents.as_bytes()))
        .unwrap();
    suggest(&[path], directory.path(), now())
}

/// The lines of the fields of boats.
fn boat_lines(suggestion: &Suggestion) -> Vec<&str> {
    let fields = suggestion.text.split("[emit.fields]\n").nth(1).unwrap();
    fields.lines().take_while(|line| !line.is_empty()).collect()
}

fn fields(suggestion: &Suggestion) -> Vec<&str> {
    let decisions = suggestion.decisions.iter();
    decisions.map(|decision| decision.field.as_str()).collect()
}

#[test]
fn every_field_that_has_names_is_one_of_the_native_format() {
    let parts = ["key", "published", "updatedAt"];
    let of_boats = WANTED.iter().map(|wanted| wanted.field);
    let of_boats = of_boats.filter(|field| !parts.contains(field));
    let lines: Vec<String> = of_boats
        .map(|field| format!("{field} = \"null\""))
        .collect();
    let text = format!(
        "mapping = \"boat-catalogue-mapping/1\"\n\
         [[sources]]\nfiles = [\"x\"]\nreader = \"csv\"\nkey = \".id\"\ntype = '\"boat\"'\n\
         [[emit]]\nkind = \"boat\"\ntype = \"boat\"\n[emit.fields]\n{}\n",
        lines.join("\n")
    );
    let mapping = Mapping::parse("all".to_owned(), text).unwrap();
    run::check_fields(mapping).unwrap();
}

#[test]
fn every_name_of_a_field_has_words_and_is_there_once() {
    for wanted in WANTED {
        let mut names: Vec<_> = wanted
            .names
            .iter()
            .map(|name| choose::words(name))
            .collect();
        assert!(names.iter().all(|words| !words.is_empty()), "{wanted:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), wanted.names.len(), "{wanted:?}");
    }
}

#[test]
fn names_are_found_in_any_case_order_and_with_units() {
    let suggestion = suggested(
        "a.csv",
        "sku,Make,modelName,Year_Built,Beam (ft),Length Overall [m],max draught cm\n\
         A1,Volund,34,2018,11.2,10.36,180\n",
    );
    insta::assert_snapshot!(boat_lines(&suggestion.unwrap()).join("\n"), @r##"
    slug = '[.Make, .modelName | values | text] | join(" ") | slugify'
    model = ".modelName"
    manufacturer = ".Make | slugify"
    # type = ""      # required
    production.firstYear = ".Year_Built | year"
    unit = '"metric"'
    lengthOverall = '."Length Overall [m]" | distance'
    dimensions.beamOverall = '."Beam (ft)" | of("ft") | distance'
    dimensions.draftMax = '."max draught cm" | of("cm") | distance'
    "##);
}

#[test]
fn what_a_key_is_called_counts_only_where_its_values_fit() {
    let suggestion =
        suggested("a.csv", "id,price,currency,type\n1,on request,EUR,Ketch\n").unwrap();
    let lines = boat_lines(&suggestion);
    assert!(
        !lines.iter().any(|line| line.starts_with("referencePrice")),
        "{lines:?}"
    );
    assert!(lines.contains(&"type = \".type | slugify\""), "{lines:?}");
}

#[test]
fn a_word_that_means_published_is_asked_for_as_it_is_written() {
    let suggestion = suggested("a.csv", "id,State\n1,Live\n2,Draft\n").unwrap();
    assert!(
        suggestion.text.contains("published = '.State == \"Live\"'"),
        "{}",
        suggestion.text
    );
    assert!(fields(&suggestion).contains(&"published"));
}

#[test]
fn the_key_is_part_of_a_slug_where_names_are_not_unique() {
    let sheet = "sku,maker,model\nA1,Volund,34\nA2,Volund,34\n";
    let suggestion = suggested("a.csv", sheet).unwrap();
    let slug = "slug = '[.maker, .model, .sku | values | text] | join(\" \") | slugify'";
    assert!(suggestion.text.contains(slug), "{}", suggestion.text);
    assert!(fields(&suggestion).contains(&"slug"));
}

#[test]
fn points_that_part_thousands_are_not_taken_for_decimals() {
    let of = |price: &str| {
        let sheet = format!("id,price,currency\n1,{price},EUR\n2,{price},EUR\n");
        let suggestion = suggested("a.csv", &sheet).unwrap();
        let lines = boat_lines(&suggestion);
        let line = lines.iter().find(|line| line.contains(".amount")).unwrap();
        (*line).to_owned()
    };
    let amounts = ["120.000", "120.50", "\"120,000\"", "€ 120"].map(of);
    insta::assert_snapshot!(amounts.join("\n"), @r#"
    referencePrice.amount = '.price | if . == null then null else gsub("[^0-9]"; "") | number end'
    referencePrice.amount = ".price | number"
    referencePrice.amount = '.price | if . == null then null else gsub("[^0-9.]"; "") | number end'
    referencePrice.amount = '.price | if . == null then null else gsub("[^0-9.]"; "") | number end'
    "#);
}

#[test]
fn the_list_of_a_document_is_found_by_its_name_before_others() {
    let document = r#"{"a": [{"x": 1}], "data": {"my.boats": [{"id": "1", "model": "34"}]}}"#;
    let suggestion = suggested("a.json", document).unwrap();
    let line = r#"records = ['data."my.boats"']"#;
    assert!(suggestion.text.contains(line), "{}", suggestion.text);
}

#[test]
fn records_and_keys_beyond_the_limits_are_said_not_to_be_looked_at() {
    let header: Vec<String> = (0..=survey::KEYS_MAX)
        .map(|number| format!("k{number}"))
        .collect();
    let row = vec!["1"; header.len()].join(",");
    let suggestion = suggested("a.csv", &format!("{}\n{row}\n", header.join(","))).unwrap();
    assert!(fields(&suggestion).contains(&"keys"));
    let rows = "1,x\n".repeat(10_001);
    let suggestion = suggested("a.csv", &format!("id,model\n{rows}")).unwrap();
    assert!(fields(&suggestion).contains(&"records"));
    let suggestion = suggested("a.csv", "id,model\n1,x\n").unwrap();
    assert!(!fields(&suggestion).contains(&"records") && !fields(&suggestion).contains(&"keys"));
}

#[test]
fn nothing_is_suggested_for_what_is_no_list() {
    for (name, contents, expected) in [
        ("a.ndjson", "{\"kind\":\"boat\"}\n", "looks native"),
        ("a.xml", "<boats><boat/></boats>", "looks like XML"),
        ("a.json", "[1, 2]", "no list of records"),
    ] {
        let error = suggested(name, contents).unwrap_err();
        assert!(
            error.is::<NoSuggestion>() && error.to_string().contains(expected),
            "{error}"
        );
    }
}

proptest! {
    /// Whatever columns are called, the mapping can be read, and finds them.
    #[test]
    fn any_names_of_columns_make_a_mapping_that_can_be_read(
        names in prop::collection::btree_set("\\PC{0,12}|[a-z '\"\\\\(){}|]{1,12}", 1..6),
        value in "[^\r\n\0]{1,20}",
    ) {
        let record: serde_json::Map<_, _> = names
            .iter()
            .chain([&"model".to_owned(), &"maker".to_owned()])
            .map(|name| (name.clone(), value.clone().into()))
            .collect();
        let document = serde_json::Value::Array(vec![record.into()]).to_string();
        if let Ok(suggestion) = suggested("a.json", &document) {
            let text = suggestion.text.clone();
            let mapping = Mapping::parse("a".to_owned(), suggestion.text);
            prop_assert!(mapping.is_ok(), "{mapping:?}\n{text}");
        }
    }
}
