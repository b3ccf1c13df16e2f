//! Whether colours are shown: as typed, or else as the environment and the terminal want.

use std::ffi::OsString;
use std::fmt;

/// When colours are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// As the environment and the terminal want it.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Not even on a terminal.
    Never,
}

impl Colour {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// Its word on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a stream gets colours if `--color` was not typed. `NO_COLOR` takes precedence, then
/// `FORCE_COLOR` and `CLICOLOR_FORCE`, then the variables by which a terminal refuses colours.
pub(crate) fn is_welcome(
    variable: impl Fn(&'static str) -> Option<OsString>,
    is_terminal: bool,
) -> bool {
    if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    let forces = |value: OsString| !value.is_empty() && value != "0" && value != "false";
    let is_forced =
        ["FORCE_COLOR", "CLICOLOR_FORCE"].map(|name| variable(name).is_some_and(forces));
    let is_plain = variable("CLICOLOR").is_some_and(|value| value == "0")
        || variable("TERM").is_some_and(|term| term == "dumb");
    is_forced.contains(&true) || (is_terminal && !is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_the_variables_and_the_terminal() {
        // Shown on a terminal, and elsewhere.
        for (variables, expected) in [
            (&[("TERM", "xterm-256color")][..], (true, false)),
            (&[], (true, false)),
            (&[("NO_COLOR", "")], (true, false)),
            (&[("NO_COLOR", "0")], (false, false)),
            (&[("TERM", "dumb")], (false, false)),
            (&[("CLICOLOR", "0")], (false, false)),
            (&[("CLICOLOR", "1")], (true, false)),
            (&[("FORCE_COLOR", "1")], (true, true)),
            (&[("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")], (true, true)),
            (
                &[("FORCE_COLOR", "0"), ("CLICOLOR_FORCE", "")],
                (true, false),
            ),
            (&[("FORCE_COLOR", "3"), ("TERM", "dumb")], (true, true)),
            (&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], (false, false)),
        ] {
            let variable = |wanted: &str| {
                let found = variables.iter().find(|(name, _)| *name == wanted);
                found.map(|(_, value)| OsString::from(value))
            };
            let shown = (is_welcome(variable, true), is_welcome(variable, false));
            assert_eq!(shown, expected, "{variables:?}");
        }
    }
}
