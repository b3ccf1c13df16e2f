//! A server that may not open more files continues, and reports it once.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::Command;

use crate::client::{ATTEMPTS_MAX, Client};
use crate::process::{SERVE, Server, command, import_sample};

/// More files than a server needs to start, and fewer than it needs with the connections of the
/// test.
const FILES: usize = 40;
const CROWD: usize = 100;

/// The same command, limited to [`FILES`] open files.
fn with_few_files(command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited
        .args(["-c", &format!(r#"ulimit -n {FILES} && exec "$0" "$@""#)])
        .arg(command.get_program())
        .args(command.get_args());
    limited
}

#[test]
fn a_server_without_files_left_says_so_once_and_accepts_again_when_there_are_some() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let mut command = with_few_files(&command(data.path(), &SERVE));
    let (log, writer) = std::io::pipe().unwrap();
    command.stderr(writer);
    let server = Server::run(command);

    let connect = |_| TcpStream::connect(server.address).unwrap();
    let crowd: Vec<TcpStream> = (0..CROWD).map(connect).collect();
    let mut log = BufReader::new(log).lines().map(Result::unwrap);
    let mut is_told = || log.any(|line| line.contains("could not accept a connection"));
    assert!(is_told());
    drop(crowd);

    let answers = |_| {
        let answer = Client::connect(server.address).get_once("/health", "");
        answer.status == 200
    };
    assert!((0..ATTEMPTS_MAX).any(answers));
    assert!(server.stop().success());
    assert!(!is_told());
}
