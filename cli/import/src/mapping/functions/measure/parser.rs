//! The grammar of measures: one or more spellings of a number with its unit.

use std::fmt;

use bigdecimal::BigDecimal;

use super::super::quoted;
use super::lexemes::{APOSTROPHES, Lexeme, lexemes};
use super::number::{DecimalMark, SpelledNumber, Written, read};
use super::units::Unit;
use super::why::Why;

/// One spelling of a measure.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    pub(super) number: SpelledNumber,
    pub(super) unit: Unit,
    /// Whether it names its unit.
    pub(super) has_unit: bool,
}

impl Measure {
    /// Whether it measures what `unit` does.
    pub(super) fn is_like(&self, unit: Unit) -> bool {
        self.unit.quantity() == unit.quantity()
    }

    /// Everything it can mean.
    pub(super) fn values(&self) -> Vec<&Written> {
        let SpelledNumber {
            written,
            or_thousands,
        } = &self.number;
        match or_thousands {
            None => vec![written],
            Some(thousands) if self.unit.is_imperial() => vec![thousands],
            Some(thousands) => vec![thousands, written],
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values().into_iter();
        let values: Vec<String> = values
            .map(|written| written.value.to_plain_string())
            .collect();
        write!(f, "{} {}", values.join(" or "), self.unit.name())
    }
}

/// Inches in a foot.
const INCHES_PER_FOOT: u8 = 12;
/// Centimetres in a metre.
const CENTIMETRES_PER_METRE: u8 = 100;
/// Words that make two numbers a range.
const RANGE_WORDS: [&str; 5] = ["to", "bis", "until", "à", "till"];

/// Words before a number that is about right.
const ABOUT: [&str; 4] = ["ca", "circa", "approx", "approximately"];

/// All spellings in `text`, at least one. A number without a unit must be the only spelling and has
/// the unit `wanted`.
pub(super) fn measures(
    text: &str,
    wanted: Unit,
    decimal: Option<DecimalMark>,
) -> Result<Vec<Measure>, Why> {
    let lexemes = lexemes(text);
    let mut parser = Parser {
        rest: &lexemes,
        wanted: Some(wanted),
        decimal,
    };
    parser.skip_about();
    let mut measures = Vec::new();
    let mut is_open = false;
    loop {
        measures.push(parser.measure()?);
        if is_open && !parser.takes(&Lexeme::Close) {
            return Err(parser.unexpected());
        }
        is_open = parser.takes(&Lexeme::Open);
        if parser.rest.is_empty() && !is_open {
            break;
        }
        if !is_open && !parser.takes(&Lexeme::Slash) && !parser.takes(&Lexeme::Comma) {
            return Err(parser.unexpected());
        }
    }
    if let [(number, None)] = measures.as_slice() {
        let number = number.clone();
        return Ok(vec![Measure {
            number,
            unit: wanted,
            has_unit: false,
        }]);
    }
    let with_unit = |(number, unit): (SpelledNumber, Option<Unit>)| {
        let unit = unit.ok_or(Why::NoUnit)?;
        Ok(Measure {
            number,
            unit,
            has_unit: true,
        })
    };
    measures.into_iter().map(with_unit).collect()
}

/// Parses `text` as a single number without a unit.
pub(super) fn number(text: &str, decimal: Option<DecimalMark>) -> Result<SpelledNumber, Why> {
    let lexemes = lexemes(text);
    let mut parser = Parser {
        rest: &lexemes,
        wanted: None,
        decimal,
    };
    parser.skip_about();
    let is_negative = parser.takes(&Lexeme::Dash);
    let number = parser.number()?;
    if !parser.rest.is_empty() {
        return Err(parser.unexpected());
    }
    Ok(if is_negative {
        number.negated()
    } else {
        number
    })
}

struct Parser<'a> {
    rest: &'a [Lexeme<'a>],
    /// The unit of a number without one; `None` if numbers must not have units.
    wanted: Option<Unit>,
    /// What stands before decimals, if the mapping says so.
    decimal: Option<DecimalMark>,
}

