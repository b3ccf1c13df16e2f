//! Why a text is no measure, or no number.
//!
//! Each reason ends a sentence that quotes the whole text, so none repeats more than a part of it.

use bigdecimal::BigDecimal;

use super::units::Unit;

/// Maximum length of a text, in bytes.
pub(super) const TEXT_MAX: usize = 200;

/// What is wrong with a measure or a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::mapping::functions) enum Why {
    #[error("it has more than {TEXT_MAX} bytes")]
    TooLong,
    #[error("the thousands of {spelling:?} are grouped in no known way")]
    NoNumber { spelling: String },
    #[error("{spelling:?} is no number with a {mark} before its decimals, as the mapping has it")]
    OtherConvention {
        spelling: String,
        mark: &'static str,
    },
    #[error("{found:?} is no part of a measure such as `10.54 m`, `34.58'` or `12' 6 1/2\"`")]
    Unexpected { found: String },
    #[error("{found:?} is no part of a number such as `1234.5` or `1 234,5`")]
    NotDigits { found: String },
    #[error("it ends where a number is missing")]
    EndsEarly,
    #[error("{word:?} is not a unit; units are {}", Unit::names().collect::<Vec<_>>().join(", "))]
    UnknownUnit { word: String },
    #[error("{} is {} and not {}", found.name(), found.quantity().as_str(), wanted.quantity().as_str())]
    OtherQuantity { found: Unit, wanted: Unit },
    #[error("it is a range, and not one number")]
    Range,
    #[error("there are 12 inches in a foot")]
    TooManyInches,
    #[error("a number without a unit stands beside another one")]
    NoUnit,
    #[error("it is {} or {decimals}; write it without the mark, or say in the mapping what stands before decimals, as in `number(\".\")` or `measure(\"kg\"; \",\")`", thousands.to_plain_string())]
    Ambiguous {
        thousands: BigDecimal,
        decimals: BigDecimal,
    },
    #[error("{one} and {other} are not the same measure{converted}")]
    Different {
        one: String,
        other: String,
        /// The other measure in the unit of the first, if it can be converted.
        converted: String,
    },
}
