//! How an engine and the way to it are at the moment, and what becomes of one call.

use std::time::Duration;

use rand::Rng;
use simulation::turns;

/// How calls fare for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    /// All are answered soon.
    Calm,
    /// All are answered, some of them late.
    Slow,
    /// Anything may happen to each of them.
    Stormy,
    /// None reaches the engine.
    Away,
}

/// What becomes of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Answered,
    /// The engine says no, and nothing is changed.
    Refused,
    /// It does not reach the engine, which the caller knows.
    Unreached,
    /// It does not reach the engine, which the caller does not know.
    LostBefore,
    /// It is done, and the answer is lost.
    LostAfter,
    /// It is done after the caller gave it up.
    Late,
}

impl Weather {
    /// One that differs mostly from the one before.
    pub(crate) fn draw() -> Self {
        let of = [
            Self::Calm,
            Self::Slow,
            Self::Stormy,
            Self::Stormy,
            Self::Away,
        ];
        of[turns::draw(|random| random.random_range(0..of.len()))]
    }

    /// What becomes of a call now.
    pub(crate) fn fate(self) -> Fate {
        const STORMY: [Fate; 10] = [
            Fate::Answered,
            Fate::Answered,
            Fate::Answered,
            Fate::Answered,
            Fate::Refused,
            Fate::Unreached,
            Fate::LostBefore,
            Fate::LostAfter,
            Fate::LostAfter,
            Fate::Late,
        ];
        match self {
            Self::Calm | Self::Slow => Fate::Answered,
            Self::Stormy => STORMY[turns::draw(|random| random.random_range(0..STORMY.len()))],
            Self::Away => Fate::Unreached,
        }
    }

    /// How long one way to the engine or back takes now.
    pub(crate) fn way(self) -> Duration {
        let most = match self {
            Self::Calm => 2,
            Self::Slow if turns::happens(20) => 1_500,
            Self::Slow => 20,
            Self::Stormy if turns::happens(10) => 800,
            Self::Stormy => 50,
            Self::Away => 100,
        };
        turns::some_time(Duration::from_millis(most))
    }
}
