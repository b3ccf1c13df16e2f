//! Exports at addresses of a local server: what commands read and log, and what an import does if
//! nothing changed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use cli::ExitStatus;
use cli::remote::RemoteSettings;

use crate::edited::Edited;
use crate::harness::{Outcome, TestCli, assert_snapshot};
use crate::process::command;
use crate::web_server::WebServer;

/// A query that signs an address.
const SIGNED: &str = "?sig=s3cret";

/// The file of a server.
#[derive(Default)]
struct File {
    contents: Vec<u8>,
    etag: &'static str,
}

/// A server with one file, which a test may change.
struct FileServer {
    server: WebServer,
    file: Arc<Mutex<File>>,
}

impl FileServer {
    fn new(contents: &str, etag: &'static str) -> Self {
        let file = Arc::new(Mutex::new(File::default()));
        let current = Arc::clone(&file);
        let answer = move |method: &str, _path: &str| current.lock().unwrap().answer(method);
        let server = WebServer::new(answer);
        let server = Self { server, file };
        server.have(contents, etag);
        server
    }

    fn have(&self, contents: &str, etag: &'static str) {
        *self.file.lock().unwrap() = File {
            contents: contents.into(),
            etag,
        };
    }

    fn url(&self, name: &str) -> String {
        format!("http://ana:s3cret@{}/{name}{SIGNED}", self.server.address)
    }

    /// The methods of the requests since the last call.
    fn asked(&self) -> Vec<String> {
        self.server.methods()
    }

    /// What was printed, with `[server]` for this server's address.
    fn shown(&self, outcome: &Outcome) -> String {
        let text = outcome.to_string();
        let (_typed, text) = text.split_once('\n').unwrap();
        assert!(!text.contains("s3cret"), "{text}");
        text.replace(&self.server.address.to_string(), "[server]")
    }
}

impl File {
    fn answer(&self, method: &str) -> Vec<u8> {
        let length = self.contents.len();
        let etag = match self.etag {
            "" => String::new(),
            etag => format!("ETag: {etag}\r\n"),
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{etag}\
             Last-Modified: Thu, 01 Oct 2026 12:00:00 GMT\r\n\r\n"
        );
        let contents: &[u8] = if method == "HEAD" {
            b""
        } else {
            &self.contents
        };
        [head.as_bytes(), contents].concat()
    }
}

fn sample() -> String {
    let cli = TestCli::new();
    Edited::sample().write(&cli, "sample.ndjson");
    std::fs::read_to_string(cli.path("sample.ndjson")).unwrap()
}

#[track_caller]
fn done(cli: &mut TestCli, args: &[&str]) -> Outcome {
    let outcome = cli.run(args);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    outcome
}

