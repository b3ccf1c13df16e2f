//! The shape of what each command prints with `--json`: the names and the types of all members.
//!
//! Programs rely on it. Every command is run in each way that gives a document of its own, and what
//! all of them have makes the shape; a command that is not run here is found by its help.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::edited::Edited;
use crate::harness::{TestCli, assert_snapshot};
use crate::manual::commands;

/// What is not a matter of the command line: steps of DuckDB, and values of records.
const OF_OTHERS: [&str; 4] = ["plan", "value", "old", "new"];

/// The types of members, by the path of the object that they are in and by their names.
type Shape = BTreeMap<String, BTreeMap<String, BTreeSet<&'static str>>>;

const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// Adds what is at a path.
fn add(path: &str, value: &Value, shape: &mut Shape) {
    let mut member = |name: &str, of: &Value| {
        let members = shape.entry(path.to_owned()).or_default();
        members
            .entry(name.to_owned())
            .or_default()
            .insert(type_of(of));
    };
    match value {
        Value::Object(members) => {
            for (name, of) in members {
                member(name, of);
            }
            for (name, of) in members {
                if !OF_OTHERS.contains(&name.as_str()) {
                    add(&format!("{path}.{name}"), of, shape);
                }
            }
        }
        Value::Array(list) => {
            for of in list {
                member("[]", of);
            }
            for of in list {
                add(&format!("{path}[]"), of, shape);
            }
        }
        _ => {}
    }
}

fn lines(shape: &Shape) -> String {
    let mut text = String::new();
    for (path, members) in shape {
        let members = members.iter().map(|(name, types)| {
            let types: Vec<&str> = types.iter().copied().collect();
            format!("{name} {}", types.join("|"))
        });
        let members: Vec<String> = members.collect();
        writeln!(text, "  {path}: {}", members.join(", ")).unwrap();
    }
    text
}

/// Runs commands with `--json`, and keeps the shape of what each printed.
struct Shapes {
    cli: TestCli,
    of_commands: BTreeMap<String, Shape>,
}

impl Shapes {
    /// Runs a command, of one word or several, with these arguments.
    fn run(&mut self, command: &str, args: &[&str]) -> Value {
        let words: Vec<&str> = command.split(' ').collect();
        let outcome = self.cli.run(&[&words, args, &["--json"]].concat());
        let printed = outcome.document();
        let shape = self.of_commands.entry(command.to_owned()).or_default();
        add("", &printed, shape);
        printed
    }

