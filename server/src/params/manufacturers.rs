//! The query of the manufacturer list (specification section 4.3).

use super::canonical::{Canonical, Parameters, Understood};
use super::reader::{Accepted, Reader};
use super::values::{self, Choice};
use super::{Order, Page, ParamIssue, QueryString, SearchWords};

const ACCEPTED: Accepted = Accepted {
    names: ManufacturerQuery::PARAMETERS,
    refused: None,
};

/// A checked query of the manufacturer list. Equal queries ask for the same rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManufacturerQuery {
    /// Words of the name.
    pub search: Option<SearchWords>,
    /// Which rows.
    pub page: Page,
    /// Sorted by what.
    pub sort: ManufacturerSort,
    /// In which direction.
    pub order: Order,
}

impl ManufacturerQuery {
    /// Names of the parameters, in the order in which messages list them.
    pub const PARAMETERS: &[&str] = &["search", "limit", "offset", "sort", "order"];

    /// Reads the query, or every issue it has, in request order.
    pub fn parse(query: &QueryString) -> Result<Self, Vec<ParamIssue>> {
        let mut reader = Reader::new(query, &ACCEPTED);
        let parsed = Self {
            search: reader.take("search", SearchWords::parse),
            page: Page::read(&mut reader),
            sort: reader.take("sort", values::choice).unwrap_or_default(),
            order: reader.take("order", values::choice).unwrap_or_default(),
        };
        reader.finish(parsed)
    }

    /// The text that equal manufacturer queries share and different ones do not. A boat query
    /// may have the same text.
    pub fn canonical(&self) -> String {
        let mut canonical = Canonical::default();
        self.write(&mut canonical);
        canonical.finish()
    }

    /// All parameters as they were understood.
    pub fn understood(&self) -> Vec<Understood> {
        let mut all = Vec::new();
        self.write(&mut all);
        all
    }

    fn write(&self, parameters: &mut impl Parameters) {
        parameters.add("search", self.search.as_ref());
        self.page.write(parameters);
        parameters.add_choice("sort", self.sort);
        parameters.add_choice("order", self.order);
    }
}

/// What the manufacturer list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ManufacturerSort {
    /// Folded name.
    #[default]
    Name,
    /// Instant of the last change.
    UpdatedAt,
}

impl Choice for ManufacturerSort {
    const VALUES: &'static [Self] = &[Self::Name, Self::UpdatedAt];

    fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::UpdatedAt => "updatedAt",
        }
    }
}
