//! `catalogue openapi`: the command prints what a server serves.

use crate::harness::TestCli;

#[test]
fn the_document_is_printed_without_a_data_directory() {
    let mut cli = TestCli::new();
    let printed = cli.run(&["openapi"]);
    let document = printed.document();
    assert_eq!(document["openapi"], "3.1.1");
    assert!(printed.out.ends_with("}\n") && printed.err.is_empty());
    assert!(!cli.path("catalogue-data").exists());
}
