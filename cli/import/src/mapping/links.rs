//! Links between records, looked up by a key and a name: links that a system stores separately from
//! its records, and links that a mapping makes from references.

use super::key_interner::{KeyId, Keys};

/// The position of links that keep the order in which they were added.
pub(super) const AS_ADDED: f64 = 0.0;

/// A link from a key, by a field, to another record.
#[derive(Clone, Copy, Debug)]
struct Link<T> {
    from: KeyId,
    field: KeyId,
    position: f64,
    to: T,
}

/// All links. They are added in any order, sorted once, and then looked up.
pub(super) struct Links<T> {
    links: Vec<Link<T>>,
}

impl<T> Default for Links<T> {
    fn default() -> Self {
        let links = Vec::new();
        Self { links }
    }
}

impl<T: Copy> Links<T> {
    /// Adds a link. Links with equal positions stay in the order in which they were added.
    pub(super) fn add(&mut self, from: KeyId, field: KeyId, position: f64, to: T) {
        self.links.push(Link {
            from,
            field,
            position,
            to,
        });
    }

    /// Whether there are no links.
    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Whether any link has this field.
    pub(super) fn has_field(&self, field: &str, keys: &Keys) -> bool {
        let field = keys.find(field);
        field.is_some_and(|field| self.links.iter().any(|link| link.field == field))
    }

    /// Ends adding, after which links can be looked up.
    pub(super) fn sort(&mut self) {
        self.links.sort_by(|a, b| {
            let (of_a, of_b) = ((a.from, a.field), (b.from, b.field));
            of_a.cmp(&of_b).then(a.position.total_cmp(&b.position))
        });
    }

    /// The fields by which a record is linked to others.
    pub(super) fn fields_of<'k>(&self, from: KeyId, keys: &'k Keys) -> Vec<&'k str> {
        let start = self.links.partition_point(|link| link.from < from);
        let links = self.links[start..].iter();
        let of_record = links.take_while(|link| link.from == from);
        let mut fields: Vec<KeyId> = of_record.map(|link| link.field).collect();
        fields.dedup();
        fields.into_iter().map(|field| keys.text(field)).collect()
    }

    /// The keys that have links, each with the fields of these links.
    pub(super) fn fields(&self) -> impl Iterator<Item = (KeyId, KeyId)> {
        let of = |link: &Link<T>| (link.from, link.field);
        let groups = self.links.chunk_by(move |a, b| of(a) == of(b));
        groups
            .filter_map(|group| group.first())
            .map(|link| (link.from, link.field))
    }

    /// The targets of a key's links by a field, in order.
    pub(super) fn of(
        &self,
        from: KeyId,
        field: &str,
        keys: &Keys,
    ) -> impl Iterator<Item = T> + use<'_, T> {
        let of_field = keys.find(field).map(|field| {
            let before = |link: &Link<T>| (link.from, link.field) < (from, field);
            let links = self.links[self.links.partition_point(before)..].iter();
            links.take_while(move |link| (link.from, link.field) == (from, field))
        });
        of_field.into_iter().flatten().map(|link| link.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_by_record_and_field_in_order_of_position() {
        let (mut keys, mut links) = (Keys::default(), Links::default());
        let rows = [
            ("boat", "tags", 2.0, "b"),
            ("boat", "maker", 0.0, "m"),
            ("boat", "tags", 1.0, "a"),
            ("boat", "tags", 2.0, "c"),
            ("ship", "tags", 1.0, "d"),
        ];
        for (from, field, position, to) in rows {
            let [from, field, to] = [from, field, to].map(|key| keys.number(key));
            links.add(from, field, position, to);
        }
        links.sort();
        let of = |from: &str, field| -> Vec<&str> {
            let linked = links.of(keys.find(from).unwrap(), field, &keys);
            linked.map(|to| keys.text(to)).collect()
        };
        assert_eq!(of("boat", "tags"), ["a", "b", "c"]);
        assert_eq!(of("boat", "maker"), ["m"]);
        assert_eq!(of("ship", "tags"), ["d"]);
        assert!(of("ship", "maker").is_empty());
        assert!(of("boat", "unheard of").is_empty());
    }
}
