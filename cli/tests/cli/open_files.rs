//! A server that may not open more files continues, and reports it once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::client::HUNG_AFTER;
use crate::process::{SERVE, Server, after, command, import_sample};
use crate::wait::wait_until;

/// More files than a server needs to start, and fewer than it needs with the connections of the
/// test.
const FILES: usize = 40;
const CROWD: usize = 100;

/// Whether a new connection is answered: the server closes it as long as it has too many.
fn answers(address: SocketAddr) -> bool {
    let mut connection = TcpStream::connect(address).unwrap();
    connection.set_read_timeout(Some(HUNG_AFTER)).unwrap();
    let request = b"GET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    let mut answer = String::new();
    let asked = connection.write_all(request);
    let answered = asked.and_then(|()| connection.read_to_string(&mut answer));
    answered.is_ok() && answer.starts_with("HTTP/1.1 200 ")
}

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

    wait_until("an answer on a new connection", || answers(server.address));
    assert!(server.stop().success());
    assert!(!is_told());
}
