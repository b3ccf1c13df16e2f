//! Tables of query strings: the messages about the invalid ones, and what the valid ones become.

use std::fmt::Write;

use super::*;

/// Queries of the boat list, separated by white space. Each has at least one issue, besides a value
/// that its parameter alone would refuse: those are in [`bad_values`].
const BAD_BOATS: &str = "
    type= type type=&category= =x = type=a&type=b type=a&type=b&type= limit=0&limit=5
    foo=1&foo=2 foo yearfrom=1990 lenghtMin=4 minLength=4 Limit=5 tpye=a country=fr fields=id
    page=2 per_page=10 pageSize=5 q=sail orderBy=year
    type=% type=%2 type=%zz type=a%2&category=b type=%FF type=%C3 %zz=1 %ff=1 lim%69t=0
    yearFrom=1990&yearTo=1989 yearTo=1989&foo=1&yearFrom=1990
    yearFrom=1990&yearTo=1980&yearTo=1995 yearFrom=2200&yearTo=1990
    lengthMin=10&lengthMax=9.999 lengthMax=9&lengthMin=10&lengthUnit=ft
    lengthMax=1&lengthMin=2&lengthUnit=in limit=5+ limit=1_0 limit=%D9%A5
    sort=price&&limit=0&foo=1&type=&type=x&order=up&yearTo=1800&yearFrom=1900&%=1
";

/// The same for the list of manufacturers.
const BAD_MANUFACTURERS: &str = "sort=boatCount country=fr type=sail search=!&sort=model";

/// Values that a parameter refuses.
fn bad_values(values: Values) -> Vec<String> {
    let owned = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    match values {
        Values::Slug => owned(&["a+b", "a.b", "-a", "%C3%A9", "a%00"]),
        Values::Integer((min, max), _) => {
            let below = min.checked_sub(1).map(|below| below.to_string());
            let others = ["18446744073709551616", "abc"].map(str::to_owned);
            let spelled = [
                (max + 1).to_string(),
                format!("+{max}"),
                format!("-{max}"),
                format!("{max}.0"),
            ];
            below.into_iter().chain(spelled).chain(others).collect()
        }
        Values::Decimal((min, max)) => {
            let others = owned(&["-1", "1e1", ".5", "5.", "1,5", "+5", "NaN"]);
            let beyond = [min.to_string(), format!("{min}.000"), format!("{max}.0001")];
            beyond.into_iter().chain(others).collect()
        }
        Values::Search => owned(&["a", "%C3%A9", "--", "%25_", "+++", "%CC%81%CC%81"]),
        Values::Release => owned(&["20261121", "current"]),
        Values::OneOf(words) => vec![words[0].to_uppercase(), format!("{}s", words[0])],
    }
}

/// Valid queries of the boat list, separated by white space.
const GOOD_BOATS: &str = "
    && limit=20&offset=0&sort=model&order=asc&lengthUnit=m lengthUnit=ft
    limit=1 limit=100 limit=007 limit=000000000000000000000000000000017 offset=9007199254740991
    type=sail&manufacturer=Hallberg-Rassy manufacturer=Hallberg-Rassy&&type=s%61il&
    activity=b_2&category=A yearFrom=1800&yearTo=2100 yearTo=1975&yearFrom=1975
    lengthMin=1.50 lengthMin=01.5&lengthUnit=m lengthMax=1000&lengthMin=1000.0
    lengthMin=0.00001 lengthMax=40&lengthUnit=ft
    search=Oceanis%2040.1 search=oce%C3%A1nis+40+1 search=1-40_OCEANIS+ocean+1
    search=%C3%A9%21 search=e%CC%81 search=50%25
    sort=length&order=desc sort=year sort=manufacturer&offset=20 s%6Frt=year&order=%64esc
";

