//! HTML: what browsers show of it, and what only looks like it.

use super::*;

#[test]
fn what_only_looks_like_a_tag_is_text() {
    check(&[
        ("mail <a@b.c>", "mail <a@b.c>"),
        ("<https://x.y>", "<https://x.y>"),
        ("use <return> key", "use <return> key"),
        (
            "<p>use <Return> &amp; mail <a@b.c></p>",
            "use <Return> & mail <a@b.c>",
        ),
        ("R&amp;D <return", "R&D <return"),
        ("<p>one <!todo> two</p>", "one <!todo> two"),
        ("<p>a<o:p>&nbsp;</o:p></p>", "a"),
        ("<p>a <svg><path d='M0'/></svg>b</p>", "a b"),
        ("<svg/><p>text</p>", "text"),
    ]);
}

#[test]
fn html_reads_as_browsers_show_it() {
    check(&[
        ("a&amp;b &lt;i&gt;", "a&b <i>"),
        ("R&D; fast", "R&D; fast"),
        ("one<br><br>two<br/><br/><br/>three", "one\n\ntwo\n\nthree"),
        ("<div>one<div>two</div>three</div>", "one\n\ntwo\n\nthree"),
        ("<p>one\n two", "one two"),
        ("<b>bo</b>ld <i> x</i>", "bold x"),
        ("<pre>one\n  two</pre>", "one\ntwo"),
        ("<script>if (a < b) { '<p>' }</script>text", "text"),
        (
            "<title>T</title><!-- c --><p>text</p><script>never closed",
            "text",
        ),
        (
            "<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>",
            "- one\n- two\n- three",
        ),
        ("<li>one<li>two", "- one\n- two"),
        ("<ul><li><p>one</p><p>more</p></li></ul>", "- one\nmore"),
        ("</ul></table></li><p>text</p>", "text"),
        (
            "<p>a</p><table><tr><th>Sail</th><th>Area</th></tr>\n<tr><td><p>Main</p>\n</td>\n\
             <td>30 m²</td></tr></table><p>b</p>",
            "a\n\nSail | Area\nMain | 30 m²\n\nb",
        ),
        ("<p>&nbsp;</p><p><img src=\"x>y\"></p>", ""),
    ]);
}

#[test]
fn a_tag_with_attributes_without_end_is_refused() {
    let attributes = |count: u32| {
        let names: Vec<String> = (0..count).map(|n| format!("a{n} ")).collect();
        names.concat()
    };
    for separator in [" ", "/", "=''"] {
        let endless = attributes(30_000).replace(' ', separator);
        let refused = plain(&json!(format!("<p {endless}>text</p>")));
        assert_eq!(refused, Err(NoPlainText::LongTag), "{separator}");
    }
    let many = format!("<p {}>text", attributes(1_000)).repeat(50);
    assert!(plain(&json!(many)).is_ok());
    // One character of 64 of an inline picture is a slash.
    let picture = format!("{}/", "A".repeat(63)).repeat(12_000);
    let picture = format!("<img src=\"data:image/png;base64,{picture}\">text");
    assert_eq!(plain(&json!(picture)).unwrap().as_deref(), Some("text"));
}
