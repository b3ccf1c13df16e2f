//! Multiplies two values. A text times a number is the only value whose size the language takes
//! from a number, and it is made in one step that cannot be watched.

use std::panic;

use jaq_core::ValR;
use jaq_json::{Num, Val};

use crate::mapping::bounds::MEMORY_MAX;

/// The function that replaces products. No mapping can define this name.
pub(super) const PRODUCT: &str = "*";

/// The panic payload that ends an evaluation whose result would not fit into memory.
pub(in crate::mapping) struct TooLarge;

/// The product of two values. Ends the evaluation if the product is too large.
pub(super) fn product(left: Val, right: Val) -> ValR<Val> {
    if is_too_large(&left, &right) {
        // Not an error, because an expression could catch that, and not reported as a panic,
        // because it is no bug.
        panic::resume_unwind(Box::new(TooLarge));
    }
    left * right
}

fn is_too_large(left: &Val, right: &Val) -> bool {
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
    MEMORY_MAX < text.len().saturating_mul(times)
}
