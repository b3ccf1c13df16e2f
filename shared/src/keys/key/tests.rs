//! The life of a key: what is refused when, and which changes its state allows.

use std::time::Duration;

use super::*;
use crate::keys::change::UnchangeableReason;
use crate::keys::scope::Scope;
use crate::keys::secret::PlainKey;

const NOW: i64 = 1_000_000;
const VECTOR: &str = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";

fn id(number: u8) -> KeyId {
    KeyId::parse(&format!("key_{number:016}")).unwrap()
}

fn subscription(status: SubscriptionStatus) -> Subscription {
    Subscription {
        id: SubscriptionId(1),
        name: Name::parse("Acme").unwrap(),
        status,
        quota: 10,
        started_at: 0,
        created_at: 0,
        deleted_at: None,
    }
}

fn active() -> Key {
    let secret = PlainKey::parse(VECTOR).unwrap();
    Key {
        id: id(1),
        family: id(1),
        prefix: secret.prefix(),
        hash: secret.hash(),
        subscription: SubscriptionId(1),
        environment: Environment::Test,
        scopes: Scopes::from_iter([Scope::BoatsRead]),
        name: None,
        rate_limit: None,
        created_at: 0,
        expires_at: None,
        revoked_at: None,
        disabled_at: None,
        replaced_by: None,
        grace_ends_at: None,
    }
}

/// Every combination of what can be wrong with a key: the first of the order is reported.
#[test]
fn of_several_refusals_the_first_of_the_order_is_told() {
    for bits in 0..32_u8 {
        let is_set = |bit: u8| bits & (1 << bit) != 0;
        let mut key = active();
        let environment = if is_set(0) {
            Environment::Live
        } else {
            Environment::Test
        };
        key.revoked_at = is_set(1).then_some(NOW - 5);
        key.expires_at = is_set(2).then_some(NOW);
        key.disabled_at = is_set(3).then_some(NOW - 5);
        let status = SubscriptionStatus::ALL[usize::from(is_set(4))];
        let expected = match bits.trailing_zeros() {
            0 => Some(KeyRefusal::WrongEnvironment),
            1 => Some(KeyRefusal::Revoked),
            2 => Some(KeyRefusal::Expired),
            3 | 4 => Some(KeyRefusal::Disabled),
            _ => None,
        };
        assert_eq!(
            key.refusal(&subscription(status), environment, NOW),
            expected,
            "{bits:05b}"
        );
    }
}

#[test]
fn an_expiry_and_a_grace_end_at_their_very_second() {
    let subscription = subscription(SubscriptionStatus::Active);
    let refusal = |key: &Key, now| key.refusal(&subscription, Environment::Test, now);
    let expiring = Key {
        expires_at: Some(NOW),
        ..active()
    };
    let rotated = Key {
        grace_ends_at: Some(NOW.into()),
        replaced_by: Some(id(2)),
        ..active()
    };
    for key in [expiring, rotated] {
        assert_eq!(refusal(&key, NOW - 1), None);
        assert_eq!(refusal(&key, NOW), Some(KeyRefusal::Expired));
    }
}

#[test]
fn a_rotated_key_works_for_its_grace_and_never_beyond_its_expiry() {
    let subscription = subscription(SubscriptionStatus::Active);
    let table = [
        (None, 100, UnixMillis::from(NOW + 100)),
        (Some(NOW + 50), 100, UnixMillis::from(NOW + 50)),
        (Some(NOW + 200), 100, UnixMillis::from(NOW + 100)),
        (None, u64::MAX, UnixMillis(i64::MAX)),
    ];
    for (expires_at, grace, until) in table {
        let mut key = Key {
            expires_at,
            ..active()
        };
        key.rotate(&subscription, id(2), Duration::from_secs(grace), NOW.into())
            .unwrap();
        let state = key.state(&subscription, NOW);
        assert_eq!(state, KeyState::Rotated { until }, "{grace}");
    }
    let mut key = active();
    key.rotate(&subscription, id(2), Duration::ZERO, NOW.into())
        .unwrap();
    assert_eq!(key.state(&subscription, NOW), KeyState::Expired);
}

/// A second that has begun when the key is rotated takes nothing of the grace.
#[test]
fn a_grace_lasts_to_the_millisecond() {
    let subscription = subscription(SubscriptionStatus::Active);
    let now = UnixMillis(NOW * 1000 + 900);
    let mut key = active();
    let grace = Duration::from_secs(1);
    key.rotate(&subscription, id(2), grace, now).unwrap();
    let until = UnixMillis(NOW * 1000 + 1900);
    assert_eq!(key.works_until(), Some(until));
    let refusal = |millis| key.refusal(&subscription, Environment::Test, UnixMillis(millis));
    assert_eq!(refusal(until.0 - 1), None);
    assert_eq!(refusal(until.0), Some(KeyRefusal::Expired));
}

#[test]
fn only_a_key_that_works_can_be_rotated() {
    let check = |key: Key, status, expected: UnchangeableReason| {
        let mut after = key.clone();
        let rotated = after.rotate(&subscription(status), id(2), Duration::ZERO, NOW.into());
        assert_eq!(rotated.unwrap_err().reason, expected);
        assert_eq!(after, key, "a refused change changes nothing");
    };
    let is_active = SubscriptionStatus::Active;
    let rotated = Key {
        replaced_by: Some(id(3)),
        grace_ends_at: Some(NOW.into()),
        ..active()
    };
    let replaced_by_3 = UnchangeableReason::Rotated { replaced_by: id(3) };
    check(
        Key {
            revoked_at: Some(0),
            ..rotated.clone()
        },
        is_active,
        UnchangeableReason::Revoked,
    );
    check(rotated, is_active, replaced_by_3);
    check(
        Key {
            expires_at: Some(NOW),
            ..active()
        },
        is_active,
        UnchangeableReason::Expired,
    );
    check(
        Key {
            disabled_at: Some(0),
            ..active()
        },
        is_active,
        UnchangeableReason::Disabled,
    );
    check(
        active(),
        SubscriptionStatus::Inactive,
        UnchangeableReason::SubscriptionInactive {
            name: Name::parse("Acme").unwrap(),
        },
    );
}

#[test]
fn disabling_is_reversible_and_revoking_is_final() {
    let mut key = active();
    key.disable(NOW).unwrap();
    key.disable(NOW + 1).unwrap();
    assert_eq!(
        key.disabled_at,
        Some(NOW),
        "a repeated change keeps the first time"
    );
    key.enable().unwrap();
    key.enable().unwrap();
    assert_eq!(key, active());
    key.revoke(NOW);
    key.revoke(NOW + 1);
    assert_eq!(key.revoked_at, Some(NOW));
    assert_eq!(
        key.disable(NOW).unwrap_err().reason,
        UnchangeableReason::Revoked
    );
    assert_eq!(
        key.enable().unwrap_err().reason,
        UnchangeableReason::Revoked
    );
}

#[test]
fn ids_have_their_own_form() {
    assert_eq!(id(7).as_str(), "key_0000000000000007");
    for text in [
        "",
        "key_",
        "key_000000000000000",
        "key_00000000000000000",
        "boat_0000000000000000",
    ] {
        assert_eq!(KeyId::parse(text), Err(InvalidKeyId), "{text}");
    }
}
