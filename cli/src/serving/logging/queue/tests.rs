//! Tests with files that take nothing, or only parts of lines, or that are slow.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use super::*;

/// Longer than any of these tests runs.
const AMPLE: Duration = Duration::from_mins(1);

/// A file that accepts a scripted number of bytes in each write, and after that everything.
struct Scripted {
    takes: VecDeque<usize>,
    written: Sender<Vec<u8>>,
}

impl Write for Scripted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.takes.pop_front().unwrap_or(bytes.len());
        if taken == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        let taken = taken.min(bytes.len());
        self.written.send(bytes[..taken].to_vec()).unwrap();
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Everything that arrives when `lines` are written one after the other.
fn arrived(takes: &[usize], lines: &[&str]) -> String {
    let (written, received) = channel();
    let takes = takes.iter().copied().collect();
    let queue = Queue::start(Scripted { takes, written }, report).unwrap();
    for line in lines {
        queue.push(line.as_bytes());
    }
    assert!(queue.flush_within(AMPLE));
    let bytes = received.try_iter().flatten().collect();
    String::from_utf8(bytes).unwrap()
}

fn report(dropped: u64) -> Vec<u8> {
    format!("{dropped} dropped\n").into_bytes()
}

#[test]
fn lines_arrive_in_order_also_where_the_file_takes_parts_of_them() {
    let text = arrived(&[1, 1, 5, 2], &["one\n", "two\n", "three\n"]);
    assert_eq!(text, "one\ntwo\nthree\n");
}

#[test]
fn what_could_not_be_written_is_reported_once_something_can() {
    let text = arrived(&[0, 0], &["one\n", "two\n", "three\n", "four\n"]);
    assert_eq!(text, "three\n2 dropped\nfour\n");
    let again = arrived(&[0, 9, 0], &["one\n", "two\n", "three\n", "four\n"]);
    assert_eq!(again, "two\nthree\n1 dropped\nfour\n");
}

#[test]
fn a_line_after_a_part_of_one_begins_at_its_beginning() {
    let text = arrived(&[2, 0], &["one\n", "two\n"]);
    assert_eq!(text, "on\ntwo\n1 dropped\n");
    let text = arrived(&[2, 0, 0, 0], &["one\n", "two\n", "three\n", "four\n"]);
    assert_eq!(text, "on\nfour\n3 dropped\n");
}

/// A pipe whose reader reads a line only on request.
struct Unread {
    begun: SyncSender<()>,
    read: Receiver<()>,
    written: Sender<Vec<u8>>,
}

impl Write for Unread {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        _ = self.begun.send(());
        _ = self.read.recv();
        _ = self.written.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_line_waits_for_the_reader_and_what_has_no_room_is_counted_and_reported() {
    let (begun, has_begun) = sync_channel(0);
    let (reader, read) = channel();
    let (written, received) = channel();
    let unread = Unread {
        begun,
        read,
        written,
    };
    let queue = Queue::start(unread, report).unwrap();
    queue.push(b"first");
    has_begun.recv().unwrap();
    let long = vec![b'x'; 1000];
    let fit = BYTES_MAX / weight(&long);
    for _ in 0..fit + 7 {
        queue.push(&long);
    }
    assert_eq!(queue.dropped().load(Ordering::Relaxed), 7);
    assert!(!queue.flush_within(Duration::ZERO), "nothing is read");
    drop((has_begun, reader));
    let lines: Vec<_> = received.iter().take(1 + fit + 1).collect();
    assert!(lines.contains(&report(7)));
}
