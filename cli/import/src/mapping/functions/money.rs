//! Reads amounts of money as people write them, with their currencies: `$610,000.00`,
//! `610 000 EUR`, `€ 89.000,-`.
//!
//! A wrong amount or currency is worse than an error: a sign of several currencies, such as `$`, and
//! a point that may part thousands are refused until the mapping says what they mean.

use super::measure::{self, DecimalMark, ReadNumber, Why};
use super::quoted;

/// Maximum length of a text, in bytes.
const TEXT_MAX: usize = 200;

/// The codes of currencies in use (ISO 4217).
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB \
    BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB \
    EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD \
    JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP \
    MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON \
    RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY \
    TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW";

/// Other ways to write a currency, in lower case and without full stops, with the codes that each
/// may stand for.
const SIGNS: [(&str, &[&str]); 22] = [
    ("€", &["EUR"]),
    ("euro", &["EUR"]),
    ("euros", &["EUR"]),
    ("£", &["GBP"]),
    ("us$", &["USD"]),
    ("a$", &["AUD"]),
    ("au$", &["AUD"]),
    ("c$", &["CAD"]),
    ("ca$", &["CAD"]),
    ("nz$", &["NZD"]),
    ("hk$", &["HKD"]),
    ("s$", &["SGD"]),
    ("zł", &["PLN"]),
    ("kč", &["CZK"]),
    ("fr", &["CHF"]),
    ("sfr", &["CHF"]),
    ("₺", &["TRY"]),
    ("tl", &["TRY"]),
    ("$", &["USD", "AUD", "CAD", "NZD", "HKD", "SGD"]),
    ("kr", &["SEK", "NOK", "DKK", "ISK"]),
    ("¥", &["JPY", "CNY"]),
    ("₤", &["GBP", "TRY"]),
];

/// The dashes that stand for no cents.
const DASHES: [char; 4] = ['-', '–', '—', '−'];

/// An amount and what it is an amount of.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::mapping) struct Money {
    pub(in crate::mapping) amount: ReadNumber,
    /// The code of the currency, if the text or the mapping says it.
    pub(in crate::mapping) currency: Option<String>,
}

/// The amount in `text`, and its currency; `None` if the text is blank.
///
/// An amount without a currency is in `wanted`, if that is given, and one in another currency is
/// refused. A single comma before three digits parts thousands, as nobody writes three decimals of
/// money after one; a single point before three digits is refused unless `decimal` says surely what
/// stands before decimals, as databases write them.
pub(in crate::mapping) fn money(
    text: &str,
    wanted: Option<&str>,
    decimal: Option<DecimalMark>,
) -> Result<Option<Money>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let read = read(text, wanted, decimal).map_err(|why| {
        let text = quoted(text);
        format!("could not read {text:?} as an amount of money: {why}")
    })?;
    Ok(Some(read))
}

fn read(text: &str, wanted: Option<&str>, decimal: Option<DecimalMark>) -> Result<Money, String> {
    if TEXT_MAX < text.len() {
        return Err(format!("it has more than {TEXT_MAX} bytes"));
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let (Some(first), Some(last)) = (text.find(is_digit), text.rfind(is_digit)) else {
        return Err("it has no digit".to_owned());
    };
    let (before, number, after) = (&text[..first], &text[first..=last], &text[last + 1..]);
    let amount = amount(number, decimal)?;
    let mut words = [before, without_cents(after)].map(str::trim);
    // What is certain tells what the other one means.
    words.sort_by_key(|word| codes_of(word).len());
    let mut currency = wanted.map(known).transpose()?;
    for word in words.into_iter().filter(|word| !word.is_empty()) {
        currency = Some(currency_of(word, currency.as_deref())?);
    }
    Ok(Money { amount, currency })
}

fn amount(number: &str, decimal: Option<DecimalMark>) -> Result<ReadNumber, String> {
    measure::amount(number, decimal).map_err(|why| match why {
        Why::Range => "it is a range, and not one amount".to_owned(),
        Why::Unexpected { found } => {
            format!("{found:?} is no part of an amount such as `89,000.00`")
        }
        Why::Ambiguous {
            thousands,
            decimals,
        } => format!(
            "it is {} or {decimals}; say in the mapping what stands before decimals, as in `money(null; \",\")`",
            thousands.to_plain_string()
        ),
        why => why.to_string(),
    })
}

/// What follows a number, without the `,-` or `.–` that stands for no cents.
fn without_cents(after: &str) -> &str {
    let cents = after
        .strip_prefix([',', '.'])
        .filter(|rest| rest.starts_with(DASHES));
    cents.map_or(after, |rest| rest.trim_start_matches(DASHES))
}

/// The code of a currency as a text has it, of which another sign or the mapping says this one.
fn currency_of(word: &str, said: Option<&str>) -> Result<String, String> {
    let other = |found: &str, wanted: &str| Err(format!("it is in {found}, and not in {wanted}"));
    let found = match (codes_of(word), said) {
        ([], _) => known(&word.to_uppercase())
            .map_err(|_no_code| format!("{:?} is no currency", quoted(word)))?,
        ([only], _) => (*only).to_owned(),
        (several, Some(said)) if several.contains(&said) => said.to_owned(),
        (_, Some(wanted)) => return other(&quoted(word), wanted),
        (codes, None) => {
            return Err(format!(
                "{:?} is {}; say in the mapping which, as in `money(\"{}\")`",
                quoted(word),
                codes.join(" or "),
                codes[0]
            ));
        }
    };
    match said {
        Some(said) if said != found => other(&found, said),
        _ => Ok(found),
    }
}

/// The codes that a sign may stand for; none if it is no sign.
pub(crate) fn codes_of(word: &str) -> &'static [&'static str] {
    let sign = word.trim_end_matches('.').to_lowercase();
    let known = SIGNS.iter().find(|(known, _)| *known == sign);
    known.map_or(&[], |(_, codes)| codes)
}

