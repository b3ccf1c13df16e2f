//! A row of a CSV file that does not fit its header is reported by its line, and only that row is
//! left out.

use std::fs;

use cli::ExitStatus;
use serde_json::Value;

use crate::harness::{Outcome, TestCli};

const MAPPING: &str = include_str!("../../../fixtures/findings/invalid_row/mapping.toml");
/// Its second and last row has no length.
const SHEET: &str = include_str!("../../../fixtures/findings/invalid_row/export.csv");

fn release(outcome: &Outcome) -> Value {
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let document = outcome.document();
    document["release"].clone()
}

#[test]
fn a_bad_row_costs_no_other_row() {
    let mut cli = TestCli::new();
    cli.write("mapping.toml", MAPPING);
    let (header, rows) = SHEET.split_once('\n').unwrap();
    let (good, bad) = rows.split_once('\n').unwrap();
    cli.write("export.csv", [header, bad.trim_end(), good].join("\n"));

    let import = [
        "import",
        "--json",
        "--mapping=[dir]/mapping.toml",
        "[dir]/export.csv",
    ];
    let refused = cli.run(&import);
    assert_eq!(refused.status, ExitStatus::InvalidData, "{refused}");
    let told = refused.to_string();
    for expected in ["INVALID_ROW", "\"line\": 2", "the row has 2 cells"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }

    let skipping = ["--skip-invalid", "--rejects=[dir]/rejects"];
    let done = cli.run(&[&import[..], &skipping].concat());
    let rejects = fs::read_to_string(cli.path("rejects")).unwrap();
    assert_eq!(rejects, format!("\u{feff}{header}\n{bad}"));
    cli.write("export.csv", [header, good].join("\n"));
    let again = cli.run(&import);
    // The same records make the same release.
    assert_eq!(release(&again), release(&done), "{again}");
}
