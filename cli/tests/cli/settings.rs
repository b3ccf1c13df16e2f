//! `catalogue.toml` and `catalogue settings`: the values of options that are not typed.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cli::ExitStatus;
use serde_json::Value;

use crate::harness::{TestCli, check};
use crate::pipe::make_pipe;
use crate::process::command;

#[test]
fn what_is_set_is_shown_with_where_it_is_from() {
    let mut cli = TestCli::new();
    cli.write(
        "my.toml",
        "data = \"boats\"\n[serve]\nlisten = \"0.0.0.0:80\"\n",
    );
    let outcomes = [
        &["settings"][..],
        &["settings", "--json", "--config", "[dir]/my.toml"],
    ]
    .map(|args| cli.run(args));
    check("settings", &outcomes);
    let of_file = cli.run(&["settings", "--config", "[dir]/my.toml"]).out;
    let last = "\n\nThe file is [dir]/my.toml.\n";
    assert!(of_file.ends_with(last), "{of_file}");
    let changed = of_file.lines().zip(outcomes[0].out.lines());
    let mut changed = changed.filter(|(line, default)| !line.is_empty() && line != default);
    let (listen, default) = changed.next().unwrap();
    assert_eq!(
        listen,
        default
            .replace("127.0.0.1:8080  ", "0.0.0.0:80      ")
            .replace("default", "file   ")
    );
    assert_eq!(changed.count(), 1, "the last line: {of_file}");
}

#[test]
fn init_writes_a_file_that_sets_nothing_and_overwrites_nothing() {
    let mut cli = TestCli::new();
    let outcomes = [
        &["settings", "init", "-"][..],
        &["settings", "init", "[dir]/my.toml"],
        &["settings", "init", "[dir]/my.toml"],
        &["settings", "--config", "[dir]/my.toml", "--json"],
    ]
    .map(|args| cli.run(args));
    check("settings_init", &outcomes[..3]);
    assert_eq!(
        fs::read_to_string(cli.path("my.toml")).unwrap(),
        outcomes[0].out
    );
    let shown = outcomes[3].document();
    let settings = shown["settings"].as_array().unwrap().iter();
    // Every test types the data directory, so it is never set.
    for setting in settings.filter(|setting| setting["name"] != "data") {
        assert_eq!(setting["source"], "default", "{setting}");
    }
}

#[test]
fn a_file_that_cannot_be_used_stops_every_command_but_a_question_for_help() {
    let mut cli = TestCli::new();
    cli.write("bad.toml", "[serve]\nlisten = \"everywhere\"\nlimit = 3\n");
    cli.write("long.toml", "#".repeat(64 * 1024 + 1));
    make_pipe(&cli.path("pipe.toml"));
    let outcomes = [
        &["keys", "list", "--config", "[dir]/bad.toml"][..],
        &["keys", "list", "--config", "[dir]/long.toml"],
        &["keys", "list", "--config", "[dir]/missing.toml"],
        &["keys", "list", "--config", "[dir]"],
        &["keys", "list", "--config", "[dir]/pipe.toml"],
        &["keys", "list", "--config", "/dev/zero"],
        &["keys", "list", "--config", "/dev/null"],
        &["keys", "lst", "--config", "[dir]/bad.toml"],
    ]
    .map(|args| cli.run(args));
    check("settings_unusable", &outcomes);
    let help = cli.run(&["keys", "list", "--help", "--config", "[dir]/bad.toml"]);
    assert_eq!(help.status, ExitStatus::Done, "{help}");
}

#[test]
fn a_file_that_cannot_be_used_does_not_stop_what_nothing_can_be_set_for() {
    let mut cli = TestCli::new();
    cli.write("bad.toml", "[serve]\nlisten = \"everywhere\"\n");
    for args in [
        &["settings", "init", "-"][..],
        &["settings", "init", "[dir]/new.toml"],
        &["completions", "bash"],
        &["manual", "[dir]/man"],
        &["openapi"],
        &["schema"],
        &["explain-code", "DANGLING_REFERENCE"],
    ] {
        let outcome = cli.run(&[args, &["--config", "[dir]/bad.toml"]].concat());
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    }
}

