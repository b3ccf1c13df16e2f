//! The tables of a release under construction: what stays in memory of each record until the end.
//!
//! Bodies are not kept here, so memory grows only with identities and sort keys. The columns that
//! lists filter and sort by are named in [`super::listing`], all others in [`super::tables`].

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::listing::{
    BOAT_TERMS, BOAT_WORDS, ListedBoat, ListedManufacturer, MANUFACTURER_WORDS, PairNames, Row,
};
use super::rendered::{RenderedBoat, RenderedBody, RenderedManufacturer};
use super::tables::{
    Columns, ETAG, HEAD_LENGTH, ID, LINE_LENGTH, SLUG, TERM_ID, TERM_SLUG, VOCABULARY, WORD,
    arrange, int, places,
};
use super::terms::{Vocabularies, Vocabulary};
use crate::base::etag::ETag;
use crate::base::fold;
use crate::base::ids::Slug;
use crate::base::render::BodyTooLarge;
use crate::base::timestamp::Timestamp;

/// What every kind of record has: its identity, and the length of its line.
#[derive(Default)]
struct Identities {
    ids: Vec<Box<str>>,
    slugs: Vec<Box<str>>,
    etags: Vec<ETag>,
    lengths: Vec<i32>,
    head_lengths: Vec<i32>,
}

impl Identities {
    fn push(&mut self, id: &str, slug: &str, body: &RenderedBody) {
        self.ids.push(id.into());
        self.slugs.push(slug.into());
        self.etags.push(body.etag);
        self.lengths.push(int(body.record().len() + 1));
        self.head_lengths.push(int(body.head_length));
    }

    /// Puts them in the order of ids.
    fn put_in_order(&mut self) -> IdOrder {
        let order = IdOrder::of(&self.ids, &self.lengths);
        arrange(&mut self.ids, &order.pushed);
        arrange(&mut self.slugs, &order.pushed);
        arrange(&mut self.etags, &order.pushed);
        arrange(&mut self.lengths, &order.pushed);
        arrange(&mut self.head_lengths, &order.pushed);
        order
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn into_columns(self) -> Columns {
        vec![
            ID.column(self.ids),
            SLUG.column(self.slugs),
            ETAG.column(self.etags),
            LINE_LENGTH.column(self.lengths),
            HEAD_LENGTH.column(self.head_lengths),
        ]
    }
}

/// The order of ids by code point, in which records get their ordinals. They were pushed in any.
pub(super) struct IdOrder {
    /// By ordinal: the place in the order of pushing.
    pushed: Vec<usize>,
    /// By ordinal: where the line lies among those that were pushed.
    pub(super) lines: Vec<Range<u64>>,
}

impl IdOrder {
    /// The order of the records with these ids and lengths of lines, in the order of pushing.
    fn of(ids: &[Box<str>], lengths: &[i32]) -> Self {
        let mut end = 0;
        let mut lines = Vec::with_capacity(ids.len());
        for length in lengths {
            let begin = end;
            end += u64::from(length.unsigned_abs());
            lines.push(begin..end);
        }
        let mut pushed: Vec<usize> = (0..ids.len()).collect();
        pushed.sort_unstable_by_key(|&record| &ids[record]);
        arrange(&mut lines, &pushed);
        Self { pushed, lines }
    }
}

/// A dictionary of slugs, whose ids count in the order in which slugs first appear.
#[derive(Default)]
struct Dictionary {
    ids: HashMap<Slug, i32>,
    slugs: Vec<Box<str>>,
}

impl Dictionary {
    fn id(&mut self, slug: Slug) -> i32 {
        let next = int(self.slugs.len());
        *self.ids.entry(slug).or_insert_with_key(|slug| {
            self.slugs.push(slug.as_str().into());
            next
        })
    }
}

/// All boats pushed so far.
#[derive(Default)]
pub(super) struct BoatColumns {
    identities: Identities,
    manufacturers: Dictionary,
    terms: Vocabularies,
    /// Ranks are not known yet; manufacturers are ids of their dictionary.
    listed: Vec<ListedBoat>,
    folded_models: Vec<Box<str>>,
    boat_categories: Pairs,
    boat_activities: Pairs,
}

impl BoatColumns {
    pub(super) fn push(&mut self, boat: RenderedBoat) {
        let ordinal = int(self.identities.len());
        self.identities
            .push(boat.id.as_str(), boat.slug.as_str(), &boat.body);
        self.listed.push(ListedBoat {
            manufacturer: self.manufacturers.id(boat.manufacturer),
            boat_type: self.terms.types.count(boat.boat_type, ordinal),
            ..boat.listed
        });
        for category in boat.categories {
            let code = self.terms.categories.count(category, ordinal);
            self.boat_categories.push(code, ordinal);
        }
        for activity in boat.activities {
            let code = self.terms.activities.count(activity, ordinal);
            self.boat_activities.push(code, ordinal);
        }
        self.folded_models.push(boat.folded_model);
    }

