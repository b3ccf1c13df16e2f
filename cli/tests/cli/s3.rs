//! Releases in S3, with the built binary: servers on other machines serve what one machine publishes
//! and activates.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;
use shared::base::clock::SystemClock;
use shared::base::data_dir::DataDir;
use shared::release::log::LogQuery;
use shared::release::s3::NoTransferListener;
use shared::release::{FileName, ReleaseId, Releases, S3Releases, S3Settings};

use crate::edited::Edited;
use crate::harness::{SAMPLE, TestCli};
use crate::process::{SERVE, Server, command, spawn};
use crate::services;
use crate::wait::{wait_for, wait_until};

/// Machines that share a folder of the bucket.
struct Machines {
    folder: TestCli,
    address: String,
}

impl Machines {
    fn new(test: &str) -> Self {
        let bucket = services::address("CATALOGUE_TEST_S3");
        Self {
            folder: TestCli::new(),
            address: format!("{bucket}/cli-{}-{test}", std::process::id()),
        }
    }

    fn data(&self, machine: &str) -> PathBuf {
        self.folder.path(machine)
    }

    fn command(&self, machine: &str, args: &[&str]) -> Command {
        let mut command = command(&self.data(machine), args);
        command.arg("--releases").arg(&self.address);
        command
    }

    /// The exit status, and what was printed on both streams.
    fn run(&self, machine: &str, args: &[&str]) -> (i32, String) {
        let mut command = self.command(machine, args);
        let child = spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let output = child.wait_with_output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        (output.status.code().unwrap(), printed)
    }

    /// Runs a command that must succeed.
    fn done(&self, machine: &str, args: &[&str]) -> String {
        let (status, printed) = self.run(machine, args);
        assert_eq!(status, 0, "{args:?}: {printed}");
        printed
    }

    fn serve(&self, machine: &str) -> Server {
        let data = self.data(machine);
        fs::create_dir_all(&data).unwrap();
        let keys = data.join("keys.sqlite");
        if !keys.exists() {
            self.done(machine, &["subscriptions", "create", "tests"]);
        }
        Server::run(self.command(machine, &SERVE))
    }

    /// The releases as the test itself sees them.
    fn releases(&self, machine: &str) -> S3Releases {
        let data = DataDir::new(self.data(machine));
        let (address, settings) = (self.address.parse().unwrap(), S3Settings::of(env::vars()));
        S3Releases::open(
            address,
            &settings,
            &data,
            machine.to_owned(),
            Box::new(NoTransferListener),
            Arc::new(SystemClock::new()),
        )
        .unwrap()
    }

    /// The release that was published last; either of two that were published in the same second.
    fn newest(&self) -> ReleaseId {
        self.releases("tests").list().unwrap().remove(0)
    }

    /// The release that was published beside this one.
    #[track_caller]
    fn other_than(&self, release: &ReleaseId) -> ReleaseId {
        let all = self.releases("tests").list().unwrap().into_iter();
        let mut others = all.filter(|other| other != release);
        others.next().unwrap()
    }
}

/// Asks until the server serves a release. It asks with pauses, since a server rests from opening a
/// release while requests arrive.
#[track_caller]
fn wait_until_served(server: &Server, release: &ReleaseId) {
    wait_until(&format!("{release} to be served"), || {
        let version = server.get_with("/v1", "");
        version.body.contains(release.as_str())
    });
}

