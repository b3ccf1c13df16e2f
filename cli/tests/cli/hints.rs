//! Commands in hints work when they are pasted.

use std::fs;
use std::process::Command;

use shared::base::data_dir::DataDir;
use shared::keys::environment::Environment;
use shared::servers::ServerLock;

use crate::harness::{SAMPLE, TestCli};
use crate::process::{SERVE, Server, catalogue, command};

#[test]
fn a_typed_data_directory_and_file_of_settings_are_part_of_what_is_to_be_pasted() {
    let mut cli = TestCli::new();
    cli.write("my settings.toml", "");
    for (args, expected) in [
        (&["keys", "list"][..], "subscriptions create NAME"),
        (
            &["keys", "show", "key_0000000000000000"],
            "subscriptions create NAME",
        ),
        (
            &["subscriptions", "create", "Acme"],
            "keys issue --subscription Acme",
        ),
        (&["keys", "show", "key_0000000000000000"], "keys list"),
        (&["releases", "list"], "import EXPORT"),
        (&["serve"], "import EXPORT"),
        (&["doctor"], "import EXPORT"),
        (&["doctor", "--json"], "import EXPORT"),
        (&["import", SAMPLE], "keys issue --subscription Acme"),
    ] {
        let config = "--config=[dir]/my settings.toml";
        let said = cli.run(&[args, &[config]].concat());
        let pasted = format!(
            "catalogue --data [dir]/catalogue-data --config '[dir]/my settings.toml' {expected}"
        );
        assert!(said.to_string().contains(&pasted), "{said}");
    }
}

/// What is named may be more than one word to a shell, and move the cursor of a terminal.
#[test]
fn a_name_is_repeated_as_one_word_that_moves_no_cursor() {
    const NAME: &str = "a b\u{1b}[2J;$(x)";
    let mut cli = TestCli::new();
    fs::create_dir(cli.path(NAME)).unwrap();
    let file = |name: &str| format!("[dir]/{NAME}/{name}");
    cli.write(
        &format!("{NAME}/boats.csv"),
        "id,model,manufacturer\n1,Sum,Nord\n",
    );
    let [data, csv] = ["data", "boats.csv"].map(file);
    for args in [
        &["releases", "list"][..],
        &["store", "init"],
        &["store", "init"],
        &["subscriptions", "list"],
        &["keys", "list"],
        &["doctor"],
        &["import", &csv],
        &["import", SAMPLE],
        &["validate", &csv],
        &["export", "--to", &file("boats.ndjson")],
        &["mapping", "init", "minimal", &file("minimal.toml")],
        &[
            "mapping",
            "init",
            "--from",
            &csv,
            "--to",
            &file("boats.toml"),
        ],
        &["mapping", "check", &file("boats.toml"), &csv],
        &["import", "--mapping", &file("boats.toml"), &csv],
        &["settings", "init", &file("settings.toml")],
        &["settings", "--config", &file("settings.toml")],
        &["settings", "--config", &file("missing.toml")],
        &["store", "backup", &file("backup.sqlite")],
        &["usage"],
    ] {
        let said = cli.run(&[args, &["--data", &data]].concat());
        let shown = format!("{}{}", said.out, said.err);
        let is_obeyed = |c: char| c.is_control() && c != '\n';
        assert!(!shown.contains(is_obeyed), "{args:?}: {shown}");
        for (at, _) in shown.match_indices("[dir]/a b") {
            let before = shown[..at].rsplit('\n').next().unwrap();
            let is_pasted = before.contains("catalogue ") && !before.contains(" in ");
            assert!(!is_pasted || before.ends_with('\''), "{args:?}: {shown}");
        }
    }
}

#[test]
fn what_was_not_typed_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let told = |set: &dyn Fn(&mut Command)| {
        let typed = command(folder.path(), &[]);
        let mut list = Command::new(typed.get_program());
        list.args(["keys", "list"]).current_dir(folder.path());
        list.env_remove("CATALOGUE_DATA");
        set(&mut list);
        String::from_utf8(list.output().unwrap().stdout).unwrap()
    };
    let from_environment = told(&|list| {
        list.env("CATALOGUE_DATA", "elsewhere");
    });
    for told in [told(&|_| {}), from_environment] {
        assert!(
            told.contains(": catalogue subscriptions create NAME"),
            "{told}"
        );
    }
}

#[test]
fn an_import_where_a_server_runs_does_not_say_that_one_is_to_be_started() {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme"]);
    let data = DataDir::new(cli.path("catalogue-data"));
    let lock = ServerLock::take(&data, Environment::Live).unwrap();
    let followed = cli.run(&["import", SAMPLE]);
    drop(lock);
    assert!(
        followed
            .out
            .contains("Running servers follow within a second."),
        "{followed}"
    );
    assert!(!followed.out.contains("serve\n"), "{followed}");
}

#[test]
fn a_server_without_a_key_store_says_how_to_make_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    catalogue(&data, &["import", SAMPLE]);
    let log = folder.path().join("log");
    let mut serve = command(&data, &SERVE[..5]);
    serve.stderr(fs::File::create(&log).unwrap());
    drop(Server::run(serve));
    let log = fs::read_to_string(&log).unwrap();
    let remedy = format!(
        "catalogue --data {} subscriptions create NAME",
        data.display()
    );
    assert!(log.contains(&remedy), "{log}");
}
