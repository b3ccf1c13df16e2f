//! What is known of an image without decoding it: its size, or why that could not be found.
//!
//! Sizes are read from the first bytes of a file. Nothing here reads a file or asks an address:
//! whoever imports hands in an [`ImageMeasurer`] for that.

mod svg;

use std::collections::HashMap;

use imagesize::{Compression, ImageType, blob_size, image_type};

/// Most bytes of an image that are looked at. The data before the size of a photo may include a
/// preview.
pub const HEAD_MAX: usize = 256 * 1024;
/// Longest address of an image that is asked, in bytes: no record may have one of more than 2,000
/// characters.
pub const ADDRESS_MAX: usize = 8000;
/// Most pixels of a side. More is damage, or an attack on those who reserve room for it.
const SIDE_MAX: u32 = 100_000;

/// The size of an image in pixels, and its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImageSize {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Its format: one of [`ImageSize::FORMATS`].
    pub format: &'static str,
}

impl ImageSize {
    /// The formats whose size is read, as records name them.
    pub const FORMATS: [&str; 7] = ["avif", "gif", "heic", "jpg", "png", "svg", "webp"];

    /// The size of the image that begins with `head`; `None` if `head` is not enough to tell.
    pub fn of(head: &[u8]) -> Option<Self> {
        let (format, width, height) = if let Some(format) = format(head) {
            let size = blob_size(head).ok()?;
            (format, size.width, size.height)
        } else {
            let (width, height) = svg::size(head)?;
            ("svg", width, height)
        };
        let side = |pixels: usize| {
            let pixels = u32::try_from(pixels).ok();
            pixels.filter(|pixels| (1..=SIDE_MAX).contains(pixels))
        };
        Some(Self {
            width: side(width)?,
            height: side(height)?,
            format,
        })
    }
}

fn format(head: &[u8]) -> Option<&'static str> {
    Some(match image_type(head).ok()? {
        ImageType::Gif => "gif",
        ImageType::Heif(Compression::Av1) => "avif",
        ImageType::Heif(_) => "heic",
        ImageType::Jpeg => "jpg",
        ImageType::Png => "png",
        ImageType::Webp => "webp",
        _ => return None,
    })
}

/// Why an image was not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unmeasured {
    /// This command asks nothing; an import would.
    NotAsked,
    /// What it has is no address that a record may have.
    NoAddress,
    /// The address, or one that it redirects to, is not of the public network.
    NotPublic,
    /// The server has nothing there.
    Missing,
    /// The server refuses to give it.
    Refused,
    /// It redirects too often, or to nothing that can be asked.
    Redirected,
    /// A page was sent, such as one to log in.
    Page,
    /// No size could be read from what was sent.
    NoImage,
    /// The server could not be reached, or did not answer in time.
    NoAnswer,
    /// The server asks to come back later.
    Busy,
    /// There was no time left for it, or there are too many.
    NoTime,
}

impl Unmeasured {
    /// What it is in place of an image if it begins with `head`.
    pub fn in_place_of_image(head: &[u8]) -> Self {
        let text = head.trim_ascii_start();
        let is_page = ["<!doctype html", "<html"].iter().any(|begins| {
            let beginning = text.get(..begins.len());
            beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(begins.as_bytes()))
        });
        if is_page { Self::Page } else { Self::NoImage }
    }

    /// For people: what the image is.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotAsked => "not asked for yet",
            Self::NoAddress => "without an address that a record may have",
            Self::NotPublic => "in a private network",
            Self::Missing => "not found",
            Self::Refused => "refused by the server",
            Self::Redirected => "redirected in vain",
            Self::Page => "an HTML page, not an image",
            Self::NoImage => "no image whose size can be read",
            Self::NoAnswer => "without an answer",
            Self::Busy => "of a server that is busy",
            Self::NoTime => "beyond the time of an import",
        }
    }

    /// Whether another try may succeed, though nothing is changed until then.
    pub const fn may_pass(self) -> bool {
        matches!(
            self,
            Self::NotAsked | Self::NoAnswer | Self::Busy | Self::NoTime
        )
    }
}

