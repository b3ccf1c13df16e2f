//! Passwords in the addresses of engines are never printed, however the addresses are given.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;

use crate::harness::TestCli;
use crate::process::command;

/// The password in every address here, in one encoding or another.
const PASSWORD: &str = "h0rse battery";

/// Valid and invalid addresses, with the password in every place where people put one.
const ADDRESSES: [&str; 44] = [
    "postgres://u:h0rse battery@127.0.0.1:1/db",
    "postgres://u:h0rse%20battery@127.0.0.1:1/db",
    "postgres://h0rse battery@127.0.0.1:1/db",
    "postgres://127.0.0.1:1/db?password=h0rse battery",
    "postgres://127.0.0.1:1/db?user=u&password=h0rse%20battery&sslmode=allow",
    "postgres://u:@h0rse battery@127.0.0.1/db",
    "postgres://u:h0rse battery/@127.0.0.1/db",
    "postgres://u:h0rse battery@[::1]:1/db",
    "postgres://u:h0rse battery@%2Fnowhere/db",
    "postgres://u:h0rse battery@127.0.0.1",
    "host=127.0.0.1 user=u password='h0rse battery'",
    "u:h0rse battery@127.0.0.1/db",
    "h0rse battery@127.0.0.1/db",
    "mysql://u:h0rse battery@127.0.0.1/db",
    "postgres//u:h0rse battery@127.0.0.1/db",
    "redis://u:h0rse battery@127.0.0.1:1/0",
    "redis://h0rse battery@127.0.0.1:1/0",
    "redis://:h0rse%20battery@127.0.0.1:1/0",
    "rediss://:h0rse battery@[::1]:1/x",
    "redis://127.0.0.1:1/0?password=h0rse battery",
    "s3://u:h0rse battery@bucket/prefix",
    "https://u:h0rse battery@127.0.0.1/bucket",
    "postgres://127.0.0.1:1/db password=h0rse battery",
    "postgres://127.0.0.1:1/db\u{a0}h0rse%20battery",
    "postgres://127.0.0.1:1/db;password=h0rse battery",
    "postgres://127.0.0.1:1/db&password=h0rse%20battery",
    "postgres://127.0.0.1:1/db#h0rse battery",
    "postgres://u@127.0.0.1:1/db=h0rse%20battery",
    "postgres://127.0.0.1;password=h0rse%20battery/db",
    "postgres://127.0.0.1&h0rse%20battery:1/db",
    "postgres:///db?host=127.0.0.1;password=h0rse%20battery",
    "postgres://127.0.0.1:1?dbname=db password=h0rse battery",
    "redis://127.0.0.1:1/0 password=h0rse battery",
    "redis://127.0.0.1;password=h0rse%20battery/0",
    "redis://h&password=h0rse%20battery:1",
    "redis://127.0.0.1:1/0;password=h0rse%20battery",
    "redis+sentinel://u:h0rse%20battery@127.0.0.1:1,127.0.0.1:2/m/0",
    "redis+sentinel://u:h0rse battery@127.0.0.1:1/m",
    "redis+sentinel://h0rse battery@127.0.0.1:1/m",
    "redis+sentinel://127.0.0.1:1,u:h0rse%20battery@127.0.0.1:2/m",
    "redis+sentinel://127.0.0.1:1/m/0?password=h0rse%20battery",
    "redis+sentinel://127.0.0.1:1/m h0rse battery",
    "redis+sentinel://u:h0rse battery/@127.0.0.1:1/m",
    "redis-sentinel://u:h0rse%20battery@127.0.0.1:1/m",
];

/// Whether the text contains no word of the password.
fn hides(text: &str) -> bool {
    ["h0rse", "battery"].iter().all(|word| !text.contains(word))
}

/// The output of a command on both streams.
fn said(command: &mut Command) -> String {
    let told = command.output().unwrap();
    String::from_utf8([told.stdout, told.stderr].concat()).unwrap()
}

#[test]
fn no_command_shows_the_password_of_an_address_in_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let check = |address: &str, variables: &[&str], args: &[&str]| {
        let mut command = command(&folder.path().join("data"), args);
        command.envs(variables.iter().map(|name| (name, address)));
        let said = said(&mut command);
        assert!(hides(&said), "{variables:?}={address} {args:?}: {said}");
        assert!(!said.is_empty());
    };
    let all = ["CATALOGUE_STORE", "CATALOGUE_LIMITS", "CATALOGUE_RELEASES"];
    check(ADDRESSES[0], &all[..1], &["keys", "list"]);
    check(ADDRESSES[0], &all[2..], &["releases", "list"]);
    check(ADDRESSES[0], &all, &["settings", "--json"]);
    check(ADDRESSES[0], &all, &["doctor"]);
    check(ADDRESSES[0], &all, &["validate", "--help"]);
    for address in ADDRESSES {
        check(address, &all, &["settings"]);
        check(address, &all, &["serve"]);
    }
}

#[test]
fn no_command_shows_the_password_of_an_address_that_is_typed() {
    let mut cli = TestCli::new();
    for address in ADDRESSES {
        let glued = format!("--store={address}");
        for args in [
            &["keys", "list", "--store", address][..],
            &["keys", "list", &glued],
            &["demo", "--store", address],
            &["doctor", "--store", address],
            &["doctor", "--limits", address],
            &["serve", "--limits", address],
            &["store", "copy", "--to", address],
            &["releases", "list", "--releases", address],
        ] {
            let outcome = cli.run(args);
            let said = format!("{}{}", outcome.out, outcome.err);
            assert!(hides(&said), "{said}");
        }
    }
}

