//! `catalogue manual`: the manual pages.

use std::fs;

use crate::harness::{TestCli, assert_snapshot, check};

#[test]
fn every_command_has_a_page() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["manual", "[dir]/man/man1"]);
    check("manual", [&outcome]);
    let entries = fs::read_dir(cli.path("man/man1")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_snapshot("manual_pages", &names.join("\n"));
    for (name, page) in [
        ("manual_catalogue", "catalogue.1"),
        ("manual_diff", "catalogue-diff.1"),
    ] {
        let page = fs::read_to_string(cli.path("man/man1").join(page)).unwrap();
        assert_snapshot(name, &page);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let mut cli = TestCli::new();
    cli.write("file", "");
    check(
        "manual_no_folder",
        [&cli.run(&["manual", "[dir]/file/man1"])],
    );
}
