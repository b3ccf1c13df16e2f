//! The mappings that come with the program: starting points that operators edit.
//!
//! Each fits one of the exports in `fixtures/mapped`. Whatever is particular to a content system is
//! in these files, not in the code.

/// A mapping that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shipped {
    /// What `sanity dataset export` writes.
    Sanity,
    /// What `contentful space export` writes.
    Contentful,
    /// What `strapi export` of version 5 writes.
    Strapi,
    /// Spreadsheets.
    Csv,
    /// The products that Shopify's admin exports as CSV.
    Shopify,
    /// The XML export of a blog with custom fields, a shop, or both.
    Wordpress,
    /// Collections of Directus, each in a JSON file.
    Directus,
    /// A custom list as JSON, CSV or Parquet.
    Minimal,
}

impl Shipped {
    /// All shipped mappings, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Sanity,
        Self::Contentful,
        Self::Strapi,
        Self::Csv,
        Self::Shopify,
        Self::Wordpress,
        Self::Directus,
        Self::Minimal,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sanity => "sanity",
            Self::Contentful => "contentful",
            Self::Strapi => "strapi",
            Self::Csv => "csv",
            Self::Shopify => "shopify",
            Self::Wordpress => "wordpress",
            Self::Directus => "directus",
            Self::Minimal => "minimal",
        }
    }

    /// The text of the mapping file.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Sanity => include_str!("shipped/sanity.toml"),
            Self::Contentful => include_str!("shipped/contentful.toml"),
            Self::Strapi => include_str!("shipped/strapi.toml"),
            Self::Csv => include_str!("shipped/csv.toml"),
            Self::Shopify => include_str!("shipped/shopify.toml"),
            Self::Wordpress => include_str!("shipped/wordpress.toml"),
            Self::Directus => include_str!("shipped/directus.toml"),
            Self::Minimal => include_str!("shipped/minimal.toml"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Mapping;

    #[test]
    fn every_shipped_mapping_can_be_used() {
        for shipped in Shipped::ALL {
            let name = shipped.name();
            let read = Mapping::parse(name.to_owned(), shipped.text().to_owned());
            assert!(read.is_ok(), "{read:?}");
        }
    }
}