/// What became of images, by their addresses.
pub type MeasuredImages = HashMap<String, Result<ImageSize, Unmeasured>>;

/// Finds the sizes of images that an export only has the addresses of.
pub trait ImageMeasurer {
    /// Measures the images at these addresses, each of which is there once.
    fn measure(&self, addresses: Vec<String>) -> anyhow::Result<MeasuredImages>;
}

/// How many images an export has, and how many of them are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageTally {
    /// All of them.
    pub all: u64,
    /// Those that are left out, because their size is not known.
    pub left_out: u64,
    /// Those among them that another import may measure.
    pub may_follow: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of a GIF, which has its size near the start.
    fn gif(width: u16, height: u16) -> Vec<u8> {
        let ([a, b], [c, d]) = (width.to_le_bytes(), height.to_le_bytes());
        [b"GIF89a", &[a, b, c, d, 0, 0, 0][..]].concat()
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        [&head[..], &width.to_be_bytes(), &height.to_be_bytes()].concat()
    }

    /// A JPEG with this many bytes, such as those of a preview, before its size.
    fn jpeg(before: u16, width: u16, height: u16) -> Vec<u8> {
        let [a, b] = (before + 2).to_be_bytes();
        let filler = vec![0; before.into()];
        let head = [0xff, 0xd8, 0xff, 0xe1, a, b];
        let frame = [0xff, 0xc0, 0, 17, 8];
        let (height, width) = (height.to_be_bytes(), width.to_be_bytes());
        [&head[..], &filler, &frame, &height, &width].concat()
    }

    fn webp() -> Vec<u8> {
        let head = b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0";
        [&head[..], &[199, 0, 0, 99, 0, 0]].concat()
    }

    /// The boxes of an image of the HEIF family, of 64 by 48 pixels.
    fn heif(brand: &[u8]) -> Vec<u8> {
        fn boxed(name: &[u8], body: &[&[u8]]) -> Vec<u8> {
            let body = body.concat();
            let length = u32::try_from(body.len() + 8).unwrap();
            [&length.to_be_bytes()[..], name, &body].concat()
        }
        let ftyp = boxed(b"ftyp", &[brand, &[0; 4], brand, b"mif1"]);
        let ispe = boxed(b"ispe", &[&[0; 4], &[0, 0, 0, 64], &[0, 0, 0, 48]]);
        let iprp = boxed(b"iprp", &[&boxed(b"ipco", &[&ispe])]);
        let meta = boxed(b"meta", &[&[0; 4], &iprp]);
        [ftyp, meta].concat()
    }

    #[test]
    fn the_size_of_an_image_is_read_from_its_first_bytes() {
        let svg = br#"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="30" height="20px">"#;
        for (head, expected) in [
            (gif(7, 9), (7, 9, "gif")),
            (png(256, 2), (256, 2, "png")),
            (jpeg(30_000, 1600, 1067), (1600, 1067, "jpg")),
            (webp(), (200, 100, "webp")),
            (heif(b"avif"), (64, 48, "avif")),
            (heif(b"heic"), (64, 48, "heic")),
            (svg.to_vec(), (30, 20, "svg")),
        ] {
            let size = ImageSize::of(&head).map(|size| (size.width, size.height, size.format));
            assert_eq!(size, Some(expected));
            assert!(ImageSize::FORMATS.contains(&expected.2));
        }
    }

    #[test]
    fn what_is_no_image_cut_short_or_of_no_sensible_size_has_none() {
        let page = b"<!doctype html><html><body><svg width='1' height='1'/></body></html>";
        for head in [
            &b""[..],
            b"GIF",
            page,
            &png(256, 2)[..20],
            &jpeg(30_000, 1600, 1067)[..30_000],
            &heif(b"avif")[..40],
            &gif(0, 1),
            &gif(1, 0),
            &png(1_000_000_000, 1_000_000_000),
            &png(100_001, 1),
            // Compressed, as a server may send it uncalled for.
            b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
        ] {
            assert_eq!(ImageSize::of(head), None, "{head:?}");
        }
    }
}
