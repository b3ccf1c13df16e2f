//! Drafts for exports of content systems: their shipped mappings, fitted.

use super::*;

#[test]
fn fields_of_a_content_system_are_made_of_keys_that_are_called_like_them() {
    let suggestion = suggested(
        "data.ndjson",
        concat!(
            r#"{"_id":"b","_type":"brand","_updatedAt":"2026-01-01T00:00:00Z","title":"Hanse","slug":{"current":"hanse"}}"#,
            "\n",
            r#"{"_id":"y","_type":"yacht","_updatedAt":"2026-01-01T00:00:00Z","title":"Yacht","slug":{"current":"y"},"brand":{"_ref":"b"},"yearBuilt":1990,"loaMeters":9.5,"beamMeters":3.2,"photos":[{"asset":{"_ref":"image-0123456789abcdef0123456789abcdef01234567-1600x1067-jpg"}}]}"#,
            "\n"
        ),
    );
    let suggestion = suggestion.unwrap();
    let lines = suggestion.text.lines();
    let active: Vec<&str> = lines
        .skip_while(|line| *line != "[[emit]]")
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .collect();
    insta::assert_snapshot!(active.join("\n"), @r##"
    [[emit]]
    kind = "boat"
    type = "yacht"
    [emit.fields]
    slug = ".slug.current"
    model = ".title"
    manufacturer = ".brand | ref"
    production.firstYear = ".yearBuilt | year"
    unit = '"metric"'                       # "metric" or "imperial"
    lengthOverall = ".loaMeters"
    image = ".photos[0] | image"
    gallery = { each = ".photos[1:]", value = "image" }
    dimensions.beamOverall = ".beamMeters"
    [[emit]]
    kind = "manufacturer"
    type = "brand"
    [emit.fields]
    slug = ".slug.current"
    name = ".title"
    [tables.vocabulary]
    [tables.currency_symbol]
    EUR = "€"
    GBP = "£"
    NZD = "NZ$"
    PLN = "zł"
    SEK = "kr"
    USD = "$"
    "##);
}

#[test]
fn keys_of_a_list_that_makes_nothing_are_not_missing() {
    let (directory, export) = exported(
        "data.ndjson",
        concat!(
            r#"{"_id":"y","_type":"boat","_updatedAt":"2026-01-01T00:00:00Z","title":"Yacht","slug":{"current":"y"},"photos":[{"asset":{"_ref":"image-0123456789abcdef0123456789abcdef01234567-1600x1067-jpg"}}]}"#,
            "\n"
        ),
    );
    let exports = [export];
    let suggestion = suggest(&exports, directory.path(), now()).unwrap();
    let report = check(&suggestion.text, &exports, directory.path())
        .unwrap()
        .report
        .unwrap();
    let fields = report.rules.iter().flat_map(|rule| &rule.fields);
    let missing: Vec<_> = fields
        .filter(|field| field.field.starts_with("gallery"))
        .flat_map(|field| &field.missing)
        .map(|missing| &missing.key)
        .collect();
    assert!(
        suggestion.text.contains("photos[1:]"),
        "{}",
        suggestion.text
    );
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn names_that_addresses_cannot_have_are_told_with_what_makes_them_valid() {
    let suggestion = suggested(
        "products_export.csv",
        "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Variant Price,Image Src,Status\n\
         b\u{e9}n\u{e9}teau-32,B\u{e9}n\u{e9}teau 32,,B\u{e9}n\u{e9}teau,Sailboat,,true,1000,,active\n",
    );
    let suggestion = suggestion.unwrap();
    let told = suggestion.decisions.iter();
    let told: Vec<String> = told
        .filter(|decision| ["id", "slug"].contains(&decision.field.as_str()))
        .map(|decision| format!("{}: {}", decision.field, decision.why))
        .collect();
    assert_eq!(
        told,
        [
            "id: 1 is not valid: `| slugify` makes a valid one; write it as `id` in [envelope], and leave `key` as it is",
            "slug: 1 is not valid: `| slugify` makes a valid one",
        ]
    );
}
