//! Last uses in a file that others lock, or on a full disk.

use super::*;
use crate::keys::last_use::{KeyUse, LastUse, LastUses};
use crate::keys::sqlite::{SqliteKeySource, SqliteLastUses};
use crate::keys::store::KeySource;

fn used(at: i64) -> LastUse {
    LastUse {
        at,
        is_after_rotation: false,
    }
}

#[test]
fn a_store_that_cannot_be_written_to_says_so() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let id = issue(&mut store, 1).key.id;
    let uses = SqliteLastUses::new(place.path());
    let by_hand = Connection::open(place.path()).unwrap();
    let sql = "CREATE TRIGGER no_use BEFORE INSERT ON last_uses
        BEGIN SELECT RAISE(ABORT, 'no room'); END";
    by_hand.execute_batch(sql).unwrap();
    let refused = uses.record(&[KeyUse::free(id, NOW)]);
    assert!(
        refused
            .as_ref()
            .is_err_and(KeyStoreError::is_known_unchanged)
    );
    let refused = error(refused, &place);
    let expected = "could not write to the key store [dir]/keys.sqlite: no room";
    assert_eq!(refused, expected);
}

#[test]
fn a_use_that_a_reader_keeps_from_being_written_keeps_no_server_from_reading() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let id = issue(&mut store, 1).key.id;
    let mut source = SqliteKeySource::new(place.path());
    source.poll().unwrap();
    let reader = Connection::open(place.path()).unwrap();
    let begin = "BEGIN; SELECT count(*) FROM keys";
    reader.execute_batch(begin).unwrap();
    let uses = SqliteLastUses::new(place.path());
    let refused = uses.record(&[KeyUse::free(id.clone(), NOW)]);
    assert!(matches!(refused, Err(KeyStoreError::Locked { .. })));
    assert_eq!(source.poll().unwrap(), None);
    drop(reader);
    uses.record(&[KeyUse::free(id.clone(), NOW)]).unwrap();
    assert_eq!(store.last_uses().unwrap()[&id], used(NOW));
}
