//! Steps that several changes of a store have in common, within a transaction.

use rand::RngCore;

use crate::keys::audit::Operator;
use crate::keys::environment::Environment;
use crate::keys::key::Key;
use crate::keys::key::KeyId;
use crate::keys::name::Name;
use crate::keys::secret::PlainKey;
use crate::keys::store::{KeyReference, KeyStoreError};
use crate::keys::subscription::Subscription;
use crate::keys::tables::{NewEntry, Tables};

/// Does `work` and enters into the audit log what it returns.
pub(super) fn with_entries<Stop, T>(
    rows: &dyn Tables<Stop = Stop>,
    operator: &Operator,
    now: i64,
    work: impl FnOnce(&dyn Tables<Stop = Stop>) -> Result<(T, Vec<NewEntry>), Stop>,
) -> Result<T, Stop> {
    let (value, entries) = work(rows)?;
    for entry in entries {
        rows.insert_entry(&entry, operator, now)?;
    }
    Ok(value)
}

/// The subscription of that name, which must exist.
pub(super) fn find_subscription<Stop: From<KeyStoreError>>(
    rows: &dyn Tables<Stop = Stop>,
    name: &Name,
) -> Result<Subscription, Stop> {
    let found = rows.subscription_named(name)?;
    Ok(found.ok_or_else(|| KeyStoreError::NoSubscription { name: name.clone() })?)
}

/// The key that is meant, which must exist.
pub(super) fn find_key<Stop: From<KeyStoreError>>(
    rows: &dyn Tables<Stop = Stop>,
    reference: &KeyReference,
) -> Result<Key, Stop> {
    let found = rows.find_key(reference)?;
    Ok(found.ok_or_else(|| KeyStoreError::NoKey {
        reference: reference.clone(),
    })?)
}

/// An id and a key whose prefix names no other one: people tell keys apart by it.
pub(super) fn unused_key<Stop>(
    rows: &dyn Tables<Stop = Stop>,
    environment: Environment,
    random: &mut dyn RngCore,
) -> Result<(KeyId, PlainKey), Stop> {
    loop {
        let (id, secret) = (
            KeyId::generate(random),
            PlainKey::generate(environment, random),
        );
        let is_used = |reference| rows.find_key(&reference).map(|key| key.is_some());
        let id_is_used = is_used(KeyReference::Id(id.clone()))?;
        if !id_is_used && !is_used(KeyReference::Prefix(secret.prefix()))? {
            return Ok((id, secret));
        }
    }
}
