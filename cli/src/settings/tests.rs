//! What a settings file may contain, and the errors about it.

use std::path::Path;

use clap::CommandFactory;

use super::*;
use crate::args::Args;

/// What a settings file in `/etc` with this text sets, or what is wrong with it.
fn read(text: &str) -> Result<Vec<String>, String> {
    let values = read::values(text, Path::new("/etc"), &Args::command());
    let values = values.map_err(|mistakes| excerpt::render(&mistakes, FILE, text))?;
    let shown = values.iter().map(|value| {
        let name = [&*value.command, std::slice::from_ref(&value.option)]
            .concat()
            .join(".");
        format!("{name} = {:?}", value.texts)
    });
    Ok(shown.collect())
}

#[test]
fn tables_are_commands_and_keys_their_options() {
    let text = r#"
data = "boats"

[serve]
listen = "0.0.0.0:80"
connections-per-address = 9_000

[import]
max-removals = 2.5
mapping = "/srv/sanity.toml"

[keys]
rotate.grace = "2d"
"#;
    let expected = [
        r#"data = ["/etc/boats"]"#,
        r#"serve.listen = ["0.0.0.0:80"]"#,
        r#"serve.connections-per-address = ["9000"]"#,
        r#"import.max-removals = ["2.5"]"#,
        r#"import.mapping = ["/srv/sanity.toml"]"#,
        r#"keys.rotate.grace = ["2d"]"#,
    ];
    let expected = expected.map(str::to_owned).to_vec();
    assert_eq!(read(text), Ok(expected));
}

#[test]
fn everything_that_is_wrong_is_reported_at_once_with_its_place() {
    let text = r#"
dat = "x"
config = "other.toml"
serve = 1

[import]
max-removals = 200
skip-invalid = true
mapping = 1979-05-27

[validate]
mapping = ""

[keys.issue]
rate-limit = "many"
expires = ["1d"]
scope = "boats.read"

[keys.rotate]
grace = "soon"

[keyz]
"#;
    let found = read(text).unwrap_err();
    insta::with_settings!({
        snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/cli"),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!("settings_problems", found) });
}

#[test]
fn a_mistake_in_the_form_is_reported_with_its_place() {
    let found = read("[serve\nlisten = \"x\"\n").unwrap_err();
    assert!(found.contains("catalogue.toml:1:1"), "{found}");
}

#[test]
fn every_setting_can_be_set_to_its_own_default() {
    let command = Args::command();
    let mut seen = 0;
    each(&command, &mut Vec::new(), &mut |path, option| {
        let Some(default) = option.get_default_values().first() else {
            return;
        };
        seen += 1;
        let name = [path, &[option.get_long().unwrap().to_owned()]]
            .concat()
            .join(".");
        let text = format!("{name} = {:?}", default.to_str().unwrap());
        assert!(read(&text).is_ok(), "{text}");
    });
    assert_ne!(seen, 0);
}

#[test]
fn the_template_sets_nothing_and_names_everything() {
    let template = template(&Args::command());
    assert_eq!(read(&template), Ok(Vec::new()));
    // The file without the # before every line that has a default.
    let is_setting =
        |line: &&str| line.starts_with("# ") && line.contains(" = ") && !line.ends_with('…');
    let uncommented = template.lines().map(|line| {
        let setting = Some(line).filter(is_setting);
        setting.map_or(line, |line| line.trim_start_matches("# "))
    });
    let set = read(&uncommented.collect::<Vec<_>>().join("\n")).unwrap();
    assert!(
        set.contains(&r#"serve.listen = ["127.0.0.1:8080"]"#.to_owned()),
        "{set:?}"
    );
}

#[test]
fn what_the_file_says_is_the_default_of_the_option_it_names_and_of_no_other() {
    let text = "[serve]\nlisten = \"0.0.0.0:80\"";
    let values = read::values(text, Path::new(""), &Args::command());
    let settings = SettingsFile {
        file: None,
        values: values.unwrap(),
    };
    let command = settings.apply(Args::command());
    for (typed, expected) in [
        (&["catalogue", "serve"][..], "0.0.0.0:80"),
        (&["catalogue", "serve", "--listen", "[::1]:1"], "[::1]:1"),
        (&["catalogue", "demo"], "127.0.0.1:8080"),
    ] {
        let matches = command.clone().try_get_matches_from(typed).unwrap();
        let (_name, below) = matches.subcommand().unwrap();
        let listen = below.get_raw("address").unwrap().next().unwrap();
        assert_eq!(listen, expected, "{typed:?}");
    }
}
