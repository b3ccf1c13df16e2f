//! Products of two values: a text times a number is the one value that the language makes as large
//! as a number says, in one step that cannot be watched.

use std::panic;

use jaq_core::ValR;
use jaq_json::{Num, Val};

use crate::mapping::bounds::MEMORY_MAX;

/// The function that products become. No mapping can have this name.
pub(super) const PRODUCT: &str = "*";

/// Why an expression was not evaluated to its end: what it makes would not fit into memory.
pub(in crate::mapping) struct TooLarge;

/// The product of two values. No expression goes on after one that is too large.
pub(super) fn product(left: Val, right: Val) -> ValR<Val> {
    if is_too_large(&left, &right) {
        // It is no error, which an expression could catch, and no fault of the program.
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
