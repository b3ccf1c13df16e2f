//! Caches bounded by entries and by bytes.

use std::hash::Hash;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// An empty cache. `weighter` gives the bytes of an entry, and at least its share of `bytes_max`,
/// which bounds the number of entries.
pub(crate) fn cache<K, V, W>(weighter: W, entries_max: u64, bytes_max: u64) -> Cache<K, V, W>
where
    K: Eq + Hash,
    V: Clone,
    W: Weighter<K, V> + Clone,
{
    let items = usize::try_from(entries_max).unwrap_or(usize::MAX);
    let options = OptionsBuilder::new()
        .estimated_items_capacity(items)
        .weight_capacity(bytes_max)
        .build()
        .unwrap_or_else(|_why| unreachable!("both capacities are given"));
    let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    Cache::with_options(options, weighter, hasher, lifecycle)
}