#[test]
fn no_command_shows_the_password_of_an_address_in_a_file() {
    let mut cli = TestCli::new();
    for (place, address) in ADDRESSES.iter().enumerate() {
        for (file, is_help) in [
            (format!("store = \"{address}\""), true),
            (format!("serve.limits = \"{address}\""), true),
            (
                format!("serve = {{ limits = \"{address}\", none = 1 }}"),
                false,
            ),
            (format!("releases = \"{address}\""), true),
            (format!("stor = \"{address}\""), false),
            (format!("store = [\"{address}\"]"), false),
            (format!("store = \"{address}"), false),
            (format!("store = {address}"), false),
            (format!("store = \"\"\"\n{address}"), false),
            (format!("serve.limit = \"{address}\"\nstore = 'x'"), false),
        ] {
            cli.write("my.toml", &file);
            let config = "--config=[dir]/my.toml";
            let commands = [
                &["settings", config][..],
                &["serve", config, "--listen", "127.0.0.1:0"],
                &["settings", "--json", config],
                &["keys", "list", config],
                &["serve", "--help", config],
            ];
            // What is wrong with a file is the same for all of them.
            let different = if place == 0 { 5 } else { 2 };
            for args in &commands[..different] {
                let outcome = cli.run(args);
                let said = format!("{}{}", outcome.out, outcome.err);
                assert!(hides(&said), "{file}: {said}");
                assert!(!is_help || !said.is_empty());
            }
        }
    }
}

#[test]
fn an_address_is_shown_by_its_host_port_and_database() {
    let folder = tempfile::tempdir().unwrap();
    for (variable, address, shown) in [
        (
            "CATALOGUE_STORE",
            format!("postgres://u:{PASSWORD}@db.example:6432/boats"),
            "postgres://db.example:6432/boats ",
        ),
        (
            "CATALOGUE_LIMITS",
            format!("rediss://u:{PASSWORD}@[::1]:7/2"),
            "rediss://[::1]:7/2 ",
        ),
        ("CATALOGUE_LIMITS", "memory".to_owned(), "memory "),
        (
            "CATALOGUE_RELEASES",
            "s3://boats/live".to_owned(),
            "s3://boats/live ",
        ),
    ] {
        let mut settings = command(folder.path(), &["settings"]);
        let said = said(settings.env(variable, address));
        assert!(said.contains(shown), "{said}");
    }
}

#[test]
fn an_address_is_no_data_directory_and_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let binary = command(folder.path(), &[]);
    let run = |args: &[&str], variable: &str| {
        let mut command = Command::new(binary.get_program());
        command.args(args).current_dir(folder.path());
        command.env("CATALOGUE_DATA", variable);
        let ended = command.output().unwrap();
        let said = String::from_utf8([ended.stdout, ended.stderr].concat()).unwrap();
        (ended.status.code(), said)
    };
    // One address of each scheme.
    let schemes = ADDRESSES.iter().filter_map(|address| {
        let (scheme, _) = address.split_once("://")?;
        Some((scheme, address))
    });
    for address in schemes.collect::<BTreeMap<_, _>>().into_values() {
        let file = format!("data = \"{address}\"");
        std::fs::File::create(folder.path().join("my.toml"))
            .and_then(|mut created| created.write_all(file.as_bytes()))
            .unwrap();
        let typed = format!("--data={address}");
        for (args, variable) in [
            (&["usage", &typed][..], "data"),
            (&["keys", "list", &typed], "data"),
            (&["usage"], address),
            (&["usage", "--config", "my.toml"], "data"),
        ] {
            let (status, said) = run(args, variable);
            assert_eq!(status, Some(2), "{said}");
            assert!(
                said.contains("--store") && said.contains("--releases"),
                "{said}"
            );
            assert!(hides(&said), "{args:?}: {said}");
        }
    }
}

#[test]
fn a_variable_of_s3_that_names_no_server_is_wrong_usage_and_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |variable: &str, value: &str| {
        let args = ["--releases", "s3://bucket/prefix", "releases", "list"];
        let mut command = command(folder.path(), &args);
        command.env(variable, value);
        command.env("AWS_ACCESS_KEY_ID", "id");
        command.env("AWS_SECRET_ACCESS_KEY", "secret");
        let ended = command.output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{variable}={value}: {said}");
        assert!(hides(&said) && said.contains(variable), "{said}");
        assert!(said.contains("hint: "), "{said}");
    };
    for endpoint in [
        "u:h0rse battery@127.0.0.1:1",
        "u:h0rse%20battery@127.0.0.1:1",
        "127.0.0.1:1/h0rse battery",
        "h0rse battery",
        "http://",
        "http:///h0rse",
        "http://h0rse%41",
        "http://u:h0rse battery@",
        "ftp://u:h0rse%20battery@127.0.0.1",
        "http:u:h0rse%20battery@127.0.0.1",
        "http://u:h0rse%20battery@127.0.0.1:port",
        "http://u:h0rse%20battery@127.0.0.1:1",
        "http://127.0.0.1:1?h0rse=battery",
        "http://127.0.0.1:1#h0rse%20battery",
        "",
    ] {
        refused("AWS_ENDPOINT_URL", endpoint);
    }
    for variable in ["AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"] {
        refused(variable, "http://u:h0rse%20battery@127.0.0.1:1");
    }
    for region in [
        "h0rse battery",
        "u:h0rse%20battery@127.0.0.1",
        "a/h0rse",
        "h0rse#",
    ] {
        refused("AWS_REGION", region);
    }
    refused("AWS_DEFAULT_REGION", "a/h0rse");
}
