//! Tests of WordPress shortcodes and comments: which are removed, and which brackets are prose.

use super::*;
use crate::steps::check_each;

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
            plain(&json!(part.repeat(parts))).unwrap();
        });
    }
}