/// An export with one boat more than the sample.
fn other_export(machines: &Machines) -> PathBuf {
    let export = Edited::sample().with_boat("another");
    export.write(&machines.folder, "other.ndjson");
    machines.folder.path("other.ndjson")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
#[ignore = "needs S3"]
fn every_server_follows_an_activation_and_a_rollback_and_starts_without_s3() {
    let machines = Machines::new("follow");
    machines.done("operator", &["import", SAMPLE]);
    let first = machines.newest();
    let servers = ["one", "two"].map(|machine| machines.serve(machine));
    for server in &servers {
        wait_until_served(server, &first);
    }
    let other = other_export(&machines);
    machines.done(
        "operator",
        &["import", text(&other), "--max-removals", "100"],
    );
    let second = machines.other_than(&first);
    for server in &servers {
        wait_until_served(server, &second);
    }
    machines.done("another", &["releases", "rollback"]);
    for server in &servers {
        wait_until_served(server, &first);
    }
    for server in servers {
        assert!(server.stop().success());
    }
    let mut command = machines.command("one", &SERVE);
    command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    let alone = Server::run(command);
    wait_until_served(&alone, &first);
    drop(alone);
    let mut command = machines.command("new", &SERVE);
    command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    let refused = spawn(command.stderr(Stdio::piped()).stdout(Stdio::null()));
    let refused = refused.wait_with_output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(
        said.contains("could not see which release is active"),
        "{said}"
    );
}

#[test]
#[ignore = "needs S3"]
fn an_import_that_is_killed_before_any_write_leaves_no_half_release() {
    kill_at_each_write(false);
}

#[test]
#[ignore = "needs S3"]
fn an_import_that_is_killed_after_any_write_leaves_no_half_release() {
    kill_at_each_write(true);
}

/// Kills imports at each write, whether or not it takes effect, and imports again.
fn kill_at_each_write(is_done: bool) {
    let tried_out = ["write", "make", "replace", "replace again"].len();
    let writes = FileName::ALL.len() + ["manifest", "mark", "entry"].len() + tried_out + 1;
    for write in 1..=writes {
        let test = format!("killed-{write}-{is_done}");
        let machines = Machines::new(&test);
        let proxy = KillingProxy::start(write, is_done);
        let mut command = machines.command("operator", &["import", SAMPLE]);
        command.env("AWS_ENDPOINT_URL", &proxy.endpoint);
        let mut import = spawn(command.stdout(Stdio::null()).stderr(Stdio::null()));
        wait_for("the write to be reached", || proxy.reached.try_recv().ok());
        import.kill().unwrap();
        import.wait().unwrap();
        let releases = machines.releases("tests");
        let listed = releases.list().unwrap();
        let has_manifest = FileName::ALL.len() + usize::from(!is_done) < write;
        assert_eq!(listed.len(), usize::from(has_manifest), "{test}");
        for id in &listed {
            releases.verify(id).unwrap();
        }
        let active = releases.current().unwrap();
        assert_eq!(active.is_some(), write == writes && is_done, "{test}");
        let all = LogQuery {
            last: 9,
            is_wanted: &|_entry| true,
        };
        let logged = releases.read_log(all).unwrap().activated;
        assert!(active.is_none() || logged == active, "{test}");
        machines.done("operator", &["import", SAMPLE]);
        assert_eq!(releases.list().unwrap().len(), 1, "{test}");
        assert_eq!(releases.current().unwrap(), Some(machines.newest()));
    }
}

/// Forwards requests to S3 up to the write with a given number. That write is forwarded only if it
/// should take effect, and never gets a response.
struct KillingProxy {
    endpoint: String,
    reached: Receiver<()>,
}

impl KillingProxy {
    fn start(write: usize, is_done: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (reach, reached) = channel();
        let writes = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (reach, writes) = (reach.clone(), Arc::clone(&writes));
                thread::spawn(move || {
                    let mut client = client.unwrap();
                    let request = read_request(&client);
                    let is_write = usize::from(request.starts_with(b"PUT "));
                    let is_held = write <= writes.fetch_add(is_write, Ordering::Relaxed) + is_write;
                    if !is_held || is_done {
                        let answer = answer_of_s3(&request);
                        if !is_held {
                            // A process that was killed cannot receive it.
                            _ = client.write_all(&answer);
                            return;
                        }
                    }
                    // If a request was retried, the test may be over.
                    _ = reach.send(());
                    // Blocks until the waiting process is gone.
                    _ = client.read(&mut [0]);
                });
            }
        });
        Self { endpoint, reached }
    }
}

