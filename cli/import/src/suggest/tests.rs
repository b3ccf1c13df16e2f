//! Suggestions for small exports, by their texts.

mod amounts;
mod encodings;
mod nested;
mod publication;
mod system;
mod tables;

use std::fs::File;
use std::io::Write as _;

use proptest::prelude::*;

use shared::base::field_path::FieldPath;

use super::decision::MEASURED;
use super::names::{REQUIRED, WANTED};
use super::*;
use crate::finding::Kind;
use crate::format;
use crate::mapping::folded;
use crate::source::readers::table::COLUMNS_MAX;

/// A time that no test depends on.
fn now() -> Timestamp {
    Timestamp::from_unix_seconds(1_790_000_000)
}

/// What a mapping finds in exports at that time.
fn check(text: &str, exports: &[Export], temp_dir: &Path) -> anyhow::Result<Outcome> {
    super::check(text, exports, temp_dir, &now())
}

/// What is suggested for a file.
fn suggested(name: &str, contents: impl AsRef<[u8]>) -> anyhow::Result<Suggestion> {
    let (directory, export) = exported(name, contents);
    suggest(&[export], directory.path(), now())
}

/// A file in a directory.
fn exported(name: &str, contents: impl AsRef<[u8]>) -> (tempfile::TempDir, Export) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    File::create(&path)
        .and_then(|mut file| file.write_all(contents.as_ref()))
        .unwrap();
    (directory, path.into())
}

/// A folder of these files, by their paths.
fn folder(files: &[(String, String)]) -> (tempfile::TempDir, Vec<Export>) {
    let directory = tempfile::tempdir().unwrap();
    for (path, contents) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path)
            .and_then(|mut file| file.write_all(contents.as_bytes()))
            .unwrap();
    }
    let export = directory.path().to_owned().into();
    (directory, vec![export])
}

/// The lines of the fields of boats.
fn boat_lines(suggestion: &Suggestion) -> Vec<&str> {
    let fields = suggestion.text.split("[emit.fields]\n").nth(1).unwrap();
    fields.lines().take_while(|line| !line.is_empty()).collect()
}

/// The fields that a mapping makes of boats.
fn boat_fields(text: &str) -> Vec<&str> {
    let fields = text.split("[emit.fields]\n").nth(1).unwrap();
    let lines = fields.lines().take_while(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(" = ").next()).collect()
}

fn fields(suggestion: &Suggestion) -> Vec<&str> {
    let decisions = suggestion.decisions.iter();
    decisions.map(|decision| decision.field.as_str()).collect()
}

/// What is said of a field.
fn decision(suggestion: &Suggestion, field: &str) -> String {
    let mut decisions = suggestion.decisions.iter();
    let decision = decisions.find(|decision| decision.field == field);
    decision.map_or_else(String::new, |decision| decision.why.clone())
}

#[test]
fn every_field_that_has_names_is_one_of_the_native_format() {
    let parts = ["key", "updatedAt"];
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
    mapping.checked().unwrap();
}

#[test]
fn every_required_field_has_names_or_is_made_in_any_case() {
    let required = format::required(Kind::Boat);
    let required = required.iter().map(FieldPath::to_string);
    let unnamed = required.filter(|field| WANTED.iter().all(|wanted| wanted.field != field));
    assert_eq!(unnamed.collect::<Vec<_>>(), ["kind", "id"]);
    assert_eq!(
        **REQUIRED,
        [
            "model",
            "manufacturer",
            "type",
            "production.firstYear",
            "lengthOverall"
        ]
    );
}

