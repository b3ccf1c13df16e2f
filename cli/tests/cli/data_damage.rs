//! A data directory damaged by disks and people: what each command says about it, and what repairs
//! it.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use cli::ExitStatus;
use cli::process::output::Output;
use serde_json::{Value, json};
use shared::release::manifest::FORMAT;

use crate::edited::{Edited, active, check, import, release_ids, without_coverage};
use crate::harness::{Outcome, TestCli};

/// Releases a minute apart, each activated in turn.
fn releases(count: usize) -> (TestCli, Vec<String>) {
    let mut cli = TestCli::new();
    let mut export = Edited::sample();
    for place in 0..count {
        export = export.with_boat(&format!("added-{place}"));
        export.write(&cli, "export.ndjson");
        import(&mut cli, "[dir]/export.ndjson", &[]);
        cli.advance(Duration::from_mins(1));
    }
    let ids = release_ids(&cli);
    (cli, ids)
}

fn overwrite(cli: &TestCli, name: &str, contents: &[u8]) {
    let mut file = fs::File::create(cli.path(format!("catalogue-data/{name}"))).unwrap();
    file.write_all(contents).unwrap();
}

fn remove_release(cli: &TestCli, id: &str) {
    fs::remove_dir_all(cli.path(format!("catalogue-data/releases/{id}"))).unwrap();
}

/// The sample without half of its boats.
fn half() -> Edited {
    Edited::sample().without_boats(20)
}

fn statuses(outcomes: &[Outcome]) -> Vec<ExitStatus> {
    outcomes.iter().map(|outcome| outcome.status).collect()
}

const DONE: ExitStatus = ExitStatus::Done;
const FAILED: ExitStatus = ExitStatus::Failure;
const REFUSED: ExitStatus = ExitStatus::Refused;

#[test]
fn a_damaged_pointer_is_reported_by_every_command_and_mended_by_activating() {
    let (mut cli, ids) = releases(2);
    overwrite(&cli, "current", b"x");
    let outcomes = [
        &["releases", "list"][..],
        &["releases", "verify"],
        &["releases", "rollback"],
        &["releases", "show", &ids[0]],
        &["serve", "--listen", "127.0.0.1:0", "--admin", "off"],
        &["releases", "prune"],
    ]
    .map(|args| cli.run(args));
    let expected = [FAILED, FAILED, FAILED, DONE, FAILED, DONE];
    assert_eq!(statuses(&outcomes), expected);
    for outcome in &outcomes[..3] {
        let hint = "name it: catalogue --data [dir]/catalogue-data releases activate ID";
        assert!(outcome.err.contains(hint), "{outcome}");
    }
    assert!(outcomes[5].out.contains("is not known"), "{}", outcomes[5]);
    let listed = cli.run(&["releases", "list", "--json"]).document();
    assert!(
        listed["pointerDamage"]
            .as_str()
            .unwrap()
            .contains("current")
    );
    assert_eq!(listed["releases"].as_array().unwrap().len(), 2);
    let [listed, verified, rollback, ..] = outcomes;
    let fixed = cli.run(&["releases", "activate", &ids[0]]);
    assert_eq!((fixed.status, active(&mut cli)), (DONE, ids[0].clone()));
    let nothing_left = cli.run(&["releases", "rollback"]);
    assert_eq!(nothing_left.status, FAILED);
    let text = [
        without_sizes(listed),
        verified,
        rollback,
        fixed,
        nothing_left,
    ];
    check(&cli, "pointer_damaged", &text);
}

/// Removes sizes, which depend on the version of the Parquet library.
fn without_sizes(mut outcome: Outcome) -> Outcome {
    let words = outcome.out.split(' ').map(|word| {
        let is_size = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_size { "[n]" } else { word }
    });
    outcome.out = words.collect::<Vec<_>>().join(" ");
    outcome
}

