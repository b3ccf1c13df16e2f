//! A reader that rejects JSON nested too deeply before any parser sees it.

use std::io::{self, Read};

use super::super::DEPTH_MAX;
use super::super::bounded::{Progress, Refused};

/// The text of a JSON document, which may be invalid: only strings and brackets are recognised.
pub(crate) struct Nesting<'p, R> {
    reader: R,
    progress: &'p Progress,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl<'p, R> Nesting<'p, R> {
    pub(crate) const fn new(reader: R, progress: &'p Progress) -> Self {
        Self {
            reader,
            progress,
            depth: 0,
            is_in_string: false,
            is_escaped: false,
        }
    }

    fn see(&mut self, byte: u8) -> io::Result<()> {
        if self.is_in_string {
            let was_escaped = std::mem::take(&mut self.is_escaped);
            self.is_escaped = byte == b'\\' && !was_escaped;
            self.is_in_string = byte != b'"' || was_escaped;
            return Ok(());
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if DEPTH_MAX < self.depth {
            return Err(io::Error::other(Refused {
                line: self.progress.line(),
                message: format!("objects and lists are nested more than {DEPTH_MAX} deep"),
            }));
        }
        Ok(())
    }
}

impl<R: Read> Read for Nesting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        for byte in &buffer[..length] {
            self.see(*byte)?;
        }
        Ok(length)
    }
}
