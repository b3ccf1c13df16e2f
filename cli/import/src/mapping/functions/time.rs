//! Reads a time that is written in a form of its own, in the time zone of whoever wrote it.

use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

use super::quoted;

/// The moment that a text names in a form such as `%d.%m.%Y %H:%M`, as in `2026-05-01T10:00:00Z`.
///
/// An offset or a zone in the text wins over the given zone; without a time of day it is midnight. An hour that a
/// zone has twice is its first, and one that it skips is as much later.
pub(crate) fn time(given: &str, form: &str, zone: &str) -> Result<String, String> {
    let read = || -> Result<String, jiff::Error> {
        let parts = BrokenDownTime::parse(form, given)?;
        let moment = if parts.offset().is_some() || parts.iana_time_zone().is_some() {
            parts.to_zoned()?.timestamp()
        } else {
            let zone = TimeZone::get(zone)?;
            parts.to_datetime()?.to_zoned(zone)?.timestamp()
        };
        Ok(moment.to_string())
    };
    read().map_err(|error| {
        let given = quoted(given);
        format!("could not read {given:?} as a time in the form {form:?}: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_that_of_its_zone_unless_it_has_an_offset() {
        for (given, form, zone, expected) in [
            (
                "01.05.2026 12:00",
                "%d.%m.%Y %H:%M",
                "Europe/Berlin",
                "2026-05-01T10:00:00Z",
            ),
            (
                "01.01.2026 12:00",
                "%d.%m.%Y %H:%M",
                "Europe/Berlin",
                "2026-01-01T11:00:00Z",
            ),
            (
                "5/1/26",
                "%m/%d/%y",
                "America/New_York",
                "2026-05-01T04:00:00Z",
            ),
            (
                "2026-05-01 12:00 +0200",
                "%Y-%m-%d %H:%M %z",
                "UTC",
                "2026-05-01T10:00:00Z",
            ),
            (
                "2026-05-01 12:00 Europe/Berlin",
                "%Y-%m-%d %H:%M %Q",
                "UTC",
                "2026-05-01T10:00:00Z",
            ),
            ("2026-05-01", "%Y-%m-%d", "UTC", "2026-05-01T00:00:00Z"),
            (
                "2026-10-25 02:30",
                "%Y-%m-%d %H:%M",
                "Europe/Berlin",
                "2026-10-25T00:30:00Z",
            ),
            (
                "2026-03-29 02:30",
                "%Y-%m-%d %H:%M",
                "Europe/Berlin",
                "2026-03-29T01:30:00Z",
            ),
        ] {
            assert_eq!(time(given, form, zone).as_deref(), Ok(expected), "{given}");
        }
        for (given, zone) in [
            ("31.02.2026", "UTC"),
            ("tomorrow", "UTC"),
            ("01.05.2026", "Berlin"),
        ] {
            let error = time(given, "%d.%m.%Y", zone).unwrap_err();
            let expected = format!("could not read {given:?} as a time in the form \"%d.%m.%Y\": ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