#[test]
fn nothing_is_activated_that_could_not_be_compared_unless_it_is_allowed() {
    for damage in ["table", "manifest.json", "directory", "pointer"] {
        let (mut cli, ids) = releases(1);
        let first = &ids[0];
        match damage {
            "table" => overwrite(&cli, &format!("releases/{first}/boat_index.parquet"), b"x"),
            "manifest.json" => overwrite(&cli, &format!("releases/{first}/{damage}"), b"x"),
            "directory" => remove_release(&cli, first),
            _ => overwrite(&cli, "current", b"x"),
        }
        half().write(&cli, "half.ndjson");
        let pointer = fs::read(cli.path("catalogue-data/current")).unwrap();
        let refused = cli.run(&["import", "[dir]/half.ndjson", "--json"]);
        assert_eq!(refused.status, REFUSED, "{damage}: {refused}");
        let told = refused.document();
        assert_eq!(
            (&told["refused"], &told["diff"]),
            (&json!(true), &Value::Null)
        );
        assert_ne!(told["notCompared"], Value::Null);
        assert_eq!(told["refusals"][0]["allowedBy"], "--allow uncompared");
        let unchanged = fs::read(cli.path("catalogue-data/current")).unwrap();
        assert_eq!(unchanged, pointer, "{damage}");

        let args = ["import", "[dir]/half.ndjson"];
        let shown = (damage == "pointer").then(|| {
            let text = cli.run(&args);
            [text, cli.run(&[&args[..], &["--no-activate"]].concat())]
        });
        let allowed = cli.run(&[&args[..], &["--allow", "uncompared"]].concat());
        assert_eq!(allowed.status, DONE, "{damage}: {allowed}");
        assert_eq!(json!(active(&mut cli)), told["release"]);
        if let Some([text, not_wanted]) = shown {
            let outcomes = [text, not_wanted, allowed].map(without_coverage);
            check(&cli, "import_uncompared", &outcomes);
        }
        cli.advance(Duration::from_mins(1));
        let fixed = cli.run(&[&args[..], &["--json"]].concat()).document();
        assert_eq!(fixed["notCompared"], Value::Null, "{damage}: {fixed}");
    }
}

#[test]
fn an_export_with_errors_is_reported_beside_a_damaged_pointer() {
    let (mut cli, _) = releases(1);
    overwrite(&cli, "current", b"x");
    cli.write("empty.ndjson", b"");
    let outcome = cli.run(&["import", "[dir]/empty.ndjson"]);
    assert_eq!(outcome.status, ExitStatus::InvalidData, "{outcome}");
    let told = "Active release: not known.";
    assert!(outcome.out.contains(told), "{outcome}");
}

#[test]
fn an_active_release_that_is_gone_is_missing() {
    let (mut cli, ids) = releases(2);
    remove_release(&cli, &ids[1]);
    let outcomes = [
        without_sizes(cli.run(&["releases", "list"])),
        cli.run(&["releases", "verify"]),
    ];
    assert_eq!(statuses(&outcomes), [FAILED, FAILED]);
    let listed = cli.run(&["releases", "list", "--json"]).document();
    let missing = &listed["releases"][1];
    assert_eq!(
        (&missing["id"], &missing["active"]),
        (&json!(ids[1]), &json!(true))
    );
    for (place, outcome) in outcomes.iter().enumerate() {
        let row = outcome.out.lines().last().unwrap();
        let state = ["active, missing", "there is no release"][place];
        assert!(row.starts_with(&ids[1]) && row.contains(state), "{outcome}");
    }
}

#[test]
fn rolling_back_goes_to_the_latest_whole_release_and_names_the_others() {
    let (mut cli, ids) = releases(4);
    overwrite(&cli, &format!("releases/{}/words.parquet", ids[2]), b"x");
    remove_release(&cli, &ids[1]);
    let back = cli.run(&["releases", "rollback", "--json"]);
    assert_eq!(back.status, DONE, "{back}");
    let told = back.document();
    assert_eq!(told["active"], json!(ids[0]));
    let passed_over = told["passedOver"].as_array().unwrap();
    let passed_over: Vec<&Value> = passed_over.iter().map(|one| &one["id"]).collect();
    assert_eq!(passed_over, [&json!(ids[2]), &json!(ids[1])]);
    for id in &ids[1..3] {
        assert!(back.err.contains(&format!("passed over {id}")), "{back}");
    }
    cli.run(&["releases", "activate", &ids[3]]);
    overwrite(&cli, &format!("releases/{}/words.parquet", ids[0]), b"x");
    let nothing = cli.run(&["releases", "rollback"]);
    assert_eq!(nothing.status, FAILED);
    assert!(
        nothing
            .err
            .contains("no release that was active before is whole")
    );
    assert_eq!(active(&mut cli), ids[3]);
}

/// Standard output on a full disk.
struct Full;

