//! Sort orders as integers: the place of each record in each order, computed once.
//!
//! A rank is unique, because every order ends with the record id; so ascending and descending are
//! exact reverses of each other, and a page is a range of ranks.

/// The rank of each item in the order of its key: `ranks[item]` is its place, from 0.
pub(super) fn ranks<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<i32> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by_key(|&item| key(item));
    let mut ranks = vec![0; count];
    for (place, &item) in order.iter().enumerate() {
        ranks[item] = code(place);
    }
    ranks
}

/// A place or ordinal as the integer that a release stores.
pub(super) fn code(place: usize) -> i32 {
    i32::try_from(place).unwrap_or_else(|_too_many| unreachable!("the writer limits records"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_places_in_the_order_of_keys() {
        let keys = ["c", "a", "b"];
        assert_eq!(ranks(3, |item| keys[item]), [2, 0, 1]);
        assert_eq!(ranks(0, |_| 0), [0_i32; 0]);
    }
}
