//! Base 62 with the alphabet `0-9A-Za-z`: random characters and zero-padded numbers.

use rand::distr::{Alphanumeric, SampleString};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Characters that hold any 32-bit number.
pub(super) const U32_DIGITS: usize = 6;

/// `length` characters, each drawn evenly from the alphabet.
pub(super) fn random(length: usize, random: &mut dyn rand::RngCore) -> String {
    Alphanumeric.sample_string(random, length)
}

/// `number` with leading zeros.
pub(super) fn encode(mut number: u32) -> [u8; U32_DIGITS] {
    let mut digits = [b'0'; U32_DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(number % 62) as usize];
        number /= 62;
    }
    digits
}

/// Whether `text` consists of characters of the alphabet.
pub(super) fn is_base62(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded_and_written_in_the_order_of_the_alphabet() {
        let table = [
            (0, "000000"),
            (9, "000009"),
            (10, "00000A"),
            (36, "00000a"),
            (61, "00000z"),
            (62, "000010"),
            (u32::MAX, "4gfFC3"),
        ];
        for (number, text) in table {
            assert_eq!(encode(number), text.as_bytes());
        }
    }
}
