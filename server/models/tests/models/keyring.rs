//! What requests see of keys while another thread replaces them, and what is noted of their use.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use loom::sync::Arc;
use loom::thread;
use models::keyring::{Confirmed, Uses};
use shared::keys::key::KeyId;
use shared::keys::last_use::LastUses;
use shared::keys::store::KeyStoreError;

use crate::check;

const AGE: Duration = Duration::from_secs(1);

#[test]
fn nothing_is_seen_that_was_replaced_before_the_confirmation_that_makes_it_count() {
    check(3, || {
        // A value is the second at which it was true; a later refresh brings a later one.
        let confirmed = Arc::new(Confirmed::default());
        let refreshed = Arc::clone(&confirmed);
        let refreshing = thread::spawn(move || {
            for second in 1..=2 {
                refreshed.refresh(second, Duration::from_secs(second));
            }
        });
        let looking = [1, 3].map(|now| {
            let confirmed = Arc::clone(&confirmed);
            thread::spawn(move || {
                let now = Duration::from_secs(now);
                let seen = confirmed.look(AGE, now, |&second| Duration::from_secs(second));
                assert!(seen.is_none_or(|seen| now <= seen + AGE));
            })
        });
        for thread in looking {
            thread.join().unwrap();
        }
        refreshing.join().unwrap();
        let seen = confirmed.look(AGE, Duration::from_secs(3), |&second| second);
        assert_eq!(seen, Some(2));
        assert_eq!(confirmed.look(AGE, Duration::from_secs(4), |_| ()), None);
    });
}

/// What was written down; a later time stays, as in every store.
#[derive(Default)]
struct Record(Mutex<HashMap<KeyId, i64>>);

impl LastUses for Record {
    fn record(&self, uses: &[(KeyId, i64)]) -> Result<(), KeyStoreError> {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, at) in uses {
            let latest = record.entry(key.clone()).or_insert(*at);
            *latest = (*latest).max(*at);
        }
        Ok(())
    }
}

#[test]
fn the_last_use_of_a_key_is_written_down_whoever_writes_meanwhile() {
    check(3, || {
        let key = KeyId::parse("key_aaaaaaaaaaaaaaaa").unwrap();
        let (uses, record) = (Arc::new(Uses::default()), Arc::new(Record::default()));
        let noting = [7, 9].map(|at| {
            let (uses, key) = (Arc::clone(&uses), key.clone());
            thread::spawn(move || uses.note(&key, at))
        });
        let (written, to) = (Arc::clone(&uses), Arc::clone(&record));
        let writing = thread::spawn(move || written.write(&*to));
        for thread in noting {
            thread.join().unwrap();
        }
        writing.join().unwrap();
        uses.write(&*record);
        assert_eq!(record.0.lock().unwrap()[&key], 9);
    });
}