/// Passes on to S3 what `answer` says nothing to, and answers the rest with that; its address.
fn proxy(answer: fn(&[u8]) -> Option<&'static [u8]>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for client in listener.incoming() {
            thread::spawn(move || {
                let mut client = client.unwrap();
                let request = read_request(&client);
                let answer = answer(&request).map(<[u8]>::to_vec);
                // Whoever was killed does not hear it.
                _ = client.write_all(&answer.unwrap_or_else(|| answer_of_s3(&request)));
            });
        }
    });
    endpoint
}

/// Reads a request, changed so that the connection is closed after it.
fn read_request(client: &TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut request = format!("{head}Connection: close\r\n\r\n").into_bytes();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    request.extend(body);
    request
}

fn answer_of_s3(request: &[u8]) -> Vec<u8> {
    let endpoint = env::var("AWS_ENDPOINT_URL").unwrap();
    let mut server = TcpStream::connect(endpoint.trim_start_matches("http://")).unwrap();
    server.write_all(request).unwrap();
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).unwrap();
    answer
}

/// Everything is taken for written, whatever the condition.
fn ignore_conditions(request: &[u8]) -> Option<&'static [u8]> {
    let head = String::from_utf8_lossy(request).to_ascii_lowercase();
    let is_conditional = head.contains("\r\nif-match:") || head.contains("\r\nif-none-match:");
    (head.starts_with("put ") && is_conditional).then_some(
        b"HTTP/1.1 200 OK\r\netag: \"1\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    )
}

fn forbid_writes(request: &[u8]) -> Option<&'static [u8]> {
    request
        .starts_with(b"PUT ")
        .then_some(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

#[test]
#[ignore = "needs S3"]
fn doctor_tries_the_store_out_and_says_what_it_lacks() {
    let machines = Machines::new("doctor");
    machines.done("operator", &["import", SAMPLE]);
    let endpoints = [
        env::var("AWS_ENDPOINT_URL").unwrap(),
        proxy(ignore_conditions),
        proxy(forbid_writes),
        "http://127.0.0.1:1".to_owned(),
    ];
    let told: Vec<_> = endpoints
        .iter()
        .flat_map(|endpoint| {
            let mut command = machines.command("operator", &["doctor", "--json"]);
            command.env("AWS_ENDPOINT_URL", endpoint);
            let output = spawn(command.stdout(Stdio::piped()))
                .wait_with_output()
                .unwrap();
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            let checks = document["checks"].as_array().unwrap().clone();
            checks.into_iter().filter(|check| check["check"] == "S3")
        })
        .map(|check| {
            let text = |name| check[name].as_str().unwrap_or("nothing").to_owned();
            format!("{}: {}", text("outcome"), text("message"))
                .replace(&machines.address, "[address]")
        })
        .collect();
    crate::harness::assert_snapshot("doctor_s3", &told.join("\n"));
    let listed = machines.releases("tests").list().unwrap();
    assert_eq!(listed, [machines.newest()]);
}

#[test]
#[ignore = "needs S3"]
fn commands_say_what_is_wrong_with_s3() {
    let machines = Machines::new("refused");
    let (status, said) = machines.run("operator", &["releases", "list"]);
    assert_eq!((status, said.lines().count()), (0, 2), "{said}");
    let mut command = machines.command("operator", &["releases", "list"]);
    command.env("AWS_SECRET_ACCESS_KEY", "guessed");
    let output = spawn(command.stderr(Stdio::piped()))
        .wait_with_output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let (address, code) = (&machines.address, output.status.code());
    assert_eq!(
        (code, said),
        (
            Some(3),
            format!(
                "error: could not read {address}/current: 403 Forbidden, SignatureDoesNotMatch\n"
            )
        )
    );
    let (status, said) = machines.run("operator", &["demo"]);
    assert_eq!(status, 2, "{said}");
}
