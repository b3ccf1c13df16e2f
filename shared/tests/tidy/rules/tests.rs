//! Shows for every rule a file that keeps it and one that breaks it.

use super::{MARKERS, OUTSIDE, broken_by, code_of, names_outside};

/// The rules, without the path, that a file of this code breaks.
fn check(path: &str, code: &str) -> Vec<String> {
    let broken = broken_by(path, &format!("//! What it is.\n{code}\n"));
    broken
        .iter()
        .map(|line| line.split_once(": ").expect("a path").1.to_owned())
        .collect()
}

#[test]
fn a_plain_file_keeps_every_rule() {
    assert_eq!(check("cli/src/x.rs", "fn x() {}"), [""; 0]);
}

#[test]
fn a_file_begins_with_its_purpose() {
    for text in [
        "",
        "\n//! Late.",
        "use std::fs;",
        "// A comment.",
        "/// An item.",
    ] {
        let broken = broken_by("cli/src/x.rs", text);
        assert_eq!(broken.len(), 1, "{text:?}: {broken:?}");
        assert!(
            broken[0].starts_with("cli/src/x.rs: does not begin with `//!`"),
            "{broken:?}"
        );
    }
}

#[test]
fn nothing_is_left_unfinished() {
    for marker in MARKERS {
        assert_eq!(
            check("cli/src/x.rs", &format!("// {marker}: later")),
            [format!("has a {marker}: finish it")]
        );
    }
    assert_eq!(
        check("cli/tests/x.rs", "#[test]\n#[ignore = \"slow\"]\nfn x() {}"),
        ["ignores a test"]
    );
    assert_eq!(
        check(
            "cli/tests/x.rs",
            "#[test]\n#[ignore = \"needs Redis\"]\nfn x() {}"
        ),
        [""; 0]
    );
    assert_eq!(
        check("cli/tests/x.rs", "// An `#[ignore]` in prose."),
        [""; 0]
    );
}

#[test]
fn a_crate_away_from_home_is_found_however_it_is_named() {
    for code in [
        "use salvo::Router;",
        "use salvo as web;",
        "pub use salvo;",
        "use ::salvo::Router;",
        "use {bytes::Bytes, salvo::Router};",
        "fn x() -> salvo::Router { loop {} }",
        "fn x(_: &::salvo::Router) {}",
        "extern crate salvo;",
        "#[salvo::async_trait]",
        "#[salvo(skip)]",
        "type X = Vec<salvo :: Router>;",
    ] {
        let expected = "names `salvo`, which belongs in server/src/cors, server/src/http, server/src/ops/admin, \
             server/src/serve, server/src/wire, server/tests, server/benches";
        assert_eq!(check("server/src/params.rs", code), [expected], "{code}");
        assert_eq!(check("server/src/http.rs", code), [""; 0], "{code}");
        assert_eq!(check("server/src/http/boats.rs", code), [""; 0], "{code}");
        assert_eq!(check("server/src/http_client.rs", code).len(), 1, "{code}");
    }
}

#[test]
fn a_word_that_is_no_crate_is_free() {
    for code in [
        "// use salvo::Router;",
        "/* use /* nested */ salvo::Router; */ fn x() {}",
        "const X: &str = \"use salvo::Router\";",
        "const X: &str = r#\"a \" use salvo::Router\"#;",
        "const X: [char; 2] = ['\"', '\\'']; // salvo::Router",
        "let salvo = 1;",
        "use crate::salvo::x;",
        "use salvo_extra::x;",
        "use my_salvo::x;",
        "mod salvo;",
    ] {
        assert_eq!(check("cli/src/x.rs", code), [""; 0], "{code}");
    }
}

#[test]
fn an_item_is_named_by_the_end_of_its_path() {
    for code in [
        "use std::time::SystemTime;",
        "let x = std::time::Instant::now();",
    ] {
        assert_eq!(check("shared/src/base/clock.rs", code), [""; 0], "{code}");
        assert_eq!(check("cli/src/x.rs", code).len(), 1, "{code}");
    }
}

#[test]
fn code_is_what_is_neither_comment_nor_literal() {
    for (text, code) in [
        ("a // b\nc", "a  \nc"),
        ("a /* b */ c", "a   c"),
        ("a \"b \\\" // c\" d", "a   d"),
        ("'a' '\\u{61}' 'a", "    'a"),
        ("<'a, 'b>(c: &'a str)", "<'a, 'b>(c: &'a str)"),
        ("br##\"a\"# b\"## c", "b  c"),
        ("r#type r\"a\\\" b", "r#type   b"),
        ("/* open", " "),
        ("\"open", " "),
        ("\"é\" é", "  é"),
    ] {
        assert_eq!(code_of(text), code, "{text}");
    }
}

#[test]
fn what_lies_outside_is_found_anywhere_in_a_file() {
    for name in OUTSIDE {
        assert_eq!(
            names_outside(&format!("// see {name} for more")),
            Some(name)
        );
    }
    assert_eq!(names_outside("shared/src/base/model.rs, notes.md"), None);
    assert_eq!(
        names_outside(concat!("[keys](../../", "shared/src/keys.rs)")),
        None
    );
}
