//! The image files of an export: the size of each by its path, read from the file's first bytes.
//!
//! Only these bytes are read, and only the size and format of an image are kept.

use imagesize::{Compression, ImageType, blob_size, image_type};

/// Bytes read of each file. The data before the size of a photo may include a preview.
pub(super) const HEAD_MAX: u64 = 256 * 1024;
/// The separator between the parts of a reversed path; it sorts before all other characters.
const SEPARATOR: &str = "\0";

/// The size of an image in pixels, and its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ImageFile {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) format: &'static str,
}

/// All image files. They are added in any order, sorted once, and then looked up by the ends of
/// their paths, because archives often have a folder around everything.
#[derive(Debug, Default)]
pub(super) struct ImageFiles {
    /// Each with its path, last part first.
    files: Vec<(String, ImageFile)>,
}

impl ImageFile {
    /// Reads the image file that begins with `head`; `None` if `head` is not enough to tell.
    fn of(head: &[u8]) -> Option<Self> {
        let format = match image_type(head).ok()? {
            ImageType::Gif => "gif",
            ImageType::Heif(Compression::Av1) => "avif",
            ImageType::Heif(_) => "heic",
            ImageType::Jpeg => "jpg",
            ImageType::Png => "png",
            ImageType::Webp => "webp",
            _ => return None,
        };
        let size = blob_size(head).ok()?;
        let has_size = 0 < size.width && 0 < size.height;
        has_size.then_some(Self {
            width: size.width,
            height: size.height,
            format,
        })
    }
}

impl ImageFiles {
    /// Adds a file that begins with `head` if it is an image.
    pub(super) fn add(&mut self, path: &str, head: &[u8]) {
        let file = ImageFile::of(head);
        self.files.extend(file.map(|file| (turned(path), file)));
    }

    /// Ends adding, after which images can be found.
    pub(super) fn sort(&mut self) {
        self.files.sort_unstable();
        self.files.dedup();
    }

    /// The image with this path, or else the only one whose path ends with it.
    pub(super) fn find(&self, path: &str) -> Result<Option<ImageFile>, String> {
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

    #[test]
    fn a_file_that_is_no_image_or_too_short_has_no_size() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x02".to_vec();
        let size = ImageFile::of(&png).unwrap();
        assert_eq!((size.width, size.height, size.format), (256, 2, "png"));
        png.truncate(20);
        for head in [
            &png[..],
            b"",
            b"GIF",
            b"<svg width=\"1\" height=\"1\"/>",
            &gif(0, 1),
        ] {
            assert_eq!(ImageFile::of(head), None, "{head:?}");
        }
        assert_eq!(ImageFile::of(&gif(7, 9)).unwrap().height, 9);
    }
}