    pub(super) fn len(&self) -> usize {
        self.identities.len()
    }

    /// Puts all boats in the order of ids, and terms in theirs.
    pub(super) fn put_in_order(&mut self) -> IdOrder {
        let order = self.identities.put_in_order();
        arrange(&mut self.listed, &order.pushed);
        arrange(&mut self.folded_models, &order.pushed);
        let types = self.terms.types.put_in_order();
        for boat in &mut self.listed {
            boat.boat_type = types[index(boat.boat_type)];
        }
        let ordinals = places(&order.pushed);
        for (pairs, vocabulary) in [
            (&mut self.boat_categories, &mut self.terms.categories),
            (&mut self.boat_activities, &mut self.terms.activities),
        ] {
            let codes = vocabulary.put_in_order();
            for (term, boat) in &mut pairs.0 {
                *term = codes[index(*term)];
                *boat = ordinals[index(*boat)];
            }
        }
        order
    }

    /// The orders of boats. The error is the slug of a manufacturer that was never pushed.
    pub(super) fn order(&self, manufacturers: &ManufacturerColumns) -> Result<BoatOrder, Box<str>> {
        let makers = manufacturers.ordinals_of(&self.manufacturers.slugs)?;
        let makers = self.values(|boat| makers[index(boat.manufacturer)]);
        let (years, lengths) = (
            self.values(|boat| boat.first_year),
            self.values(|boat| boat.length),
        );
        let maker_names = &manufacturers.folded_names;
        let (ids, count) = (&self.identities.ids, self.identities.len());
        Ok(BoatOrder {
            model_rank: ranks(count, |boat| (&self.folded_models[boat], &ids[boat])),
            year_rank: ranks(count, |boat| (years[boat], &ids[boat])),
            length_rank: ranks(count, |boat| (lengths[boat], &ids[boat])),
            manufacturer_rank: ranks(count, |boat| {
                (&maker_names[index(makers[boat])], &ids[boat])
            }),
            manufacturer: makers,
        })
    }

    /// One value of each boat, so that sort keys are close together in memory.
    fn values<T>(&self, value: impl Fn(&ListedBoat) -> T) -> Vec<T> {
        self.listed.iter().map(value).collect()
    }

    /// The tables of boats.
    pub(super) fn finish(mut self, order: BoatOrder) -> BoatTables {
        // They are sorted and indexed by now, and take much memory.
        drop(self.folded_models);
        for (ordinal, boat) in self.listed.iter_mut().enumerate() {
            boat.manufacturer = order.manufacturer[ordinal];
            boat.model_rank = order.model_rank[ordinal];
            boat.year_rank = order.year_rank[ordinal];
            boat.length_rank = order.length_rank[ordinal];
            boat.manufacturer_rank = order.manufacturer_rank[ordinal];
        }
        drop(order);
        let listed = ListedBoat::to_columns(&self.listed);
        drop(self.listed);
        let mut boats = self.identities.into_columns();
        boats.extend(listed);
        BoatTables {
            boats,
            categories: self.boat_categories.into_columns(&BOAT_TERMS),
            activities: self.boat_activities.into_columns(&BOAT_TERMS),
            terms: term_columns([
                ("type", &self.terms.types),
                ("category", &self.terms.categories),
                ("activity", &self.terms.activities),
            ]),
        }
    }

    /// The body that lists the terms of the boats.
    pub(super) fn terms_body(&self) -> Result<Vec<u8>, BodyTooLarge> {
        self.terms.body()
    }

    pub(super) fn folded_models(&self) -> &[Box<str>] {
        &self.folded_models
    }
}

/// By boat: the ordinal of its manufacturer, and its places in the sort orders.
pub(super) struct BoatOrder {
    manufacturer: Vec<i32>,
    model_rank: Vec<i32>,
    year_rank: Vec<i32>,
    length_rank: Vec<i32>,
    manufacturer_rank: Vec<i32>,
}

/// The finished tables of boats.
pub(super) struct BoatTables {
    pub(super) boats: Columns,
    pub(super) categories: Columns,
    pub(super) activities: Columns,
    pub(super) terms: Columns,
}

fn term_columns(vocabularies: [(&str, &Vocabulary); 3]) -> Columns {
    let (mut names, mut ids, mut slugs) = (Vec::new(), Vec::new(), Vec::new());
    for (name, terms) in vocabularies {
        for (place, slug) in terms.slugs().enumerate() {
            names.push(name.into());
            ids.push(int(place));
            slugs.push(slug.as_str().into());
        }
    }
    vec![
        VOCABULARY.column(names),
        TERM_ID.column(ids),
        TERM_SLUG.column(slugs),
    ]
}

/// All manufacturers pushed so far.
#[derive(Default)]
pub(super) struct ManufacturerColumns {
    identities: Identities,
    folded_names: Vec<Box<str>>,
    updated_at: Vec<Timestamp>,
}

impl ManufacturerColumns {
    pub(super) fn push(&mut self, manufacturer: RenderedManufacturer) {
        let RenderedManufacturer {
            body,
            id,
            slug,
            folded_name,
            updated_at,
        } = manufacturer;
        self.identities.push(id.as_str(), slug.as_str(), &body);
        self.folded_names.push(folded_name);
        self.updated_at.push(updated_at);
    }

