//! A row of a CSV file that does not fit its header is reported by its line, and only that row is
//! left out.

use std::fs;
use std::io::Write as _;

use cli::ExitStatus;
use import::mapping::Shipped;

use crate::harness::TestCli;

const BOATS: &str = include_str!("../../../fixtures/mapped/csv/boats.csv");
const OTHERS: [(&str, &str); 3] = [
    (
        "manufacturers.csv",
        include_str!("../../../fixtures/mapped/csv/manufacturers.csv"),
    ),
    (
        "designers.csv",
        include_str!("../../../fixtures/mapped/csv/designers.csv"),
    ),
    (
        "terms.csv",
        include_str!("../../../fixtures/mapped/csv/terms.csv"),
    ),
];

fn put(cli: &TestCli, name: &str, text: &str) {
    let path = cli.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_bad_row_costs_no_other_row() {
    let mut cli = TestCli::new();
    put(&cli, "csv.toml", Shipped::Csv.text());
    for (name, text) in OTHERS {
        put(&cli, &format!("export/{name}"), text);
    }
    // Between the header and the first boat.
    let (header, rows) = BOATS.split_once('\n').unwrap();
    let with_bad_row = format!("{header}\nx,y\n{rows}");
    put(&cli, "export/boats.csv", &with_bad_row);

    let import = ["import", "--mapping=[dir]/csv.toml", "[dir]/export"];
    let refused = cli.run(&import);
    assert_eq!(refused.status, ExitStatus::InvalidData, "{refused}");
    let told = refused.to_string();
    for expected in ["INVALID_ROW", "boats.csv:2", "the row has 2 cells"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }

    let skipping = ["--skip-invalid", "--rejects=[dir]/rejects", "--json"];
    let done = cli.run(&[&import[..], &skipping].concat());
    assert_eq!(done.status, ExitStatus::Done, "{done}");
    let rejects = fs::read_to_string(cli.path("rejects")).unwrap();
    assert_eq!(rejects, "[\"x\",\"y\"]\n");
    put(&cli, "export/boats.csv", BOATS);
    let again = cli.run(&[&import[..], &["--json"]].concat());
    let release = |outcome: &str| -> serde_json::Value {
        let document: serde_json::Value = serde_json::from_str(outcome).unwrap();
        document["release"].clone()
    };
    // The same records make the same release.
    assert_eq!(release(&again.out), release(&done.out), "{again}");
}
