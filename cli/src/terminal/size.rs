//! Sizes in bytes: those of files as shown, with about three digits and a unit, and amounts of
//! memory as typed, a number with `KiB`, `MiB` or `GiB`, such as `512MiB`.

/// Units larger than a byte, each a thousand times the one before.
const SHOWN_UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];

/// A number of bytes, such as `512 B`, `2.3 kB`, `41 MB`; always rounded down.
pub(crate) fn file_size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes / 100, 0);
    while 10_000 <= tenths && unit + 1 < SHOWN_UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    match tenths {
        0..100 => format!("{}.{} {}", tenths / 10, tenths % 10, SHOWN_UNITS[unit]),
        _ => format!("{} {}", tenths / 10, SHOWN_UNITS[unit]),
    }
}

/// Units in bytes.
const TYPED_UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// Why a text is not an amount of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSize {
    /// Not a number and a unit.
    #[error("must be a whole number and KiB, MiB or GiB, such as 512MiB or 2GiB")]
    Form,
    /// More bytes than can be counted.
    #[error("is more memory than any machine has")]
    TooMuch,
}

/// Reads an amount of memory, in bytes; zero is allowed, and needs no unit.
pub fn parse_memory(text: &str) -> Result<u64, InvalidSize> {
    if text == "0" {
        return Ok(0);
    }
    let with_unit = |(unit, bytes)| Some((text.strip_suffix(unit)?, bytes));
    let found = TYPED_UNITS.into_iter().find_map(with_unit);
    let (digits, unit_bytes) = found.ok_or(InvalidSize::Form)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidSize::Form);
    }
    // Digits that do not fit are a number all the same, and too large.
    let number = digits.parse::<u64>().ok();
    let size = number.and_then(|number| number.checked_mul(unit_bytes));
    size.ok_or(InvalidSize::TooMuch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, shown) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_999, "9.9 kB"),
            (10_000, "10 kB"),
            (999_999, "999 kB"),
            (1_000_000, "1.0 MB"),
            (4_123_456_789, "4.1 GB"),
            (u64::MAX, "18446 PB"),
        ] {
            assert_eq!(file_size(bytes), shown);
        }
    }

    #[test]
    fn a_number_and_a_unit_are_an_amount_of_memory() {
        let table = [
            ("0", Ok(0)),
            ("0MiB", Ok(0)),
            ("64KiB", Ok(65_536)),
            ("512MiB", Ok(536_870_912)),
            ("2GiB", Ok(2_147_483_648)),
            ("17179869183GiB", Ok(u64::MAX - (1 << 30) + 1)),
            ("17179869184GiB", Err(InvalidSize::TooMuch)),
            ("99999999999999999999KiB", Err(InvalidSize::TooMuch)),
        ];
        for (text, expected) in table {
            assert_eq!(parse_memory(text), expected, "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "", "512", "MiB", "1.5GiB", "-1GiB", "+1GiB", " 1GiB", "1 GiB", "1GB", "1gib", "1é",
        ] {
            assert_eq!(parse_memory(text), Err(InvalidSize::Form), "{text:?}");
        }
    }
}
