//! Rules that hold for every query string.

use std::collections::BTreeSet;

use proptest::sample::Index;

use super::*;

/// Random parameters: some valid, some invalid, many repeated.
fn parameter() -> impl Strategy<Value = String> {
    let accepted = BOATS.parameters.iter().map(|parameter| parameter.name);
    let names: Vec<_> = accepted.chain(["foo", "", "%zz"]).collect();
    let values = prop::sample::select(vec![
        "", "a", "ab", "ba+ab", "AB+ba+b", "20", "1900", "1900.0", "0", "m", "ft", "asc", "desc",
        "model", "year", "%61", "%zz", "%FF", "--",
    ]);
    (prop::sample::select(names), values).prop_map(|(name, value)| format!("{name}={value}"))
}

fn query() -> impl Strategy<Value = String> {
    prop::collection::vec(parameter(), 0..6).prop_map(|pairs| pairs.join("&"))
}

/// Valid values of a parameter, each in all of its spellings.
fn spellings(values: Values) -> Vec<Vec<String>> {
    let owned = |spellings: &[&str]| spellings.iter().map(|&text| text.to_owned()).collect();
    match values {
        Values::Slug => vec![owned(&["ab", "%61b"]), owned(&["AB"]), owned(&["a-b"])],
        Values::Integer((min, max), default) => {
            let some = [Some(min), default, Some(min + 1), Some(max)];
            let mut some: Vec<u64> = some.into_iter().flatten().collect();
            some.sort_unstable();
            some.dedup();
            let some = some.into_iter();
            some.map(|value| vec![value.to_string(), format!("0{value}")])
                .collect()
        }
        Values::Decimal((min, max)) => vec![
            ["5", "50"]
                .map(|decimals| format!("{min}.{decimals}"))
                .to_vec(),
            vec![format!("{min}.500001")],
            vec![format!("{max}"), format!("0{max}.0")],
        ],
        Values::Search => vec![
            owned(&["ab+cod", "C%C3%B3D-%41b+c", "cod+ab"]),
            owned(&["abcd"]),
            owned(&["abcod"]),
            owned(&["a+bcod"]),
        ],
        Values::Release => vec![owned(&["20261121T101500Z-3f2a9c1b4d5e6f70"])],
        Values::OneOf(words) => words.iter().map(|word| vec![(*word).to_owned()]).collect(),
    }
}

/// Two queries that take some parameters of `list`, mostly with the same values in different
/// spellings. Queries whose range ends are in the wrong order are filtered out.
fn two_good_queries(list: &'static List) -> impl Strategy<Value = (String, String)> {
    let parameters = list.parameters.iter().map(|parameter| {
        let value = || {
            let spellings = prop::sample::select(spellings(parameter.role.values()));
            prop::option::weighted(0.3, (spellings, any::<Index>()))
        };
        let is_another = prop::bool::weighted(0.05);
        (value(), value(), is_another, any::<Index>()).prop_map(|(one, other, is_another, at)| {
            let respelled = one.clone().map(|(spellings, _)| (spellings, at));
            let other = if is_another { other } else { respelled };
            [one, other].map(|value| {
                let (spellings, at) = value?;
                Some(format!("{}={}", parameter.name, at.get(&spellings)))
            })
        })
    });
    let query = |pairs: &[[Option<String>; 2]], which: usize| {
        let given = pairs.iter().filter_map(|pair| pair[which].as_deref());
        given.collect::<Vec<_>>().join("&")
    };
    let parameters = parameters.collect::<Vec<_>>().prop_shuffle();
    let queries = parameters.prop_map(move |pairs| (query(&pairs, 0), query(&pairs, 1)));
    queries.prop_filter("a range is the wrong way round", move |(one, other)| {
        let is_good = |raw| ListQuery::parse(&QueryString::parse(Some(raw)), list).is_ok();
        is_good(one) && is_good(other)
    })
}

fn good_query() -> impl Strategy<Value = String> {
    two_good_queries(&BOATS).prop_map(|(one, _)| one)
}

