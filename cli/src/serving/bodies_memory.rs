//! How much memory the bodies of records may take: a share of what the process may use, or bytes.
//!
//! It is for two releases, since both are in memory while one replaces the other.

use std::fmt;
use std::str::FromStr;

use crate::process::machine::Machine;
use crate::terminal::size::{self, InvalidSize};

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

/// Why a text is neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBodiesMemory {
    /// Neither a share nor an amount.
    #[error("must be a share such as 50%, or a whole number and KiB, MiB or GiB, such as 2GiB")]
    Form,
    /// More bytes than can be counted.
    #[error(transparent)]
    Size(InvalidSize),
}

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

impl FromStr for BodiesMemory {
    type Err = InvalidBodiesMemory;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(percent) = text.strip_suffix('%') else {
            return size::parse_memory(text)
                .map(Self::Bytes)
                .map_err(|invalid| match invalid {
                    InvalidSize::Form => InvalidBodiesMemory::Form,
                    InvalidSize::TooMuch => InvalidBodiesMemory::Size(invalid),
                });
        };
        let is_number = percent.bytes().all(|byte| byte.is_ascii_digit());
        match percent.parse() {
            Ok(percent @ 0..=100) if is_number => Ok(Self::Share(percent)),
            _ => Err(InvalidBodiesMemory::Form),
        }
    }
}

/// As typed.
impl fmt::Display for BodiesMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(percent) => write!(formatter, "{percent}%"),
            Self::Bytes(bytes) => write!(formatter, "{}KiB", bytes / 1024),
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
        for text in ["", "%", "50", "101%", "+5%", "1.5%", "5 %", "50%%", "2GB"] {
            let parsed = text.parse::<BodiesMemory>();
            assert_eq!(parsed, Err(InvalidBodiesMemory::Form), "{text:?}");
        }
    }

    #[test]
    fn the_usual_share_is_written_as_it_is_typed() {
        let typed = BodiesMemory::DEFAULT.to_string();
        assert_eq!(typed.parse(), Ok(BodiesMemory::DEFAULT));
    }
}
