//! Tests of Markdown: its plain text, and which texts seem to be Markdown.

use super::super::markdown::{is_likely, markdown};
use super::*;

#[track_caller]
fn check_markdown(table: &[(&str, &str)]) {
    for (given, expected) in table {
        let read = markdown(given).unwrap().unwrap_or_default();
        assert_eq!(read, *expected, "{given}");
    }
}

#[test]
fn the_same_text_is_the_same_in_markdown() {
    let text = "## A fast *cruiser*\n\nBuilt in\n[Ellös](https://x), for two &amp; more.\\\nSince \
                1943.\n\n![a boat](a.jpg)\n\n* Fin keel\n* Teak deck\n\n1. Bow thruster\n\n---\n\n\
                > Launched at Ellös.\n";
    check_markdown(&[(text, PLAIN)]);
}

#[test]
fn markdown_reads_as_its_html() {
    check_markdown(&[
        ("One\ntwo  \nthree\n\nfour", "One two\nthree\n\nfour"),
        ("Head\n====\ntext", "Head\n\ntext"),
        (
            "**bold** __bold__ ~~no~~ `code < x`",
            "bold bold no code < x",
        ),
        (
            "- one\n  - two\n\n    more\n- three",
            "- one\n- two\nmore\n- three",
        ),
        ("```rust\nlet a;\n\nlet b;\n```", "let a;\n\nlet b;"),
        (
            "| Sail | Area |\n|---|---|\n| Main | 30 m² |",
            "Sail | Area\nMain | 30 m²",
        ),
        ("a<br>b <span>c</span> &amp; <Return>", "a\nb c & <Return>"),
        ("<div>\n\n**a**\n\n</div>\n<script>b</script>", "a"),
        (
            "<https://x.y> \\*a\\* 5 * 3 * 2",
            "https://x.y *a* 5 * 3 * 2",
        ),
        ("[gallery] [ref]\n\n[ref]: https://x", "[gallery] ref"),
        ("", ""),
        (" \n", ""),
    ]);
}

#[test]
fn numbers_that_a_list_does_not_begin_with_1_stay() {
    check_markdown(&[
        (
            "2018. A new keel was fitted.\n2021. She was painted.",
            "2018. A new keel was fitted.\n2021. She was painted.",
        ),
        ("2018. A new keel", "2018. A new keel"),
        (
            "3) Step the mast\n\n   and then\n4) See step 3",
            "3. Step the mast\nand then\n4. See step 3",
        ),
        ("1. a\n2. b", "- a\n- b"),
    ]);
    check(&[
        (
            "<ol start=\"3\"><li>Step the mast.</li><li>See step 3.</li></ol>",
            "3. Step the mast.\n4. See step 3.",
        ),
        (
            "<ol start=2><li>a<ul><li>b</li></ul><li value=7>c</ol>",
            "2. a\n- b\n7. c",
        ),
        ("<ol start='x'><li>a</ol><ol start=1><li>b</ol>", "- a\n- b"),
    ]);
}

#[test]
fn markdown_of_many_marks_is_read_and_long_markdown_refused() {
    for part in [
        "- ",
        "*",
        "**a",
        "_",
        "[",
        "![",
        "[a](",
        "`",
        "<",
        "<a ",
        "<!--",
        "&",
        "|",
        "a|\n-|\n",
        "\\",
        "~",
        "# ",
        "[a]: b\n",
        "[a][b]",
        "`a``",
        "> - a\n\n",
    ] {
        let text = part.repeat(LENGTH_MAX / 64 / part.len());
        assert!(markdown(&text).is_ok(), "{part}");
        _ = is_likely(&text);
    }
    let refused = markdown(&"a".repeat(LENGTH_MAX + 1));
    assert_eq!(refused, Err(NoPlainText::TooLong));
}

#[test]
fn markdown_that_is_nested_too_deep_is_refused() {
    for mark in [">", "> ", "1. ", "- + ", "-\t>* "] {
        let read = |times| markdown(&format!("a\r{}b **c**\n", mark.repeat(times)));
        assert!(read(30).is_ok(), "{mark}");
        assert_eq!(read(1_000), Err(NoPlainText::TooDeep), "{mark}");
        assert!(!is_likely(&mark.repeat(1_000)));
    }
    for rule in ["- ", "* ", "-", "*\t"] {
        let text = format!("a\n\n{}\n\nb", rule.repeat(1_000));
        assert_eq!(markdown(&text).unwrap().as_deref(), Some("a\n\nb"));
    }
}

#[test]
fn a_text_with_the_marks_of_markdown_seems_to_be_markdown() {
    for text in [
        "# Boat\n\nA text",
        "text\n\n### Rig ###\n",
        "A **fast** boat",
        "__Keel:__ fin",
        "See [the yard](https://yard.example).",
        "[the yard][1]\n\n[1]: https://yard.example",
        "![a boat](a.jpg)",
        "```\ncode\n```",
        "<em>a</em> **b**",
    ] {
        assert!(is_likely(text), "{text}");
    }
}

#[test]
fn prose_does_not_seem_to_be_markdown() {
    for text in [
        "5 * 3 * 2",
        "5**3**2",
        "#1 boat\n#2 boat",
        "- a dash by itself",
        "Has\n\n- a keel\n- a deck",
        "* 2 cabins\n* 1 head",
        "1. a keel\n2. a deck",
        "~~~~~~~~~~\nSails\n~~~~~~~~~~",
        "- 2 x 40 hp ** price reduced ** now",
        "1974. A good year",
        "snake_case_words and __init",
        "[sic] and [1] (see below)",
        "a * b\n*\nc",
        "*Note* the _keel_",
        "Length\n------\n10 m",
        "    indented\n\n    twice",
        "> 10 m",
        "a\nb ** c ** d",
        "<https://x.y>",
        "<p>a</p>\n<ul>\n<li>b</li>\n<li>c</li></ul>",
        "A | B\n",
    ] {
        assert!(!is_likely(text), "{text}");
    }
}
