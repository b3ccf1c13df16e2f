//! Refusing a key needs no disk space.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rusqlite::Connection;

use super::*;
use crate::keys::key_store::SubscriptionChange;
use crate::keys::last_use::LastUses;
use crate::keys::ledger::QuotaLedger;
use crate::keys::quota::Period;
use crate::keys::sqlite::{SqliteLastUses, SqliteLedger};
use crate::keys::subscription::{SubscriptionId, SubscriptionStatus};

/// Name, length and disk space of each file.
fn files(place: &StoreFile) -> Vec<(String, u64, u64)> {
    let entries = fs::read_dir(place.0.path()).unwrap();
    let seen = |entry: fs::DirEntry| {
        let metadata = entry.metadata().unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, metadata.len(), metadata.blocks())
    };
    let mut files: Vec<_> = entries.map(|entry| seen(entry.unwrap())).collect();
    files.sort();
    files
}

fn free_pages(place: &StoreFile) -> i64 {
    let connection = Connection::open(place.path()).unwrap();
    let pragma = connection.pragma_query_value(None, "freelist_count", |row| row.get(0));
    pragma.unwrap()
}

/// Leaves the store without free pages and without a journal, as a former version did.
fn take_reserve(place: &StoreFile) {
    let other = Connection::open(place.path()).unwrap();
    other.execute_batch("VACUUM").unwrap();
    drop(other);
    assert_eq!((free_pages(place), files(place).len()), (0, 1));
}

fn assert_has_reserve(place: &StoreFile) {
    assert!(16 <= free_pages(place));
    let files = files(place);
    let journal = files.iter().find(|(name, ..)| name.ends_with("-journal"));
    let (_, length, blocks) = journal.unwrap();
    assert!(128 * 1024 <= *length && *length <= blocks * 512);
}

#[test]
fn hundreds_of_keys_are_refused_without_another_block_of_the_disk() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let keys: Vec<_> = (0..150).map(|seed| issue(&mut store, seed)).collect();
    assert!(16 <= free_pages(&place));
    let before = files(&place);
    for (name, length, blocks) in &before {
        assert!(*length <= blocks * 512, "{name} has holes: {before:?}");
    }
    for issued in &keys {
        store.disable_key(&issued.key.id, NOW).unwrap();
        store.revoke_key(&issued.key.id, NOW).unwrap();
    }
    let change = SubscriptionChange {
        status: Some(SubscriptionStatus::Inactive),
        quota: None,
    };
    store
        .update_subscription(&name("Acme"), change, NOW)
        .unwrap();
    assert_eq!(files(&place), before);
}

#[test]
fn only_a_change_that_refuses_keys_may_use_the_free_pages_up() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let key = issue(&mut store, 1).key.id;
    let other = Connection::open(place.path()).unwrap();
    let take = "CREATE TABLE other (room BLOB); INSERT INTO other VALUES (zeroblob(200000))";
    other.execute_batch(take).unwrap();
    let length = || fs::metadata(place.path()).unwrap().len();
    let (before, taken) = (length(), free_pages(&place));
    assert!(taken < 16);
    store.disable_key(&key, NOW).unwrap();
    assert_eq!((length(), free_pages(&place)), (before, taken));
    store.enable_key(&key, NOW).unwrap();
    assert!(16 <= free_pages(&place));
}

#[test]
fn a_charge_needs_no_other_block_of_the_disk_either() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 1000);
    let ledger = SqliteLedger::new(place.path());
    let before = files(&place);
    for period in 0..20 {
        let period = Period {
            start: period,
            end: period + 1,
        };
        ledger.lease(SubscriptionId(1), period, 10).unwrap();
    }
    assert_eq!(files(&place), before);
}

#[test]
fn a_journal_that_another_program_removed_is_made_again_with_its_room() {
    let place = StoreFile::new();
    let mut store = place.store();
    subscribe(&mut store, "Acme", 1);
    let before = files(&place);
    let other = Connection::open(place.path()).unwrap();
    other
        .execute_batch("UPDATE subscriptions SET quota = 2")
        .unwrap();
    assert_eq!(files(&place).len(), 1);
    subscribe(&mut store, "Other", 1);
    assert_eq!(files(&place), before);
}

#[test]
fn a_store_that_lacks_the_reserve_has_it_once_a_command_opens_it() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 1);
    let key = issue(&mut place.store(), 1).key.id;
    take_reserve(&place);
    let mut store = place.open().unwrap();
    assert_has_reserve(&place);
    let before = files(&place);
    store.revoke_key(&key, NOW).unwrap();
    assert_eq!(files(&place), before);
}

#[test]
fn a_server_puts_back_what_charges_and_uses_took_of_the_reserve() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 1);
    let uses = SqliteLastUses::new(place.path());
    let before = fs::metadata(place.path()).unwrap().modified().unwrap();
    uses.keep_reserve();
    let after = fs::metadata(place.path()).unwrap().modified().unwrap();
    assert_eq!(after, before, "nothing was lacking");
    take_reserve(&place);
    uses.keep_reserve();
    assert_has_reserve(&place);
}

#[test]
fn a_copy_that_came_without_its_journal_gets_one() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 1);
    let before = (files(&place), free_pages(&place));
    fs::remove_file(place.0.path().join("keys.sqlite-journal")).unwrap();
    SqliteLastUses::new(place.path()).keep_reserve();
    assert_eq!((files(&place), free_pages(&place)), before);
}

#[test]
fn a_reserve_that_cannot_be_put_back_is_no_reason_to_refuse_anything() {
    let place = StoreFile::new();
    subscribe(&mut place.store(), "Acme", 1);
    take_reserve(&place);
    let reader = Connection::open(place.path()).unwrap();
    let begin = "BEGIN; SELECT count(*) FROM keys";
    reader.execute_batch(begin).unwrap();
    assert_eq!(place.open().unwrap().subscriptions().unwrap().len(), 1);
    assert_eq!(free_pages(&place), 0);
}
