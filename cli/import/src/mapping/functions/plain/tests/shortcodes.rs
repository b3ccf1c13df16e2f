//! Tests of WordPress shortcodes and comments: which are removed, and which brackets are prose.

use super::*;
use crate::steps::check_each;

/// What is plain where the mapping says that there are shortcodes.
fn without_shortcodes(text: &str) -> String {
    let rich_text = RichText {
        has_shortcodes: true,
        ..RichText::default()
    };
    let plain = rich_text.plain(&json!(text)).unwrap();
    plain.text.unwrap_or_default()
}

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (given, expected) in table {
        assert_eq!(without_shortcodes(given), *expected, "{given}");
    }
}

#[test]
fn brackets_stay_where_the_mapping_does_not_ask() {
    let prose =
        "The [audio] system, hull form [TYPE_A], sys.modules[module_name] [gallery ids=\"1\"]";
    assert_eq!(plain(&json!(prose)).unwrap().as_deref(), Some(prose));
    let html = format!("<p>{prose}</p>");
    assert_eq!(plain(&json!(html)).unwrap().as_deref(), Some(prose));
}

#[test]
fn shortcodes_go_and_what_they_enclose_stays() {
    check(&[
        (
            "Text.\n\n[gallery ids=\"1,2\"]\n\nMore.\nLines.",
            "Text.\n\nMore.\nLines.",
        ),
        (
            "[caption id=\"a_1\" width=\"300\"]<img src=\"a.jpg\"> Under sail[/caption]She sails.",
            "Under sail\n\nShe sails.",
        ),
        (
            "[vc_row][vc_column width='1/2']One[/vc_column] [vc_column]Two[/vc_column][/vc_row]",
            "One\n\nTwo",
        ),
        ("[dropcap]T[/dropcap]he boat", "The boat"),
        ("[contact-form-7 id=12 title=\"Ask [us]\"/]", ""),
        ("a [my_button] b", "a b"),
        ("a[/foo] b", "a b"),
        (
            "[embed width=300]https://video.example/1[/embed]\nText",
            "Text",
        ),
        ("[gallery]", ""),
        ("[product\n  id='1'\n  sku='B']", ""),
        ("[note class=&quot;a&quot;]R&amp;D[/note]", "R&D"),
        (
            "one [[gallery ids=\"1\"]] two",
            "one [gallery ids=\"1\"] two",
        ),
        ("5 < 6 [gallery]", "5 < 6"),
    ]);
}

#[test]
fn what_only_looks_like_a_shortcode_is_prose() {
    for prose in [
        "It were [sic] 5 boats [1], [2].",
        "[see below] and [a]",
        "[...] [ ] [] [/]",
        "built [ca. 1974] in [12 m] steps",
        "m[0] = [x=1]",
        "[gallery](pictures.html) [caption",
        "[owner ship=\"",
        "[Ellös id=1]",
        "[note about ship=\"a\"b]",
    ] {
        check(&[(prose, prose)]);
    }
}

#[test]
fn comments_of_blocks_go() {
    check(&[(
        "<!-- wp:paragraph {\"dropCap\":true} -->\n<p>One</p>\n<!-- /wp:paragraph -->\n\n\
         <!-- wp:shortcode -->\n[gallery ids=\"1\"]\n<!-- /wp:shortcode -->\n\n\
         <!-- wp:paragraph -->\n<p>Two</p>\n<!-- /wp:paragraph -->",
        "One\n\nTwo",
    )]);
}

#[test]
fn a_text_of_more_brackets_takes_more_steps_by_as_much() {
    // All are examined twice: once to find ends, once to find what they end.
    for (each, part) in [
        (2, "["),
        (4, "[a"),
        (6, "[/b"),
        (8, "[/b]"),
        (24, "[a b=\""),
        (72, "[a b=\"[a c='"),
    ] {
        check_each(each, part, |parts| {
            without_shortcodes(&part.repeat(parts));
        });
    }
}
