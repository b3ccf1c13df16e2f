//! Images that an export has only the addresses of, at a local server.

use std::time::Duration;

use cli::ExitStatus;
use serde_json::Value;

use crate::edited::release_ids;
use crate::harness::{Outcome, TestCli, assert_snapshot};
use crate::web_server::WebServer;

const MAPPING: &str = r#"mapping = "boat-catalogue-mapping/1"
images = "measure"
records = [
    { kind = "manufacturer", id = "norrskar", slug = "norrskar", name = "Norrskär", updatedAt = "2026-10-01T12:00:00Z" },
    { kind = "term", vocabulary = "type", id = "monohull", slug = "monohull", name = "Monohull" },
]

[[sources]]
files = ["export.csv"]
reader = "csv"
key = ".model"
type = '"boat"'

[[emit]]
kind = "boat"
type = "boat"

[emit.fields]
slug = '"norrskar \(.model)" | slugify'
model = ".model"
manufacturer = '"norrskar"'
type = '"monohull"'
updatedAt = '"2026-10-01T12:00:00Z"'
production.firstYear = "1974"
unit = '"metric"'
lengthOverall = "10"
gallery = { each = '.photos | list(";")', fields = { url = "." } }
"#;

/// A GIF of 7 by 9 pixels.
const GIF: &[u8] = b"GIF89a\x07\0\x09\0\0\0\0";

/// A server of images, those called `gone` excepted.
struct ImageServer(WebServer);

