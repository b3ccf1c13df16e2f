//! Mapping expressions that would take the whole stack: the command ends, and changes nothing.

use std::process::Output;

use import::mapping::Shipped;

use crate::harness::TestCli;
use crate::process::command;

const SANITY: &str = fixture!("mapped/sanity/data.ndjson");

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
fn values_that_are_nested_deep_do_not_end_the_program() {
    let cli = TestCli::new();
    let output = import(&cli, "reduce range(10000) as $i (1; [.])");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
