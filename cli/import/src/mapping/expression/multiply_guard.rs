//! Multiplies two values. A text times a number is the only value whose size the language takes
//! from a number, so that a mistake of one digit could take all memory at once.

use jaq_core::{Error, ValR};
use jaq_json::{Num, Val};

use crate::source::LINE_MAX;

/// The function that replaces products. No mapping can define this name.
pub(super) const PRODUCT: &str = "*";

/// The product of two values; fails if it is a text that no record could hold.
pub(super) fn product(left: Val, right: Val) -> ValR<Val> {
    if is_too_long(&left, &right) {
        let message = format!("a text times a number would have more than {LINE_MAX} bytes");
        return Err(Error::str(message));
    }
    left * right
}

fn is_too_long(left: &Val, right: &Val) -> bool {
    let ((Val::TStr(text) | Val::BStr(text), Val::Num(times))
    | (Val::Num(times), Val::TStr(text) | Val::BStr(text))) = (left, right)
    else {
        return false;
    };
    let times = match times {
        Num::Int(times) => usize::try_from(*times).unwrap_or(0),
        Num::BigInt(_) => usize::MAX,
        Num::Float(_) | Num::Dec(_) => 0,
    };
    LINE_MAX < text.len().saturating_mul(times)
}
