//! The images of an export: the size of each that is a file of it by its path, and of those that
//! were asked for by their addresses.
//!
//! Nothing here reads or asks. Of a file only the size and the format are kept.

use std::sync::OnceLock;

use crate::image::{ImageSize, MeasuredImages};

/// The separator between the parts of a reversed path; it sorts before all other characters.
const SEPARATOR: &str = "\0";

/// All image files. They are added in any order, sorted once, and then looked up by the ends of
/// their paths, because archives often have a folder around everything.
#[derive(Debug, Default)]
pub(super) struct ImageFiles {
    /// Each with its path, last part first.
    files: Vec<(String, ImageSize)>,
    /// What became of images that were asked for, once they were; `None` if none are to be.
    pub(super) measured: Option<OnceLock<MeasuredImages>>,
}

impl ImageFiles {
    /// Whether images are asked for once their addresses are known: nothing else is made until then.
    pub(super) fn are_to_be_measured(&self) -> bool {
        self.measured.as_ref().is_some_and(|of| of.get().is_none())
    }

    /// Adds a file that begins with `head` if it is an image.
    pub(super) fn add(&mut self, path: &str, head: &[u8]) {
        let file = ImageSize::of(head);
        self.files.extend(file.map(|file| (turned(path), file)));
    }

    /// Ends adding, after which images can be found.
    pub(super) fn sort(&mut self) {
        self.files.sort_unstable();
        self.files.dedup();
    }

    /// The image with this path, or else the only one whose path ends with it.
    pub(super) fn find(&self, path: &str) -> Result<Option<ImageSize>, String> {
        let wanted = turned(path);
        let start = self
            .files
            .partition_point(|(turned, _)| turned.as_str() < wanted.as_str());
        let mut found = self.files[start..].iter().take_while(|(turned, _)| {
            let rest = turned.strip_prefix(&wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATOR))
        });
        let Some((turned, first)) = found.next() else {
            return Ok(None);
        };
        match found.next() {
            Some((second, _)) if *turned != wanted || *second == wanted => Err(format!(
                "several images of the export are called {path}; name more folders of the one that is meant"
            )),
            _ => Ok(Some(*first)),
        }
    }
}

/// A path with its parts reversed.
fn turned(path: &str) -> String {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let parts: Vec<&str> = parts.rev().collect();
    parts.join(SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of a GIF, which has its size near the start.
    fn gif(width: u8, height: u8) -> Vec<u8> {
        [b"GIF89a", &[width, 0, height, 0, 0, 0, 0][..]].concat()
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path_as_long_as_there_is_only_one() {
        let mut files = ImageFiles::default();
        for (path, width) in [
            ("top/images/a.gif", 1),
            ("top/images/a.gif", 1),
            ("top/other/a.gif", 2),
            ("b.gif", 3),
            ("top/b.gif", 4),
            ("top/b!/c.gif", 5),
            ("c.gif", 6),
            ("c.gif", 7),
        ] {
            files.add(path, &gif(width, 9));
        }
        files.sort();
        let found = |path: &str| files.find(path).map(|file| file.map(|file| file.width));
        for (path, width) in [
            ("images/a.gif", Some(1)),
            ("/top/./other/a.gif", Some(2)),
            ("b.gif", Some(3)),
            ("top/b.gif", Some(4)),
            ("b!/c.gif", Some(5)),
            ("mages/a.gif", None),
            ("x/b.gif", None),
            ("", None),
        ] {
            assert_eq!(found(path), Ok(width), "{path}");
        }
        for path in ["a.gif", "c.gif"] {
            let message = found(path).unwrap_err();
            assert!(
                message.starts_with("several images of the export are called"),
                "{message}"
            );
        }
    }
}
