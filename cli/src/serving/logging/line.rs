//! One event as a line for people: the time of day, the level, and what happened, the most
//! important first. Requests are shown in columns, so that failures stand out.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::fmt::{FmtContext, time};
use tracing_subscriber::registry::LookupSpan;

use crate::terminal::escape::escape_control;

/// Where the time of day is in an RFC 3339 time, milliseconds included.
const TIME_OF_DAY: std::ops::Range<usize> = 11..23;

/// Colour codes of terminals.
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const CYAN: &str = "36";

/// Writes events for people.
pub(super) struct ForPeople;

impl<S, N> FormatEvent<S, N> for ForPeople
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut instant = String::new();
        time().format_time(&mut Writer::new(&mut instant))?;
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = *event.metadata().level();
        let is_coloured = writer.has_ansi_escapes();
        let mut line = Line {
            writer: &mut writer,
            is_coloured,
        };
        line.write(instant.get(TIME_OF_DAY).unwrap_or(&instant), level, fields)
    }
}

/// The fields of an event, as strings.
#[derive(Default)]
struct Fields {
    message: String,
    others: Vec<(&'static str, String)>,
}

impl Fields {
    /// Removes and returns a field; empty if there is none.
    fn take(&mut self, name: &str) -> String {
        let place = self.others.iter().position(|(other, _)| *other == name);
        place.map_or_else(String::new, |place| self.others.remove(place).1)
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.record_debug(field, &format_args!("{value:.2}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Escaped, so that nothing in it moves the cursor.
        let text = escape_control(&format!("{value:?}")).into_owned();
        match field.name() {
            "message" => self.message = text,
            name => self.others.push((name, text)),
        }
    }
}

/// The line being written.
struct Line<'a, W> {
    writer: &'a mut W,
    is_coloured: bool,
}

impl<W: Write> Line<'_, W> {
    fn write(&mut self, instant: &str, level: Level, mut fields: Fields) -> fmt::Result {
        self.paint(DIM, instant)?;
        self.writer.write_char(' ')?;
        self.paint(colour_of(level), &format!("{level:>5}"))?;
        self.writer.write_char(' ')?;
        let status = fields.take("status");
        if status.is_empty() {
            self.writer.write_str(&fields.message)?;
        } else {
            self.request(&status, &mut fields)?;
        }
        for (name, value) in fields.others {
            self.writer.write_char(' ')?;
            self.paint(DIM, &format!("{name}="))?;
            self.writer.write_str(&value)?;
        }
        self.writer.write_char('\n')
    }

    /// Writes status, time, method and route in columns, then the fields that only some requests
    /// have.
    fn request(&mut self, status: &str, fields: &mut Fields) -> fmt::Result {
        self.paint(colour_of_status(status), status)?;
        let (duration, method, route) = (
            fields.take("duration_ms"),
            fields.take("method"),
            fields.take("route"),
        );
        let route = if route.is_empty() { "-" } else { &route };
        write!(self.writer, " {duration:>8} ms {method:<4} {route}")?;
        for name in ["code", "cache", "subscription"] {
            let value = fields.take(name);
            if !value.is_empty() {
                write!(self.writer, " {value}")?;
            }
        }
        for name in ["key.prefix", "request.id"] {
            let value = fields.take(name);
            if !value.is_empty() {
                self.writer.write_char(' ')?;
                self.paint(DIM, &value)?;
            }
        }
        Ok(())
    }

    fn paint(&mut self, colour: &str, text: &str) -> fmt::Result {
        if self.is_coloured {
            write!(self.writer, "\x1b[{colour}m{text}\x1b[0m")
        } else {
            self.writer.write_str(text)
        }
    }
}

fn colour_of(level: Level) -> &'static str {
    match level {
        Level::ERROR => RED,
        Level::WARN => YELLOW,
        Level::INFO => GREEN,
        _ => DIM,
    }
}

fn colour_of_status(status: &str) -> &'static str {
    match status.as_bytes() {
        [b'2', ..] => GREEN,
        [b'3', ..] => CYAN,
        [b'4', ..] => YELLOW,
        _ => RED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(is_coloured: bool, message: &str, others: &[(&'static str, &str)]) -> String {
        let mut text = String::new();
        let others = others
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        let fields = Fields {
            message: message.to_owned(),
            others: others.collect(),
        };
        let mut line = Line {
            writer: &mut text,
            is_coloured,
        };
        line.write("12:00:00.000", Level::INFO, fields).unwrap();
        text
    }

    #[test]
    fn a_request_is_shown_in_columns_the_most_telling_first() {
        let written = line(
            false,
            "answered",
            &[
                ("request.id", "01"),
                ("method", "GET"),
                ("route", "/v1/boats"),
                ("status", "200"),
                ("key.prefix", "boat_test_abcdef"),
                ("subscription", "acme"),
                ("cache", "MISS"),
                ("duration_ms", "0.42"),
            ],
        );
        let expected =
            "12:00:00.000  INFO 200     0.42 ms GET  /v1/boats MISS acme boat_test_abcdef 01\n";
        assert_eq!(written, expected);
    }

    #[test]
    fn whatever_else_happens_is_a_sentence_and_its_facts() {
        let written = line(false, "serving release r1", &[("release.id", "r1")]);
        assert_eq!(
            written,
            "12:00:00.000  INFO serving release r1 release.id=r1\n"
        );
    }

    #[test]
    fn colours_are_only_where_they_are_welcome() {
        for is_coloured in [true, false] {
            let written = line(is_coloured, "answered", &[("status", "503")]);
            assert_eq!(written.contains("\x1b[31m503"), is_coloured, "{written}");
            assert_eq!(written.contains('\x1b'), is_coloured, "{written}");
        }
    }
}
