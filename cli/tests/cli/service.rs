//! The server as a service: it listens on a passed socket, notifies the service manager, and drains
//! before it stops.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;

use crate::client::{Client, HUNG_AFTER};
use crate::harness::assert_snapshot;
use crate::process::{SERVE, Server, after, command, import_sample, send};
use crate::wait::wait_until;

const REQUEST: &[u8] = b"GET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";

/// `catalogue serve`, with `socket` passed `count` times as a service manager would pass it.
fn serve_passed(data: &Path, args: &[&str], socket: impl Into<OwnedFd>, count: usize) -> Command {
    let serve = command(
        data,
        &[&["serve", "--admin", "off", "--log", "error"], args].concat(),
    );
    let mut passing = after("exec 3<&0 4<&0 </dev/null; export LISTEN_PID=$$", &serve);
    passing
        .env("LISTEN_FDS", count.to_string())
        .stdin(Stdio::from(socket.into()));
    passing
}

fn bound() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

#[test]
fn who_connects_between_two_servers_of_a_passed_socket_is_answered_by_the_second() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let (listener, address) = bound();
    let typed = address.to_string();
    for args in [&[][..], &["--listen", &typed]] {
        let mut between = TcpStream::connect(address).unwrap();
        between.set_read_timeout(Some(HUNG_AFTER)).unwrap();
        between.write_all(REQUEST).unwrap();
        let socket = listener.try_clone().unwrap();
        let server = Server::run(serve_passed(data.path(), args, socket, 1));
        assert_eq!(server.address, address);
        let mut received = String::new();
        between.read_to_string(&mut received).unwrap();
        assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
        assert!(server.stop().success());
    }
}

/// The error of `serve` about the passed socket.
fn refusal(data: &Path, args: &[&str], socket: impl Into<OwnedFd>, count: usize) -> String {
    let output = serve_passed(data, args, socket, count).output().unwrap();
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8(output.stderr).unwrap();
    format!("{}\n{errors}", output.status)
}

#[test]
fn what_cannot_be_listened_on_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path();
    let (listener, address) = bound();
    let socket = || listener.try_clone().unwrap();
    let elsewhere = ["--listen", "127.0.0.1:1"];
    let connection = TcpStream::connect(address).unwrap();
    let unix = UnixListener::bind(data.join("socket")).unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let file = File::open("/dev/null").unwrap();
    let refusals = [
        ("two sockets", refusal(data, &[], socket(), 2)),
        ("another address", refusal(data, &elsewhere, socket(), 1)),
        ("a connection", refusal(data, &[], connection, 1)),
        ("a Unix socket", refusal(data, &[], unix, 1)),
        ("a UDP socket", refusal(data, &[], udp, 1)),
        ("a file", refusal(data, &[], file, 1)),
    ];
    let texts = refusals.map(|(what, refusal)| format!("{what}: {refusal}"));
    let text = texts.join("\n").replace(&address.to_string(), "[address]");
    assert_snapshot("serve_passed_refused", &text);
}

#[test]
fn a_service_manager_is_notified_of_the_beginning_and_the_end() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let path = data.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(HUNG_AFTER)).unwrap();
    let mut command = command(data.path(), &[&SERVE[..], &["--drain", "1s"]].concat());
    command.env("NOTIFY_SOCKET", &path);
    let server = Server::run(command);
    let address = server.address.to_string();
    let told = || {
        let mut message = [0; 1024];
        let length = manager.recv(&mut message).unwrap();
        let text = String::from_utf8_lossy(&message[..length]).into_owned();
        text.replace(&address, "[address]")
    };
    let mut messages = vec![told()];
    assert!(server.stop().success());
    messages.extend((0..3).map(|_| told()));
    assert_snapshot("serve_notified", &messages.join("\n"));
}

#[test]
fn a_draining_server_answers_each_request_on_a_last_connection_until_another_signal_stops_it() {
    let data = tempfile::tempdir().unwrap();
    import_sample(data.path());
    let serve = [&SERVE[..], &["--drain", "5m"]].concat();
    let server = Server::start_with(data.path(), &serve);
    let mut kept = Client::connect(server.address);
    assert_eq!(kept.get_once("/health", "").status, 200);
    server.terminate();
    let is_last = || {
        let answer = Client::connect(server.address).get_once("/health", "");
        assert_eq!(answer.status, 200);
        answer.head.contains("connection: close")
    };
    wait_until("a last answer of a connection", is_last);
    assert_eq!(kept.get_once("/health", "").header("connection"), "close");
    send(Signal::SIGHUP, server.pid());
    assert!(is_last(), "it accepts still");
    assert!(server.stop().success());
}
