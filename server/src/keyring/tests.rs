//! A keyring over a source that the test controls.

mod uses;
mod watch;

use std::time::Duration;

use shared::base::clock::{Clock, ManualClock};
use shared::keys::name::Name;
use shared::keys::scope::{Scope, Scopes};
use shared::keys::secret::PlainKey;
use shared::keys::store::{Location, Revision};
use shared::keys::subscription::{SubscriptionId, SubscriptionStatus};

use super::*;

const START: i64 = 1_790_000_000;
const SECRET: &str = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";

fn secret() -> PlainKey {
    PlainKey::parse(SECRET).unwrap()
}

fn snapshot(change: impl FnOnce(&mut Key, &mut Subscription)) -> KeySnapshot {
    let id = KeyId::parse("key_aaaaaaaaaaaaaaaa").unwrap();
    let mut key = Key {
        id: id.clone(),
        family: id,
        prefix: secret().prefix(),
        hash: secret().hash(),
        subscription: SubscriptionId(1),
        environment: Environment::Test,
        scopes: Scopes::from_iter([Scope::BoatsRead]),
        name: None,
        rate_limit: None,
        created_at: START,
        expires_at: None,
        revoked_at: None,
        disabled_at: None,
        replaced_by: None,
        grace_ends_at: None,
    };
    let mut subscription = Subscription {
        id: SubscriptionId(1),
        name: Name::parse("Acme").unwrap(),
        status: SubscriptionStatus::Active,
        quota: 9,
        started_at: START,
        created_at: START,
        deleted_at: None,
    };
    change(&mut key, &mut subscription);
    KeySnapshot {
        keys: vec![key],
        subscriptions: vec![subscription],
    }
}

/// What a source answers next.
enum Answer {
    Changed(KeySnapshot),
    Unchanged,
    Fails,
}

impl KeySource for Answer {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        match std::mem::replace(self, Self::Unchanged) {
            Self::Changed(snapshot) => Ok(Some(snapshot)),
            Self::Unchanged => Ok(None),
            Self::Fails => Err(KeyStoreError::Missing {
                location: Location::File("here".to_owned()),
            }),
        }
    }

    fn revision(&self) -> Option<Revision> {
        Some(Revision("4-ab".to_owned()))
    }
}

struct Scene {
    keyring: Keyring,
    clock: ManualClock,
}

impl Scene {
    fn new() -> Self {
        Self {
            keyring: Keyring::default(),
            clock: ManualClock::at(START),
        }
    }

    fn refresh(&self, mut answer: Answer) -> Result<(), RefreshError> {
        self.keyring.refresh(&mut answer, self.clock.now())
    }

    fn verify(&self) -> Result<Caller, VerifyError> {
        let now = self.clock.now();
        let verified = self
            .keyring
            .verify(&secret().hash(), Environment::Test, now);
        let is_not_current = verified == Err(VerifyError::NotCurrent);
        assert_eq!(self.keyring.is_current(now), !is_not_current);
        verified
    }

    /// Why the key, which is known, does not work.
    fn refusal(&self) -> Option<KeyRefusal> {
        match self.verify() {
            Err(VerifyError::Refused(refusal, caller)) => {
                assert_eq!(caller.key.hash, secret().hash());
                Some(refusal)
            }
            _ => None,
        }
    }
}

#[test]
fn a_keyring_that_was_never_confirmed_verifies_nothing() {
    let scene = Scene::new();
    assert_eq!(scene.verify(), Err(VerifyError::NotCurrent));
    assert!(scene.refresh(Answer::Fails).is_err());
    assert_eq!(scene.verify(), Err(VerifyError::NotCurrent));
    scene.refresh(Answer::Unchanged).unwrap_err();
    assert_eq!(
        scene.verify(),
        Err(VerifyError::NotCurrent),
        "there are no keys to confirm"
    );
}