impl Parser<'_> {
    /// A number and its unit, if it has one, including a smaller unit that follows feet or metres.
    fn measure(&mut self) -> Result<(SpelledNumber, Option<Unit>), Why> {
        let is_negative = self.takes(&Lexeme::Dash);
        let is_grouped = self.begins_with_apostrophes();
        let mut number = self.number()?;
        let mut unit = self.unit()?;
        if is_grouped && !unit.or(self.wanted).is_some_and(Unit::is_mass) {
            // The apostrophe is the sign of feet, and three digits are more than the eleven inches
            // allowed.
            return Err(Why::TooManyInches);
        }
        (number, unit) = self.with_smaller_unit(number, unit)?;
        if is_negative {
            number = number.negated();
        }
        Ok((number, unit))
    }

    /// Adds the inches that follow feet, or the centimetres that follow metres.
    fn with_smaller_unit(
        &mut self,
        number: SpelledNumber,
        unit: Option<Unit>,
    ) -> Result<(SpelledNumber, Option<Unit>), Why> {
        let written = &number.written;
        match unit.map(Unit::name) {
            Some("ft") => {
                if let Some((inches, inch)) = self.inches()? {
                    let feet = number.in_thousands().value;
                    let value = feet * BigDecimal::from(INCHES_PER_FOOT) + &inches.value;
                    let inches = Written { value, ..inches };
                    return Ok((SpelledNumber::clear(inches), Some(inch)));
                }
            }
            Some("m") if written.value.is_integer() && number.or_thousands.is_none() => {
                if let Some(centimetres) = self.centimetres() {
                    let metre = BigDecimal::from(CENTIMETRES_PER_METRE);
                    let value = &written.value + centimetres.value / &metre;
                    let metres = Written {
                        value,
                        convention: None,
                        step: centimetres.step / metre,
                    };
                    return Ok((SpelledNumber::clear(metres), unit));
                }
            }
            _ => {}
        }
        Ok((number, unit))
    }

    fn begins_with_apostrophes(&self) -> bool {
        matches!(self.rest, [Lexeme::Number(spelling), ..] if spelling.contains(APOSTROPHES))
    }

    /// A number, optionally with a fraction: `6`, `6 1/2`, `6-1/2`, `½`.
    fn number(&mut self) -> Result<SpelledNumber, Why> {
        let whole = match self.rest {
            [Lexeme::Number(spelling), rest @ ..] => {
                let unreadable = || match self.decimal {
                    Some(mark) => mark.refuses(spelling),
                    None => Why::NoNumber {
                        spelling: quoted(spelling),
                    },
                };
                let whole = read(spelling, self.decimal).ok_or_else(unreadable)?;
                self.rest = rest;
                whole
            }
            [Lexeme::Fraction(..), ..] => SpelledNumber::clear(Written {
                value: BigDecimal::from(0),
                convention: None,
                step: BigDecimal::from(1),
            }),
            _ => return Err(self.unexpected()),
        };
        match self.rest {
            [Lexeme::Fraction(above, below), rest @ ..]
            | [Lexeme::Dash, Lexeme::Fraction(above, below), rest @ ..]
                if whole.or_thousands.is_none() && whole.written.value.is_integer() =>
            {
                self.rest = rest;
                let step = BigDecimal::from(1) / BigDecimal::from(*below);
                let Written {
                    value, convention, ..
                } = whole.written;
                Ok(SpelledNumber::clear(Written {
                    value: value + BigDecimal::from(*above) * &step,
                    convention,
                    step,
                }))
            }
            _ => Ok(whole),
        }
    }

    /// The unit spelled with as many words as possible; `None` if there is no word.
    fn unit(&mut self) -> Result<Option<Unit>, Why> {
        let words = self.rest.iter().map_while(|lexeme| match lexeme {
            Lexeme::Word(word) => Some(word.as_str()),
            _ => None,
        });
        let words: Vec<&str> = words.take(Unit::WORDS_MAX).collect();
        for count in (1..=words.len()).rev() {
            if let Some(unit) = Unit::spelled(&words[..count].join(" ")) {
                self.rest = &self.rest[count..];
                return Ok(Some(unit));
            }
        }
        match words.first() {
            None => Ok(None),
            Some(word) if RANGE_WORDS.contains(word) => Err(Why::Range),
            Some(word) => Err(Why::UnknownUnit { word: quoted(word) }),
        }
    }

    /// The inches after feet, if any, as in `12' 6"`, `12'-6"` and `12' 6`.
    ///
    /// Inches without a sign must be whole, because `30' 9.14` may have lost a unit.
    fn inches(&mut self) -> Result<Option<(Written, Unit)>, Why> {
        let before = self.rest;
        let has_dash = self.takes(&Lexeme::Dash);
        let is_whole = matches!(self.rest, [Lexeme::Number(spelling), ..]
            if spelling.len() <= 2 && spelling.bytes().all(|byte| byte.is_ascii_digit()));
        let inches = match self.clear_number() {
            Some((inches, Some(inch))) if inch.name() == "in" => Some((inches, inch)),
            Some((inches, None)) if is_whole && !has_dash && !self.goes_on() => {
                Unit::spelled("in").map(|inch| (inches, inch))
            }
            _ => None,
        };
        match inches {
            None => {
                self.rest = before;
                Ok(None)
            }
            Some((inches, _)) if inches.value >= INCHES_PER_FOOT => Err(Why::TooManyInches),
            found => Ok(found),
        }
    }

    /// A number that means one thing, and its unit, if it has one; `None` if anything else follows.
    fn clear_number(&mut self) -> Option<(Written, Option<Unit>)> {
        let number = self.number().ok()?;
        let unit = self.unit().ok()?;
        Some((number.unambiguous().ok()?, unit))
    }

    /// The centimetres after metres, if any, as in `10 m 54 cm`.
    fn centimetres(&mut self) -> Option<Written> {
        let before = self.rest;
        match self.clear_number() {
            Some((number, Some(unit)))
                if unit.name() == "cm" && number.value < CENTIMETRES_PER_METRE =>
            {
                Some(number)
            }
            _ => {
                self.rest = before;
                None
            }
        }
    }

    /// Whether something other than another spelling of the measure follows.
    fn goes_on(&self) -> bool {
        use Lexeme::{Close, Comma, Open, Slash};
        !matches!(self.rest, [] | [Slash | Comma | Open | Close, ..])
    }

    /// Passes over what says that a number is about right.
    fn skip_about(&mut self) {
        match self.rest {
            [Lexeme::Other('~' | '≈'), rest @ ..] => self.rest = rest,
            [Lexeme::Word(word), rest @ ..] if ABOUT.contains(&word.as_str()) => self.rest = rest,
            _ => {}
        }
    }

    fn takes(&mut self, lexeme: &Lexeme<'static>) -> bool {
        let rest = self.rest.strip_prefix(std::slice::from_ref(lexeme));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// The error for the next lexeme, which is not allowed here.
    fn unexpected(&self) -> Why {
        match self.rest {
            [Lexeme::Dash | Lexeme::Other('…'), _, ..] => Why::Range,
            [Lexeme::Word(word), ..] if RANGE_WORDS.contains(&word.as_str()) => Why::Range,
            [lexeme, ..] => Why::Unexpected {
                found: quoted(&lexeme.to_string()),
            },
            [] => Why::EndsEarly,
        }
    }
}
