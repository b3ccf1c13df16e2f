//! Amounts of memory as they are typed: `N` and `KiB`, `MiB` or `GiB`, such as `512MiB`.

/// What a unit stands for, in bytes.
const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

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

/// Reads an amount of memory, in bytes; zero is one, and needs no unit.
pub fn parse(text: &str) -> Result<u64, InvalidSize> {
    if text == "0" {
        return Ok(0);
    }
    let with_unit = |(unit, bytes)| Some((text.strip_suffix(unit)?, bytes));
    let found = UNITS.into_iter().find_map(with_unit);
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
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "", "512", "MiB", "1.5GiB", "-1GiB", "+1GiB", " 1GiB", "1 GiB", "1GB", "1gib", "1é",
        ] {
            assert_eq!(parse(text), Err(InvalidSize::Form), "{text:?}");
        }
    }
}