/// Its revoked key is still refused as revoked, and its quota is not shown.
#[test]
fn a_deleted_subscription_is_none_of_those_that_have_a_key() {
    let scene = Scene::new();
    for (is_deleted, expected) in [(false, 1), (true, 0)] {
        let snapshot = snapshot(|key, subscription| {
            if is_deleted {
                *subscription = subscription.deleted(START);
                key.revoked_at = Some(START);
            }
        });
        scene.refresh(Answer::Changed(snapshot)).unwrap();
        assert_eq!(scene.keyring.subscriptions().len(), expected);
    }
    assert_eq!(scene.refusal(), Some(KeyRefusal::Revoked));
}

#[test]
fn a_confirmation_holds_for_one_second_of_monotonic_time() {
    let scene = Scene::new();
    scene.refresh(Answer::Changed(snapshot(|_, _| {}))).unwrap();
    assert!(scene.verify().is_ok());
    scene.clock.jump_wall(-3600);
    scene.clock.advance(Duration::from_secs(1));
    assert!(scene.verify().is_ok());
    scene.clock.advance(Duration::from_nanos(1));
    assert_eq!(scene.verify(), Err(VerifyError::NotCurrent));
    assert!(scene.refresh(Answer::Fails).is_err());
    assert_eq!(scene.verify(), Err(VerifyError::NotCurrent));
    scene.refresh(Answer::Unchanged).unwrap();
    assert!(scene.verify().is_ok());
}

#[test]
fn a_change_of_a_key_or_its_subscription_holds_after_the_next_refresh() {
    let scene = Scene::new();
    scene.refresh(Answer::Changed(snapshot(|_, _| {}))).unwrap();
    let verified = scene.verify().unwrap();
    assert_eq!(
        (verified.key.minute_limit(), verified.subscription.quota),
        (120, 9)
    );
    let changed = snapshot(|key, subscription| {
        key.rate_limit = Some(7);
        subscription.quota = 3;
    });
    scene.refresh(Answer::Changed(changed)).unwrap();
    let verified = scene.verify().unwrap();
    assert_eq!(
        (verified.key.minute_limit(), verified.subscription.quota),
        (7, 3)
    );
    let inactive = snapshot(|_, subscription| subscription.status = SubscriptionStatus::Inactive);
    scene.refresh(Answer::Changed(inactive)).unwrap();
    assert_eq!(scene.refusal(), Some(KeyRefusal::Disabled));
}

#[test]
fn a_key_expires_by_the_wall_clock_without_a_refresh() {
    let scene = Scene::new();
    scene
        .refresh(Answer::Changed(snapshot(|key, _| {
            key.expires_at = Some(START + 1);
        })))
        .unwrap();
    assert!(scene.verify().is_ok());
    scene.clock.advance(Duration::from_secs(1));
    assert_eq!(scene.refusal(), Some(KeyRefusal::Expired));
}

#[test]
fn a_store_that_contradicts_itself_verifies_nothing_even_when_confirmed_later() {
    let scene = Scene::new();
    scene.refresh(Answer::Changed(snapshot(|_, _| {}))).unwrap();
    let orphan = snapshot(|_, subscription| subscription.id = SubscriptionId(2));
    let error = scene.refresh(Answer::Changed(orphan)).unwrap_err();
    assert!(matches!(error, RefreshError::NoSubscription { .. }));
    let error = scene.refresh(Answer::Unchanged).unwrap_err();
    assert!(matches!(error, RefreshError::NoKeys));
    assert_eq!(scene.verify(), Err(VerifyError::NotCurrent));
    scene.refresh(Answer::Changed(snapshot(|_, _| {}))).unwrap();
    scene.verify().unwrap();
}

#[test]
fn debug_output_shows_no_key() {
    let scene = Scene::new();
    scene.refresh(Answer::Changed(snapshot(|_, _| {}))).unwrap();
    let shown = format!("{:?}", scene.keyring);
    assert!(
        shown.contains("boat_test_789ABC") && !shown.contains("789ABCD"),
        "{shown}"
    );
}