fn check(name: &str, about: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/server"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(about);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A text and its issues, one a line. Long texts are cut, to keep the snapshot readable.
fn describe<T>(table: &mut String, raw: &str, parsed: Result<T, Vec<ParamIssue>>) {
    let mut shown: String = raw.chars().take(90).collect();
    let issues = parsed.err().unwrap_or_else(|| panic!("{raw} is accepted"));
    for ParamIssue { field, message } in issues {
        writeln!(table, "{shown:<40} {field}: {message}").unwrap();
        shown.clear();
    }
}

#[test]
fn bad_queries_are_refused_with_every_issue_in_request_order() {
    let mut table = String::from("boats\n\n");
    for raw in BAD_BOATS.split_whitespace() {
        describe(&mut table, raw, boats(raw));
    }
    for parameter in BOATS.parameters {
        for value in bad_values(parameter.role.values()) {
            let raw = format!("{}={value}", parameter.name);
            describe(&mut table, &raw, boats(&raw));
        }
    }
    let (slug, accents, nines) = ("a".repeat(121), "%C3%A9".repeat(101), "9".repeat(4000));
    describe(
        &mut table,
        "a long slug",
        boats(&format!("category={slug}")),
    );
    describe(
        &mut table,
        "a long search",
        boats(&format!("search={accents}")),
    );
    describe(
        &mut table,
        "a long integer",
        boats(&format!("offset={nines}")),
    );
    describe(
        &mut table,
        "a long number",
        boats(&format!("lengthMax={nines}")),
    );
    describe(&mut table, "a long name", boats(&format!("{accents}=1")));
    describe(
        &mut table,
        "a long name, badly encoded",
        boats(&format!("{slug}%=1")),
    );
    table.push_str("\nboats of a manufacturer\n\n");
    for raw in "manufacturer=hr manufacturer= manufacturer=a&manufacturer=b maker=x".split(' ') {
        describe(&mut table, raw, nested(raw));
    }
    table.push_str("\nmanufacturers\n\n");
    for raw in BAD_MANUFACTURERS.split_whitespace() {
        describe(&mut table, raw, manufacturers(raw));
    }
    table.push_str("\nno parameters\n\n");
    for raw in "fields=id a=1&b=2&a=3 %= limit=5 =".split(' ') {
        describe(&mut table, raw, none(raw));
    }
    check(
        "params_bad_queries",
        "Queries that are refused, with why.",
        &table,
    );
}

#[test]
fn good_queries_have_one_canonical_form() {
    let mut table = String::from("boats\n\n");
    for raw in GOOD_BOATS.split_whitespace() {
        writeln!(table, "{raw:<60} {:?}", boats(raw).unwrap().canonical()).unwrap();
    }
    for Parameter { name, example, .. } in BOATS.parameters {
        let raw = format!("{name}={}", example.replace(' ', "+"));
        writeln!(table, "{raw:<60} {:?}", boats(&raw).unwrap().canonical()).unwrap();
    }
    table.push_str("\nmanufacturers\n\n");
    for raw in "&& sort=name&order=asc sort=updatedAt&limit=5 search=B%C3%A9n%C3%A9teau".split(' ')
    {
        writeln!(
            table,
            "{raw:<60} {:?}",
            manufacturers(raw).unwrap().canonical()
        )
        .unwrap();
    }
    check(
        "params_good_queries",
        "Queries that are read, with their canonical text.",
        &table,
    );
}

#[test]
fn texts_may_be_as_long_as_their_limits() {
    let (slug, accents) = ("a".repeat(120), "%C3%A9".repeat(100));
    for name in ["manufacturer", "type", "category", "activity"] {
        let query = boats(&format!("{name}={slug}")).unwrap();
        assert_eq!(query.canonical(), format!("{name}={slug}"));
        assert_eq!(boats(&format!("{name}={slug}a")).unwrap_err().len(), 1);
    }
    // Folded, this is one word of 100 letters.
    let search = format!("search={accents}");
    let canonical = format!("search={}", "e".repeat(100));
    assert_eq!(boats(&search).unwrap().canonical(), canonical);
    assert_eq!(manufacturers(&search).unwrap().canonical(), canonical);
    assert_eq!(manufacturers(&format!("{search}e")).unwrap_err().len(), 1);
}

#[test]
fn an_id_or_slug_is_decoded_strictly_and_a_plus_is_a_plus() {
    for (raw, text) in [("a.b-c_1", "a.b-c_1"), ("%61", "a"), ("A", "A")] {
        assert_eq!(parse_id_or_slug(raw).unwrap().as_str(), text);
    }
    let mut table = String::new();
    let long = "a".repeat(201);
    for raw in [
        "", "%", "%zz", "%FF", "a+b", "a%2Fb", ".a", "a%20", "%C3%A9", &long,
    ] {
        describe(
            &mut table,
            raw,
            parse_id_or_slug(raw).map_err(|issue| vec![issue]),
        );
    }
    check(
        "params_bad_id_or_slug",
        "Segments that are neither an id nor a slug, with why.",
        &table,
    );
}