    /// Puts all manufacturers in the order of ids.
    pub(super) fn put_in_order(&mut self) -> IdOrder {
        let order = self.identities.put_in_order();
        arrange(&mut self.folded_names, &order.pushed);
        arrange(&mut self.updated_at, &order.pushed);
        order
    }

    pub(super) fn len(&self) -> usize {
        self.identities.len()
    }

    pub(super) fn folded_names(&self) -> &[Box<str>] {
        &self.folded_names
    }

    fn ordinals_of(&self, slugs: &[Box<str>]) -> Result<Vec<i32>, Box<str>> {
        let all = (0..).zip(&self.identities.slugs);
        let by_slug: HashMap<&str, i32> = all.map(|(ordinal, slug)| (&**slug, ordinal)).collect();
        slugs
            .iter()
            .map(|slug| by_slug.get(&**slug).copied().ok_or_else(|| slug.clone()))
            .collect()
    }

    /// The table of manufacturers.
    pub(super) fn finish(self) -> Columns {
        let (ids, count) = (&self.identities.ids, self.identities.len());
        let name_rank = ranks(count, |maker| (&self.folded_names[maker], &ids[maker]));
        let updated_rank = ranks(count, |maker| (&self.updated_at[maker], &ids[maker]));
        let ranks = name_rank.into_iter().zip(updated_rank);
        let listed: Vec<_> = ranks
            .map(|(name_rank, updated_rank)| ListedManufacturer {
                name_rank,
                updated_rank,
            })
            .collect();
        let mut manufacturers = self.identities.into_columns();
        manufacturers.extend(ListedManufacturer::to_columns(&listed));
        manufacturers
    }
}

/// The tables of the words of folded names, by which records are searched.
pub(super) struct WordTables {
    pub(super) words: Columns,
    pub(super) of_boats: Columns,
    pub(super) of_manufacturers: Columns,
}

impl WordTables {
    /// The words of the folded models of boats and of the folded names of manufacturers.
    pub(super) fn of(models: &[Box<str>], names: &[Box<str>]) -> Self {
        let words = Words::of([models, names]);
        Self {
            of_boats: words.pairs(models).into_columns(&BOAT_WORDS),
            of_manufacturers: words.pairs(names).into_columns(&MANUFACTURER_WORDS),
            words: vec![WORD.column(words.0)],
        }
    }
}

/// Every word of every folded name; a word's dictionary id is its place in the order of code
/// points, so that the words with a common prefix are a range of ids.
struct Words(Vec<Box<str>>);

impl Words {
    fn of(names: [&[Box<str>]; 2]) -> Self {
        let names = names.into_iter().flatten();
        // Names share most of their words, so few are left to sort.
        let different: HashSet<&str> = names.flat_map(|name| fold::words(name)).collect();
        let mut sorted: Vec<&str> = different.into_iter().collect();
        sorted.sort_unstable();
        Self(sorted.into_iter().map(Into::into).collect())
    }

    fn pairs(&self, names: &[Box<str>]) -> Pairs {
        let mut pairs = Pairs::default();
        for (ordinal, name) in names.iter().enumerate() {
            for word in fold::words(name) {
                let place = self.0.binary_search_by(|known| (**known).cmp(word));
                if let Ok(place) = place {
                    pairs.push(int(place), int(ordinal));
                }
            }
        }
        pairs
    }
}

/// `(left, right)` pairs of a side table.
#[derive(Default)]
struct Pairs(Vec<(i32, i32)>);

impl Pairs {
    fn push(&mut self, left: i32, right: i32) {
        self.0.push((left, right));
    }

    /// Sorted by the left side, so that a lookup reads one run of rows. Duplicates are dropped.
    fn into_columns(mut self, [left, right]: &PairNames) -> Columns {
        self.0.sort_unstable();
        self.0.dedup();
        let (lefts, rights) = self.0.into_iter().unzip();
        vec![left.column(lefts), right.column(rights)]
    }
}

/// The rank of each item in the order of its key: `ranks[item]` is its place, from 0. A rank is
/// unique, because every order ends with the record id; so ascending and descending are exact
/// reverses of each other, and a page is a range of ranks.
fn ranks<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<i32> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by_key(|&item| key(item));
    let mut ranks = vec![0; count];
    for (place, &item) in order.iter().enumerate() {
        ranks[item] = int(place);
    }
    ranks
}

/// An ordinal or a dictionary id as an index.
fn index(number: i32) -> usize {
    usize::try_from(number).unwrap_or_else(|_| unreachable!("they count from 0"))
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
