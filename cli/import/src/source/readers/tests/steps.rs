//! Tests that the steps of readers grow linearly with the parts of a file, not quadratically.

use super::*;
use crate::steps::check_each;

/// Checks how many steps a reader takes for each of many parts, joined between a beginning and an
/// end.
#[track_caller]
fn check_parts(
    each: usize,
    reads: Reads,
    records: &[&str],
    (begin, join, end): (&str, &str, &str),
    part: impl Fn(usize) -> String,
) {
    check_each(each, begin, |parts| {
        let parts: Vec<String> = (0..parts).map(&part).collect();
        let file = format!("{begin}{}{end}", parts.join(join));
        let (_, ended) = read(reads, &mut Cursor::new(file), records);
        assert_eq!(ended.expect(begin), Vec::<usize>::new());
    });
}

#[test]
fn a_column_of_csv_is_looked_up_once() {
    check_parts(1, CSV, &[], ("", ",", "\n"), |n| format!("c{n}"));
}

#[test]
fn a_key_of_json_on_the_way_to_records_is_compared_once() {
    let around = ("{", ",", ",\"e\":[1]}");
    check_parts(1, JSON, &["e"], around, |n| format!("\"k{n}\":1"));
}

#[test]
fn a_member_of_a_list_of_json_on_the_way_to_records_is_compared_once() {
    let around = ("[", ",", ",{\"e\":[1]}]");
    check_parts(1, JSON, &["[].e"], around, |_| "{}".to_owned());
}

#[test]
fn an_element_and_an_attribute_of_xml_is_looked_up_once() {
    check_parts(1, XML, &["e"], ("<e>", "", "</e>"), |_| "<a/>".to_owned());
    check_parts(1, XML, &["e"], ("<e>", "", "</e>"), |n| format!("<a{n}/>"));
    check_parts(1, XML, &["e"], ("<e ", "", "/>"), |n| format!("a{n}='' "));
}
