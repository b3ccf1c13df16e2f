//! Tests of collecting findings.

use std::sync::Arc;

use super::*;

fn finding(code: Code, line: u64) -> Finding {
    let file = Arc::new(ExportFile {
        ordinal: 0,
        name: "a.ndjson".to_owned(),
        path: String::new(),
    });
    Finding::new(
        code,
        Some(Place {
            file,
            line: Some(line),
        }),
        "wrong",
    )
}

fn lines(findings: &Findings) -> Vec<u64> {
    findings
        .listed()
        .iter()
        .map(|finding| finding.place.as_ref().unwrap().line.unwrap())
        .collect()
}

#[test]
fn counts_are_exact_where_the_listing_is_cut() {
    let mut findings = Findings::new(3);
    for line in 1..=10 {
        findings.add(finding(Code::WrongType, line));
    }
    let mut more = Findings::new(3);
    more.add(finding(Code::WrongType, 11));
    more.add(finding(Code::InvalidUrl, 12));
    findings.append(more);
    assert_eq!((findings.errors(), findings.warnings()), (12, 0));
    assert_eq!(findings.counts()[&Code::WrongType], 11);
    assert_eq!(lines(&findings), [1, 2, 3]);
}

#[test]
fn errors_are_kept_in_preference_to_warnings_and_listed_by_place() {
    let mut findings = Findings::new(3);
    for line in 1..=5 {
        findings.add(finding(Code::ReplacementCharacter, line));
    }
    findings.add(finding(Code::WrongType, 9));
    findings.add(finding(Code::WrongType, 3));
    assert_eq!(lines(&findings), [1, 3, 9]);
}

#[test]
fn what_no_record_can_be_blamed_for_blocks_an_import() {
    let mut findings = Findings::new(1);
    findings.add(finding(Code::WrongType, 1));
    findings.add(finding(Code::NoPublishedBoats, 1));
    assert_eq!(findings.blocking_errors(), 0);
    findings.add(finding(Code::FileTruncated, 1));
    let record = RecordName {
        kind: Kind::Catalogue,
        id: None,
    };
    findings.add(Finding {
        record: Some(record),
        ..finding(Code::WrongType, 2)
    });
    assert_eq!(findings.blocking_errors(), 2);
}

#[test]
fn values_are_cut_between_characters() {
    assert_eq!(cut(&"é".repeat(200)), "é".repeat(200));
    assert_eq!(cut(&"é".repeat(201)), format!("{}…", "é".repeat(200)));
}
