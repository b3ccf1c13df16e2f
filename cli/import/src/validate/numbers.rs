//! Reads numbers.
//!
//! Numbers are checked as they are spelled, before any rounding, so rounding cannot turn an invalid
//! number into a valid one. A number that rounding would change is rejected: otherwise consumers
//! would get a different number from the one in the export.

use shared::base::number::Number;
use shared::base::units::{InvalidLength, Length, Unit};

use super::read_result::{ReadResult, Unusable, wrong_type};
use super::reporter::{Problem, Reporter};
use crate::finding::Code;
use crate::json::{Decimal, Node, Value, is_exact};

/// A number that is not negative.
pub(super) fn not_negative(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<Number> {
    let (spelling, number) = finite(node, reporter)?;
    if spelling.starts_with('-') && Decimal::new(spelling).is_negative() {
        return out_of_range(node, "must not be negative", reporter);
    }
    exact(node, spelling, number, reporter)
}

/// A number that may be negative.
pub(super) fn number(node: &Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<Number> {
    let (spelling, number) = finite(node, reporter)?;
    exact(node, spelling, number, reporter)
}

/// A length overall as it is spelled, for callers that need its decimals.
pub(super) fn length<'n>(node: &Node<'n>, reporter: &mut Reporter<'_>) -> ReadResult<&'n str> {
    let spelling = spelling(node, reporter)?;
    // Lengths have the same bounds in both systems.
    let Err(invalid) = Length::parse(spelling, Unit::Metric) else {
        return Ok(Some(spelling));
    };
    let code = match invalid {
        InvalidLength::TooPrecise => Code::TooPrecise,
        InvalidLength::OutOfRange | InvalidLength::TooLong | InvalidLength::NotANumber => {
            Code::OutOfRange
        }
    };
    reporter.report_value(node, Problem::new(code, invalid.to_string()));
    Err(Unusable)
}

/// A number as it is spelled.
pub(super) fn spelling<'n>(
    node: &Node<'n>,
    reporter: &mut Reporter<'_>,
) -> Result<&'n str, Unusable> {
    match node.value {
        Value::Number(spelling) => Ok(spelling),
        _ => wrong_type::<()>(node, "a number", reporter).and(Err(Unusable)),
    }
}

fn finite<'n>(node: &Node<'n>, reporter: &mut Reporter<'_>) -> Result<(&'n str, Number), Unusable> {
    let spelling = spelling(node, reporter)?;
    match spelling.parse().ok().and_then(Number::new) {
        Some(number) => Ok((spelling, number)),
        None => out_of_range(node, "is too large", reporter),
    }
}

/// Rejects a number whose digits are not preserved by a double. Subnormal numbers are rejected too,
/// because many readers treat them as zero.
fn exact(
    node: &Node<'_>,
    spelling: &str,
    number: Number,
    reporter: &mut Reporter<'_>,
) -> ReadResult<Number> {
    if is_exact(spelling, number.get()) {
        return Ok(Some(number));
    }
    let problem = if number.get().abs() < f64::MIN_POSITIVE {
        let message = "readers of JSON would take so small a number for 0";
        Problem::new(Code::InexactNumber, message)
    } else {
        let read = format!("{:?}", number.get());
        let read = read.trim_end_matches(".0");
        let message = format!("readers of JSON would take the number for {read}");
        Problem::new(Code::InexactNumber, message).hint("round it to 15 digits")
    };
    reporter.report_value(node, problem);
    Err(Unusable)
}

/// An integer within bounds.
pub(super) fn integer(
    node: &Node<'_>,
    (min, max): (u64, u64),
    reporter: &mut Reporter<'_>,
) -> ReadResult<u64> {
    let (spelling, _) = finite(node, reporter)?;
    if let Some(integer) = digits(spelling).filter(|integer| (min..=max).contains(integer)) {
        return Ok(Some(integer));
    }
    let decimal = Decimal::new(spelling);
    if !decimal.is_integer() {
        let problem = Problem::new(Code::NotAnInteger, "must be an integer");
        reporter.report_value(node, problem);
        return Err(Unusable);
    }
    match decimal.to_u64() {
        Some(integer) if (min..=max).contains(&integer) => Ok(Some(integer)),
        _ => out_of_range(node, &format!("must be from {min} to {max}"), reporter),
    }
}

/// The integer, if it is spelled with digits only and not too many of them, as nearly every integer
/// is. Parsing all numbers as decimals took a fifth of the validation time.
fn digits(spelling: &str) -> Option<u64> {
    let is_plain = spelling.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| spelling.parse().ok()).flatten()
}

fn out_of_range<T>(
    node: &Node<'_>,
    message: &str,
    reporter: &mut Reporter<'_>,
) -> Result<T, Unusable> {
    reporter.report_value(node, Problem::new(Code::OutOfRange, message));
    Err(Unusable)
}
