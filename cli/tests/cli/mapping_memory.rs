//! Mapping expressions that would take all memory, or the whole stack: the command ends, names the
//! expression and its place, and changes nothing.

use std::process::Output;

use import::mapping::Shipped;

use crate::harness::TestCli;
use crate::process::command;

const SANITY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/mapped/sanity/data.ndjson"
);

/// The output of an import whose mapping makes the length of a boat with `expression`.
fn import(cli: &TestCli, expression: &str) -> Output {
    let mapping = Shipped::Sanity.text();
    let mapping = mapping.replace("\".loa\"", &format!("'{expression}'"));
    cli.write("a.toml", mapping);
    let path = cli.path("a.toml");
    let args = ["import", SANITY, "--mapping", path.to_str().unwrap()];
    command(&cli.path("data"), &args).output().unwrap()
}

#[test]
fn an_expression_that_would_take_all_memory_is_reported() {
    let cli = TestCli::new();
    let expression = r#""x" * 100000000000000"#;
    let output = import(&cli, expression);
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = format!("takes more than 1024 MiB of memory: `{expression}` makes too much\n");
    let is_told = said.starts_with("error: mapping the record at ") && said.ends_with(&expected);
    assert!(is_told, "{}: {said}", output.status);
    assert_eq!(output.status.code(), Some(3));
    let mut releases = cli.path("data/releases").read_dir().unwrap();
    assert!(releases.next().is_none());
}

#[test]
fn values_that_are_nested_deep_do_not_end_the_program() {
    let cli = TestCli::new();
    let output = import(&cli, "reduce range(10000) as $i (1; [.])");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
