//! Keys must never appear in anything that the real binary writes while they are used and misused,
//! even if it logs everything it can.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};

use crate::admin;
use crate::client::{Client, HUNG_AFTER};
use crate::process::{SERVE, Server, after, catalogue_json, command, import_sample, issue_key};

/// How much of a key is shown: `boat_live_` and six characters.
const SHOWN: usize = 16;
/// So many characters of the rest in a row are no accident.
const TELLING: usize = 8;

/// Requests with a key where it belongs, and everywhere else.
fn requests(key: &str) -> Vec<String> {
    let bearer = format!("Authorization: Bearer {key}\r\n");
    let get = |target: &str, headers: &str| {
        format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n")
    };
    let escaped = key.bytes().fold(String::new(), |escaped, byte| {
        format!("{escaped}%{byte:02X}")
    });
    let targets = [
        format!("/v1/boats?api_key={key}"),
        format!("/v1/boats?search={key}"),
        format!("/v1/boats?search={escaped}"),
        format!("/v1/boats?{key}"),
        format!("/v1/boats?type={key}&limit={key}"),
        format!("/v1/boats/{key}"),
        format!("/v1/manufacturers/{key}/boats?sort={key}"),
        format!("/{key}"),
        format!("/v1?{key}={key}"),
        format!("/health?token={key}"),
        format!("/v1/boats?search=<{key}"),
        format!("http://{key}@test/v1/boats"),
    ];
    let headers = [
        bearer.clone(),
        format!("Authorization: Bearer {key}x\r\n"),
        format!("Authorization: Bearer {key},{key}\r\n"),
        format!("Authorization: Basic {key}\r\n"),
        format!("Authorization: {key}\r\n"),
        format!("{bearer}{bearer}"),
        format!("X-Api-Key: {key}\r\n"),
        format!("Cookie: key={key}\r\nUser-Agent: {key}\r\nReferer: /?key={key}\r\n"),
        format!("{bearer}If-None-Match: \"{key}\"\r\n"),
        format!("{bearer}X-Request-Id: {key}\r\n"),
        format!("{bearer}Content-Length: 3\r\n"),
        format!("{bearer}Bad Header {key}\r\n"),
        format!("{key}: {key}\r\n"),
        format!("X: {}\r\n", key.repeat(1000)),
    ];
    let mut requests: Vec<_> = headers
        .iter()
        .map(|fields| get("/v1/boats", fields))
        .collect();
    requests.extend(
        targets
            .iter()
            .flat_map(|target| [get(target, ""), get(target, &bearer)]),
    );
    requests.push(get("/v1/boats", "").replace("GET", key));
    requests.push(get("/v1/boats", "").replace("HTTP/1.1", key));
    requests.push(format!("{key}\r\n\r\n"));
    requests
}

/// Every place in the text that shows more of the key than may be shown.
fn leaks(text: &[u8], key: &str) -> usize {
    let parts = key.as_bytes()[SHOWN..].windows(TELLING);
    parts
        .filter(|part| text.windows(TELLING).any(|window| window == *part))
        .count()
}

/// Everything received until the connection is closed.
fn answer(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    stream.set_read_timeout(Some(HUNG_AFTER)).unwrap();
    let mut answer = Vec::new();
    // A connection may also be reset after the response has been read.
    let _end = stream.read_to_end(&mut answer);
    answer
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (directories, mut found): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    found.extend(directories.iter().flat_map(|below| files(below)));
    found
}

/// A server that logs everything it can, in that format.
fn serve(data: &Path, log: &str, format: &str) -> Server {
    let all = ["--log", "trace", "--log-format", format];
    admin::serve(data, log, &[&all[..], &["--admin", "127.0.0.1:0"]].concat())
}

/// What the administration address shows afterwards, and its responses to the same requests.
fn shown_to_operators(admin: SocketAddr, requests: &[String]) -> Vec<u8> {
    let answers = requests.iter().map(|request| answer(admin, request));
    let mut told: Vec<u8> = answers.flatten().collect();
    for target in ["/metrics", "/ready"] {
        let page = Client::connect(admin).get_with(target, "");
        assert!(page.body.contains("ready"), "{}", page.body);
        told.extend_from_slice(page.body.as_bytes());
    }
    told
}

#[test]
fn no_key_is_in_any_file_or_log_whatever_is_done_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let first = issue_key(data);
    let server = serve(data, "killed.log", "json");
    let id = catalogue_json(data, &["keys", "show", &first])["id"].take();
    let rotated = catalogue_json(data, &["keys", "rotate", id.as_str().unwrap()]);
    let keys = [first, rotated["key"].as_str().unwrap().to_owned()];
    server.wait_for("/v1/boats", &keys[1], 200, 401);
    let requests: Vec<_> = keys.iter().flat_map(|key| requests(key)).collect();
    let answers = requests
        .iter()
        .map(|request| answer(server.address, request));
    let mut answers: Vec<_> = answers.collect();
    let admin = admin::address(&data.join("killed.log"));
    answers.push(shown_to_operators(admin, &requests));
    drop(server);
    let server = serve(data, "stopped.log", "text");
    for request in &requests {
        answer(server.address, request);
    }
    assert!(server.stop().success());

    assert!(
        answers
            .iter()
            .any(|answer| answer.starts_with(b"HTTP/1.1 200"))
    );
    for answer in &answers {
        let shown = String::from_utf8_lossy(answer);
        assert_eq!(
            keys.each_ref().map(|key| leaks(answer, key)),
            [0, 0],
            "{shown}"
        );
    }
    let files = files(data);
    assert!(files.len() > 8, "{files:?}");
    for file in &files {
        let contents = fs::read(file).unwrap();
        let found = keys.each_ref().map(|key| leaks(&contents, key));
        assert_eq!(found, [0, 0], "{}", file.display());
    }
}

#[test]
fn commands_that_are_given_a_whole_key_do_not_repeat_it() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let key = issue_key(data);
    let mistyped = format!("{key}0");
    for arguments in [
        &["keys", "show", &key][..],
        &["keys", "show", &mistyped],
        &["keys", "disable", &key],
        &["keys", "log", "--key", &key],
        &["keys", "log", "--key", &key, "--json"],
        &["keys", "issue", "--subscription", &key, "--scope", &key],
        &[
            "keys",
            "issue",
            "--subscription",
            "tests",
            "--scope",
            "boats.read",
            "--name",
            &key,
        ],
        &["subscriptions", "show", &key],
        &["subscriptions", "create", &key],
        &["usage", "--subscription", &key],
        &["releases", "show", &key],
        &[&key],
        &["keys", "revoke", &key],
    ] {
        let told = command(data, arguments).output().unwrap();
        let told = [told.stdout, told.stderr].concat();
        let shown = String::from_utf8_lossy(&told);
        assert_eq!(leaks(&told, &key), 0, "{shown}");
    }
}

/// Keys are in the memory of the process, and core dumps stay around for a long time.
#[test]
fn no_core_dump_is_made_of_a_server() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    import_sample(data);
    let serve = command(data, &SERVE);
    let server = Server::run(after("ulimit -c \"$(ulimit -H -c)\"", &serve));
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).unwrap();
    let of_dumps = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let of_dumps: Vec<_> = of_dumps
        .unwrap()
        .split_whitespace()
        .skip(4)
        .take(2)
        .collect();
    assert_eq!(of_dumps, ["0", "0"]);
}