    fn of_releases(&mut self) {
        let few = Edited::sample().only_boats(6);
        few.write(&self.cli, "few.ndjson");
        let renamed = few.boat(0, |boat| boat["model"] = json!("Renamed"));
        let edited = renamed.without_boats(2).with_boat("added");
        edited.write(&self.cli, "edited.ndjson");
        self.cli
            .write("bad.ndjson", r#"{"kind":"designer","id":"d 1","name":"x"}"#);
        let (few, edited) = ("[dir]/few.ndjson", "[dir]/edited.ndjson");
        for export in ["[dir]/bad.ndjson", few] {
            self.run("import", &[export]);
            self.run("validate", &[export]);
        }
        self.run("import", &[few, "--if-changed"]);
        self.cli.advance(Duration::from_mins(1));
        // The guards refuse it.
        let second = self.run("import", &[edited])["release"].clone();
        let second = second.as_str().unwrap().to_owned();
        self.run("diff", &[&second]);
        self.run("diff", &[&second, "--record", "boat-003"]);
        self.run("releases activate", &[&second]);
        self.run("releases rollback", &[]);
        self.run("releases show", &[]);
        self.run("releases log", &[]);
        for address in [
            "/v1/boats?lengthMin=9&limit=2&category=none",
            "/v1/boats/aero-28",
            "/v1/boats?size=1",
            "/v2",
        ] {
            self.run("explain", &[address]);
        }
        self.cli.advance(Duration::from_hours(48));
        std::fs::create_dir(self.cli.path("catalogue-data/.new-killed")).unwrap();
        std::fs::create_dir(self.cli.path("catalogue-data/releases/strange")).unwrap();
        self.run("import", &["[dir]/bad.ndjson"]);
        for command in [
            "releases list",
            "releases verify",
            "releases prune",
            "doctor",
        ] {
            self.run(command, &[]);
        }
        std::fs::remove_dir_all(self.cli.path("catalogue-data/releases")).unwrap();
        for command in [
            "releases list",
            "releases verify",
            "releases prune",
            "doctor",
        ] {
            self.run(command, &[]);
        }
    }

    fn of_keys(&mut self) {
        self.run("subscriptions create", &["Acme"]);
        self.run("subscriptions create", &["Beta"]);
        self.run("subscriptions update", &["Acme", "--quota", "7"]);
        self.run("subscriptions show", &["Acme"]);
        self.run("subscriptions rename", &["Beta", "Gamma"]);
        self.run("subscriptions delete", &["Gamma"]);
        self.run("subscriptions list", &[]);
        let issue = ["--subscription", "Acme", "--scope", "boats.read", "--name"];
        let named = ["Web", "--expires", "90d"];
        let named = self.run("keys issue", &[&issue[..], &named].concat());
        let other = self.run("keys issue", &issue[..4]);
        let [named, other] = [named, other].map(|key| key["id"].as_str().unwrap().to_owned());
        self.run("keys update", &[&named, "--rate-limit", "7"]);
        self.run("keys disable", &[&other]);
        self.run("keys enable", &[&other]);
        self.run("keys show", &[&other]);
        self.run("keys rotate", &[&named]);
        self.run("keys revoke", &[&other]);
        self.run("keys list", &[]);
        self.run("keys log", &[]);
        self.run("usage", &[]);
        self.cli.advance(Duration::from_hours(240));
        self.run("usage", &[]);
        self.run("usage", &["--by", "key"]);
        self.run("store copy", &["--to", "[dir]/copy.sqlite"]);
        self.run("store backup", &["[dir]/backup.sqlite"]);
    }

    fn of_mappings(&mut self) {
        let mapping = "mapping = \"boat-catalogue-mapping/1\"\n\
            [variables]\nsite = \"https://cms.example\"\n\
            [[sources]]\nfiles = [\"**/*.json\"]\nreader = \"json\"\n\
            [envelope]\nkey = \".id\"\ntype = \".type\"\nupdatedAt = \".changed\"\n\
            [[emit]]\nkind = \"designer\"\ntype = \"designer\"\n[emit.fields]\nname = \".names\"\n\
            website = \".web\"\n";
        self.cli.write("m.toml", mapping);
        let export = json!([
            {"id": "d1", "type": "designer", "name": "x", "web": "ftp://a"},
            {"id": "d2", "type": "designer", "name": "y", "web": "https://example.org"},
            {"id": "o1", "type": "other"},
        ]);
        self.cli.write("export.json", export.to_string());
        self.run("mapping check", &["[dir]/m.toml", "[dir]/export.json"]);
    }
}

#[test]
fn the_members_of_every_document_have_their_names_and_types() {
    let mut shapes = Shapes {
        cli: TestCli::new(),
        of_commands: BTreeMap::new(),
    };
    shapes.of_releases();
    shapes.of_keys();
    shapes.of_mappings();
    shapes.run("settings", &[]);
    // Its document is a schema, of which another test shows all.
    shapes.of_commands.insert("schema".to_owned(), Shape::new());

    let mut with_json: BTreeSet<String> = BTreeSet::new();
    for (command, _) in commands(&mut shapes.cli, "") {
        let words = command.split_whitespace().chain(["--help"]);
        let help = shapes.cli.run(&words.collect::<Vec<_>>()).out;
        let is_group = help.contains("\nCommands:\n") && command.trim() != "settings";
        // The help of every command of a group has its option.
        if help.contains("\n      --json") && !is_group && command != " settings init" {
            with_json.insert(command.trim().to_owned());
        }
    }
    let run: BTreeSet<String> = shapes.of_commands.keys().cloned().collect();
    assert_eq!(run, with_json);
    let texts = shapes.of_commands.iter();
    let texts = texts.map(|(command, shape)| format!("{command}\n{}", lines(shape)));
    assert_snapshot("json_shapes", &texts.collect::<String>());
}
