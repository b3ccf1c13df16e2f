//! Tests of collecting findings.

use std::sync::Arc;

use shared::base::field_path::Step;

use super::*;

fn finding(code: Code, line: u64) -> Finding {
    let file = Arc::new(ExportFile {
        ordinal: 0,
        name: "a.ndjson".to_owned(),
        path: String::new(),
    });
    Finding::new(code, Some(Place::at(&file, line.into())), "wrong")
}

fn lines(findings: &Findings) -> Vec<u64> {
    findings
        .listed()
        .iter()
        .map(|finding| finding.place.as_ref().unwrap().line().unwrap())
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
fn errors_are_kept_in_preference_to_warnings_and_listed_before_them() {
    let mut findings = Findings::new(3);
    for line in 1..=5 {
        findings.add(finding(Code::ReplacementCharacter, line));
    }
    findings.add(finding(Code::WrongType, 9));
    findings.add(finding(Code::WrongType, 3));
    assert_eq!(lines(&findings), [3, 9, 1]);
    let causes = findings.causes().into_iter().map(|cause| cause.code);
    let codes: Vec<Code> = causes.collect();
    assert_eq!(codes, [Code::WrongType, Code::ReplacementCharacter]);
}

#[test]
fn what_no_record_can_be_blamed_for_blocks_an_import() {
    let mut findings = Findings::new(1);
    findings.add(finding(Code::WrongType, 1));
    findings.add(finding(Code::NoPublishedBoats, 1));
    assert_eq!(findings.blocking_errors(), 0);
    findings.add(finding(Code::FileTruncated, 1));
    findings.add(Finding {
        record: Some(RecordName::of_kind(Kind::Catalogue)),
        ..finding(Code::WrongType, 2)
    });
    assert_eq!(findings.blocking_errors(), 2);
}

#[test]
fn values_are_cut_between_characters() {
    assert_eq!(cut(&"é".repeat(200)), "é".repeat(200));
    assert_eq!(cut(&"é".repeat(201)), format!("{}…", "é".repeat(200)));
}

/// A finding about a field of a boat, given by the keys and indices that lead to it.
fn about(code: Code, line: u64, path: &str, message: &str) -> Finding {
    let step = |step: &str| match step.parse() {
        Ok(index) => Step::Index(index),
        Err(_) => Step::key(step.to_owned()),
    };
    Finding {
        record: Some(RecordName::of_kind(Kind::Boat)),
        path: Some(path.split(' ').map(step).collect()),
        message: message.to_owned(),
        ..finding(code, line)
    }
}

#[test]
fn findings_of_one_code_and_field_have_one_cause_whatever_member_of_a_list_they_are_in() {
    let mut findings = Findings::new(1);
    let mut of_record = Findings::of_record(1_000);
    for line in 1..=10 {
        let path = format!("engines {line} maker");
        of_record.add(about(Code::WrongType, line, &path, "no text"));
    }
    findings.append(of_record);
    findings.add(about(Code::WrongType, 20, "model", "it is 1"));
    findings.add(about(Code::WrongType, 21, "model", "it is 2"));
    let causes = findings.causes();
    let seen: Vec<_> = causes
        .iter()
        .map(|cause| {
            (
                cause.field.as_ref().map(FieldPath::to_string),
                cause.count,
                cause.examples.len(),
                cause.says_one,
            )
        })
        .collect();
    let expected = [
        (Some("engines[].maker".to_owned()), 10, 3, true),
        (Some("model".to_owned()), 2, 2, false),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn causes_beyond_the_limit_are_counted_by_their_codes() {
    let mut findings = Findings::new(1);
    for line in 1..=1_001 {
        findings.add(about(
            Code::UnknownField,
            line,
            &format!("k{line}"),
            "unknown",
        ));
    }
    assert_eq!((findings.causes().len(), findings.errors()), (1_000, 1_001));
}

#[test]
fn a_field_is_renamed_where_as_many_records_have_another_at_the_same_place() {
    let mut findings = Findings::new(1);
    for line in 1..=2 {
        findings.add(about(Code::MissingField, line, "hull type", "required"));
        findings.add(about(Code::UnknownField, line, "hull kind", "unknown"));
        findings.add(about(Code::UnknownField, line, "kind", "unknown"));
    }
    findings.add(about(Code::UnknownField, 3, "hull form", "unknown"));
    let causes = findings.causes();
    let missing = causes[0];
    let renamed: Vec<_> = causes
        .iter()
        .filter(|other| missing.is_renamed_to(other))
        .filter_map(|other| other.name())
        .collect();
    assert_eq!(renamed, ["hull.kind"]);
}