impl Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_release_that_was_activated_is_no_failure_though_that_cannot_be_shown() {
    let (mut cli, ids) = releases(3);
    for (args, expected) in [
        (&["releases", "rollback"][..], &ids[1]),
        (&["releases", "rollback", "--json"], &ids[0]),
        (&["releases", "activate", &ids[1]], &ids[1]),
    ] {
        let outcome = cli.run_in(args, |context| context.out = Output::new(Full));
        assert_eq!(outcome.status, DONE, "{outcome}");
        let told = format!("release {expected} is active, but that could not be shown");
        assert!(outcome.err.contains(&told), "{outcome}");
        assert_eq!(active(&mut cli), *expected);
    }
}

#[test]
fn a_release_of_a_former_format_is_refused_by_every_command_and_left_as_it_is() {
    let (mut cli, ids) = releases(2);
    let [former, active] = [&ids[1], &ids[0]];
    cli.run(&["releases", "activate", active]);
    make_former(&cli, former);
    let activated = cli.run(&["releases", "activate", former]);
    make_former(&cli, active);
    let before = contents(&cli);
    let outcomes = [
        without_sizes(cli.run(&["releases", "list"])),
        cli.run(&["releases", "rollback"]),
        cli.run(&["serve", "--listen", "127.0.0.1:0", "--admin", "off"]),
        cli.run(&["doctor"]),
    ];
    assert_eq!(statuses(&outcomes), [DONE, FAILED, FAILED, FAILED]);
    for (outcome, id) in outcomes[1..].iter().zip([former, active, active]) {
        let told = format!("release {id} has the format \"boat-release/2\"");
        let lines = outcome.out.lines().chain(outcome.err.lines());
        let about = lines.filter(|line| line.contains(&told)).count();
        assert_eq!(about, 1, "{outcome}");
    }
    let [listed, rollback, serve, _doctor] = outcomes;
    check(
        &cli,
        "release_of_a_former_format",
        &[activated, listed, rollback, serve],
    );
    assert_eq!(contents(&cli), before);
}

#[test]
fn a_release_with_a_damaged_body_is_compared_only_where_none_is_read() {
    let mut cli = TestCli::new();
    Edited::sample().write(&cli, "sample.ndjson");
    import(&mut cli, "[dir]/sample.ndjson", &[]);
    let edited = Edited::sample().boat(0, |boat| boat["model"] = json!("Renamed"));
    edited.write(&cli, "edited.ndjson");
    let made = import(&mut cli, "[dir]/edited.ndjson", &[]);
    let name = format!("releases/{made}/boats.ndjson");
    let file = cli.path(format!("catalogue-data/{name}"));
    let length = fs::metadata(file).unwrap().len();
    overwrite(&cli, &name, &vec![b' '; length.try_into().unwrap()]);
    for args in [&[][..], &["--json"], &["--record", "boat-001"]] {
        let outcome = cli.run(&[&["diff", "previous", &made], args].concat());
        assert_eq!((outcome.status, &*outcome.out), (FAILED, ""), "{outcome}");
        assert!(outcome.err.contains("boats.ndjson is damaged"), "{outcome}");
    }
    let makers = cli.run(&["diff", "previous", &made, "--only", "manufacturers"]);
    assert_eq!(makers.status, DONE, "{makers}");
    // An import cannot tell which values would be lost.
    let refused = cli.run(&["import", "[dir]/sample.ndjson"]);
    assert_eq!(refused.status, ExitStatus::Refused, "{refused}");
    assert!(refused.err.contains("--allow uncompared"), "{refused}");
    let allowed = cli.run(&["import", "[dir]/sample.ndjson", "--allow", "uncompared"]);
    assert_eq!(allowed.status, DONE, "{allowed}");
}

/// Gives a release the name of a format that was never published.
fn make_former(cli: &TestCli, id: &str) {
    let name = format!("releases/{id}/manifest.json");
    let manifest = fs::read_to_string(cli.path(format!("catalogue-data/{name}"))).unwrap();
    let former = manifest.replacen(FORMAT, "boat-release/2", 1);
    overwrite(cli, &name, former.as_bytes());
}

/// The files of all releases, and the pointer.
fn contents(cli: &TestCli) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = release_ids(cli).into_iter();
    let folders = folders.map(|id| cli.path(format!("catalogue-data/releases/{id}")));
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.push(cli.path("catalogue-data/current"));
    files.sort();
    let read = |path: PathBuf| {
        let contents = fs::read(&path).unwrap();
        (path, contents)
    };
    files.into_iter().map(read).collect()
}
