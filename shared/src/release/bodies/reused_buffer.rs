//! Buffers for bodies read from disk: each thread reuses the one that it got back last.
//!
//! An allocator hands out different memory each time, so the bodies of a few hundred requests push
//! everything else out of the core's cache, and new memory must be cleared before it is filled.
//! Nothing here reads a file.

use std::cell::RefCell;

use bytes::Bytes;

/// Most buffers that one thread keeps; a thread that writes responses at once needs one.
const KEPT_MAX: usize = 16;
/// Longest buffer that is kept, in bytes. A short body may be in a long buffer, so a slow client
/// may hold that much; by asking for a long body, it could hold more.
const KEPT_BYTES_MAX: usize = 1 << 16;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// A buffer to be filled.
pub(in crate::release) struct ReusedBuffer {
    bytes: Vec<u8>,
    length: usize,
}

impl ReusedBuffer {
    /// A buffer of that many bytes.
    pub(in crate::release) fn take(length: usize) -> Self {
        let kept = KEPT.try_with(|kept| kept.borrow_mut().pop());
        let kept = kept.ok().flatten().filter(|kept| length <= kept.len());
        let bytes = kept.unwrap_or_else(|| vec![0; length]);
        Self { bytes, length }
    }

    pub(in crate::release) fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }

    /// Its contents.
    pub(in crate::release) fn filled(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for ReusedBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Drop for ReusedBuffer {
    fn drop(&mut self) {
        if KEPT_BYTES_MAX < self.bytes.len() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        // A thread that ends keeps nothing.
        let _ending = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < KEPT_MAX {
                kept.push(bytes);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn filled(byte: u8, length: usize) -> Bytes {
        let mut buffer = ReusedBuffer::take(length);
        buffer.as_mut().fill(byte);
        buffer.filled()
    }

    #[test]
    fn a_buffer_in_use_is_not_given_to_another() {
        let lengths = [0, 1, 5, 3000, 4096, KEPT_BYTES_MAX, KEPT_BYTES_MAX + 1];
        for _turn in 0..3 {
            let bodies: Vec<_> = lengths.iter().zip(1..).collect();
            let in_use = bodies.iter().map(|&(&length, byte)| filled(byte, length));
            let in_use: Vec<_> = in_use.collect();
            for (bytes, (length, byte)) in in_use.iter().zip(bodies) {
                assert_eq!(bytes, &vec![byte; *length]);
            }
        }
    }

    #[test]
    fn what_was_given_back_last_is_taken_first() {
        let [first, last] = [filled(1, 100), filled(2, 100)];
        let place = last.as_ptr();
        drop(first);
        drop(last);
        let next = filled(3, 50);
        assert_eq!((next.as_ptr(), &*next), (place, &[3; 50][..]));
    }

    #[test]
    fn a_thread_keeps_so_many_buffers_and_none_that_is_long() {
        let lend = |length| {
            let lent: Vec<_> = (0..2 * KEPT_MAX).map(|_| filled(1, length)).collect();
            drop(lent);
        };
        let kept = || KEPT.with_borrow(|kept| kept.iter().map(Vec::len).collect::<Vec<_>>());
        lend(KEPT_BYTES_MAX + 1);
        assert_eq!(kept(), Vec::<usize>::new());
        lend(KEPT_BYTES_MAX);
        assert_eq!(kept(), [KEPT_BYTES_MAX; KEPT_MAX]);
    }

    #[test]
    fn a_body_outlives_the_thread_that_read_it() {
        let body = thread::spawn(|| filled(7, 100)).join().unwrap();
        assert_eq!(body, vec![7; 100]);
    }
}
