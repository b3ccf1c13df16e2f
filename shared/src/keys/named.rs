//! Enums whose values have names, which are the same in commands, answers and tables.

/// Defines such an enum with its `ALL`, `as_str`, `Display` and `FromStr`, and the error of a text
/// that names none of its values.
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$about_value:meta])* $value:ident = $text:literal,)+
        }
        $(#[$about_unknown:meta])*
        pub struct $unknown:ident = $message:literal;
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$about_value])* $value,)+
        }

        $(#[$about_unknown])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        #[error($message)]
        pub struct $unknown;

        impl $name {
            /// All of them.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$value),+];

            /// The name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $unknown;

            fn from_str(text: &str) -> Result<Self, $unknown> {
                let named = Self::ALL.into_iter().find(|one| one.as_str() == text);
                named.ok_or($unknown)
            }
        }
    };
}

pub(super) use named;
