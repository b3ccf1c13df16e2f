//! Reads years from the many ways in which content spells them.

use super::quoted;

/// The range of four-digit numbers that can be years.
const YEARS: std::ops::RangeInclusive<i64> = 1000..=2999;
/// The signs and words between the years of a range, in lower case.
const RANGE_SIGNS: [&str; 12] = [
    "-", "–", "—", "−", "/", "..", "...", "…", "to", "until", "till", "bis",
];
/// What makes a decade of the digits before it, in lower case.
const DECADES: [&str; 4] = ["s", "er", "ern", "ies"];
/// The prefix of a model year.
const MODEL_YEAR: &str = "MY";

/// The year in a text such as `2018`, `2018-05-01`, `c. 1974`, `since 1999` or `MY2018`. For a
/// season or a range, as in `1974/75`, `1974–1980` and `1974..1980`, it is the first year. `None`
/// if the text is blank.
pub(in crate::mapping) fn year(text: &str) -> Result<Option<i64>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    if let Some(year) = year_of_date(text.trim()) {
        return Ok(Some(year));
    }
    let refused = |why: &str| {
        let text = quoted(text);
        Err(format!("could not read {text:?} as a year: {why}"))
    };
    // A decade is no single year, whatever year stands beside it.
    if let Some(decade) = decade(text) {
        return refused(&format!("{:?} is a decade", quoted(decade)));
    }
    let candidates = candidates(text);
    let Some(&(_, first)) = candidates.first() else {
        return refused("it has no number of four digits from 1000 to 2999");
    };
    if is_range(text, &candidates) {
        return Ok(Some(first));
    }
    match candidates.iter().find(|(_, year)| *year != first) {
        None => Ok(Some(first)),
        Some((_, second)) => refused(&format!("both {first} and {second} could be meant")),
    }
}

/// The year of an ISO 8601 date, whatever digits are in its time and offset.
fn year_of_date(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked("2018-05-01".len())?;
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let goes_on = rest.starts_with(|c: char| c.is_ascii_digit());
    let year = date.get(..4)?.parse().ok()?;
    (is_date && !goes_on && YEARS.contains(&year)).then_some(year)
}

/// The first decade in a text, such as `1990s`, `90's` or `1990er`.
fn decade(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let mut words = text.split(|c: char| !is_part(c));
    words.find(|word| {
        let digits = word.trim_start_matches(['\'', '’']);
        let end = digits.find(|c: char| !c.is_ascii_digit());
        let (digits, rest) = digits.split_at(end.unwrap_or(digits.len()));
        let ending = rest.trim_start_matches(['\'', '’']).to_lowercase();
        matches!(digits.len(), 2 | 4) && digits.ends_with('0') && DECADES.contains(&ending.as_str())
    })
}

/// Every separate four-digit number that can be a year, with its place.
fn candidates(text: &str) -> Vec<(usize, i64)> {
    let mut candidates = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let digits = without_model_year(bare);
        let is_number = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(year) = digits.parse().ok().filter(|year| YEARS.contains(year))
            && is_number
        {
            candidates.push((at + bare.len() - digits.len(), year));
        }
        at += word.len();
    }
    candidates
}

fn without_model_year(word: &str) -> &str {
    match word.split_at_checked(MODEL_YEAR.len()) {
        Some((mark, digits)) if mark.eq_ignore_ascii_case(MODEL_YEAR) => digits,
        _ => word,
    }
}

/// Whether there are exactly two years, in ascending order, with nothing but a range sign between
/// them.
fn is_range(text: &str, candidates: &[(usize, i64)]) -> bool {
    let &[(first_at, first), (second_at, second)] = candidates else {
        return false;
    };
    let between = text[first_at + 4..second_at].trim().to_lowercase();
    first < second && RANGE_SIGNS.contains(&between.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_is_found_in_what_surrounds_it() {
        for (text, expected) in [
            ("2018", Some(2018)),
            (" 2018\u{a0}", Some(2018)),
            ("2018-05-01", Some(2018)),
            ("2018-05-01T12:34:56.1234+1000", Some(2018)),
            ("01.05.2018", Some(2018)),
            ("05/2018", Some(2018)),
            ("c. 1974", Some(1974)),
            ("1974/75", Some(1974)),
            ("1974–75", Some(1974)),
            ("1974-1980", Some(1974)),
            ("1974 – 1980", Some(1974)),
            ("1974 bis 1980", Some(1974)),
            ("1974..1980", Some(1974)),
            ("1974 … 1980", Some(1974)),
            ("MY2018", Some(2018)),
            ("my 2018", Some(2018)),
            ("MY2018-2020", Some(2018)),
            ("since 1999", Some(1999)),
            ("1999 (1999)", Some(1999)),
            ("1974 - present", Some(1974)),
            ("", None),
            (" \u{202f}\n", None),
        ] {
            assert_eq!(year(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_could_be_several_years_or_none_is_refused() {
        for (text, expected) in [
            ("1974 and 1980", "both 1974 and 1980 could be meant"),
            ("1980-1974", "both 1980 and 1974 could be meant"),
            ("1974-1980, 1990", "both 1974 and 1980 could be meant"),
            ("unknown", "has no number of four digits"),
            ("74", "has no number of four digits"),
            ("20180501", "has no number of four digits"),
            ("the 1970s", "\"1970s\" is a decade"),
            ("1990s-2005", "\"1990s\" is a decade"),
            ("~1980s (yard closed 2011)", "\"1980s\" is a decade"),
            ("1990's or 2005", "\"1990's\" is a decade"),
            ("'90s–2005", "\"'90s\" is a decade"),
            ("1990er bis 2005", "\"1990er\" is a decade"),
            ("0974", "has no number of four digits"),
        ] {
            let refused = year(text).unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
            assert!(refused.contains(text), "{text}: {refused}");
        }
    }

    #[test]
    fn every_year_is_itself_and_no_text_panics() {
        proptest::proptest!(|(text in "\\PC{0,40}", number in YEARS)| {
            let _ = year(&text);
            proptest::prop_assert_eq!(year(&number.to_string()), Ok(Some(number)));
        });
    }
}
