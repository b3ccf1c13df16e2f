//! Tests of HTML: what browsers show of it, and text that only looks like HTML.

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
    // In an inline picture, one in 64 characters is a slash.
    let picture = format!("{}/", "A".repeat(63)).repeat(12_000);
    let picture = format!("<img src=\"data:image/png;base64,{picture}\">text");
    assert_eq!(plain(&json!(picture)).unwrap().as_deref(), Some("text"));
}

#[test]
fn a_blank_line_in_html_parts_paragraphs_where_text_stands_by_itself() {
    check(&[
        (
            "A <em>b</em>.\n\nSecond paragraph",
            "A b.\n\nSecond paragraph",
        ),
        ("a\r\n \t\r\n<b>b</b>", "a\n\nb"),
        ("a<b>\n</b>\nb", "a\n\nb"),
        ("R&amp;D\n\nSecond", "R&D\n\nSecond"),
        ("<h2>Head</h2>\nOne\n\ntwo", "Head\n\nOne\n\ntwo"),
        ("<p>a</p>\nb\n\nc<br>\nd e\nf", "a\n\nb\n\nc\nd e f"),
        ("<blockquote>a\n\nb</blockquote>", "a\n\nb"),
        ("<div>a\n\nb</div>", "a\n\nb"),
        ("a\n\n\n\n<p>b</p>\n\n<hr>\n\nc", "a\n\nb\n\nc"),
        ("a\n&nbsp;\nb", "a\n\nb"),
        ("a <b>\n\n</b><!-- more -->\nb", "a\n\nb"),
    ]);
}

#[test]
fn a_blank_line_within_a_paragraph_of_html_is_a_blank() {
    check(&[
        ("<p>a</p>\n\n<p>b</p>", "a\n\nb"),
        (
            "<div>\n\n  <p>\n    a\n\n    <b>b</b>\n  </p>\n\n</div>\n\n",
            "a b",
        ),
        ("<h2>a\n\nb</h2>", "a b"),
        (
            "<ul>\n\n  <li>a\n\n  b</li>\n\n  <li>c</li>\n\n</ul>",
            "- a b\n- c",
        ),
        (
            "<table>\n\n<tr>\n\n<td>a\n\nb</td>\n\n<td>c</td></tr></table>",
            "a b | c",
        ),
        ("<dl><dt>a\n\nb<dd>c\n\nd</dl>", "a b\n\nc d"),
        ("<pre>a\n\n\nb</pre>", "a\n\nb"),
    ]);
}

#[test]
fn lines_of_html_without_paragraphs_are_those_of_its_author() {
    check(&[
        ("Length: <b>10 m</b>\nBeam: 3 m", "Length: 10 m\nBeam: 3 m"),
        ("<h2>Sizes</h2>\nLength\n  Beam ", "Sizes\n\nLength\nBeam"),
        ("<ul><li>a\nb</li></ul>c\nd", "- a b\n\nc\nd"),
        ("one<br>two\nthree", "one\ntwo three"),
        ("<p>one</p>two\nthree", "one\n\ntwo three"),
        ("<div>one\n<b>two</b></div>", "one two"),
    ]);
}
