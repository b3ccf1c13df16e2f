//! Decodes text that is not UTF-8 and guesses its encoding.
//!
//! The readers of formats know only UTF-8, so everything else is decoded before they see it. Of the
//! formats, only XML says in which encoding it is.

use std::fmt;
use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, DecoderResult};
use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use quick_xml::Reader;
use quick_xml::events::Event;

/// Byte order marks of UTF-16.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// An encoding from the WHATWG standard, other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// The encoding that spreadsheets on Windows write in western Europe.
    pub(crate) const WINDOWS_1252: Self = Self(encoding_rs::WINDOWS_1252);

    /// The encoding with this label, such as `windows-1252`, `latin1` or `utf-16le`.
    ///
    /// # Errors
    ///
    /// [`UnknownEncoding`], even for a label of UTF-8, which needs no decoding.
    pub(crate) fn parse(label: &str) -> Result<Self, UnknownEncoding> {
        let known = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
        match known {
            Some(known) if known == encoding_rs::UTF_8 => Err(UnknownEncoding::IsUtf8),
            Some(known) => Ok(Self(known)),
            None => Err(UnknownEncoding::Unknown),
        }
    }

    /// The likeliest encoding of a file that begins with `head`; `None` if that is UTF-8.
    pub(crate) fn guess(head: &[u8]) -> Option<Self> {
        if let Some(encoding) = utf_16(head) {
            return Some(Self(encoding));
        }
        match std::str::from_utf8(head) {
            Ok(_) => return None,
            // The head may end within a character.
            Err(error) if error.error_len().is_none() => return None,
            Err(_) => {}
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(head, true);
        Some(Self(detector.guess(None, Utf8Detection::Deny)))
    }

    /// The encoding of a document of XML that begins with `head`: UTF-16 by its bytes, any other by
    /// the declaration of the document. `None` if that is UTF-8, or not known.
    pub(crate) fn of_xml(head: &[u8]) -> Option<Self> {
        if let Some(encoding) = utf_16(head) {
            return Some(Self(encoding));
        }
        let Ok(Event::Decl(declaration)) = Reader::from_reader(head).read_event() else {
            return None;
        };
        let label = declaration.encoding()?.ok()?;
        // Whoever can read a declaration of UTF-16 byte by byte reads no UTF-16. Of ASCII, UTF-8 has
        // all.
        let is_other = !label.to_ascii_lowercase().contains("ascii");
        let named = Self::parse(&label).ok().filter(|_| is_other);
        named.filter(|named| !named.to_string().starts_with("utf-16"))
    }

    /// Decodes `reader` to UTF-8. Invalid bytes become U+FFFD, which validation reports. A byte order
    /// mark tells the encoding more surely than this one.
    pub(crate) fn decode<R: Read>(self, reader: R) -> DecodeReaderBytes<R, Vec<u8>> {
        DecodeReaderBytesBuilder::new()
            .encoding(Some(self.0))
            .bom_override(true)
            .strip_bom(true)
            .build(reader)
    }

    /// Decodes the beginning of a file to UTF-8.
    pub(crate) fn decode_head(self, head: &[u8]) -> String {
        self.0.decode(head).0.into_owned()
    }
}

/// The byte order of UTF-16 with a mark or without.
fn utf_16(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let mark = UTF_16_MARKS.iter().position(|mark| head.starts_with(mark));
    let marked = mark.map(|mark| [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE][mark]);
    marked.or_else(|| unmarked_utf_16(head))
}

/// The byte order of UTF-16 without a mark: every other byte is zero in most texts, and none in UTF-8.
fn unmarked_utf_16(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let zeros = |first| {
        let bytes = head.iter().skip(first).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let is_most = |zeros: usize| head.len() < 4 * zeros;
    match (zeros(0), zeros(1)) {
        (0, low) if is_most(low) => Some(encoding_rs::UTF_16LE),
        (high, 0) if is_most(high) => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// Its name in lower case, which `Encoding::parse` takes.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

/// Passes on a file that is decoded, and watches whether its bytes are UTF-8 although the mapping
/// says otherwise.
pub(super) struct Utf8Watch<R> {
    reader: R,
    decoder: Decoder,
    /// Whether all characters so far are UTF-8.
    is_utf8: bool,
    /// Whether there are more characters than those of ASCII.
    has_others: bool,
    /// Whether a byte order mark told the encoding.
    is_marked: Option<bool>,
}

impl<R> Utf8Watch<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            decoder: encoding_rs::UTF_8.new_decoder_without_bom_handling(),
            is_utf8: true,
            has_others: false,
            is_marked: None,
        }
    }

    /// Whether the whole file is UTF-8, to which nothing but its characters beyond ASCII testifies.
    pub(super) fn is_doubtful(&mut self) -> bool {
        self.watch(&[], true);
        self.is_utf8 && self.has_others && self.is_marked == Some(false)
    }

    fn watch(&mut self, bytes: &[u8], is_end: bool) {
        if !self.is_utf8 {
            return;
        }
        let most = self.decoder.max_utf8_buffer_length(bytes.len());
        let mut text = String::with_capacity(most.unwrap_or_default());
        let decoder = &mut self.decoder;
        let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, is_end);
        self.is_utf8 = result == DecoderResult::InputEmpty;
        self.has_others |= !text.is_ascii();
        let is_mark = text.chars().next().map(|first| first == '\u{feff}');
        self.is_marked = self.is_marked.or(is_mark);
    }
}

impl<R: Read> Read for Utf8Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.watch(&buffer[..length], false);
        Ok(length)
    }
}

