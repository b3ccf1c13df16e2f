//! How much memory the bodies of records may take: a share of what the process may use, or bytes.
//!
//! It is for two releases, since both are in memory while one replaces the other.

use std::fmt;
use std::str::FromStr;

use crate::process::machine::Machine;
use crate::terminal::quantity::{ANY_MEMORY, InvalidQuantity, MEMORY, Scale};

/// The assumed memory of the process if the system does not report it.
const UNKNOWN_BYTES: u64 = 2 << 30;
/// The number of releases in memory: the one that is served, and its successor.
const RELEASES: u64 = 2;

/// The memory for the bodies of both releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodiesMemory {
    /// Percent of what the process may use.
    Share(u64),
    /// A number of bytes.
    Bytes(u64),
}

/// What is to be typed, for errors.
const FORM: &str = "a share such as 50%, or a whole number and KiB, MiB or GiB, such as 2GiB";

impl BodiesMemory {
    /// Half of the memory.
    pub const DEFAULT: Self = Self::Share(50);

    /// What the bodies of one release may take, in bytes.
    pub fn of_a_release(self, machine: Machine) -> u64 {
        let all = match self {
            Self::Bytes(bytes) => bytes,
            Self::Share(percent) => {
                let allowed = (machine.memory_bytes)().unwrap_or(UNKNOWN_BYTES);
                allowed / 100 * percent
            }
        };
        all / RELEASES
    }
}

/// Shares in percent.
const SHARE: Scale = Scale::new(&[("%", 1)], FORM);

impl FromStr for BodiesMemory {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.ends_with('%') {
            return SHARE.read(text, &(0..=100)).map(Self::Share);
        }
        let bytes = MEMORY.described(FORM).read(text, &ANY_MEMORY);
        bytes.map(Self::Bytes)
    }
}

/// As typed.
impl fmt::Display for BodiesMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(percent) => formatter.write_str(&SHARE.show(*percent)),
            Self::Bytes(bytes) => formatter.write_str(&MEMORY.show(*bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(memory_bytes: fn() -> Option<u64>) -> Machine {
        Machine {
            memory_bytes,
            ..Machine::of_process()
        }
    }

    #[test]
    fn a_release_may_take_half_of_what_is_said() {
        let eight = machine(|| Some(8 << 30));
        let unknown = machine(|| None);
        for (text, machine, bytes) in [
            ("50%", eight, 2 << 30),
            ("0%", eight, 0),
            ("100%", eight, 4 << 30),
            ("50%", unknown, 512 << 20),
            ("1GiB", eight, 512 << 20),
            ("0", eight, 0),
        ] {
            let memory: BodiesMemory = text.parse().unwrap();
            let taken = memory.of_a_release(machine);
            assert!(taken.abs_diff(bytes) < 100, "{text}: {taken}");
        }
    }

    #[test]
    fn what_is_neither_a_share_nor_an_amount_is_refused() {
        for text in ["", "%", "50", "+5%", "1.5%", "5 %", "50%%", "2GB"] {
            let parsed = text.parse::<BodiesMemory>();
            assert_eq!(parsed, Err(InvalidQuantity::Form(FORM)), "{text:?}");
        }
        let more_than_all = "101%".parse::<BodiesMemory>().unwrap_err();
        assert_eq!(more_than_all.to_string(), "must be from 0% to 100%");
    }

    #[test]
    fn the_usual_share_is_written_as_it_is_typed() {
        let typed = BodiesMemory::DEFAULT.to_string();
        assert_eq!(typed.parse(), Ok(BodiesMemory::DEFAULT));
    }
}
