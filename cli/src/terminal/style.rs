//! Colours for the meaning of a word on the terminal. A colour never says anything that the word
//! does not say too.

use anstyle::AnsiColor;

/// What a text says about its subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Nothing in particular.
    #[default]
    Plain,
    /// It works, or is intact.
    Good,
    /// The operator may have to act.
    Notice,
    /// It is damaged, refused or used up.
    Bad,
    /// It is over or of little interest.
    Faint,
}

impl Style {
    /// The colour, if there is one.
    pub const fn colour(self) -> Option<AnsiColor> {
        match self {
            Self::Plain => None,
            Self::Good => Some(AnsiColor::Green),
            Self::Notice => Some(AnsiColor::Yellow),
            Self::Bad => Some(AnsiColor::Red),
            Self::Faint => Some(AnsiColor::BrightBlack),
        }
    }

    /// `text` in the colour, if the stream may have colours.
    pub fn paint(self, text: &str, is_welcome: bool) -> String {
        match self.colour().filter(|_colour| is_welcome) {
            Some(colour) => {
                let style = colour.on_default();
                format!("{style}{text}{style:#}")
            }
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_painted_only_where_that_is_welcome_and_means_something() {
        let table = [
            (Style::Bad, true, "\u{1b}[31mrevoked\u{1b}[0m"),
            (Style::Bad, false, "revoked"),
            (Style::Plain, true, "revoked"),
        ];
        for (style, is_welcome, painted) in table {
            assert_eq!(style.paint("revoked", is_welcome), painted);
        }
    }
}
