//! Amounts of money as people write them, and the thousands separators of numbers.
//!
//! A value that is not certainly an amount is left to become an error, never a different amount.

use crate::suggest::survey::{Key, Shape};

/// The expression for an amount of money as a number. It drops only the sign or the code of a
/// currency at either end; anything else makes the value an error.
pub(super) fn amount(key: &Key) -> String {
    let path = &key.path;
    match thousands(key) {
        _ if key.shape == Shape::Number => path.clone(),
        Some('.') => format!("{path} | money(\"[.]\")"),
        Some(_) => format!("{path} | money(\",\")"),
        None => format!("{path} | money(\"\")"),
    }
}

/// The thousands separator in the numbers of a key, as in `12.500` and `1,250,000.00`, if all of
/// them have or could have it.
pub(super) fn thousands(key: &Key) -> Option<char> {
    let has_number = |value: &&String| value.bytes().any(|byte| byte.is_ascii_digit());
    let numbers: Vec<&str> = key
        .samples
        .iter()
        .filter(has_number)
        .map(|value| value.trim_matches(|c: char| !c.is_ascii_digit()))
        .collect();
    ['.', ','].into_iter().find(|separator| {
        let is_parted = |number: &&&str| is_parted(number, *separator);
        let is_whole = |number: &&str| number.bytes().all(|byte| byte.is_ascii_digit());
        let fits = |number: &&str| is_whole(number) || is_parted(&number);
        key.shape != Shape::Number
            && numbers.iter().any(|number| is_parted(&number))
            && numbers.iter().all(fits)
    })
}

/// Whether `separator` divides a number into groups of three digits, with at most two decimals.
fn is_parted(number: &str, separator: char) -> bool {
    let point = if separator == '.' { ',' } else { '.' };
    let (whole, decimals) = number.split_once(point).unwrap_or((number, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    let mut is_any = false;
    let all_three = groups.all(|group| {
        is_any = true;
        group.len() == 3 && is_number(group)
    });
    let has_first = (1..=3).contains(&first.len()) && is_number(first);
    is_any && all_three && has_first && decimals.len() <= 2 && is_number(decimals)
}
