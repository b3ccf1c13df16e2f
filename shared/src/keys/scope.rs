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
pub struct Scopes(u8);

impl Scopes {
    const fn only(scope: Scope) -> Self {
        Self(1 << scope as u8)
    }

    /// Whether `scope` is one of these.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & Self::only(scope).0 != 0
    }

    /// Whether there is no scope at all.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let all = Scope::ALL.into_iter();
        all.filter(move |&scope| self.contains(scope))
    }

    /// The names, joined by `separator`.
    pub fn join(self, separator: &str) -> String {
        let names: Vec<_> = self.iter().map(Scope::as_str).collect();
        names.join(separator)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let scopes = scopes.into_iter().map(Self::only);
        Self(scopes.fold(0, |set, one| set | one.0))
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
