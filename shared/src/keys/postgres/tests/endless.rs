//! A database, or something in its place, whose reply never ends.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::thread;

use super::*;
use crate::keys::postgres::client::Timeout;
use crate::keys::postgres::connection::{ALL_KEYS, PgConnection};
use crate::keys::postgres::failure::Failure;
use crate::keys::postgres::pool::Pool;

/// The reply that trusts every client.
const TRUST: &[u8] = b"R\0\0\0\x08\0\0\0\0";
/// Waits for a question.
const READY: &[u8] = b"Z\0\0\0\x05I";
/// Has done what was asked.
const DONE: &[u8] = b"C\0\0\0\x0bSELECT\0Z\0\0\0\x05I";

/// One row of a GiB.
const LONG_ROW: &[u8] = b"D\x40\0\0\0\0\x01\x3f\xff\xff\xf6";
const ROW: &[u8] = b"D\0\0\0\x0e\0\x01\0\0\0\x04boat";
const NOTICE: &[u8] = b"N\0\0\0\x18SNOTICE\0C00000\0Mhi\0\0";
const NOTIFICATION: &[u8] = b"A\0\0\0\x15\0\0\0\x01catalogue\0hi\0";
const SETTING: &[u8] = b"S\0\0\0\x0aname\0\0";

/// More than the kernel buffers beside what a client reads.
const HELD: usize = 64 << 20;

/// Where something listens that sends `head` and then `piece` without an end, in the place of the
/// answer of that number, on its first connection; on others it does what is asked. Reports how
/// much was taken.
fn listen(
    at: usize,
    head: &'static [u8],
    piece: &'static [u8],
) -> (PostgresAddress, mpsc::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (report, reported) = mpsc::channel();
    thread::spawn(move || {
        let (first, _from) = listener.accept().unwrap();
        // The test may have ended, and wait for this no more.
        _ = report.send(send(first, Some(at), head, piece));
        for other in listener.incoming() {
            send(other.unwrap(), None, head, piece);
        }
    });
    let address = format!("postgres://tests@127.0.0.1:{port}/boats");
    (address.parse().unwrap(), reported)
}

fn send(mut client: impl Read + Write, endless: Option<usize>, head: &[u8], piece: &[u8]) -> usize {
    let pieces = piece.repeat((64 << 10) / piece.len());
    let mut question = [0; 4096];
    for number in 0.. {
        if client.read(&mut question).unwrap_or(0) == 0 {
            break;
        }
        if endless == Some(number) {
            client.write_all(head).unwrap();
            let taken = std::iter::repeat_with(|| client.write_all(&pieces));
            return taken.take_while(Result::is_ok).count() * pieces.len();
        }
        let answer = if number == 0 {
            &[TRUST, READY].concat()
        } else {
            DONE
        };
        client.write_all(answer).unwrap();
    }
    0
}

#[test]
fn an_answer_without_an_end_is_an_error_before_it_is_large() {
    for (at, head, piece) in [
        (0, TRUST, NOTICE),
        (0, TRUST, SETTING),
        (1, LONG_ROW, b" "),
        (2, LONG_ROW, b" "),
        (2, ROW, ROW),
        (2, NOTICE, NOTICE),
        (2, NOTIFICATION, NOTIFICATION),
        (2, b"C\x7f\xff\xff\xff", b" "),
    ] {
        let (address, taken) = listen(at, head, piece);
        let client = client(address, SLACK);
        let pool = Pool::new(&client, Timeout::LEASES, 1);
        let ask = || pool.ask(async |connection| connection.batch_execute("SELECT").await);
        let (failure, _reach) = ask().unwrap_err();
        let text = failure.text();
        assert!(text.contains("longer than any answer"), "{at}: {text}");
        let taken = taken.recv().unwrap();
        assert!(taken < HELD, "{at}: {taken} bytes were taken");
        // A probe finds that the next connection answers.
        eventually(|| match ask() {
            Ok(()) => Some(()),
            Err((refused, _reach)) => {
                assert!(matches!(refused, Failure::Away));
                None
            }
        });
    }
}

#[test]
fn reading_all_keys_takes_no_more_than_all_keys() {
    let (address, taken) = listen(2, LONG_ROW, b" ");
    let client = client(address, SLACK);
    let open = || PgConnection::open(&client, Timeout::POLLS, "read", None).unwrap();
    let ask = |connection: &PgConnection| {
        let asked = async { Ok(connection.client.batch_execute("SELECT").await?) };
        client.wait(Timeout::COMMANDS, asked)
    };
    let connection = open();
    let refused = ask(&connection).unwrap_err();
    assert!(refused.text().contains("longer than any answer"));
    assert!(taken.recv().unwrap() < ALL_KEYS.always + HELD);
    assert!(connection.client.is_closed());
    ask(&open()).unwrap();
}

#[test]
fn an_answer_through_a_file_has_an_end_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".s.PGSQL.5432");
    let shown = folder.path().display();
    let address = format!("postgres:///boats?host={shown}&user=tests");
    let client = client(address.parse().unwrap(), SLACK);
    let pool = Pool::new(&client, Timeout::LEASES, 1);
    let ask = || pool.ask(async |connection| connection.batch_execute("SELECT").await);
    let (absent, _reach) = ask().unwrap_err();
    assert!(absent.text().contains("No such file"), "{}", absent.text());
    let listener = UnixListener::bind(file).unwrap();
    let sending = thread::spawn(move || {
        // The first that comes is the probe, which asks once.
        loop {
            let (client, _from) = listener.accept().unwrap();
            match send(client, Some(2), LONG_ROW, b" ") {
                0 => {}
                taken => return taken,
            }
        }
    });
    let failed = eventually(|| {
        let (failure, _reach) = ask().unwrap_err();
        (!matches!(failure, Failure::Away)).then_some(failure)
    });
    let text = failed.text();
    assert!(text.contains("longer than any answer"), "{text}");
    assert!(sending.join().unwrap() < HELD);
}
