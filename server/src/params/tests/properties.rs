//! Rules that hold for every query string.

use super::*;

/// Parameters of which some are good, some bad and many are the same.
fn parameter() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "manufacturer",
        "type",
        "yearFrom",
        "yearTo",
        "lengthMin",
        "lengthMax",
        "lengthUnit",
        "search",
        "limit",
        "offset",
        "sort",
        "order",
        "foo",
        "",
        "%zz",
    ]);
    let values = prop::sample::select(vec![
        "", "a", "ab", "ba+ab", "AB+ba+b", "20", "1900", "1900.0", "0", "m", "ft", "asc", "desc",
        "model", "year", "%61", "%zz", "%FF", "--",
    ]);
    (names, values).prop_map(|(name, value)| format!("{name}={value}"))
}

fn query() -> impl Strategy<Value = String> {
    prop::collection::vec(parameter(), 0..6).prop_map(|pairs| pairs.join("&"))
}

/// Good queries over few values, so that equal ones in different spellings are common.
fn good_query() -> impl Strategy<Value = String> {
    let one_of = |texts: &[&'static str]| prop::sample::select(texts.to_vec());
    (
        one_of(&["", "type=ab", "type=%61b", "type=AB"]),
        one_of(&["", "yearFrom=1900", "yearFrom=01900", "yearTo=1900"]),
        one_of(&["", "lengthMin=1.5", "lengthMin=1.50", "lengthMax=1.5"]),
        one_of(&["", "lengthUnit=m", "lengthUnit=ft"]),
        one_of(&[
            "",
            "search=ab+cod",
            "search=C%C3%B3D-%41b+c",
            "search=abcd",
            "search=cod+ab",
        ]),
        one_of(&["", "limit=20", "limit=020", "limit=2"]),
        one_of(&["", "offset=0", "offset=2"]),
        one_of(&["", "sort=model", "sort=year", "order=asc", "order=desc"]),
    )
        .prop_map(|(a, b, c, d, e, f, g, h)| vec![a, b, c, d, e, f, g, h])
        .prop_shuffle()
        .prop_map(|pairs| pairs.join("&"))
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_fail(raw in "\\PC{0,80}", path in "\\PC{0,20}") {
        let parsed = QueryString::parse(Some(&raw));
        let _any = (boats(&raw), nested(&raw), manufacturers(&raw), none(&raw));
        let _any = (page_links("/", &parsed, Page::default(), 50), parse_id_or_slug(&path));
    }

    #[test]
    fn equal_queries_and_only_those_have_the_same_canonical_text(
        one in good_query(),
        other in good_query(),
    ) {
        let (one, other) = (boats(&one).unwrap(), boats(&other).unwrap());
        prop_assert_eq!(one == other, one.canonical() == other.canonical());
    }

    #[test]
    fn a_canonical_text_reads_back_as_its_query(raw in good_query()) {
        let query = boats(&raw).unwrap();
        prop_assert_eq!(boats(&query.canonical()).unwrap(), query);
    }

    #[test]
    fn the_order_of_parameters_means_nothing(
        mut pairs in prop::collection::vec(parameter(), 0..6),
    ) {
        let forward = boats(&pairs.join("&"));
        pairs.reverse();
        let backward = boats(&pairs.join("&"));
        prop_assert_eq!(forward.is_ok(), backward.is_ok());
        if let (Ok(forward), Ok(backward)) = (forward, backward) {
            prop_assert_eq!(forward.canonical(), backward.canonical());
        }
    }

    #[test]
    fn issues_come_in_request_order(raw in query()) {
        let mut names = raw.split('&').map(|pair| pair.split('=').next().unwrap());
        for issue in boats(&raw).err().unwrap_or_default() {
            // Each issue's parameter stands after that of the issue before it.
            let is_after = names.any(|name| name == issue.field);
            prop_assert!(is_after, "{} in {}", issue.field, raw);
        }
    }

    #[test]
    fn a_link_asks_for_the_same_list_at_another_offset(raw in good_query(), total in 0_u64..60) {
        let query = boats(&raw).unwrap();
        let links = page_links("/b", &QueryString::parse(Some(&raw)), query.page, total);
        for link in links.iter().flat_map(|links| links.split(", ")) {
            let target = link.strip_prefix("</b?").unwrap().split('>').next().unwrap();
            let other = boats(target).unwrap();
            prop_assert_ne!(other.page.offset, query.page.offset);
            prop_assert!(other.page.offset < total);
            let page = query.page;
            prop_assert_eq!(BoatQuery { page, ..other }, query.clone());
        }
    }
}
