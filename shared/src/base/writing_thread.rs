//! Writing a file on its own thread, so that the producer of its bytes does not wait for the disk.
//!
//! ```text
//! write_all ─► block of 256 KiB ─► [at most 16] ─► thread: sink.write_all … and, at the end, finish
//! ```
//!
//! A slow disk holds up the writer, since no more blocks may wait. The next write, or the end,
//! reports what failed on the thread. Blocks are always full, whatever was written at once, so that
//! the kernel gets whole pages. A file dropped before its end is abandoned; its thread has closed
//! it by then.

use std::io::{self, Write};
use std::panic;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Bytes handed over at once: few enough to stay in a processor's cache.
const BLOCK: usize = 256 * 1024;
/// Most blocks that wait to be written.
const WAITING_MAX: usize = 16;

/// The writing end of a file; once the file is whole, its result is a `T`.
pub struct WritingThread<T> {
    /// Bytes not handed over yet.
    block: Vec<u8>,
    messages: SyncSender<Message>,
    /// None once its failure was reported.
    thread: Option<JoinHandle<io::Result<T>>>,
}

enum Message {
    Block(Vec<u8>),
    /// Nothing more is coming. A file that never gets this is abandoned.
    End,
}

/// A file whose last bytes are being written.
pub struct Ending<T>(WritingThread<T>);

impl<T: Send + 'static> WritingThread<T> {
    /// Starts a thread that writes to `sink`; `finish` gets it once the file is whole.
    pub fn start<W: Write + Send + 'static>(
        sink: W,
        finish: impl FnOnce(W) -> io::Result<T> + Send + 'static,
    ) -> io::Result<Self> {
        let (messages, received) = sync_channel(WAITING_MAX);
        let write = move || finish(write_all(sink, &received)?);
        let thread = thread::Builder::new().name("writing".to_owned());
        Ok(Self {
            block: Vec::new(),
            messages,
            thread: Some(thread.spawn(write)?),
        })
    }

    /// Hands over what is left, without waiting for it to be written.
    pub fn end(mut self) -> io::Result<Ending<T>> {
        self.hand_over()?;
        self.send(Message::End)?;
        Ok(Ending(self))
    }

    fn hand_over(&mut self) -> io::Result<()> {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return Ok(());
        }
        self.send(Message::Block(block))
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        match self.messages.send(message) {
            Ok(()) => Ok(()),
            // The thread takes messages until it fails.
            Err(_gone) => self.join().and(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn join(&mut self) -> io::Result<T> {
        let failed_before = || io::Error::other("writing failed before");
        let thread = self.thread.take().ok_or_else(failed_before)?;
        thread
            .join()
            .unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    }
}

impl<T: Send + 'static> Write for WritingThread<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.capacity() == 0 {
            self.block.reserve_exact(BLOCK);
        }
        let fits = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..fits]);
        if self.block.len() == BLOCK {
            self.hand_over()?;
        }
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_over()
    }
}

impl<T: Send + 'static> Ending<T> {
    /// Waits until everything is written, and returns the result.
    pub fn wait(mut self) -> io::Result<T> {
        self.0.join()
    }
}

impl<T> Drop for WritingThread<T> {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        // Without its sender the thread finds out that nothing more is coming.
        self.messages = sync_channel(0).0;
        // A dropped file is abandoned: its result does not matter.
        _ = thread.join();
    }
}

fn write_all<W: Write>(mut sink: W, received: &Receiver<Message>) -> io::Result<W> {
    loop {
        match received.recv() {
            Ok(Message::Block(block)) => sink.write_all(&block)?,
            Ok(Message::End) => return Ok(sink),
            Err(_abandoned) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Takes so many bytes, as a disk with little room does.
    struct Room(usize);

    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn everything_arrives_in_order_however_it_is_cut() {
        for length in [0, 1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let bytes: Vec<u8> = (0_u8..=250).cycle().take(length).collect();
            let mut writing = WritingThread::start(Vec::new(), Ok).unwrap();
            for piece in bytes.chunks(100_000) {
                writing.write_all(piece).unwrap();
            }
            assert!(writing.end().unwrap().wait().unwrap() == bytes, "{length}");
        }
    }

    #[test]
    fn a_failure_is_reported_with_its_reason_and_again_after_that() {
        let mut writing = WritingThread::start(Room(2 * BLOCK), Ok).unwrap();
        let block = vec![0; BLOCK];
        let error = std::iter::repeat_with(|| writing.write_all(&block))
            .find_map(Result::err)
            .unwrap();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(writing.write_all(&block).is_err());
        assert!(writing.end().is_err());
    }

    #[test]
    fn a_failure_at_the_end_is_reported_at_the_end() {
        let mut writing = WritingThread::start(Room(10), Ok).unwrap();
        writing.write_all(&[0; 11]).unwrap();
        let error = writing.end().and_then(Ending::wait).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let fails = |_sink: Room| -> io::Result<()> { Err(io::ErrorKind::QuotaExceeded.into()) };
        let writing = WritingThread::start(Room(0), fails).unwrap();
        let error = writing.end().and_then(Ending::wait).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
    }

    #[test]
    fn a_file_that_is_dropped_is_never_finished() {
        let finished = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&finished);
        let mut writing = WritingThread::start(Vec::new(), move |_sink| {
            counter.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .unwrap();
        writing.write_all(b"abc").unwrap();
        drop(writing);
        assert_eq!(finished.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_file_that_is_dropped_is_let_go_of_by_its_thread() {
        let block = vec![0; BLOCK];
        for is_ending in [false, true] {
            let taken = Arc::new(AtomicUsize::new(0));
            let slow = Slow(Arc::clone(&taken));
            let mut writing = WritingThread::start(slow, Ok).unwrap();
            for _ in 0..WAITING_MAX {
                writing.write_all(&block).unwrap();
            }
            if is_ending {
                drop(writing.end().unwrap());
            } else {
                drop(writing);
            }
            assert_eq!(Arc::strong_count(&taken), 1);
        }
    }

    /// Counts what it took, slowly.
    struct Slow(Arc<AtomicUsize>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            (0..100).for_each(|_| thread::yield_now());
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_slow_disk_holds_up_the_writer() {
        let taken = Arc::new(AtomicUsize::new(0));
        let slow = Slow(Arc::clone(&taken));
        let mut writing = WritingThread::start(slow, |_sink| Ok(())).unwrap();
        let block = vec![0; BLOCK];
        for written in 1..=10 * WAITING_MAX {
            writing.write_all(&block).unwrap();
            // One is being written, and the others wait.
            let ahead = written - taken.load(Ordering::SeqCst);
            assert!(ahead <= WAITING_MAX + 1, "{ahead}");
        }
        writing.end().unwrap().wait().unwrap();
        assert_eq!(taken.load(Ordering::SeqCst), 10 * WAITING_MAX);
    }
}
