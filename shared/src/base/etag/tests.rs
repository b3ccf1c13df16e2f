//! Tags as headers show them, and fields of requests as clients and caches send them.

use super::*;

fn matches(field: &str) -> Option<bool> {
    let etag = ETag::from_bytes([0xab; 16]);
    let parsed = IfNoneMatch::parse([field.as_bytes()]);
    parsed.map(|held| held.matching(etag, Coding::Identity).is_some())
}

#[test]
fn a_tag_is_the_hash_of_the_body() {
    assert_eq!(
        ETag::of(b"").to_string(),
        "\"e3b0c44298fc1c149afbf4c8996fb924\""
    );
    assert_ne!(ETag::of(b"a"), ETag::of(b"b"));
}

#[test]
fn lists_weak_tags_and_the_star_match() {
    let tag = "\"abababababababababababababababab\"";
    for field in [
        "*",
        " * ",
        tag,
        &format!("W/{tag}"),
        &format!("\"x\", {tag}"),
        &format!("{tag},\"x\""),
        &format!(", ,{tag} , "),
        &format!("\"a,b\",{tag}"),
        &format!("\"\",W/\"x\",{tag}"),
    ] {
        assert_eq!(matches(field), Some(true), "{field}");
    }
    assert_eq!(matches("\"x\", W/\"y\""), Some(false));
}

#[test]
fn malformed_fields_are_ignored() {
    for field in [
        "",
        ",",
        "abab",
        "\"ab",
        "\"a\" \"b\"",
        "w/\"a\"",
        "W/ \"a\"",
        "*, \"a\"",
        "\"a b\"",
    ] {
        assert_eq!(matches(field), None, "{field}");
    }
}

#[test]
fn several_lines_are_one_list() {
    let parsed = IfNoneMatch::parse([&b"\"x\""[..], &b"\"y\""[..]]).unwrap();
    assert_eq!(
        parsed,
        IfNoneMatch::Tags(vec![b"x".to_vec(), b"y".to_vec()])
    );
}

#[test]
fn a_tag_names_the_coding_behind_the_hash() {
    let etag = ETag::from_bytes([0xab; 16]);
    for (coding, suffix) in [
        (Coding::Identity, ""),
        (Coding::Gzip, "-gzip"),
        (Coding::Brotli, "-br"),
        (Coding::Zstd, "-zstd"),
    ] {
        let expected = format!("\"{}{suffix}\"", "ab".repeat(16));
        let text = etag.in_coding(coding).text();
        assert_eq!(text, expected);
        assert_eq!(text.capacity(), text.len());
    }
    assert_eq!(
        etag.to_string(),
        etag.in_coding(Coding::Identity).to_string()
    );
}

#[test]
fn a_tag_matches_whatever_the_coding() {
    let etag = ETag::from_bytes([0xab; 16]);
    for held in Coding::ALL {
        let tag = etag.in_coding(held).to_string();
        for field in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}")] {
            let parsed = IfNoneMatch::parse([field.as_bytes()]).unwrap();
            for chosen in Coding::ALL {
                assert_eq!(parsed.matching(etag, chosen), Some(held), "{field}");
            }
            let other = ETag::from_bytes([0xcd; 16]);
            assert_eq!(parsed.matching(other, held), None, "{field}");
        }
    }
}

#[test]
fn of_several_tags_that_of_the_chosen_coding_is_taken_and_else_the_first() {
    let etag = ETag::from_bytes([0xab; 16]);
    let tags = [Coding::Gzip, Coding::Identity].map(|held| etag.in_coding(held).to_string());
    let parsed = IfNoneMatch::parse([tags.join(", ").as_bytes()]).unwrap();
    for (chosen, taken) in [
        (Coding::Identity, Coding::Identity),
        (Coding::Gzip, Coding::Gzip),
        (Coding::Brotli, Coding::Gzip),
        (Coding::Zstd, Coding::Gzip),
    ] {
        assert_eq!(parsed.matching(etag, chosen), Some(taken), "{chosen:?}");
        assert_eq!(IfNoneMatch::Any.matching(etag, chosen), Some(chosen));
    }
}

#[test]
fn a_hash_with_anything_else_behind_it_is_another_tag() {
    for suffix in [
        "-",
        "-identity",
        "-GZIP",
        "gzip",
        "-gzip-",
        "-x-gzip",
        "0",
        "--br",
        "-br-zstd",
    ] {
        let field = format!("\"{}{suffix}\"", "ab".repeat(16));
        assert_eq!(matches(&field), Some(false), "{field}");
    }
}