#[test]
fn options_of_every_command_may_stand_before_init() {
    let mut cli = TestCli::new();
    let outcome = cli.run(&["settings", "--data", "[dir]/boats", "init", "-"]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let outcome = cli.run(&["settings", "--json", "init", "-"]);
    assert_eq!(outcome.status, ExitStatus::WrongUsage, "{outcome}");
}

#[test]
fn a_value_is_shown_without_what_a_terminal_obeys_and_without_keys() {
    let mut cli = TestCli::new();
    let key = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";
    let text = format!("import.mapping = \"/a\\u001b[31m\"\nserve.log = \"{key}\"\n");
    cli.write("odd.toml", text);
    let shown = cli.run(&["settings", "--config", "[dir]/odd.toml"]);
    assert!(shown.out.contains(r"/a\u{1b}[31m "), "{shown}");
    assert!(shown.out.contains("boat_test_789ABC… "), "{shown}");
    let json = cli.run(&["settings", "--json", "--config", "[dir]/odd.toml"]);
    assert!(!json.out.contains(key), "{json}");
}

/// Writes a file with exactly these permissions, whatever the umask is.
fn write(path: &Path, text: &str, mode: u32) {
    let mut file = File::create(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.set_permissions(Permissions::from_mode(mode)).unwrap();
}

/// What `settings` says about the limit of new keys, in a folder with a file that sets 70.
fn rate_limit(variable: Option<&str>) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalogue.toml");
    write(&file, "[keys.issue]\nrate-limit = 70\n", 0o644);
    let mut settings = command(folder.path(), &["settings", "--json"]);
    settings.current_dir(folder.path());
    settings.envs(variable.map(|value| ("CATALOGUE_RATE_LIMIT", value)));
    let output = settings.output().unwrap();
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settings = shown["settings"].as_array().unwrap();
    let of_name = |setting: &&Value| setting["name"] == "keys.issue.rate-limit";
    let found = settings.iter().find(of_name).unwrap();
    let text = |member: &str| found[member].as_str().unwrap().to_owned();
    (text("value"), text("source"))
}

#[test]
fn a_variable_wins_over_the_file_of_the_folder_which_wins_over_the_default() {
    assert_eq!(rate_limit(None), ("70".to_owned(), "file".to_owned()));
    let variable = ("80".to_owned(), "variable".to_owned());
    assert_eq!(rate_limit(Some("80")), variable);
}

#[test]
fn a_variable_that_is_refused_is_shown_as_such() {
    let (value, source) = rate_limit(Some("many"));
    assert_eq!(value, "must be a whole number, such as 500, 100k or 2M");
    assert_eq!(source, "variable, refused");
}

#[test]
fn a_typed_option_wins_over_the_file_and_one_that_is_not_typed_does_not() {
    let mut cli = TestCli::new();
    cli.write("my.toml", "[subscriptions.create]\nquota = 70\n");
    for (args, quota) in [(&["fleet"][..], "70"), (&["marina", "--quota", "80"], "80")] {
        let command = [
            "subscriptions",
            "create",
            "--json",
            "--config",
            "[dir]/my.toml",
        ];
        let outcome = cli.run(&[&command[..], args].concat());
        let created = outcome.document();
        assert_eq!(created["quota"].to_string(), quota, "{outcome}");
    }
}

#[test]
fn a_file_of_the_folder_that_others_can_write_is_not_used_unless_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalogue.toml");
    write(&file, "[serve]\nlisten = \"127.0.0.1:1\"\n", 0o666);
    let run = |args: &[&str]| {
        let mut settings = command(folder.path(), args);
        settings.current_dir(folder.path()).output().unwrap()
    };
    let refused = run(&["settings"]);
    assert_eq!(refused.status.code(), Some(2));
    let expected = "error: the settings catalogue.toml in this folder are not used: others can write them\n\
                    hint: name them if they are meant, --config catalogue.toml, or make them yours alone\n";
    assert_eq!(String::from_utf8(refused.stderr).unwrap(), expected);
    assert!(
        run(&["settings", "--config", "catalogue.toml"])
            .status
            .success()
    );
}
