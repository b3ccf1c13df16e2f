//! A transaction of either database, in which the statements of a key store run, and the values of
//! parameters and columns.
//!
//! Statements are written in the SQL that both databases share: tables in the schema `catalogue`,
//! parameters `$1` and so on. What they do not share is in a [`Dialect`]. Nothing here knows a
//! table.

use std::borrow::Cow;
use std::error::Error;

use crate::base::clock::UnixMillis;
use crate::keys::audit::{Change, Event};
use crate::keys::environment::Environment;
use crate::keys::key::KeyId;
use crate::keys::name::Name;
use crate::keys::scope::{Scope, Scopes};
use crate::keys::secret::{KeyHash, KeyPrefix};
use crate::keys::store::{KeyStoreError, Location};
use crate::keys::subscription::{SubscriptionId, SubscriptionStatus};

/// A transaction under way, or what makes one of each statement. An error of the database ends it,
/// undoing everything.
pub(super) trait Transaction {
    /// The statements that only this database understands.
    fn dialect(&self) -> &'static Dialect;

    /// Where the store is, for people.
    fn location(&self) -> Location;

    /// Runs a query and passes its rows on, one by one.
    fn query(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), KeyStoreError>,
    ) -> Result<(), KeyStoreError>;

    /// Runs a statement that returns no rows.
    fn execute(&self, sql: &str, parameters: &[Value<'_>]) -> Result<(), KeyStoreError>;
}

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// To read a snapshot.
    Read,
    /// To change it: completely and durably or not at all, one change after the other.
    Change,
    /// The same for a change that refuses keys, which must work on a full disk.
    UrgentChange,
}

/// Statements that differ between the databases.
#[derive(Debug)]
pub(super) struct Dialect {
    /// A text that no other call of it gives.
    pub new_token: &'static str,
    /// Lets rows refer to later ones until the end of the transaction.
    pub defer_references: &'static str,
    /// Has the next row of TABLE get the number after the highest of its COLUMN, where that does not
    /// go by itself.
    pub count_on: Option<&'static str>,
}

/// A row of a result.
pub(super) trait Row {
    /// The value of a column, by its name.
    fn value(&self, column: &str) -> Result<Value<'_>, Unreadable>;
}

/// A value of a column or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'v> {
    Null,
    Integer(i64),
    Text(Cow<'v, str>),
    Bytes(Cow<'v, [u8]>),
}

/// Why a row cannot be read, which means that the store is damaged.
#[derive(Debug, thiserror::Error)]
#[error("column {column}: {source}")]
pub(super) struct Unreadable {
    column: String,
    source: Box<dyn Error + Send + Sync>,
}

/// A type that a column can hold.
pub(super) trait Column: Sized {
    /// Its value in the database.
    fn value(&self) -> Value<'_>;

    /// Reads the value of a column.
    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>>;
}

impl dyn Transaction + '_ {
    /// All rows of a result, each converted.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        read: impl Fn(&dyn Row) -> Result<T, Unreadable>,
    ) -> Result<Vec<T>, KeyStoreError> {
        let mut rows = Vec::new();
        self.query(sql, parameters, &mut |row| {
            let read = read(row);
            rows.push(read.map_err(|unreadable| unreadable.in_store(self.location()))?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The first row of a result, if there is one, converted.
    pub(super) fn first<T>(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        read: impl Fn(&dyn Row) -> Result<T, Unreadable>,
    ) -> Result<Option<T>, KeyStoreError> {
        Ok(self.all(sql, parameters, read)?.into_iter().next())
    }
}

impl dyn Row + '_ {
    /// The value of a column, converted.
    pub(super) fn get<T: Column>(&self, column: &str) -> Result<T, Unreadable> {
        T::read(&self.value(column)?).map_err(|error| Unreadable::new(column, error))
    }
}

impl Unreadable {
    /// The error of the store at `location`.
    pub(super) fn in_store(&self, location: Location) -> KeyStoreError {
        KeyStoreError::Failed {
            attempt: "read",
            location,
            source: self.to_string().into(),
        }
    }

    /// Why `column` cannot be read.
    pub(super) fn new(column: &str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            column: column.to_owned(),
            source: source.into(),
        }
    }
}

impl Value<'_> {
    fn integer(&self) -> Result<i64, &'static str> {
        match self {
            Self::Integer(integer) => Ok(*integer),
            _ => Err("must be a whole number"),
        }
    }

    fn text(&self) -> Result<&str, &'static str> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err("must be a text"),
        }
    }
}

impl<T: Column> Column for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::value)
    }

    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        match value {
            Value::Null => Ok(None),
            value => T::read(value).map(Some),
        }
    }
}

impl Column for u32 {
    fn value(&self) -> Value<'_> {
        Value::Integer((*self).into())
    }

    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(value.integer()?.try_into()?)
    }
}

impl Column for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self.into())
    }

    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(value.text()?.to_owned())
    }
}

impl Column for KeyHash {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self.as_bytes().as_slice().into())
    }

    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        match value {
            Value::Bytes(bytes) => Ok(Self::from_bytes(bytes.as_ref().try_into()?)),
            _ => Err("must be bytes".into()),
        }
    }
}

impl Column for Scopes {
    fn value(&self) -> Value<'_> {
        Value::Text(self.join(" ").into())
    }

    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let scopes = value.text()?.split(' ').map(str::parse::<Scope>);
        Ok(scopes.collect::<Result<_, _>>()?)
    }
}

impl Column for Vec<Change> {
    fn value(&self) -> Value<'_> {
        Value::Text(serde_json::json!(self).to_string().into())
    }

    fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(serde_json::from_str(value.text()?)?)
    }
}

/// Types that are whole numbers in the tables.
macro_rules! integer_columns {
    ($($type:ty: $to:expr, $from:expr;)*) => {$(
        impl Column for $type {
            fn value(&self) -> Value<'_> {
                let to: fn(Self) -> i64 = $to;
                Value::Integer(to(*self))
            }

            fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
                let from: fn(i64) -> Self = $from;
                Ok(from(value.integer()?))
            }
        }
    )*};
}

integer_columns! {
    i64: |own| own, |own| own;
    bool: i64::from, |number| number != 0;
    // A count; the tables keep it from being negative, and no quota is larger than they can hold.
    u64: |count| i64::try_from(count).unwrap_or(i64::MAX), i64::unsigned_abs;
    UnixMillis: |at| at.0, Self;
    SubscriptionId: |id| id.0, Self;
}

/// Types that are text in the tables.
macro_rules! text_columns {
    ($($type:ty: $parse:expr,)*) => {$(
        impl Column for $type {
            fn value(&self) -> Value<'_> {
                Value::Text(self.as_str().into())
            }

            fn read(value: &Value<'_>) -> Result<Self, Box<dyn Error + Send + Sync>> {
                Ok($parse(value.text()?)?)
            }
        }
    )*};
}

text_columns! {
    KeyId: KeyId::parse,
    KeyPrefix: KeyPrefix::parse,
    Name: Name::parse,
    Environment: str::parse::<Environment>,
    SubscriptionStatus: str::parse::<SubscriptionStatus>,
    Event: str::parse::<Event>,
}