fn known(code: &str) -> Result<String, String> {
    let is_known = CODES.split_whitespace().any(|known| known == code);
    let no_code = || {
        let code = quoted(code);
        format!("{code:?} is not the code of a currency, such as `EUR`")
    };
    is_known.then(|| code.to_owned()).ok_or_else(no_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An amount with its currency, as `89000 EUR`, or the reason why there is none.
    fn read_as(text: &str, wanted: Option<&str>, decimal: Option<DecimalMark>) -> String {
        match money(text, wanted, decimal) {
            Ok(None) => String::new(),
            Ok(Some(Money { amount, currency })) => {
                format!("{} {}", amount.spelled, currency.unwrap_or_default())
            }
            Err(refused) => refused,
        }
    }

    #[test]
    fn an_amount_is_read_with_its_currency() {
        for (text, expected) in [
            ("610 000 EUR", "610000 EUR"),
            ("610\u{a0}000\u{202f}€", "610000 EUR"),
            ("EUR 89,000", "89000 EUR"),
            ("€ 89.000,00", "89000 EUR"),
            ("€89,000.50", "89000.5 EUR"),
            ("89000,- Euro", "89000 EUR"),
            ("CHF 89'000.–", "89000 CHF"),
            ("Fr. 89’000.50", "89000.5 CHF"),
            ("£1,288,000", "1288000 GBP"),
            ("US$ 610,000.00", "610000 USD"),
            ("$610,000.00 USD", "610000 USD"),
            ("89 000 zł", "89000 PLN"),
            ("89000", "89000 "),
            ("120.50", "120.5 "),
            ("1.234E+05 EUR", "123400 EUR"),
            ("", ""),
            ("\u{a0}", ""),
        ] {
            assert_eq!(read_as(text, None, None), expected, "{text}");
        }
        for (text, wanted, expected) in [
            ("$610,000.00", "USD", "610000 USD"),
            ("$610,000.00", "AUD", "610000 AUD"),
            ("89 000 kr.", "SEK", "89000 SEK"),
            ("89000", "EUR", "89000 EUR"),
            ("89000 €", "EUR", "89000 EUR"),
        ] {
            assert_eq!(read_as(text, Some(wanted), None), expected, "{text}");
        }
        let with = |text, mark| read_as(text, None, Some(mark));
        assert_eq!(with("89.000 EUR", DecimalMark::COMMA), "89000 EUR");
        assert_eq!(with("10.000 EUR", DecimalMark::POINT), "10 EUR");
    }

    #[test]
    fn what_may_be_another_amount_or_currency_is_refused() {
        for (text, wanted, expected) in [
            (
                "89.000 EUR",
                None,
                "it is 89000 or 89.000; say in the mapping",
            ),
            (
                "$610,000.00",
                None,
                "\"$\" is USD or AUD or CAD or NZD or HKD or SGD; say in the mapping which, as in `money(\"USD\")`",
            ),
            ("89 000 kr", None, "\"kr\" is SEK or NOK or DKK or ISK; say"),
            ("89000 USD", Some("EUR"), "it is in USD, and not in EUR"),
            ("$89000", Some("EUR"), "it is in $, and not in EUR"),
            ("€ 89,000 GBP", None, "it is in EUR, and not in GBP"),
            (
                "89000",
                Some("euro"),
                "\"euro\" is not the code of a currency",
            ),
            ("129000-149000", None, "it is a range"),
            ("189000 (2 engines)", None, "\"(\" is no part of an amount"),
            ("250k", None, "\"k\" is no currency"),
            ("from 89000", None, "\"from\" is no currency"),
            ("89000 EUR VAT", None, "\"EUR VAT\" is no currency"),
            ("-89000", None, "\"-\" is no currency"),
            ("on request", None, "it has no digit"),
            ("1.2.3", None, "grouped in no known way"),
        ] {
            let refused = read_as(text, wanted, None);
            assert!(refused.contains(expected), "{text}: {refused}");
            assert!(refused.starts_with("could not read \""), "{refused}");
        }
        for mark in [",", ",?"] {
            let refused = read_as("£1,200", None, DecimalMark::parse(mark));
            let expected = "\"1,200\" is no number with a comma before its decimals";
            assert!(refused.contains(expected), "{mark}: {refused}");
        }
    }

    #[test]
    fn no_text_panics() {
        proptest::proptest!(|(text in "[0-9 .,'€$EUR–-]{0,20}", any in "\\PC{0,40}")| {
            let _ = (money(&text, None, None), money(&any, Some("EUR"), None));
        });
    }
}
