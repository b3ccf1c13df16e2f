//! Files that commands write: where they may be, what they may replace, who may read them.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use cli::ExitStatus;

use crate::harness::{Outcome, SAMPLE, TestCli, check};
use crate::key_store::shift;
use crate::keys::acme;
use crate::process::{after, command, redirected};

const BROKEN: &str = fixture!("findings/unknown_field/export.ndjson");

fn keys(cli: &TestCli) -> Vec<u8> {
    fs::read(cli.path("catalogue-data/keys.sqlite")).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn refused(outcome: &Outcome) {
    assert_eq!(outcome.status, ExitStatus::WrongUsage, "{outcome}");
    assert!(outcome.err.contains("hint: "), "{outcome}");
}

#[test]
fn nothing_is_written_into_the_data_directory_by_whatever_name() {
    let mut cli = acme();
    let data = cli.path("catalogue-data");
    symlink(data.join("keys.sqlite"), cli.path("to-keys")).unwrap();
    symlink(data.join("new"), cli.path("dangling")).unwrap();
    symlink(&data, cli.path("to-data")).unwrap();
    fs::create_dir(cli.path("elsewhere")).unwrap();
    fs::hard_link(data.join("keys.sqlite"), cli.path("hard")).unwrap();
    fs::create_dir_all(cli.path("pages")).unwrap();
    symlink(data.join("keys.sqlite"), cli.path("pages/catalogue.1")).unwrap();
    let (before, names_before) = (keys(&cli), names(&data));
    for target in [
        "[dir]/catalogue-data/keys.sqlite",
        "[dir]/catalogue-data/new",
        "[dir]/catalogue-data",
        "[dir]/elsewhere/../catalogue-data/new",
        "[dir]/to-data/new",
        "[dir]/to-data/keys.sqlite",
        "[dir]/to-keys",
        "[dir]/dangling",
    ] {
        for command in [
            &["validate", SAMPLE, "--report"][..],
            &["validate", SAMPLE, "--overwrite", "--report"],
            &["import", SAMPLE, "--report"],
            &[
                "import",
                SAMPLE,
                "--overwrite",
                "--skip-invalid",
                "--rejects",
            ],
            &["mapping", "init", "sanity"],
            &["settings", "init"],
        ] {
            refused(&cli.run(&[command, &[target]].concat()));
        }
        assert_eq!(
            (keys(&cli), names(&data)),
            (before.clone(), names_before.clone())
        );
    }
    for command in [
        &["manual", "[dir]/to-data"][..],
        &["manual", "[dir]/catalogue-data/pages"],
        &["manual", "[dir]/pages"],
        &[
            "store",
            "copy",
            "--to",
            "[dir]/catalogue-data/releases.lock",
        ],
        &["store", "copy", "--to", "[dir]/to-data/copy.sqlite"],
        &["validate", SAMPLE, "--report", "[dir]/hard"],
    ] {
        refused(&cli.run(command));
        assert_eq!(
            (keys(&cli), names(&data)),
            (before.clone(), names_before.clone())
        );
    }
}

#[test]
fn a_data_directory_is_spared_also_where_its_name_is_a_link() {
    let mut cli = acme();
    shift(&cli.path("catalogue-data"), &cli.path("real"));
    symlink("real", cli.path("catalogue-data")).unwrap();
    let before = keys(&cli);
    for target in [
        "[dir]/catalogue-data/new",
        "[dir]/real/keys.sqlite",
        "[dir]/real/new",
    ] {
        refused(&cli.run(&["validate", SAMPLE, "--report", target]));
    }
    assert_eq!(keys(&cli), before);
}

#[test]
fn what_is_not_ours_is_replaced_only_when_that_is_said() {
    let mut cli = TestCli::new();
    cli.write("notes", "mine");
    cli.write("empty", "");
    cli.write("broken.ndjson", fs::read(BROKEN).unwrap());
    let broken = "[dir]/broken.ndjson";
    let report = ["validate", broken, "--report"];
    let rejects = ["import", broken, "--skip-invalid", "--rejects"];
    let outcomes = [&report, &rejects[..]].map(|args| cli.run(&[args, &["[dir]/notes"]].concat()));
    assert_eq!(fs::read(cli.path("notes")).unwrap(), b"mine");
    assert!(!cli.path("catalogue-data").exists());
    check("written_files_refused", &outcomes);
    for (args, expected) in [
        (&report[..], ExitStatus::InvalidData),
        (&rejects, ExitStatus::Done),
    ] {
        let said = [args, &["[dir]/notes", "--overwrite"]].concat();
        let outcome = cli.run(&said);
        assert_eq!(outcome.status, expected, "{outcome}");
        cli.write("empty", "");
        let outcome = cli.run(&[args, &["[dir]/empty"]].concat());
        assert_eq!(outcome.status, expected, "{outcome}");
    }
}

#[test]
fn a_nightly_run_replaces_the_files_of_the_night_before_and_no_export_in_their_place() {
    let mut cli = TestCli::new();
    let nightly = [
        "import",
        BROKEN,
        "--skip-invalid",
        "--report=[dir]/report.json",
        "--rejects=[dir]/rejects.ndjson",
    ];
    for _night in 0..3 {
        let outcome = cli.run(&nightly);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    }
    let written = fs::read(cli.path("rejects.ndjson")).unwrap();
    assert!(!written.is_empty());
    // A file that was edited by hand is no longer the one that was written.
    let fixed = String::from_utf8(written.clone()).unwrap() + "\n";
    cli.write("rejects.ndjson", &fixed);
    refused(&cli.run(&nightly));
    assert_eq!(
        fs::read_to_string(cli.path("rejects.ndjson")).unwrap(),
        fixed
    );
    // An export with the same contents does not count as ours either, nor does a report count as
    // rejects.
    fs::remove_file(cli.path("rejects.ndjson")).unwrap();
    cli.write("rejects.ndjson", &written);
    refused(&cli.run(&nightly));
    refused(&cli.run(&[
        "import",
        BROKEN,
        "--skip-invalid",
        "--rejects=[dir]/report.json",
    ]));
}

#[test]
fn what_is_written_is_for_its_owner_alone() {
    let mut cli = TestCli::new();
    cli.run(&[
        "import",
        BROKEN,
        "--skip-invalid",
        "--report=[dir]/report.json",
        "--rejects=[dir]/rejects.ndjson",
    ]);
    cli.run(&["settings", "init", "[dir]/settings.toml"]);
    cli.run(&["mapping", "init", "sanity", "[dir]/sanity.toml"]);
    cli.run(&["export", "--to", "[dir]/boats.csv"]);
    for name in [
        "report.json",
        "rejects.ndjson",
        "settings.toml",
        "sanity.toml",
        "boats.csv",
    ] {
        let mode = fs::metadata(cli.path(name)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    cli.run(&["manual", "[dir]/man"]);
    let page = fs::metadata(cli.path("man/catalogue-serve.1")).unwrap();
    assert_ne!(
        page.mode() & 0o044,
        0,
        "pages are for all whom the umask lets"
    );
}

#[test]
fn a_report_goes_where_a_link_leads_by_the_same_rules() {
    let mut cli = TestCli::new();
    File::create(cli.path("empty")).unwrap();
    cli.write("notes", "mine");
    symlink("empty", cli.path("to-empty")).unwrap();
    symlink("notes", cli.path("to-notes")).unwrap();
    let done = cli.run(&["validate", SAMPLE, "--report", "[dir]/to-empty"]);
    assert_eq!(done.status, ExitStatus::Done, "{done}");
    assert!(
        fs::symlink_metadata(cli.path("to-empty"))
            .unwrap()
            .is_symlink()
    );
    assert!(
        fs::read_to_string(cli.path("empty"))
            .unwrap()
            .contains("findings")
    );
    refused(&cli.run(&["validate", SAMPLE, "--report", "[dir]/to-notes"]));
    assert_eq!(fs::read(cli.path("notes")).unwrap(), b"mine");
}

#[test]
fn manual_pages_replace_pages_and_nothing_else() {
    let mut cli = TestCli::new();
    for _time in 0..2 {
        let written = cli.run(&["manual", "[dir]/man"]);
        assert_eq!(written.status, ExitStatus::Done, "{written}");
    }
    cli.write("man/catalogue-serve.1", "mine");
    refused(&cli.run(&["manual", "[dir]/man"]));
    assert_eq!(
        fs::read(cli.path("man/catalogue-serve.1")).unwrap(),
        b"mine"
    );
}

#[test]
fn a_file_to_edit_and_a_page_are_replaced_only_when_that_is_said() {
    let mut cli = TestCli::new();
    for command in [
        &["mapping", "init", "sanity", "[dir]/mine"][..],
        &["settings", "init", "[dir]/mine"],
        &["manual", "[dir]/man"],
    ] {
        for file in ["mine", "man/catalogue-serve.1"] {
            fs::create_dir_all(cli.path("man")).unwrap();
            cli.write(file, "mine");
        }
        refused(&cli.run(command));
        let done = cli.run(&[command, &["--overwrite"]].concat());
        assert_eq!(done.status, ExitStatus::Done, "{done}");
        let is_replaced = ["mine", "man/catalogue-serve.1"]
            .map(|file| fs::read(cli.path(file)).unwrap() != b"mine");
        assert_eq!(
            is_replaced,
            [command[0] != "manual", command[0] == "manual"]
        );
    }
}

#[test]
fn a_file_that_a_stream_goes_to_is_not_replaced_by_what_is_written_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (data, output) = (path("data"), path("output"));
    let output = output.to_str().unwrap();
    for (command, option) in [
        ("validate", "--report"),
        ("import", "--report"),
        ("import", "--rejects"),
    ] {
        for (target, redirection) in [
            ("/dev/stdout", format!(">{output}")),
            ("/dev/stdout", format!(">>{output}")),
            (output, format!(">{output}")),
            ("/dev/stderr", format!("2>{output}")),
            ("/dev/fd/0", format!("<>{output}")),
        ] {
            File::create(output).unwrap();
            let inode = fs::metadata(output).unwrap().ino();
            let args = [
                command,
                SAMPLE,
                "--skip-invalid",
                "--overwrite",
                option,
                target,
            ];
            let args: Vec<_> = args
                .into_iter()
                .filter(|arg| command == "import" || *arg != "--skip-invalid")
                .collect();
            let ended = redirected(&data, &args, &redirection);
            assert_eq!(ended.status.code(), Some(2), "{args:?} {redirection}");
            assert_eq!(fs::metadata(output).unwrap().ino(), inode);
            let mut said = ended.stderr;
            said.extend(fs::read(output).unwrap());
            let said = String::from_utf8(said).unwrap();
            assert!(said.contains("hint: name another file"), "{said}");
        }
        let ended = redirected(&data, &[command, SAMPLE, option, "/dev/stdout"], "");
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    }
}

#[test]
fn an_error_of_writing_names_the_file_that_was_asked_for_and_no_other() {
    const FINDINGS: usize = 3000;
    let cli = TestCli::new();
    cli.write(
        "export.ndjson",
        "{\"kind\":\"designer\"}\n".repeat(FINDINGS),
    );
    let [export, report] = ["export.ndjson", "my.json"].map(|name| cli.path(name));
    let max = format!("--max-findings={FINDINGS}");
    let mut binary = command(&cli.path("data"), &["validate", &max, "--report"]);
    binary.arg(&report).arg(export);
    // In blocks of 512 bytes; larger than the temporary files, and smaller than the report.
    let mut limited = after("trap '' XFSZ; ulimit -f 300", &binary);
    let ended = limited.output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    let error = format!(
        "error: could not write {}: File too large",
        report.display()
    );
    assert!(said.contains(&error), "{said}");
    assert!(!said.contains(".part-") && !report.exists(), "{said}");
}

#[test]
fn an_import_on_a_full_disk_makes_no_release_and_names_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let sample = fixture!("sample");
    // In blocks of 512 bytes, of which the lines of boats have 198.
    for blocks in [1, 100, 190] {
        let binary = command(&data, &["import", sample]);
        let mut limited = after(&format!("trap '' XFSZ; ulimit -f {blocks}"), &binary);
        let ended = limited.output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{said}");
        assert!(said.contains("File too large"), "{said}");
        let left = fs::read_dir(data.join("releases")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{said}");
    }
}
