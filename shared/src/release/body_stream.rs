//! Streaming all bodies of one kind: memory holds one body, and not even the offsets of the others.
//!
//! A body ends where the next begins. The bytes `}{"data":` cannot occur elsewhere: within a body,
//! objects are separated by commas; and inside a text a quote follows a backslash, so this one
//! would end the text, and a letter cannot follow.

use std::io::{self, Read};

use memchr::memmem::Finder;

use super::diff::Kind;
use super::reader::check;
use super::{FileName, Release, ReleaseError};
use crate::base::hash::Hashed;
use crate::base::render::BODY_MAX;

/// The end of a body and the start of the next.
const BETWEEN: &[u8] = br#"}{"data":"#;
/// Bytes read at a time.
const PART: usize = 1 << 18;

impl Release {
    /// Calls `take` with every body of one kind, in the order of ordinals.
    ///
    /// The whole file is verified before the first call, and again as it is read: an error at the
    /// end means that it changed meanwhile.
    pub fn each_body<E: From<ReleaseError>>(
        &self,
        kind: Kind,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (name, expected) = match kind {
            Kind::Boats => (FileName::BoatBodies, self.manifest().boats),
            Kind::Manufacturers => (FileName::ManufacturerBodies, self.manifest().manufacturers),
        };
        self.verify_file(name)?;
        let path = self.path(name);
        let mut bodies = Stream::new(Hashed::new(self.open_sized(name)?));
        let mut count = 0;
        while let Some(body) = bodies.next().map_err(ReleaseError::io("read", &path))? {
            take(body)?;
            count += 1;
        }
        let (_file, bytes, sha256) = bodies.file.finish();
        check(&path, self.entry(name)?, bytes, &sha256)?;
        if count != expected {
            let reason = format!("it has {count} bodies, not the {expected} of its manifest");
            return Err(ReleaseError::damaged(&path, reason).into());
        }
        Ok(())
    }
}

/// Bodies that are read one by one.
struct Stream<R> {
    file: R,
    between: Finder<'static>,
    buffer: Vec<u8>,
    /// Start of the next body in the buffer.
    begin: usize,
    /// Up to here the buffer has no end of it.
    searched: usize,
    is_at_end: bool,
}

impl<R: Read> Stream<R> {
    fn new(file: R) -> Self {
        Self {
            file,
            between: Finder::new(BETWEEN),
            buffer: Vec::new(),
            begin: 0,
            searched: 0,
            is_at_end: false,
        }
    }

    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let end = loop {
            if let Some(place) = self.between.find(&self.buffer[self.searched..]) {
                // The brace belongs to this body.
                break self.searched + place + 1;
            }
            if self.is_at_end {
                break self.buffer.len();
            }
            self.read_on()?;
        };
        let body = self.begin..end;
        (self.begin, self.searched) = (end, end);
        Ok((!body.is_empty()).then(|| &self.buffer[body]))
    }

    fn read_on(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.begin);
        self.begin = 0;
        if BODY_MAX < self.buffer.len() {
            return Err(io::Error::other("it has a body of more than 16 MiB"));
        }
        // The end may be cut off.
        self.searched = self.buffer.len().saturating_sub(BETWEEN.len() - 1);
        let mut part = self.file.by_ref().take(PART as u64);
        self.is_at_end = part.read_to_end(&mut self.buffer)? == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(contents: impl Read) -> io::Result<Vec<String>> {
        let (mut stream, mut bodies) = (Stream::new(contents), Vec::new());
        while let Some(body) = stream.next()? {
            bodies.push(String::from_utf8(body.to_vec()).unwrap());
        }
        Ok(bodies)
    }

    /// Reads one byte at a time.
    struct Slow<R>(R);

    impl<R: Read> Read for Slow<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    fn body(text: &str) -> String {
        json!({ "data": { "id": "a", "b": { "c": text, "d": [{ "e": text }, { "data": text }] } } })
            .to_string()
    }

    #[test]
    fn bodies_are_read_one_by_one_whatever_texts_they_have() {
        let hostile = [
            r#"}{"data":"#,
            r#"\}{"data":{"id":"#,
            "}{",
            r#"a"}}{"data":{"b":"#,
            "",
            "\\",
            "}{\"",
        ];
        let bodies: Vec<String> = hostile.into_iter().map(body).collect();
        let contents = bodies.concat();
        assert_eq!(read(contents.as_bytes()).unwrap(), bodies);
        assert_eq!(read(Slow(contents.as_bytes())).unwrap(), bodies);
        assert_eq!(read(io::empty()).unwrap(), [""; 0]);
    }

    #[test]
    fn every_text_is_read_within_its_body() {
        proptest::proptest!(|(texts in proptest::collection::vec("[{}\":data\\\\,]{0,12}", 0..5))| {
            let bodies: Vec<String> = texts.iter().map(|text| body(text)).collect();
            proptest::prop_assert_eq!(read(bodies.concat().as_bytes()).unwrap(), bodies);
        });
    }

    #[test]
    fn bodies_longer_than_what_is_read_at_a_time_are_whole() {
        let bodies = [PART - 20, PART, 3 * PART, 1].map(|length| body(&"x".repeat(length)));
        assert_eq!(read(bodies.concat().as_bytes()).unwrap(), bodies);
    }

    #[test]
    fn a_file_without_an_end_of_a_body_takes_no_more_memory_than_the_longest() {
        let mut stream = Stream::new(io::repeat(b'x'));
        let error = stream.next().unwrap_err();
        assert_eq!(error.to_string(), "it has a body of more than 16 MiB");
        assert!(stream.buffer.len() <= BODY_MAX + PART);
    }
}