#[test]
fn every_name_of_a_field_has_words_and_is_there_once() {
    for wanted in WANTED {
        let mut names: Vec<_> = wanted
            .names
            .iter()
            .map(|name| folded::words(name))
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
fn photos_with_addresses_alone_are_measured() {
    let lines = |header: &str, cell: &str| {
        let head = "Ref,Maker,Model,Type,Year,LOA";
        let text = format!("{head},{header}\nA1,Volund,34,Sloop,2018,10.36 m,{cell}\n");
        let suggestion = suggested("a.csv", text).unwrap();
        assert_eq!(suggestion.errors, 0);
        let is_about = |line: &&str| line.starts_with("image") || line.starts_with("gallery");
        let lines: Vec<&str> = suggestion.text.lines().filter(is_about).collect();
        let decided = suggestion.decisions.iter().any(|of| of.field == "images");
        assert_eq!(decided, lines[0].starts_with("images"));
        lines.join("\n")
    };
    let measured = MEASURED.trim_end();
    for (header, cell, expected) in [
        ("Photo", "https://a/1.jpg?w=1", "image.url = \".Photo\""),
        (
            "Photos",
            "https://a/w_1,h_2/1.jpg; https://a/2.jpg",
            r#"gallery = { each = '.Photos | list(";")', fields = { url = "." } }"#,
        ),
        (
            "Images",
            "\"https://a/1.jpg\nhttps://a/2.jpg\"",
            r#"gallery = { each = '.Images | list("\n")', fields = { url = "." } }"#,
        ),
        (
            "Pictures",
            "\"https://a/1.jpg, https://a/w_1,h_2/2.jpg\"",
            r#"gallery = { each = '.Pictures | list(",")', fields = { url = "." } }"#,
        ),
    ] {
        let cell = if cell.contains(',') && !cell.starts_with('"') {
            format!("\"{cell}\"")
        } else {
            cell.to_owned()
        };
        let expected = format!("{measured}\n{expected}");
        assert_eq!(lines(header, &cell), expected, "{cell}");
    }
    let sized = lines("Photo,Photo width,Photo height", "https://a/1.jpg,800,600");
    assert!(
        sized.starts_with("image.url = \".Photo\"\nimage.format = "),
        "{sized}"
    );
}

#[test]
fn names_with_a_comma_in_a_list_stand_in_quotes() {
    let row = |designers: &str| {
        format!(
            "id,model,maker,type,year,loa,designers\nA1,34,\"\"\"Swan, Nautor\"\"\",Ketch,2018,10.36,\"{designers}\"\n"
        )
    };
    let suggestion = suggested("a.csv", row("\"\"Judel, Vrolijk & Co\"\",Rob Humphreys")).unwrap();
    let each = suggestion
        .text
        .lines()
        .find(|line| line.contains(".designers | list"));
    assert_eq!(
        each,
        Some("designers.naval = '[.designers | list(\",\")[] | slugify]'")
    );
    assert!(boat_lines(&suggestion).contains(&"manufacturer = \"(.maker | unquoted) | slugify\""));
    let (directory, export) = exported("a.csv", row("\"\"Judel, Vrolijk & Co\"\",Rob Humphreys"));
    let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
    let report = outcome.report.unwrap();
    let fields = report.rules.iter().flat_map(|rule| &rule.fields);
    let named = ["slug", "manufacturer", "designers.naval", "name"];
    let named = fields.filter(|field| named.contains(&field.field.as_str()));
    let samples = named.map(|field| field.sample.clone().unwrap_or_default());
    insta::assert_snapshot!(samples.collect::<Vec<_>>().join("\n"), @r#"
    swan-nautor-34
    swan-nautor
    ["judel-vrolijk-co","rob-humphreys"]
    swan-nautor
    Swan, Nautor
    Judel, Vrolijk & Co
    ketch
    Ketch
    "#);
}

#[test]
fn columns_that_are_called_like_the_fields_are_their_sources() {
    let suggestion = suggested(
        "a.csv",
        "id,model,manufacturer.name,type.name,production.firstYear,lengthOverall,dimensions.draftMax\n\
         A1,34,Volund,Ketch,2018,10.36,1.8\n",
    );
    insta::assert_snapshot!(boat_lines(&suggestion.unwrap()).join("\n"), @r##"
    slug = '[."manufacturer.name", .model | values | text] | join(" ") | slugify'
    model = ".model"
    manufacturer = '."manufacturer.name" | slugify'
    type = '."type.name" | slugify'
    production.firstYear = '."production.firstYear" | year'
    unit = '"metric"'      # a guess: no length says its unit
    lengthOverall = ".lengthOverall | distance"
    dimensions.draftMax = '."dimensions.draftMax" | distance'
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
fn a_price_that_some_records_have_in_words_is_left_out_and_named() {
    let rows = "Model;Builder;Price\nA;X;EUR 89,000\nB;X;POA\nC;X;EUR 99,500\nD;X;POA\n";
    let suggestion = suggested("boats.csv", rows).unwrap();
    assert_eq!(
        decision(&suggestion, "referencePrice.amount"),
        "left out, as .Price has values such as POA: say in its line what these mean"
    );
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
fn of_columns_that_are_nearly_called_the_same_none_is_taken() {
    let rows = "b1,Werft,31,Sailing,1978,31,9.45\nb2,Werft,40,Sailing,1999,40,12.1\n";
    for (first, second) in [
        ("Length", "length"),
        ("L\u{e4}nge", "La\u{308}nge"),
        ("Length (overall)", "length_overall"),
    ] {
        let sheet = format!("id,maker,model,type,year,{first},{second}\n{rows}");
        let suggestion = suggested("a.csv", sheet).unwrap();
        assert!(!boat_fields(&suggestion.text).contains(&"lengthOverall"));
        assert_ne!(suggestion.errors, 0);
        assert!(fields(&suggestion).contains(&"lengthOverall"));
    }
    let sheet = format!("id,maker,model,type,year,L\u{e4}nge,La\u{308}nge\n{rows}");
    let suggestion = suggested("a.csv", sheet).unwrap();
    insta::assert_snapshot!(decision(&suggestion, "lengthOverall"), @r##"left out, as several keys are called so: write its line from one of ."La\u0308nge" (9.45), ."Länge" (31)"##);
    // One that names its unit is surer than one that does not.
    for columns in [
        "Length,Length (m)\nb1,31,9.45",
        "Length (m),Length\nb1,9.45,31",
    ] {
        let suggestion = suggested("a.csv", format!("id,{columns}\n")).unwrap();
        assert_eq!(
            decision(&suggestion, "lengthOverall"),
            r#"of ."Length (m)" (9.45), though .Length (31) may be meant"#
        );
    }
    // The same values are no question.
    let sheet = "id,Length,length\nb1,9.45,9.45\n";
    let suggestion = suggested("a.csv", sheet).unwrap();
    assert!(boat_fields(&suggestion.text).contains(&"lengthOverall"));
    // Other words are one, but not much of it.
    let sheet = "id,Type,Boat type\nb1,Used,Ketch\n";
    let suggestion = suggested("a.csv", sheet).unwrap();
    insta::assert_snapshot!(decision(&suggestion, "type"), @r##"of ."Boat type" (Ketch), though .Type (Used) may be meant"##);
}

#[test]
fn lengths_of_which_none_is_taken_still_say_that_they_are_in_feet() {
    let table = "id,Length (ft),length_ft,model\n1,34,35,Sum\n2,36,37,Vin\n";
    let text = suggested("boats.csv", table).unwrap().text;
    assert!(!boat_fields(&text).contains(&"lengthOverall"), "{text}");
    assert!(text.contains("unit = '\"imperial\"'"), "{text}");
}

#[test]
fn a_time_of_change_in_another_form_is_named() {
    let sheet = "id,model,Zuletzt ge\u{e4}ndert\nb1,31,01.05.2025 14:00\n";
    let suggestion = suggested("a.csv", sheet).unwrap();
    insta::assert_snapshot!(decision(&suggestion, "updatedAt"), @r##"the same for every record, as ."Zuletzt geändert" (01.05.2025 14:00) is of no zone: `(."Zuletzt geändert" | values | time("%d.%m.%Y %H:%M"; "UTC")) // $updated_at` reads it as of UTC"##);
}

#[test]
fn a_record_is_known_by_an_id_or_its_names_and_never_by_its_place() {
    let key = |document: &str| {
        let suggestion = suggested("a.json", document).unwrap();
        let mut lines = suggestion.text.lines();
        let key = lines.find(|line| line.trim_start_matches("# ").starts_with("key = "));
        format!(
            "{}\n{}",
            key.unwrap_or_default(),
            decision(&suggestion, "key")
        )
    };
    let keys = [
        r#"[{"_id": {"$oid": "65c1"}, "model": "31"}]"#,
        r#"[{"DocumentID": "7", "model": "31"}]"#,
        r#"[{"schluessel": "b0", "model": "31"}]"#,
        r#"[{"model": "31"}]"#,
        r#"[{"baujahr": 1987}]"#,
    ];
    insta::assert_snapshot!(keys.map(key).join("\n"), @r##"
    key = '._id."$oid"'

    key = ".DocumentID"

    key = ".schluessel"

    key = '[.model | values | text] | join(" ") | slugify'
    made of the names, as no key looks like an id: a boat whose name changes becomes another boat, and what leads to the old one fails
    # key = ""      # required
    required, and no key looks like an id: write its line from what never changes, and is never the same for two boats
    "##);
}

#[test]
fn where_names_repeat_the_key_is_what_differs_in_every_record_or_open() {
    let rows = [
        ("Art.-Nr.", ["A-1", "A-2"]),
        ("Art.-Nr.", ["1001", "1002"]),
        ("Motorstunden", ["120", "340"]),
        ("Lager", ["H7", "H7"]),
        ("Bilddatei", ["a1.jpg", "a2.jpg"]),
    ];
    let told = rows.map(|(name, values)| {
        let row = |value: &str| format!("{value},34,Hanse,Segel,2018,10.36\n");
        let head = format!("{name},model,Werft,Bootstyp,Baujahr,LOA\n");
        let sheet = format!("{head}{}{}", row(values[0]), row(values[1]));
        let suggestion = suggested("a.csv", sheet).unwrap();
        let lines = suggestion.text.lines();
        let lines = lines.filter(|line| line.contains("key =") || line.starts_with("slug ="));
        let lines: Vec<&str> = lines.take(2).collect();
        let [key, slug] = ["key", "slug"].map(|field| decision(&suggestion, field));
        let errors = suggestion.errors;
        format!("{}\n{key}\n{slug}\n{errors} errors", lines.join("\n"))
    });
    insta::assert_snapshot!(told.join("\n\n"), @r#"
    key = '."Art.-Nr."'
    slug = '[.Werft, .model, ."Art.-Nr." | values | text] | join(" ") | slugify'
    ."Art.-Nr." (A-1), which differs in every record: look whether it ever changes, as then a boat becomes another one
    made of the names and the key, as two boats have the same names
    0 errors

    key = '."Art.-Nr."'
    slug = '[.Werft, .model, ."Art.-Nr." | values | text] | join(" ") | slugify'
    ."Art.-Nr." (1001), which differs in every record: look whether it ever changes, as then a boat becomes another one
    made of the names and the key, as two boats have the same names
    0 errors

    # key = ""      # required
    slug = '[.Werft, .model | values | text] | join(" ") | slugify'
    required, and no key looks like an id: write its line from what never changes, and is never the same for two boats
    made of the names, though two boats have the same: add what differs
    0 errors

    # key = ""      # required
    slug = '[.Werft, .model | values | text] | join(" ") | slugify'
    required, and no key looks like an id: write its line from what never changes, and is never the same for two boats
    made of the names, though two boats have the same: add what differs
    0 errors

    # key = ""      # required
    slug = '[.Werft, .model | values | text] | join(" ") | slugify'
    required, and no key looks like an id: write its line from what never changes, and is never the same for two boats
    made of the names, though two boats have the same: add what differs
    0 errors
    "#);
}

#[test]
fn where_names_repeat_in_a_list_of_several_kinds_the_slug_has_the_key_of_the_list() {
    let boat = |pk: u8| {
        format!(
            r#"{{"model": "app.boat", "pk": {pk}, "fields": {{"name": "A 31", "loa": 9.45, "year": 1978, "maker": "Werft", "type": "Ketch"}}}}"#
        )
    };
    let berth = r#"{"model": "app.berth", "pk": 1, "fields": {"name": "North"}}"#;
    let suggestion = suggested("a.json", format!("[{},{},{berth}]", boat(1), boat(2))).unwrap();
    assert_eq!(
        boat_lines(&suggestion)[0],
        r#"slug = '[.fields.maker, .fields.name, "\(.model)-\(.pk)" | values | text] | join(" ") | slugify'"#
    );
    assert_eq!(suggestion.errors, 0);
}

#[test]
fn of_several_kinds_in_one_list_the_boats_are_read_and_the_others_named() {
    let dump = |page: &str| {
        let rows = [
            page,
            r#"{"model": "app.boat", "pk": 1, "fields": {"name": "A 31", "loa": 9.45, "year": 1978, "maker": "Werft", "type": "Ketch"}}"#,
            r#"{"model": "app.berth", "pk": 1, "fields": {"name": "North"}}"#,
            r#"{"model": "app.berth", "pk": 2, "fields": {"name": "South"}}"#,
        ];
        format!("[{}]", rows.join(","))
    };
    let of_page = dump(r#"{"model": "cms.page", "pk": 1, "fields": {"title": "A 31"}}"#);
    let (directory, export) = exported("a.json", of_page);
    let suggestion = suggest(std::slice::from_ref(&export), directory.path(), now()).unwrap();
    let outcome = check(&suggestion.text, &[export], directory.path()).unwrap();
    assert_eq!(outcome.tally.boat.published, 1, "{}", suggestion.text);
    assert!(suggestion.text.contains("type = \".model\""));
    assert!(suggestion.text.contains(r#"key = '"\(.model)-\(.pk)"'"#));
    assert!(boat_fields(&suggestion.text).contains(&"model"));
    insta::assert_snapshot!(decision(&suggestion, "records"), @r##"of several kinds by .model: only app.boat is read, so not cms.page (1), app.berth (2); what refers to them has their pk"##);
    // What another kind says is public may be said of boats.
    let of_page = dump(r#"{"model": "cms.page", "pk": 1, "fields": {"live": true}}"#);
    let suggestion = suggested("a.json", of_page).unwrap();
    assert!(suggestion.is_open);
    insta::assert_snapshot!(decision(&suggestion, "published"), @r##"every record; nothing reads .fields.live, so nothing is imported before [tables.unread_status] is decided"##);
}

#[test]
fn what_may_be_meant_otherwise_is_named() {
    let of = |header: &str, row: &str| {
        let suggestion = suggested("a.csv", format!("id,{header}\n1,{row}\n")).unwrap();
        let fields = suggestion.decisions.iter();
        let fields = fields.map(|decision| decision.field.clone());
        (suggestion.text, fields.collect::<Vec<String>>())
    };
    let (text, named) = of("price,currency", "12.500,EUR");
    assert!(
        named.contains(&"referencePrice.amount".to_owned()),
        "{text}"
    );
    let (text, named) = of("displacement,unit", "6.500,m");
    assert!(
        named.contains(&"dimensions.displacement".to_owned()),
        "{text}"
    );
    // Any other name means something else.
    for header in [
        "isUnpublished",
        "isSinkable",
        "Waste tanks",
        "Ballast %",
        "Air draft",
    ] {
        let (text, _) = of(&format!("{header},model"), "1,x");
        assert_eq!(
            boat_fields(&text),
            ["slug", "model", "unit"],
            "{header}: {text}"
        );
    }
}

#[test]
fn units_in_names_count_even_where_a_key_has_the_unit_of_the_boat() {
    let suggestion = suggested(
        "a.csv",
        "id,Units,LOA (m),Draft (in)\n1,imperial,10.36,60\n",
    );
    let suggestion = suggestion.unwrap();
    let lines = boat_lines(&suggestion);
    let measured = lines.iter().filter(|line| line.contains("distance"));
    assert_eq!(
        measured.copied().collect::<Vec<_>>(),
        [
            r#"lengthOverall = '."LOA (m)" | of("m") | distance'"#,
            r#"dimensions.draftMax = '."Draft (in)" | of("in") | distance'"#,
        ]
    );
}

#[test]
fn lists_and_files_that_are_not_read_are_named() {
    let document = r#"{"sailboats": [{"id": "1"}], "motorboats": [{"id": "2"}]}"#;
    let suggestion = suggested("a.json", document).unwrap();
    let why = suggestion
        .decisions
        .iter()
        .find(|one| one.field == "records");
    assert_eq!(why.unwrap().why, "the lists motorboats are not read");
}

#[test]
fn what_records_of_json_api_refer_to_is_told() {
    let document = r#"{"data": [{"id": "1"}], "included": [{"id": "7"}]}"#;
    let suggestion = suggested("a.json", document).unwrap();
    let mut decisions = suggestion.decisions.iter();
    let why = decisions.find(|one| one.field == "records").unwrap();
    insta::assert_snapshot!(why.why, @r##"the lists included are not read; `included` has what records refer to: add it to `records`, with `key = '"\(.type)-\(.id)"'`, `type = ".type"` and the type of the boats in each [[emit]], and read the name of a maker by `.relationships.maker.data | "\(.type)-\(.id)" | deref | .attributes.name`"##);
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
    let keys = (0..=survey::KEYS_MAX).map(|number| (format!("k{number}"), 1.into()));
    let record: serde_json::Map<_, _> = keys.collect();
    let document = serde_json::Value::Array(vec![record.into()]).to_string();
    let suggestion = suggested("a.json", &document).unwrap();
    assert!(fields(&suggestion).contains(&"keys"));
    let rows = "1,x\n".repeat(10_001);
    let suggestion = suggested("a.csv", format!("id,model\n{rows}")).unwrap();
    assert!(fields(&suggestion).contains(&"records"));
    let suggestion = suggested("a.csv", "id,model\n1,x\n").unwrap();
    assert!(!fields(&suggestion).contains(&"records") && !fields(&suggestion).contains(&"keys"));
}

#[test]
fn nothing_is_suggested_for_what_is_no_list() {
    for (name, contents, expected) in [
        ("a.ndjson", "{\"kind\":\"boat\"}\n", "looks native"),
        ("a.xml", "<boats><boat/></boats>", "root element is `boats`"),
        ("a.json", "[1, 2]", "no list of records could be read"),
        ("a.csv", "id,model\n", "a.csv has a header but no rows"),
        (
            "a.csv",
            "id~model\n1~Sum, fast\n2~34\n",
            "a.csv has one column: commas",
        ),
        ("a.csv", "boats\n", "a.csv has one column: commas"),
    ] {
        let error = suggested(name, contents).unwrap_err();
        assert!(
            error.is::<NoSuggestion>() && error.to_string().contains(expected),
            "{error}"
        );
    }
}

proptest! {
    /// Whatever the names of columns are, the mapping can be read, and finds them.
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

#[test]
fn a_header_may_be_long_but_not_without_end() {
    let sheet = |columns: usize| {
        let names = (4..=columns).map(|number| format!("c{number}"));
        let names: Vec<String> = names.collect();
        let values = vec!["x"; names.len()].join(",");
        let names = names.join(",");
        format!("id,model,manufacturer,{names}\n1,Sum,Nord,{values}\n")
    };
    let widest = suggested("boats.csv", sheet(COLUMNS_MAX)).unwrap();
    assert_eq!(widest.keys, Some((COLUMNS_MAX, 3)));
    let too_wide = suggested("boats.csv", sheet(COLUMNS_MAX + 1)).unwrap_err();
    let message = "a header has at most 16384 columns, this one 16385";
    assert!(too_wide.to_string().ends_with(message), "{too_wide}");
}

#[test]
fn of_many_files_the_first_ones_are_looked_at() {
    let directory = tempfile::tempdir().unwrap();
    let write = |number: usize| {
        let mut file = File::create(directory.path().join(format!("{number:04}.csv"))).unwrap();
        file.write_all(b"id,model,manufacturer\n1,Sum,Nord\n")
            .unwrap();
    };
    let files = || {
        let exports = [directory.path().to_owned().into()];
        let suggestion = suggest(&exports, directory.path(), now()).unwrap();
        let mut decisions = suggestion.decisions.into_iter();
        decisions.find(|decision| decision.field == "files")
    };
    (1..=FILES_MAX).for_each(write);
    assert!(files().is_none());
    write(0);
    assert_eq!(files().unwrap().why, "only the first 1000 were looked at");
}

#[test]
fn the_first_line_names_the_file_that_is_read() {
    let (directory, _) = exported("a.csv", "id,word\n1,Sloop\n");
    let boats = directory.path().join("b.csv");
    File::create(boats)
        .and_then(|mut file| file.write_all(b"id,model,maker,loa\n1,Sum,Nord,9.5\n"))
        .unwrap();
    let exports = [directory.path().to_owned().into()];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    let first = suggestion.text.lines().next();
    assert_eq!(first, Some("# A draft for b.csv, which looks like CSV."));
}

#[test]
fn keys_that_may_be_meant_are_named_for_a_required_field() {
    let suggestion = suggested(
        "a.csv",
        "id,make,Reihe,Ausmass,url\n1,Hanse,Alpha,10.5,https://a.example/1\n2,Hanse,Beta,12,https://a.example/2\n",
    );
    let suggestion = suggestion.unwrap();
    let said = suggestion.decisions.iter().take(4);
    let said: Vec<String> = said
        .map(|decision| format!("{}: {}", decision.field, decision.why))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r##"
    model: required, and no key is called like it: write its line, perhaps of .Reihe
    type: required, and no key is called like it: write its line, perhaps of .Reihe, or make one type for all, in [[records]]
    production.firstYear: required, and no key is called like it: write its line
    lengthOverall: required, and no key is called like it: write its line, perhaps of .Ausmass
    "##);
}
