//! A server that may not open more files continues, and reports it once.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use crate::process::{SERVE, Server, after, command, import_sample};

/// More files than a server needs to start, and fewer than it needs with the connections of the
/// test.
const FILES: usize = 40;
const CROWD: usize = 100;

#[test]
fn a_server_without_files_left_says_so_once_and_accepts_again_when_there_are_some() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let limit = format!("ulimit -n {FILES}");
    let mut command = after(&limit, &command(data.path(), &SERVE));
    let (log, writer) = std::io::pipe().unwrap();
    command.stderr(writer);
    let server = Server::run(command);

    let connect = |_| TcpStream::connect(server.address).unwrap();
    let crowd: Vec<TcpStream> = (0..CROWD).map(connect).collect();
    let mut log = BufReader::new(log).lines().map(Result::unwrap);
    let mut is_told = || log.any(|line| line.contains("could not accept a connection"));
    assert!(is_told());
    drop(crowd);

    assert_eq!(server.get_with("/health", "").status, 200);
    assert!(server.stop().success());
    assert!(!is_told());
}
