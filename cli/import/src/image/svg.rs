//! The size of an SVG image, where its first element states one in pixels.
//!
//! Other units, shares of the page and a `viewBox` alone are no size in pixels. Nothing that a
//! declaration in the document names is followed.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The width and the height that the first element states.
pub(super) fn size(head: &[u8]) -> Option<(usize, usize)> {
    let mut reader = Reader::from_reader(head);
    loop {
        match reader.read_event().ok()? {
            Event::Start(root) | Event::Empty(root) => {
                let is_svg = root.local_name().as_ref() == "svg";
                return is_svg.then(|| Some((side(&root, "width")?, side(&root, "height")?)))?;
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// The pixels of a side, rounded; `None` for what cannot be a number of them.
fn side(root: &BytesStart<'_>, name: &str) -> Option<usize> {
    let attribute = root.try_get_attribute(name).ok()??;
    let text = attribute.value.trim();
    let digits = text.strip_suffix("px").unwrap_or(text).trim_end();
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_digits(whole) && is_digits(decimals);
    let is_up = decimals
        .as_bytes()
        .first()
        .is_some_and(|first| b'5' <= *first);
    let whole: usize = whole.parse().ok().filter(|_| is_plain)?;
    whole.checked_add(is_up.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_what_the_root_states_in_pixels() {
        for (text, expected) in [
            ("<svg width='12' height='8'/>", Some((12, 8))),
            (
                "<!-- a --><!DOCTYPE svg><svg height=' 8px' width='12.5px'>",
                Some((13, 8)),
            ),
            (
                "<s:svg xmlns:s='x' width='12.4' height='8.0'>",
                Some((12, 8)),
            ),
            ("\u{feff}<svg width='1' height='2'>", Some((1, 2))),
            ("<svg viewBox='0 0 12 8'>", None),
            ("<svg width='12'>", None),
            ("<svg width='100%' height='100%'>", None),
            ("<svg width='12mm' height='8mm'>", None),
            ("<svg width='-12' height='8'>", None),
            ("<svg width='1e9' height='8'>", None),
            ("<svg width='99999999999999999999999' height='8'>", None),
            ("<svg width='&w;' height='8'>", None),
            ("<g><svg width='12' height='8'></g>", None),
            ("<svg width='12' heig", None),
            ("plain text", None),
        ] {
            assert_eq!(size(text.as_bytes()), expected, "{text}");
        }
    }
}
