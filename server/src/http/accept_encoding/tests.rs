//! Headers as clients send them, and any header against a slow oracle.

use proptest::prelude::*;

use super::*;

fn parse(lines: &[&str]) -> Accepted {
    Accepted::parse(lines.iter().map(|line| line.as_bytes()))
}

fn check(lines: &[&str], best: Coding, refuses_identity: bool) {
    let expected = Accepted {
        best,
        refuses_identity,
    };
    assert_eq!(parse(lines), expected, "{lines:?}");
}

#[test]
fn fields_of_clients_are_understood() {
    use Coding::{Brotli, Gzip, Identity, Zstd};
    for (field, best) in [
        // Browsers, curl, programs.
        ("gzip, deflate, br, zstd", Zstd),
        ("gzip, deflate, br", Brotli),
        ("deflate, gzip", Gzip),
        ("gzip", Gzip),
        ("identity", Identity),
        ("gzip;q=1.0, *;q=0.1", Gzip),
        ("gzip;q=1.0, identity; q=0.5, *;q=0", Gzip),
        ("compress;q=0.5, gzip;q=1.0", Gzip),
        // Weights decide before our own preference does.
        ("zstd;q=0.8, br;q=0.9, gzip;q=0.85", Brotli),
        ("zstd;q=0.999,gzip", Gzip),
        ("zstd;q=0.001, br;q=0.000", Zstd),
        ("br;q=0.5, gzip;q=0.50, zstd;q=0.500", Zstd),
        ("identity, gzip;q=0.9", Identity),
        ("identity;q=0.9, gzip;q=0.9", Gzip),
        // `*` is everything that is not named.
        ("*", Zstd),
        ("*, zstd;q=0", Brotli),
        ("*;q=0.5, gzip", Gzip),
        ("gzip;q=0.5, *", Zstd),
        ("gzip;q=0.5, br;q=0, zstd;q=0, *", Identity),
        // Case, white space, other names.
        ("GZip", Gzip),
        ("BR ; Q=1.000", Brotli),
        ("\tzstd\t;\tq=1\t,", Zstd),
        ("x-gzip", Gzip),
        ("X-GZIP;q=0.1", Gzip),
        // Nothing, or nothing that we have.
        ("", Identity),
        (" , ,", Identity),
        ("deflate, compress", Identity),
        ("gzip;q=0", Identity),
        ("gzip;q=0.000, br;q=0.", Identity),
        // The first of two counts.
        ("gzip;q=0, gzip, br;q=0.5", Brotli),
        ("x-gzip;q=0, gzip", Identity),
    ] {
        check(&[field], best, false);
    }
    check(&[], Identity, false);
    check(&["gzip;q=0.5", "br"], Brotli, false);
    check(&["gzip", "", "zstd;q=0"], Gzip, false);
}

#[test]
fn members_that_are_malformed_are_as_if_they_were_not_there() {
    for member in [
        "zstd;",
        "zstd;q",
        "zstd;q=",
        "zstd;q=2",
        "zstd;q=1.001",
        "zstd;q=0.5000",
        "zstd;q=0.5.0",
        "zstd;q=-1",
        "zstd;q=+1",
        "zstd;q=.5",
        "zstd;q=0,5",
        "zstd;q =1",
        "zstd;q= 1",
        "zstd;q=\"1\"",
        "zstd;q=1;q=1",
        "zstd;level=3",
        "zstd q=1",
        "zs td",
        "\"zstd\"",
        "*zstd",
        "**",
        ";q=1",
        "q=1",
    ] {
        check(&[member], Coding::Identity, false);
        check(&[member, "br;q=0.1"], Coding::Brotli, false);
    }
}

/// A member, and what it stands for: a name in lower case and thousandths, if it is well formed.
type Member = (String, Option<(&'static str, u32)>);

fn weight() -> impl Strategy<Value = (String, Option<u32>)> {
    let of = |digits: usize, thousandths: u32| {
        let whole = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let length = if digits == 0 { 1 } else { 2 + digits };
        let text = whole[..length].to_owned();
        // What was cut off does not count.
        let cut = 10_u32.pow(3 - u32::try_from(digits).unwrap());
        (text, thousandths / cut * cut)
    };
    prop_oneof![
        3 => (0..=3_usize, 0..=1000_u32).prop_map(move |(digits, thousandths)| {
            let (text, thousandths) = of(digits, thousandths);
            (format!(";q={text}"), Some(thousandths))
        }),
        1 => Just((String::new(), Some(1000))),
        1 => prop::sample::select(vec![";q=1.1", ";q=", ";x=1", ";q=0.1234", ";"])
            .prop_map(|text| (text.to_owned(), None)),
    ]
}

fn member() -> impl Strategy<Value = Member> {
    let names = prop::sample::select(vec![
        ("gzip", "gzip"),
        ("x-gzip", "gzip"),
        ("br", "br"),
        ("zstd", "zstd"),
        ("identity", "identity"),
        ("*", "*"),
        ("deflate", "deflate"),
    ]);
    let space = || prop::sample::select(vec!["", " ", "\t "]);
    (names, weight(), any::<bool>(), space(), space()).prop_map(
        |((name, meaning), (weight, thousandths), upper, before, behind)| {
            let name = if upper {
                name.to_ascii_uppercase()
            } else {
                name.to_owned()
            };
            let weight = weight.replace(';', &format!("{behind};{before}"));
            let text = format!("{before}{name}{weight}{behind}");
            (text, thousandths.map(|weight| (meaning, weight)))
        },
    )
}

/// Section 12.5.3, literally, over members whose meaning is known.
fn oracle(members: &[Member]) -> Accepted {
    let meanings: Vec<_> = members.iter().filter_map(|(_, meaning)| *meaning).collect();
    let weight = |name: &str| {
        let of = |name: &str| meanings.iter().find(|(other, _)| *other == name);
        of(name).or_else(|| of("*")).map(|&(_, weight)| weight)
    };
    let identity = weight("identity");
    let mut ranked: Vec<(u32, u8, Coding)> = vec![
        (weight("zstd").unwrap_or(0), 3, Coding::Zstd),
        (weight("br").unwrap_or(0), 2, Coding::Brotli),
        (weight("gzip").unwrap_or(0), 1, Coding::Gzip),
        (identity.unwrap_or(0), 0, Coding::Identity),
    ];
    ranked.retain(|(weight, ..)| *weight != 0);
    ranked.sort_unstable_by_key(|&(weight, preference, _)| (weight, preference));
    Accepted {
        best: ranked
            .last()
            .map_or(Coding::Identity, |&(.., coding)| coding),
        refuses_identity: identity == Some(0),
    }
}

proptest! {
    #[test]
    fn any_field_is_understood_as_the_oracle_does(
        members in prop::collection::vec(member(), 0..8),
        lines in 1..4_usize,
    ) {
        let texts: Vec<&str> = members.iter().map(|(text, _)| text.as_str()).collect();
        let chunks = texts.chunks(texts.len().div_ceil(lines).max(1));
        let lines: Vec<String> = chunks.map(|chunk| chunk.join(",")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        prop_assert_eq!(parse(&lines), oracle(&members), "{:?}", lines);
    }

    #[test]
    fn any_bytes_are_a_field(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let accepted = Accepted::parse([&bytes[..]]);
        // A client that names neither an encoding nor `*` is sent none.
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        let names = |name: &str| text.contains(name);
        if !["*", "zstd", "br", "gzip"].into_iter().any(names) {
            prop_assert_eq!(accepted.best, Coding::Identity);
        }
    }
}
