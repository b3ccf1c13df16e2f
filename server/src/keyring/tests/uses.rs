//! Uses of keys: which are recorded, and that none is lost.

use std::sync::Mutex;

use shared::keys::last_use::{KeyUse, LastUses};
use shared::keys::store::CHANGE;

use super::*;

/// Records the batches that are written, unless it is busy.
#[derive(Default)]
struct Record {
    batches: Mutex<Vec<Vec<KeyUse>>>,
    /// How many attempts fail before one succeeds.
    failures: Mutex<u32>,
    /// Whether it is not known of a failure if it wrote something.
    is_unknown: bool,
    /// How often it was asked to keep the reserve.
    kept: Mutex<u32>,
}

impl LastUses for Record {
    fn record(&self, uses: &[KeyUse]) -> Result<(), KeyStoreError> {
        let mut failures = self.failures.lock().unwrap();
        if 0 < *failures {
            *failures -= 1;
            let location = Location::File("here".to_owned());
            return Err(if self.is_unknown {
                KeyStoreError::Failed {
                    attempt: CHANGE,
                    location,
                    source: "the connection broke".into(),
                }
            } else {
                KeyStoreError::Missing { location }
            });
        }
        self.batches.lock().unwrap().push(uses.to_vec());
        Ok(())
    }

    fn keep_reserve(&self) {
        *self.kept.lock().unwrap() += 1;
    }
}

impl Record {
    /// The times of the batches, each of which has the tests' only key.
    fn times(&self) -> Vec<i64> {
        let batches = self.batches.lock().unwrap();
        let time = |batch: &Vec<KeyUse>| match &batch[..] {
            [used] if used.key.as_str() == "key_aaaaaaaaaaaaaaaa" => used.at,
            _ => panic!("{batch:?}"),
        };
        batches.iter().map(time).collect()
    }

    /// What was charged: the ends of months and requests, batch by batch.
    fn charged(&self) -> Vec<Vec<(i64, u64)>> {
        let batches = self.batches.lock().unwrap();
        let charged = |used: &KeyUse| (used.period_end, used.charged);
        let of_batch = |batch: &Vec<KeyUse>| batch.iter().map(charged).collect();
        batches.iter().map(of_batch).collect()
    }
}

/// A keyring with the key of the tests, and a record.
fn scene() -> (Scene, Record) {
    let scene = Scene::new();
    scene.refresh(Answer::Changed(snapshot(|_, _| {}))).unwrap();
    (scene, Record::default())
}

#[test]
fn many_uses_are_written_down_as_one_and_none_twice() {
    let (scene, record) = scene();
    scene.keyring.write_uses(&record).unwrap();
    assert!(record.times().is_empty(), "there was no use");
    for _request in 0..3 {
        scene.verify().unwrap();
    }
    for _time in 0..2 {
        scene.keyring.write_uses(&record).unwrap();
    }
    assert_eq!(record.times(), [START]);
    scene.clock.advance(Duration::from_secs(1));
    scene.verify().unwrap();
    scene.keyring.write_uses(&record).unwrap();
    assert_eq!(record.times(), [START, START + 1]);
}

#[test]
fn a_clock_that_jumps_back_makes_no_use_earlier() {
    let (scene, record) = scene();
    scene.verify().unwrap();
    scene.keyring.write_uses(&record).unwrap();
    scene.clock.jump_wall(-3600);
    scene.verify().unwrap();
    scene.keyring.write_uses(&record).unwrap();
    assert_eq!(record.times(), [START]);
}

#[test]
fn a_refused_key_is_not_used() {
    let (scene, record) = scene();
    let now = scene.clock.now();
    let other = scene
        .keyring
        .verify(&secret().hash(), Environment::Live, now);
    assert!(other.is_err());
    let revoked = snapshot(|key, _| key.revoked_at = Some(START));
    scene.refresh(Answer::Changed(revoked)).unwrap();
    scene.verify().unwrap_err();
    scene.keyring.write_uses(&record).unwrap();
    assert!(record.times().is_empty());
}

#[test]
fn what_could_not_be_written_down_is_written_later_whatever_became_of_the_keys() {
    let (scene, record) = scene();
    scene.verify().unwrap();
    *record.failures.lock().unwrap() = 1;
    scene.keyring.write_uses(&record).unwrap_err();
    let revoked = snapshot(|key, _| key.revoked_at = Some(START));
    scene.refresh(Answer::Changed(revoked)).unwrap();
    let nothing = Answer::Changed(KeySnapshot::default());
    scene.refresh(nothing).unwrap();
    scene.keyring.write_uses(&record).unwrap();
    assert_eq!(record.times(), [START]);
}

#[test]
fn charged_requests_are_counted_by_month_and_written_once() {
    let (scene, record) = scene();
    let caller = scene.verify().unwrap();
    for (month, requests) in [(100, 3), (200, 2), (100, 1)] {
        for _request in 0..requests {
            caller.count_charge(month);
        }
    }
    let written = [vec![(100, 4), (200, 2)], vec![(200, 1)]];
    scene.keyring.write_uses(&record).unwrap();
    assert_eq!(record.charged(), written[..1]);
    // Of a key that was accepted before, and is another snapshot's now.
    let revoked = snapshot(|key, _| key.revoked_at = Some(START));
    scene.refresh(Answer::Changed(revoked)).unwrap();
    caller.count_charge(200);
    for _time in 0..2 {
        scene.keyring.write_uses(&record).unwrap();
    }
    assert_eq!(record.charged(), written);
}

#[test]
fn charges_are_written_again_only_if_it_is_known_that_they_were_not() {
    for (is_unknown, written) in [(false, (100, 2)), (true, (0, 0))] {
        let (scene, mut record) = scene();
        record.is_unknown = is_unknown;
        let caller = scene.verify().unwrap();
        caller.count_charge(100);
        caller.count_charge(100);
        *record.failures.lock().unwrap() = 1;
        scene.keyring.write_uses(&record).unwrap_err();
        scene.keyring.write_uses(&record).unwrap();
        assert_eq!(record.charged(), [[written]]);
        assert_eq!(
            record.times(),
            [START],
            "when it was used is told all the same"
        );
    }
}

#[test]
fn a_writer_that_stops_leaves_nothing_unwritten_even_if_the_store_is_away_for_a_moment() {
    let clock = ManualClock::at(START);
    let keyring = Arc::new(Keyring::default());
    let record = Arc::new(Record::default());
    let writer = write_uses(Arc::clone(&keyring), Arc::clone(&record) as _).unwrap();
    // The store comes back only with time.
    let later = Arc::clone(&record);
    let writer = writer.pausing(move |_pause| *later.failures.lock().unwrap() = 0);
    let mut answer = Answer::Changed(snapshot(|_, _| {}));
    keyring.refresh(&mut answer, clock.now()).unwrap();
    keyring
        .verify(&secret().hash(), Environment::Test, clock.now())
        .unwrap();
    *record.failures.lock().unwrap() = 1000;
    drop(writer);
    assert_eq!(record.times(), [START]);
}

#[test]
fn a_server_that_starts_keeps_the_reserve_of_the_store_though_no_key_was_used() {
    let record = Arc::new(Record::default());
    drop(write_uses(Arc::new(Keyring::default()), Arc::clone(&record) as _).unwrap());
    assert!(1 <= *record.kept.lock().unwrap());
}