/// Other parameters without which this one has no effect.
fn surroundings(parameter: &Parameter) -> &'static str {
    match parameter.role {
        Role::LengthUnit => "lengthMin=1&",
        _ => "",
    }
}

#[test]
fn two_values_of_a_parameter_never_share_a_canonical_text_and_two_spellings_of_one_always_do() {
    for list in [&BOATS, &BOATS_OF_MANUFACTURER, &MANUFACTURERS] {
        for parameter in list.parameters {
            let canonical = |value: &String| {
                let raw = format!("{}{}={value}", surroundings(parameter), parameter.name);
                let query = ListQuery::parse(&QueryString::parse(Some(&raw)), list);
                query.unwrap().canonical()
            };
            let values = spellings(parameter.role.values());
            assert!(2 <= values.len(), "{}", parameter.name);
            let mut texts = BTreeSet::new();
            for spellings in values {
                let text = canonical(&spellings[0]);
                for spelling in &spellings {
                    assert_eq!(
                        canonical(spelling),
                        text,
                        "{} as {spelling}",
                        parameter.name
                    );
                }
                assert!(
                    texts.insert(text),
                    "{} has the text of another value",
                    spellings[0]
                );
            }
        }
    }
}

#[test]
fn every_example_is_a_good_value_and_in_the_canonical_text_under_its_name() {
    for list in [&BOATS, &BOATS_OF_MANUFACTURER, &MANUFACTURERS] {
        for parameter in list.parameters {
            let example = parameter.example.replace(' ', "+");
            let raw = format!("{}{}={example}", surroundings(parameter), parameter.name);
            let query = ListQuery::parse(&QueryString::parse(Some(&raw)), list).unwrap();
            let text = query.canonical();
            let name = format!("{}=", parameter.name);
            assert!(text.contains(&name), "{name} is not in {text}");
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_fail(raw in "\\PC{0,80}", path in "\\PC{0,20}") {
        let parsed = QueryString::parse(Some(&raw));
        let _any = (boats(&raw), nested(&raw), manufacturers(&raw), none(&raw));
        let _any = (page_links("/", &parsed, Page { limit: 20, offset: 0 }, 50), parse_id_or_slug(&path));
    }

    #[test]
    fn equal_queries_and_only_those_have_the_same_canonical_text(
        (one, other) in two_good_queries(&BOATS),
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
            // The parameter of each issue comes after that of the issue before it.
            let is_after = names.any(|name| name == issue.field);
            prop_assert!(is_after, "{} in {}", issue.field, raw);
        }
    }

    #[test]
    fn a_link_asks_for_the_same_list_at_another_offset(raw in good_query(), total in 0_u64..60) {
        let query = boats(&raw).unwrap();
        let links = page_links("/b", &QueryString::parse(Some(&raw)), query.page(), total);
        for link in links.iter().flat_map(|links| links.split(", ")) {
            let target = link.strip_prefix("</b?").unwrap().split('>').next().unwrap();
            let other = boats(target).unwrap();
            let is_other = other.page().offset != query.page().offset;
            prop_assert!(is_other || link.contains("rel=\"first\"") || link.contains("rel=\"last\""));
            prop_assert!(other.page().offset < total);
            let others = |query: &ListQuery| {
                let given = query.given().filter(|(one, _)| one.name != "offset");
                given.map(|(one, value)| (one.name, value.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&other), others(&query));
        }
    }

    #[test]
    fn the_last_page_is_where_following_the_next_one_ends(offset in 0_u64..60, limit in 1_u64..20, total in 1_u64..60) {
        let led_to = |rel: &str, offset| {
            let links = page_links("/b", &QueryString::parse(None), Page { limit, offset }, total).unwrap();
            let (before, _) = links.split_once(&format!(">; rel=\"{rel}\""))?;
            before.rsplit('=').next().map(|offset| offset.parse::<u64>().unwrap())
        };
        let mut end = if offset < total { offset } else { led_to("last", offset).unwrap() };
        while let Some(next) = led_to("next", end) {
            end = next;
        }
        prop_assert_eq!(Some(end), led_to("last", offset));
        prop_assert_eq!(led_to("first", offset), Some(0));
    }
}
