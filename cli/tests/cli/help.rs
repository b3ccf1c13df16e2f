//! Help texts, and the responses to wrong usage.

use crate::harness::{Outcome, TestCli, check};

/// The part of a help text about the options that every command has: a heading and indented lines.
fn options_of_every_command(help: &str) -> &str {
    let heading = "Options of every command:\n";
    let start = help.find(heading).unwrap();
    let lines = help[start + heading.len()..].split_inclusive('\n');
    let lines = lines.take_while(|line| line.trim().is_empty() || line.starts_with("  "));
    let length = heading.len() + lines.map(str::len).sum::<usize>();
    &help[start..start + length]
}

/// Help texts, each with its options of every command unless an earlier text has the same.
#[derive(Default)]
struct Helped {
    seen: Vec<String>,
}

impl Helped {
    fn run(&mut self, command: &str) -> Outcome {
        let words = command.split_whitespace().chain(["--help"]);
        let mut helped = TestCli::new().run(&words.collect::<Vec<_>>());
        let options = options_of_every_command(&helped.out).to_owned();
        let known = options.trim_end().to_owned();
        if self.seen.contains(&known) {
            helped.out = helped.out.replacen(&options, "", 1);
        } else {
            self.seen.push(known);
        }
        helped
    }
}

#[test]
fn every_help_text_is_short_and_exact() {
    let mut helped = Helped::default();
    check("help", [&helped.run("")]);
    for (name, commands) in [
        ("help_exports", "demo,validate,import,schema,export,openapi"),
        (
            "help_releases",
            "diff,releases,releases activate,releases verify,releases log,releases prune",
        ),
        (
            "help_subscriptions",
            "subscriptions,subscriptions create,subscriptions list,subscriptions show,\
             subscriptions update,subscriptions rename,\
             subscriptions delete,usage",
        ),
        (
            "help_keys",
            "keys,keys issue,keys list,keys show,keys update,keys rotate,keys disable,keys enable,\
             keys revoke,keys log",
        ),
        (
            "help_serve",
            "serve,store,store copy,store backup,settings,settings init,completions,manual",
        ),
    ] {
        let texts: Vec<Outcome> = commands.split(',').map(|name| helped.run(name)).collect();
        check(name, &texts);
    }
    assert_eq!(helped.seen.len(), 2, "that of --help, and a longer one");
}

#[test]
fn wrong_usage_is_reported_with_the_nearest_right_one() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["key", "list"][..],
        &["keys", "isue"],
        &["keys", "list", "--jsn"],
        &["keys", "show"],
        &["completions", "cmd"],
        &["serve", "--listen", "x"],
    ]
    .map(|args| cli.run(args));
    check("wrong_usage", &outcomes);
}

#[test]
fn the_data_directory_may_be_named_before_and_after_the_command() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["keys", "list", "--data", "[dir]/elsewhere"]);
    check("data_after_the_command", [&outcome]);
}