#[test]
fn what_is_fetched_is_logged_with_its_etag_and_without_secrets() {
    let server = FileServer::new(&sample(), "\"monday\"");
    let mut cli = TestCli::new();
    done(&mut cli, &["import", &server.url("boats.ndjson")]);
    let log = done(&mut cli, &["releases", "log"]);
    assert_snapshot("remote_log", &server.shown(&log));
    let log = done(&mut cli, &["releases", "log", "--json"]);
    let json = server.shown(&log);
    assert!(
        json.contains(r#""name": "http://…@[server]/boats.ndjson?…""#),
        "{json}"
    );
    let held = std::fs::read_to_string(cli.path("catalogue-data/releases.log")).unwrap_or_default();
    assert!(!held.contains("s3cret"));
}

#[test]
fn what_has_not_changed_is_not_imported_again() {
    let server = FileServer::new(&sample(), "\"monday\"");
    let mut cli = TestCli::new();
    let url = server.url("boats.ndjson");
    let import = ["import", "--if-changed", &url];
    done(&mut cli, &import);
    assert_eq!(server.asked(), ["GET"]);
    let logged = |cli: &mut TestCli| done(cli, &["releases", "log", "--json"]).out;
    let before = logged(&mut cli);
    let again = done(&mut cli, &import);
    assert_eq!(server.asked(), ["HEAD"]);
    let as_json = done(&mut cli, &["import", "--if-changed", "--json", &url]);
    // Another ETag for the same contents.
    server.have(&sample(), "\"tuesday\"");
    server.asked();
    let same = done(&mut cli, &import);
    assert_eq!(server.asked(), ["HEAD", "GET"]);
    assert_eq!(same.out, again.out);
    server.have(&sample(), "");
    assert_eq!(done(&mut cli, &import).out, again.out);
    assert_eq!(logged(&mut cli), before);
    let shown = [&again, &as_json].map(|outcome| server.shown(outcome));
    assert_snapshot("remote_unchanged", &shown.join("\n"));
}

#[test]
fn what_has_changed_is_imported_and_so_is_the_same_with_another_mapping() {
    let server = FileServer::new(&sample(), "\"monday\"");
    let mut cli = TestCli::new();
    let url = server.url("boats.ndjson");
    let import = ["import", "--if-changed", &url];
    done(&mut cli, &import);
    Edited::sample().with_boat("new").write(&cli, "more.ndjson");
    let more = std::fs::read_to_string(cli.path("more.ndjson")).unwrap();
    server.have(&more, "\"tuesday\"");
    let changed = done(&mut cli, &import);
    assert!(!changed.out.contains("Nothing has changed"), "{changed}");
    let (_status, mapped) = {
        let written = cli.run(&["mapping", "init", "minimal", "[dir]/minimal.toml"]);
        let mapping = [
            "import",
            "--if-changed",
            "--mapping",
            "[dir]/minimal.toml",
            &url,
        ];
        (written.status, cli.run(&mapping))
    };
    assert!(!mapped.out.contains("Nothing has changed"), "{mapped}");
}

#[test]
fn a_rollback_is_not_undone_by_what_has_not_changed() {
    let server = FileServer::new(&sample(), "\"monday\"");
    let mut cli = TestCli::new();
    let url = server.url("boats.ndjson");
    let import = ["import", "--if-changed", &url];
    done(&mut cli, &import);
    let first = done(&mut cli, &["releases", "list", "--json"]).out;
    Edited::sample().with_boat("new").write(&cli, "more.ndjson");
    let more = std::fs::read_to_string(cli.path("more.ndjson")).unwrap();
    server.have(&more, "\"tuesday\"");
    done(&mut cli, &import);
    done(&mut cli, &["releases", "rollback"]);
    let unchanged = done(&mut cli, &import);
    assert!(
        unchanged.out.starts_with("Nothing has changed"),
        "{unchanged}"
    );
    let document: serde_json::Value = serde_json::from_str(&first).unwrap();
    let first = document["releases"][0]["id"].as_str().unwrap();
    assert!(
        unchanged.out.contains(&format!("Active release: {first}")),
        "{unchanged}"
    );
}

#[test]
fn a_mapping_that_asks_for_the_time_is_imported_though_the_export_is_the_same() {
    let mut cli = TestCli::new();
    let header = "id,model,manufacturer,type,first year,loa,unit,expires\n";
    let row = |n: usize| format!("{n},Tern {n},Nord,sail,2018,9.1,metric,\n");
    let expiring = "0,Sum,Nord,sail,2018,10.4,metric,2026-10-02\n";
    let rows: String = (1..40).map(row).collect();
    cli.write("boats.csv", format!("{header}{expiring}{rows}"));
    let init = [
        "mapping",
        "init",
        "--from",
        "[dir]/boats.csv",
        "--to",
        "[dir]/m.toml",
    ];
    done(&mut cli, &init);
    let published = |cli: &mut TestCli| {
        let import = [
            "import",
            "--if-changed",
            "--json",
            "--mapping",
            "[dir]/m.toml",
            "[dir]/boats.csv",
        ];
        let document = done(cli, &import).document();
        let published = &document["records"]["boat"]["published"];
        (published.as_u64(), document["existed"].as_bool())
    };
    assert_eq!(published(&mut cli), (Some(40), Some(false)));
    // Without a difference it is the release that there is.
    assert_eq!(published(&mut cli), (Some(40), Some(true)));
    cli.advance(Duration::from_hours(24));
    assert_eq!(published(&mut cli), (Some(39), Some(false)));
}

#[test]
fn what_was_made_but_not_activated_is_activated_by_an_import_of_the_same() {
    let mut cli = TestCli::new();
    cli.write("boats.ndjson", sample());
    let import = ["import", "--if-changed", "[dir]/boats.ndjson"];
    let only_made = [&import[..], &["--no-activate"]].concat();
    done(&mut cli, &only_made);
    let unchanged = done(&mut cli, &only_made);
    assert!(
        unchanged.out.starts_with("Nothing has changed"),
        "{unchanged}"
    );
    let activated = done(&mut cli, &import);
    assert!(
        !activated.out.contains("Nothing has changed"),
        "{activated}"
    );
    let listed = done(&mut cli, &["releases", "list", "--json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["releases"][0]["active"], true, "{listed}");
    let unchanged = done(&mut cli, &import);
    assert!(
        unchanged.out.starts_with("Nothing has changed"),
        "{unchanged}"
    );
}

#[test]
fn another_query_with_the_same_etag_is_another_file_unless_it_has_the_same_contents() {
    let server = FileServer::new(&sample(), "\"monday\"");
    let mut cli = TestCli::new();
    let url = |query: &str| format!("http://{}/boats.ndjson?{query}", server.server.address);
    let live = ["import", "--if-changed", &url("feed=live")];
    done(&mut cli, &live);
    done(&mut cli, &live);
    assert_eq!(server.asked(), ["GET", "HEAD"]);
    // Addresses that are signed anew.
    let same = done(
        &mut cli,
        &["import", "--if-changed", &url("feed=live&sig=s3cret")],
    );
    assert!(same.out.starts_with("Nothing has changed"), "{same}");
    assert_eq!(server.asked(), ["HEAD", "GET"]);
    Edited::sample().with_boat("new").write(&cli, "more.ndjson");
    let more = std::fs::read_to_string(cli.path("more.ndjson")).unwrap();
    server.have(&more, "\"monday\"");
    let staging = done(&mut cli, &["import", "--if-changed", &url("feed=staging")]);
    assert!(!staging.out.contains("Nothing has changed"), "{staging}");
    let held = std::fs::read_to_string(cli.path("catalogue-data/releases.log")).unwrap();
    assert!(
        !held.contains("feed=") && held.contains("addressSha256"),
        "{held}"
    );
}

/// A proxy would read what is sent unencrypted.
#[test]
fn what_goes_to_this_machine_goes_to_no_proxy() {
    let proxy = FileServer::new("{}", "");
    let server = FileServer::new(&sample(), "\"monday\"");
    let folder = tempfile::tempdir().unwrap();
    let http = format!("http://{}/boats.ndjson", server.server.address);
    for export in [&http, "s3://exports/boats.ndjson"] {
        let mut validate = command(folder.path(), &["validate", export]);
        for name in ["no_proxy", "NO_PROXY"] {
            validate.env_remove(name);
        }
        let place = |server: &FileServer| format!("http://{}", server.server.address);
        for (name, value) in [
            ("http_proxy", &*place(&proxy)),
            ("CATALOGUE_EXPORT_TOKEN", "s3cret"),
            ("AWS_ENDPOINT_URL", &place(&server)),
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "s3cret"),
            ("AWS_REGION", "nowhere"),
        ] {
            validate.env(name, value);
        }
        let validated = validate.output().unwrap();
        assert!(proxy.asked().is_empty(), "{export}");
        assert!(validated.status.success(), "{validated:?}");
        assert_eq!(server.asked(), ["GET"]);
    }
}

#[test]
fn a_folder_and_standard_input_cannot_be_unchanged() {
    let mut cli = TestCli::new();
    let shown = ["[dir]", "-"].map(|export| {
        let outcome = cli.run(&["import", "--if-changed", export]);
        assert_eq!(outcome.status, ExitStatus::WrongUsage);
        outcome.to_string()
    });
    assert_snapshot("remote_if_changed_refused", &shown.join("\n"));
}

#[test]
fn every_command_that_reads_exports_fetches_them() {
    let server = FileServer::new("id,model,manufacturer\n1,Sum,Nord\n", "\"a\"");
    let mut cli = TestCli::new();
    let url = server.url("boats.csv");
    let mut shown = [
        vec!["validate", &url],
        vec![
            "mapping",
            "init",
            "--from",
            &url,
            "--to",
            "[dir]/boats.toml",
        ],
        vec!["mapping", "check", "[dir]/boats.toml", &url],
        vec!["validate", "--mapping", "[dir]/boats.toml", &url],
        vec!["validate", "--max-bytes", "0", &url],
    ]
    .map(|args| cli.run(&args));
    let [_, _, checked, validated, _] = &mut shown;
    assert_eq!(validated.err, checked.err);
    validated.err.clear();
    let shown = shown.map(|outcome| server.shown(&outcome));
    assert_snapshot("remote_commands", &shown.join("\n"));
}

#[test]
fn what_is_no_address_is_refused_without_being_repeated() {
    let mut cli = TestCli::new();
    let shown = [
        "ftp://ana:s3cret@cms.example/boats.csv",
        "file:///s3cret",
        "https://",
        "s3://s3cret",
        "gs://exports/s3cret?sig",
    ]
    .map(|url| {
        let outcome = cli.run(&["import", url]);
        assert_eq!(outcome.status, ExitStatus::WrongUsage);
        assert!(!outcome.err.contains("s3cret"), "{outcome}");
        outcome.err
    });
    assert_snapshot("remote_no_address", &shown.join("\n"));
}

#[test]
fn a_token_that_cannot_be_sent_is_refused_and_not_shown() {
    let server = FileServer::new("", "");
    let mut cli = TestCli::new();
    let outcome = cli.run_in(&["validate", &server.url("a")], |context| {
        let token = "s3cret\n".to_owned();
        context.remote = RemoteSettings::of([("CATALOGUE_EXPORT_TOKEN".to_owned(), token)]);
    });
    assert_snapshot("remote_token", &server.shown(&outcome));
    assert_eq!(server.asked(), [""; 0]);
}
