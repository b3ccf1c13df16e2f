//! `catalogue manual`: the manual pages.

use std::fs;

use crate::harness::{TestCli, assert_snapshot, check};

/// A command and all below it, each with the line that says what it is for.
pub(crate) fn commands(cli: &mut TestCli, command: &str) -> Vec<(String, String)> {
    let words = command.split_whitespace();
    let args: Vec<&str> = words.chain(["--help"]).collect();
    let help = cli.run(&args).out;
    let mut found = vec![(command.to_owned(), help.lines().next().unwrap().to_owned())];
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let below = below.take_while(|line| !line.is_empty());
    for line in below.filter(|line| !line.starts_with("   ")) {
        let name = line.split_whitespace().next().unwrap();
        if name != "help" {
            found.extend(commands(cli, &format!("{command} {name}")));
        }
    }
    found
}

#[test]
fn every_command_has_a_page_that_says_what_its_help_says() {
    let mut cli = TestCli::new();
    let written = cli.run(&["manual", "[dir]/man/man1"]);
    let page = |name: &str| fs::read_to_string(cli.path("man/man1").join(name)).unwrap();
    let root = page("catalogue.1");
    for section in ["SUBCOMMANDS", "NOTES", "\"EXIT STATUS\"", "FILES"] {
        assert!(root.contains(&format!("\n.SH {section}\n")), "{root}");
    }
    assert_snapshot("manual_diff", &page("catalogue-diff.1"));
    let entries = fs::read_dir(cli.path("man/man1")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    let mut expected = Vec::new();
    for (command, purpose) in commands(&mut cli, "") {
        let name = format!("catalogue{}.1", command.replace(' ', "-"));
        let text = fs::read_to_string(cli.path("man/man1").join(&name)).unwrap();
        let text = text.replace("\\-", "-").replace("\\*(Aq", "'");
        assert!(text.contains(&purpose), "{purpose}: {text}");
        expected.push(name);
    }
    expected.sort();
    assert_eq!(names, expected);
    cli.write("file", "");
    // A folder that cannot be made is named.
    let refused = cli.run(&["manual", "[dir]/file/man1"]);
    check("manual", [&written, &refused]);
}
