//! Pages for browsers, as snapshots show them: without the style sheet, which is a file of its own.

use std::fs;

use crate::harness::TestCli;

const STYLE: &str = include_str!("../../src/report/page.css");

/// The page that a command wrote to `[dir]/NAME`, of which the style is exactly the style sheet.
pub(crate) fn read(cli: &TestCli, name: &str) -> String {
    let page = fs::read_to_string(cli.path(name)).unwrap();
    let directory = cli.path("");
    let directory = directory.to_str().unwrap().trim_end_matches('/');
    let style = format!("<style>\n{}</style>\n", STYLE.trim_end());
    assert_eq!(page.matches(&style).count(), 1, "{page}");
    page.replace(&style, "").replace(directory, "[dir]")
}
