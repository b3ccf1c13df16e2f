//! The grammar of measures: one or more spellings of a number with its unit.

use bigdecimal::BigDecimal;

use super::lexemes::{Lexeme, lexemes};
use super::number::{Reading, read};
use super::units::Unit;
use super::{Why, quoted};

/// One spelling of a measure.
#[derive(Clone, Debug)]
pub(super) struct Measure {
    pub(super) reading: Reading,
    pub(super) unit: Unit,
}

impl Measure {
    /// Whether it measures what `unit` does.
    pub(super) fn is_like(&self, unit: Unit) -> bool {
        self.unit.quantity() == unit.quantity()
    }

    /// Everything it can mean.
    pub(super) fn values(&self) -> Vec<&BigDecimal> {
        match &self.reading {
            Reading::Clear(value) => vec![value],
            Reading::Ambiguous { thousands, .. } if self.unit.is_imperial() => vec![thousands],
            Reading::Ambiguous {
                thousands,
                decimals,
            } => vec![thousands, decimals],
        }
    }
}

/// Inches in a foot.
const INCHES_PER_FOOT: u8 = 12;
/// Words that make two numbers a range.
const RANGE_WORDS: [&str; 5] = ["to", "bis", "until", "à", "till"];

/// Every spelling in `text`, at least one. A number without a unit, which must be the only
/// one, has the unit `wanted`.
pub(super) fn measures(text: &str, wanted: Unit) -> Result<Vec<Measure>, Why> {
    let lexemes = lexemes(text);
    let mut parser = Parser { rest: &lexemes };
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
        if !is_open && !parser.takes(&Lexeme::Slash) {
            return Err(parser.unexpected());
        }
    }
    if let [(reading, None)] = measures.as_slice() {
        let reading = reading.clone();
        return Ok(vec![Measure {
            reading,
            unit: wanted,
        }]);
    }
    let with_unit = |(reading, unit): (Reading, Option<Unit>)| {
        let unit = unit.ok_or(Why::NoUnit)?;
        Ok(Measure { reading, unit })
    };
    measures.into_iter().map(with_unit).collect()
}

struct Parser<'a> {
    rest: &'a [Lexeme<'a>],
}

impl Parser<'_> {
    /// A number, its unit if it has one, and the inches after feet.
    fn measure(&mut self) -> Result<(Reading, Option<Unit>), Why> {
        let is_negative = self.takes(&Lexeme::Dash);
        let mut reading = self.number()?;
        let mut unit = self.unit()?;
        if unit.is_some_and(|unit| unit.name() == "ft")
            && let Some((inches, inch)) = self.inches()?
        {
            let (Reading::Clear(feet)
            | Reading::Ambiguous {
                thousands: feet, ..
            }) = reading;
            reading = Reading::Clear(feet * BigDecimal::from(INCHES_PER_FOOT) + inches);
            unit = Some(inch);
        }
        if is_negative {
            reading = reading.negated();
        }
        Ok((reading, unit))
    }

    fn number(&mut self) -> Result<Reading, Why> {
        let whole = match self.rest {
            [Lexeme::Number(spelling), rest @ ..] => {
                let unreadable = || Why::NoNumber {
                    spelling: quoted(spelling),
                };
                let whole = read(spelling).ok_or_else(unreadable)?;
                self.rest = rest;
                whole
            }
            [Lexeme::Fraction(..), ..] => Reading::Clear(BigDecimal::from(0)),
            _ => return Err(self.unexpected()),
        };
        match (whole, self.rest) {
            (Reading::Clear(whole), [Lexeme::Fraction(above, below), rest @ ..])
                if whole.is_integer() =>
            {
                self.rest = rest;
                let fraction = BigDecimal::from(*above) / BigDecimal::from(*below);
                Ok(Reading::Clear(whole + fraction))
            }
            (whole, _) => Ok(whole),
        }
    }

    /// The unit of as many words as possible; none where no word stands.
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

    /// The inches that follow feet, as in `12' 6"` and `12'-6"`, if they do.
    fn inches(&mut self) -> Result<Option<(BigDecimal, Unit)>, Why> {
        let before = self.rest;
        self.takes(&Lexeme::Dash);
        let found = self.number().and_then(|number| Ok((number, self.unit()?)));
        match found {
            Ok((Reading::Clear(inches), Some(inch))) if inch.name() == "in" => {
                if inches >= INCHES_PER_FOOT {
                    return Err(Why::TooManyInches);
                }
                Ok(Some((inches, inch)))
            }
            _ => {
                self.rest = before;
                Ok(None)
            }
        }
    }

    fn takes(&mut self, lexeme: &Lexeme<'static>) -> bool {
        let rest = self.rest.strip_prefix(std::slice::from_ref(lexeme));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What is wrong with the next lexeme, which cannot stand where it does.
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