impl ImageServer {
    fn new() -> Self {
        Self(WebServer::new(|_method, path| {
            let (status, body) = if path.contains("gone") {
                ("404 Not Found", &b""[..])
            } else {
                ("200 OK", GIF)
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            [head.as_bytes(), body].concat()
        }))
    }

    /// The paths of the requests since the last call, in their alphabet.
    fn asked(&self) -> Vec<String> {
        self.0.paths()
    }

    /// An export of these photos: one boat, and another with the first of them.
    fn export(&self, photos: &[&str]) -> String {
        let urls = photos
            .iter()
            .map(|photo| format!("http://{}/{photo}", self.0.address));
        let urls: Vec<String> = urls.collect();
        format!("model,photos\n34,{}\n40,{}\n", urls.join(";"), urls[0])
    }

    /// What was printed, with `[server]` for this server's address, and `[release]` for a release,
    /// whose id depends on it.
    fn shown(&self, outcome: &Outcome, cli: &TestCli) -> String {
        let text = outcome.to_string();
        let text = text.replace(&self.0.address.to_string(), "[server]");
        let releases = release_ids(cli).into_iter();
        releases.fold(text, |text, release| text.replace(&release, "[release]"))
    }
}

/// An export and its mapping, in a directory.
fn with_photos(server: &ImageServer, photos: &[&str]) -> TestCli {
    let cli = TestCli::new();
    cli.write("m.toml", MAPPING);
    cli.write("export.csv", server.export(photos));
    cli
}

const IMPORT: [&str; 4] = ["import", "--mapping", "[dir]/m.toml", "[dir]/export.csv"];

#[test]
fn photos_without_a_size_are_published_and_asked_for_once() {
    let server = ImageServer::new();
    let mut cli = with_photos(&server, &["1.gif", "2.gif"]);
    let validated =
        cli.run("validate --mapping [dir]/m.toml [dir]/export.csv --image-host 127.0.0.1");
    assert!(server.asked().is_empty());
    let host = ["--image-host", "127.0.0.1"];
    let imported = cli.run(&[&IMPORT[..], &host].concat());
    assert_eq!(server.asked(), ["/1.gif", "/2.gif"]);
    let exported = cli.run(&["export", "--to", "-"]);
    let exported = server.shown(&exported, &cli).replace('\n', " ");
    assert_eq!(
        exported.matches("\"format\":\"gif\"").count(),
        3,
        "{exported}"
    );
    assert_snapshot(
        "images_measured",
        &[
            server.shown(&validated, &cli),
            server.shown(&imported, &cli),
        ]
        .concat(),
    );

    cli.advance(Duration::from_hours(24));
    let again = cli.run(
        &[
            &IMPORT[..],
            &["--image-host", "127.0.0.1", "--recheck-images", "30d"],
        ]
        .concat(),
    );
    assert_eq!(again.status, ExitStatus::Done, "{again}");
    // Without the host, nothing may be asked, and what is known holds.
    let again = cli.run(&IMPORT);
    assert_eq!(again.status, ExitStatus::Done, "{again}");
    assert!(server.asked().is_empty());
    let again = cli.run(&["mapping", "check", "[dir]/m.toml", "[dir]/export.csv"]);
    assert_eq!(again.status, ExitStatus::Done, "{again}");
}

#[test]
fn a_release_without_a_tenth_of_its_photos_is_not_activated() {
    let server = ImageServer::new();
    let photos = ["gone.gif", "1.gif", "2.gif", "3.gif", "4.gif", "5.gif"];
    let mut cli = with_photos(&server, &photos);
    let host = ["--image-host", "127.0.0.1"];
    let refused = cli.run(&[&IMPORT[..], &host].concat());
    assert_eq!(refused.status, ExitStatus::Refused, "{refused}");
    assert_snapshot("images_lost", &server.shown(&refused, &cli));
    let checked = cli.run("mapping check [dir]/m.toml [dir]/export.csv");
    let said = "Unless more can be measured, an import is refused: 2 of 7 images are left out";
    assert!(checked.out.contains(said), "{checked}");
    let allowed = cli.run(&[&IMPORT[..], &host, &["--allow", "lost-images"]].concat());
    assert_eq!(allowed.status, ExitStatus::Done, "{allowed}");
    // What is not there is asked for again.
    assert_eq!(
        server
            .asked()
            .iter()
            .filter(|path| **path == "/gone.gif")
            .count(),
        2
    );
}

#[test]
fn an_import_that_could_not_ask_is_not_the_last_word() {
    let server = ImageServer::new();
    let mut cli = with_photos(&server, &["1.gif", "2.gif"]);
    cli.write("plain.toml", MAPPING.replace("images = \"measure\"\n", ""));
    let lost = cli.run("import --mapping [dir]/plain.toml [dir]/export.csv");
    assert_eq!(lost.status, ExitStatus::Done, "{lost}");
    assert!(lost.err.contains("with `images = \"measure\"`"), "{lost}");
    let plain = [
        "import",
        "--if-changed",
        "--mapping",
        "[dir]/plain.toml",
        "[dir]/export.csv",
    ];
    let unchanged = cli.run(&plain);
    assert!(
        unchanged.out.starts_with("Nothing has changed"),
        "{unchanged}"
    );
    let measuring = ["--measure-images", "--image-host", "127.0.0.1"];
    let measured = cli.run(&[&plain[..], &measuring].concat());
    assert_eq!(measured.status, ExitStatus::Done, "{measured}");
    assert_eq!(server.asked(), ["/1.gif", "/2.gif"]);
    let unchanged = cli.run(&[&plain[..], &measuring].concat());
    assert!(
        unchanged.out.starts_with("Nothing has changed"),
        "{unchanged}"
    );
    let native = cli.run(&["import", "[dir]/export.csv", "--measure-images"]);
    assert_eq!(native.status, ExitStatus::WrongUsage, "{native}");
}

#[test]
fn photos_that_are_left_out_are_listed_with_their_boats_and_without_secrets() {
    let server = ImageServer::new();
    let photos = ["1.gif", "2.gif", "gone.gif?sig=s3cret", "3 4.gif"];
    let mut cli = with_photos(&server, &photos);
    let export = server.export(&photos);
    let signed = "http://me:s3cret@127.0.0.1/5.gif";
    cli.write(
        "export.csv",
        format!("{}\n41,{signed}\n", export.trim_end()),
    );
    let options = ["--image-host", "127.0.0.1", "--allow", "lost-images"];
    let report = ["--report", "[dir]/report.json"];
    let imported = cli.run(&[&IMPORT[..], &options, &report].concat());
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
    let report = std::fs::read_to_string(cli.path("report.json")).unwrap();
    for shown in [&report, &imported.out, &imported.err] {
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    let report: Value = serde_json::from_str(&report).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let left_out: Vec<String> = findings
        .map(|of| {
            let fields = [
                &of["record"]["id"],
                &of["pointer"],
                &of["value"],
                &of["message"],
            ];
            fields.map(|field| field.as_str().unwrap()).join(" ")
        })
        .collect();
    let expected = [
        "34 /gallery/2 http://[server]/gone.gif?… an image is left out, as its size is not known: not found",
        "34 /gallery/3 http://[server]/3%204.gif an image is left out, as its size is not known: without an address that a record may have",
        "41 /gallery/0 http://…@127.0.0.1/5.gif an image is left out, as its size is not known: without an address that a record may have",
    ];
    let address = server.0.address.to_string();
    assert_eq!(
        left_out,
        expected.map(|line| line.replace("[server]", &address))
    );
    let checked = cli.run(&["mapping", "check", "[dir]/m.toml", "[dir]/export.csv"]);
    assert_eq!(checked.status, ExitStatus::Done, "{checked}");
}

#[test]
fn a_host_that_is_none_is_refused() {
    let server = ImageServer::new();
    let mut cli = with_photos(&server, &["1.gif"]);
    for host in ["*", "", "http://a.example"] {
        let refused = cli.run(&[&IMPORT[..], &["--image-host", host]].concat());
        assert_eq!(refused.status, ExitStatus::WrongUsage, "{refused}");
        let must = "must be the name or the address of a host, alone or with a port";
        assert!(refused.err.contains(must), "{refused}");
    }
    let address = server.0.address.to_string();
    let imported = cli.run(&[&IMPORT[..], &["--image-host", &address]].concat());
    assert_eq!(imported.status, ExitStatus::Done, "{imported}");
    assert_eq!(server.asked(), ["/1.gif"]);
}
