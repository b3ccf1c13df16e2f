//! Handles files that several groups read. Groups that read a file in the same way share a pass
//! over it. If more than one pass is needed, the file is copied, because it may come from an
//! archive or a pipe. A file that is not read from beginning to end is copied too.

use std::io::{self, BufReader, Read};
use std::path::Path;

use super::decompress::BUFFER;
use super::plan::Layout;
use crate::spool::{Spool, copied};

/// The groups that read a file in the same way.
pub(super) struct Pass<'l> {
    pub(super) groups: Vec<usize>,
    pub(super) layout: &'l Layout,
}

/// The passes needed to read a file for all its groups.
pub(super) fn passes<'l>(wanted: impl IntoIterator<Item = (usize, &'l Layout)>) -> Vec<Pass<'l>> {
    let mut passes: Vec<Pass<'l>> = Vec::new();
    for (group, layout) in wanted {
        match passes.iter_mut().find(|pass| pass.layout.is_like(layout)) {
            Some(pass) => pass.groups.push(group),
            None => passes.push(Pass {
                groups: vec![group],
                layout,
            }),
        }
    }
    passes
}

/// A copy of a file that can be read from its beginning as often as needed.
pub(super) struct Copied {
    copy: Spool,
    /// The error that cut the file short, until a pass has reached it.
    broken: Option<io::Error>,
}

impl Copied {
    pub(super) fn of(contents: &mut dyn Read, temp_dir: &Path) -> anyhow::Result<Self> {
        let mut copy = Spool::new(temp_dir);
        let mut contents = BufReader::with_capacity(BUFFER, contents);
        let broken = copied(io::copy(&mut contents, &mut copy))?.err();
        copy.finish()?;
        Ok(Self { copy, broken })
    }

    /// The whole file, or the error that cut it short.
    pub(super) fn whole(self) -> io::Result<Spool> {
        self.broken.map_or(Ok(self.copy), Err)
    }

    /// Reads the file from its beginning to its end, or to where it was cut short.
    pub(super) fn contents(&mut self) -> impl Read {
        let whole = self.copy.part(0..self.copy.length());
        whole.chain(Failing(self.broken.take()))
    }
}

/// A reader that fails once, if it has an error, and is then at its end.
pub(super) struct Failing(pub(super) Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_short_is_so_in_the_first_pass() {
        let broken = Failing(Some(io::Error::other("the disk is broken")));
        let directory = tempfile::tempdir().unwrap();
        let mut contents = b"some of it".chain(broken);
        let mut copied = Copied::of(&mut contents, directory.path()).unwrap();
        let mut text = String::new();
        let read = copied.contents().read_to_string(&mut text);
        assert_eq!(read.unwrap_err().to_string(), "the disk is broken");
        let again = io::read_to_string(copied.contents()).unwrap();
        assert_eq!([text, again], ["some of it", "some of it"]);
    }
}
