//! Products of two values. A string times a number is the only value whose size a number decides in
//! a single step, which cannot be interrupted.

use std::panic;

use jaq_core::ValR;
use jaq_json::{Num, Val};

use crate::mapping::bounds::MEMORY_MAX;

/// The function that products are compiled to. No mapping can define this name.
pub(super) const PRODUCT: &str = "*";

/// The expression was abandoned because its value would not fit into memory.
pub(in crate::mapping) struct TooLarge;

/// The product of two values. One that is too large ends the expression.
pub(super) fn product(left: Val, right: Val) -> ValR<Val> {
    if is_too_large(&left, &right) {
        // This is not an error, since an expression could catch that, nor a bug.
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
