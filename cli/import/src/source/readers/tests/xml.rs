//! Tests of XML documents.

use super::*;

const DOCUMENT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE catalogue>
<catalogue version="1">
  <boats>
    <boat id="1" x:note="a &lt; b">
      <model> 340 </model>
      <sail>Main</sail><sail unit="m2">30 &amp; <![CDATA[<more>]]></sail><sail/>
      <!-- nothing -->
      <keel></keel>
    </boat>
    <boat>text</boat><boat/>
  </boats>
  <makers><maker id="&#233;"/></makers>
</catalogue>
"#;

#[test]
fn records_are_found_where_they_are_said_to_be() {
    let boats = [
        "5 {\"@id\":\"1\",\"@x:note\":\"a < b\",\"keel\":null,\"model\":\"340\",\"sail\":\
         [\"Main\",{\"#text\":\"30 & <more>\",\"@unit\":\"m2\"},null]}",
        "11 \"text\"",
        "11 null",
    ];
    check(XML, DOCUMENT, &["catalogue.boats.boat"], &boats);
    check(
        XML,
        DOCUMENT,
        &["catalogue.makers"],
        &[r#"13 {"maker":{"@id":"é"}}"#],
    );
    check(XML, "<a>\n<b>1</b></a>", &[], &[r#"1 {"b":"1"}"#]);
}

#[test]
fn words_beside_elements_of_html_are_html_and_beside_others_a_text() {
    let document = "<r><a lang='en'>Fast &amp; <b>dry</b>.<br/>5 &lt; 6<h:ul><li>One</li></h:ul></a>\
                    <a><p>One</p><p>Two</p></a>\
                    <a>120 <currency>EUR</currency><b>x</b></a>\
                    <a> <b>x</b> </a></r>";
    let records = [
        r##"1 {"#text":"Fast &amp; <b>dry</b>.<br>5 &lt; 6<ul><li>One</li></ul>","@lang":"en"}"##,
        r#"1 {"p":["One","Two"]}"#,
        r##"1 {"#text":"120","b":"x","currency":"EUR"}"##,
        r#"1 {"b":"x"}"#,
    ];
    check(XML, document, &["r.a"], &records);
}

#[test]
fn children_that_are_of_a_list_are_one_however_many_there_are() {
    let document = "<r><a><tag/></a><a><tag>1</tag><tag x=\"2\"/><b><tag>3</tag></b></a><a/></r>";
    let records = [
        r#"1 {"tag":[null]}"#,
        r#"1 {"b":{"tag":["3"]},"tag":["1",{"@x":"2"}]}"#,
        "1 null",
    ];
    check(XML, document, &["r.a"], &records);
    check(XML, "<tag>1</tag>", &["tag"], &[r#"1 "1""#]);
}

#[test]
fn places_that_the_document_has_not_are_told() {
    let records = ["boats.boat", "catalogue.boats"];
    let (found, ended) = read(XML, &mut Cursor::new(DOCUMENT), &records);
    assert_eq!((found.len(), ended.unwrap()), (1, vec![0]));
}

#[test]
fn damage_is_told_with_its_line() {
    use Code::{FileCorrupt, FileTruncated};
    let boat = &["catalogue.boats.boat"][..];
    let cut = |at: &str| &DOCUMENT.as_bytes()[..DOCUMENT.find(at).unwrap()];
    let incomplete = (FileTruncated, 7, "ends before it is complete");
    check_broken(XML, cut("<sail>Main"), boat, 0, incomplete);
    check_broken(
        XML,
        cut("unit="),
        boat,
        0,
        (FileTruncated, 7, "tag not closed"),
    );
    for (file, expected) in [
        ("", (FileTruncated, 1, "ends before it is complete")),
        ("<a>\n<b></a>", (FileCorrupt, 2, "expected `</b>`")),
        ("<a>\n<b>1 & 2</b></a>", (FileCorrupt, 2, "not valid XML")),
        (
            "<a x='1'\n x='2'/>",
            (FileCorrupt, 2, "the attribute @x twice"),
        ),
        ("<a/>\n<a/>", (FileCorrupt, 2, "a second root element")),
        (
            "<?xml version='1.0' encoding='x-none'?><a/>",
            (FileCorrupt, 1, "which is not known"),
        ),
    ] {
        let count = usize::from(file.starts_with("<a/>"));
        check_broken(XML, file.as_bytes(), &[], count, expected);
    }
    check_broken(
        XML,
        b"<a>\n\xe9</a>",
        &[],
        0,
        (FileCorrupt, 2, "not valid XML"),
    );
}

#[test]
fn entities_of_the_document_are_not_expanded() {
    let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>\n";
    for body in ["<a>&b;</a>", "<a>&c;</a>", "<a x=\"&b;\"/>"] {
        let file = format!("{laughs}{body}");
        let (found, ended) = read(XML, &mut Cursor::new(&file), &[]);
        assert!(found.is_empty(), "{file}");
        assert!(
            matches!(ended, Err(FileError::Damaged { .. })),
            "{file}: {ended:?}"
        );
    }
}
