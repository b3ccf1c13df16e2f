//! What a key may read (specification section 5.5).

use crate::keys::named::named;

named! {
    /// One scope, named as the specification does.
    pub enum Scope {
        /// Lists of boats and single boats.
        BoatsRead = "boats.read",
        /// Lists of manufacturers and single manufacturers.
        ManufacturersRead = "manufacturers.read",
        /// All records at once, of the kinds that the key may read.
        CatalogueExport = "catalogue.export",
    }

    /// A text that names no scope.
    pub struct UnknownScope = "must be boats.read, manufacturers.read or catalogue.export";
}

impl Scope {
    /// The scopes of a kind of record each: what most keys have.
    pub const READ: [Self; 2] = [Self::BoatsRead, Self::ManufacturersRead];
}

/// A set of scopes, always in the order of [`Scope::ALL`]; may be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes {
    boats_read: bool,
    manufacturers_read: bool,
    catalogue_export: bool,
}

impl Scopes {
    /// Whether `scope` is one of these.
    pub const fn contains(self, scope: Scope) -> bool {
        match scope {
            Scope::BoatsRead => self.boats_read,
            Scope::ManufacturersRead => self.manufacturers_read,
            Scope::CatalogueExport => self.catalogue_export,
        }
    }

    /// Whether there is no scope at all.
    pub const fn is_empty(self) -> bool {
        !self.boats_read && !self.manufacturers_read && !self.catalogue_export
    }

    /// The scopes, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |&scope| self.contains(scope))
    }

    /// The names, joined by `separator`.
    pub fn join(self, separator: &str) -> String {
        self.iter()
            .map(Scope::as_str)
            .collect::<Vec<_>>()
            .join(separator)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut set = Self::default();
        for scope in scopes {
            match scope {
                Scope::BoatsRead => set.boats_read = true,
                Scope::ManufacturersRead => set.manufacturers_read = true,
                Scope::CatalogueExport => set.catalogue_export = true,
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
        }
        for text in ["", "boats", "Boats.read", "boats.read ", "boats.write"] {
            assert_eq!(text.parse::<Scope>(), Err(UnknownScope), "{text:?}");
        }
    }

    #[test]
    fn a_set_keeps_one_order_and_no_repeats() {
        let given = [
            Scope::CatalogueExport,
            Scope::ManufacturersRead,
            Scope::BoatsRead,
            Scope::ManufacturersRead,
        ];
        let scopes = Scopes::from_iter(given);
        let text = "boats.read manufacturers.read catalogue.export";
        assert_eq!(scopes.join(" "), text);
        assert!(!scopes.is_empty());
        assert!(Scopes::default().is_empty());
        assert!(!Scopes::from_iter([Scope::BoatsRead]).contains(Scope::ManufacturersRead));
    }
}