/// Why a label does not name an encoding to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnknownEncoding {
    /// It is UTF-8, which needs no decoding.
    #[error("UTF-8 is read without this key")]
    IsUtf8,
    /// No encoding has this label.
    #[error("no encoding is called so; `windows-1252` and `utf-16le` are the usual ones")]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(head: &[u8]) -> Option<String> {
        Encoding::guess(head).map(|encoding| encoding.to_string())
    }

    #[test]
    fn the_encoding_of_a_file_is_guessed_by_its_beginning() {
        let western = b"Hersteller;L\xe4nge\nB\xe9n\xe9teau;9,05 m \x96 neu\n";
        assert_eq!(guessed(western).as_deref(), Some("windows-1252"));
        assert_eq!(guessed(b"\xff\xfea\0").as_deref(), Some("utf-16le"));
        assert_eq!(guessed(b"\xfe\xff\0a").as_deref(), Some("utf-16be"));
        assert_eq!(guessed(b"L\0\xe4\0\n\0").as_deref(), Some("utf-16le"));
        assert_eq!(guessed(b"\0L\0\xe4\0\n").as_deref(), Some("utf-16be"));
        assert_eq!(guessed(b"\0\0\0\0").as_deref(), None);
        for utf_8 in ["", "Length", "L\u{e4}nge", "\u{feff}L\u{e4}nge"] {
            assert_eq!(guessed(utf_8.as_bytes()), None, "{utf_8}");
        }
        let cut = &"L\u{e4}".as_bytes()[..2];
        assert_eq!(guessed(cut), None);
    }

    #[test]
    fn xml_says_its_encoding_itself() {
        let of = |document: &[u8]| Encoding::of_xml(document).map(|encoding| encoding.to_string());
        let declared =
            |label: &str| of(format!("<?xml version='1.0' encoding='{label}'?><a/>").as_bytes());
        assert_eq!(declared("ISO-8859-1").as_deref(), Some("windows-1252"));
        assert_eq!(declared("iso-8859-15").as_deref(), Some("iso-8859-15"));
        for label in ["UTF-8", "us-ascii", "utf-16", "none"] {
            assert_eq!(declared(label), None, "{label}");
        }
        assert_eq!(of(b"<?xml version='1.0'?><a/>"), None);
        assert_eq!(of(b"<a>\xe9</a>"), None);
        let utf_16: Vec<u8> = "<a/>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(of(&utf_16).as_deref(), Some("utf-16be"));
    }

    #[test]
    fn a_label_names_an_encoding_unless_it_is_utf_8_or_unknown() {
        let parse = |label| Encoding::parse(label).map(|encoding| encoding.to_string());
        assert_eq!(parse("Latin1").as_deref(), Ok("windows-1252"));
        assert_eq!(parse("UTF-16LE").as_deref(), Ok("utf-16le"));
        assert_eq!(parse("macintosh").as_deref(), Ok("macintosh"));
        assert_eq!(parse("utf8"), Err(UnknownEncoding::IsUtf8));
        assert_eq!(parse("cp-none"), Err(UnknownEncoding::Unknown));
        // This label's encoding decodes everything to U+FFFD.
        assert_eq!(parse("hz-gb-2312"), Err(UnknownEncoding::Unknown));
    }

    #[test]
    fn bytes_are_decoded_in_any_pieces() {
        let text = "Gr\u{f6}\u{df}e \u{2013} \u{20ac} 5".repeat(10_000);
        let bytes = encoding_rs::WINDOWS_1252.encode(&text).0;
        let mut decoded = String::new();
        let mut reader = Encoding::WINDOWS_1252.decode(&bytes[..]);
        reader.read_to_string(&mut decoded).unwrap();
        assert!(decoded == text);
    }

    /// The text of some bytes that are decoded from windows-1252, and whether that is doubtful.
    fn decoded(bytes: &[u8], piece: usize) -> (String, bool) {
        let mut watched = Utf8Watch::new(Pieces { bytes, piece });
        let mut text = String::new();
        let mut decoder = Encoding::WINDOWS_1252.decode(&mut watched);
        decoder.read_to_string(&mut text).unwrap();
        drop(decoder);
        (text, watched.is_doubtful())
    }

    /// Gives so many bytes at once.
    struct Pieces<'b> {
        bytes: &'b [u8],
        piece: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(self.piece);
            self.bytes.read(&mut buffer[..length])
        }
    }

    #[test]
    fn a_byte_order_mark_wins_over_the_encoding_and_utf_8_without_one_is_noticed() {
        for piece in [1, 2, 3, 100] {
            let marked = decoded("\u{feff}L\u{e4}nge \u{20ac}".as_bytes(), piece);
            assert_eq!(marked, ("L\u{e4}nge \u{20ac}".to_owned(), false));
            assert_eq!(
                decoded(b"\xff\xfeL\0\xe4\0", piece),
                ("L\u{e4}".to_owned(), false)
            );
            assert_eq!(
                decoded(b"L\xe4nge", piece),
                ("L\u{e4}nge".to_owned(), false)
            );
            assert_eq!(decoded(b"Lange", piece), ("Lange".to_owned(), false));
            let (text, is_doubtful) = decoded("L\u{e4}nge \u{20ac}".as_bytes(), piece);
            assert_eq!((text.chars().next(), is_doubtful), (Some('L'), true));
            let (_, is_doubtful) = decoded(
                "L\u{e4}nge \u{20ac}, L\u{e4}"
                    .as_bytes()
                    .split_last()
                    .unwrap()
                    .1,
                piece,
            );
            assert!(!is_doubtful);
        }
    }
}
