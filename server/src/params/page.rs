//! Which rows of a list, and in which direction (specification section 4.1).

use shared::base::number::INTEGER_MAX;

use super::canonical::Parameters;
use super::reader::Reader;
use super::values::{self, Choice};

/// Rows on a page unless the caller says otherwise.
pub const LIMIT_DEFAULT: u8 = 20;
/// Most rows on a page.
pub const LIMIT_MAX: u8 = 100;
/// Largest offset: the largest integer that every JSON reader represents exactly.
pub const OFFSET_MAX: u64 = INTEGER_MAX;

/// A window on the rows of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// Most rows to return, 1 to [`LIMIT_MAX`].
    pub limit: u8,
    /// Rows to skip, at most [`OFFSET_MAX`].
    pub offset: u64,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            limit: LIMIT_DEFAULT,
            offset: 0,
        }
    }
}

impl Page {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let limit = |text: &str| values::integer(text, &(1..=u64::from(LIMIT_MAX)));
        let offset = |text: &str| values::integer(text, &(0..=OFFSET_MAX));
        Self {
            limit: reader.take("limit", limit).unwrap_or(LIMIT_DEFAULT),
            offset: reader.take("offset", offset).unwrap_or(0),
        }
    }

    pub(super) fn write(self, parameters: &mut impl Parameters) {
        parameters.add_unless("limit", self.limit, LIMIT_DEFAULT);
        parameters.add_unless("offset", self.offset, 0);
    }
}

/// The direction of a list; it applies to every sort, the default one included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// `asc`
    #[default]
    Asc,
    /// `desc`: the exact reverse.
    Desc,
}

impl Choice for Order {
    const VALUES: &'static [Self] = &[Self::Asc, Self::Desc];

    fn word(self) -> &'static str {
        match self {
            Self::Asc => "asc",
            Self::Desc => "desc",
        }
    }
}
