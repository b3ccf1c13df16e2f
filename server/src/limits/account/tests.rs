//! The decisions of an account, step by step, without a ledger or threads.

use shared::base::clock::{Clock, ManualClock};

use super::*;

mod ahead;

/// 2026-09-21T14:13:20Z
const START: i64 = 1_790_000_000;

struct Scene {
    account: Account,
    clock: ManualClock,
    size: LeaseSize,
}

impl Scene {
    fn new() -> Self {
        let account = Account::new(Period::containing(0, START));
        let size = LeaseSize {
            share: 4,
            max: 10,
            ahead_min: 64,
        };
        Self {
            account,
            clock: ManualClock::at(START),
            size,
        }
    }

    fn charge(&mut self, quota: u64) -> Verdict {
        let now = self.clock.now();
        self.account.decide(Demand::Charge, quota, self.size, now)
    }

    fn check(&mut self, quota: u64) -> Verdict {
        let now = self.clock.now();
        self.account.decide(Demand::Check, quota, self.size, now)
    }

    fn receive(&mut self, granted: u64, charged: u64, quota: u64) {
        let lease = Lease { granted, charged };
        self.account.receive(lease, quota, self.clock.now());
    }

    fn wanted(&mut self, quota: u64) -> u64 {
        match self.charge(quota) {
            Verdict::Lease(wanted) => wanted,
            other => panic!("no lease but {other:?}"),
        }
    }

    fn remaining(&mut self, quota: u64) -> u64 {
        match self.charge(quota) {
            Verdict::Granted(usage) => usage.remaining,
            other => panic!("not granted but {other:?}"),
        }
    }
}

#[test]
fn leases_shrink_until_the_last_unit_is_asked_for_alone() {
    let table = [
        (1000, 10),
        (40, 10),
        (39, 9),
        (8, 2),
        (7, 1),
        (1, 1),
        (0, 1),
    ];
    for (left, wanted) in table {
        let mut scene = Scene::new();
        assert_eq!(scene.wanted(left), 1, "nothing is known of the quota yet");
        scene.receive(0, 0, left + 1);
        assert_eq!(scene.wanted(left), wanted, "{left} left");
    }
}

#[test]
fn a_charge_takes_one_unit_and_a_check_none() {
    let mut scene = Scene::new();
    scene.receive(2, 5, 10);
    for _check in 0..3 {
        let verdict = scene.check(10);
        assert!(
            matches!(verdict, Verdict::Granted(Usage { remaining: 7, .. })),
            "{verdict:?}"
        );
    }
    assert_eq!(scene.remaining(10), 6);
    assert_eq!(scene.remaining(10), 5);
    assert_eq!(scene.wanted(10), 1);
}

#[test]
fn an_exhausted_quota_is_believed_for_a_second_or_until_it_changes() {
    let mut scene = Scene::new();
    scene.receive(0, 10, 10);
    let verdict = scene.charge(10);
    let end = scene.account.period.end;
    let expected = Usage {
        limit: 10,
        remaining: 0,
        reset_unix_seconds: end,
        retry_after_seconds: u64::try_from(end - START).unwrap(),
    };
    assert_eq!(verdict, Verdict::Exceeded(expected));
    assert_eq!(scene.wanted(11), 1, "the quota changed");
    scene.clock.advance(Duration::from_millis(999));
    assert!(matches!(scene.charge(10), Verdict::Exceeded(_)));
    scene.clock.advance(Duration::from_millis(1));
    assert_eq!(scene.wanted(10), 1, "others may have given something back");
}

#[test]
fn a_lowered_quota_holds_back_units_that_are_leased_already() {
    let mut scene = Scene::new();
    scene.receive(10, 10, 100);
    assert_eq!(scene.remaining(100), 99);
    assert_eq!(scene.remaining(3), 1);
    assert_eq!(scene.remaining(3), 0);
    assert!(matches!(
        scene.charge(3),
        Verdict::Exceeded(Usage {
            limit: 3,
            remaining: 0,
            ..
        })
    ));
    assert_eq!(scene.remaining(100), 96);
}

#[test]
fn what_remains_grows_only_when_others_give_back_or_the_quota_is_raised() {
    let mut scene = Scene::new();
    scene.receive(1, 9, 10);
    assert_eq!(scene.remaining(10), 1);
    scene.receive(2, 9, 10);
    assert_eq!(scene.remaining(10), 2, "others gave back two");
    assert_eq!(scene.remaining(10), 1);
    scene.receive(1, 10, 20);
    assert_eq!(scene.remaining(20), 10, "a raised quota shows");
}

#[test]
fn a_check_without_units_asks_what_is_left_once_a_second() {
    let mut scene = Scene::new();
    for charged in [3, 5] {
        assert_eq!(scene.check(10), Verdict::Ask);
        scene.account.learn(charged, scene.clock.now());
        assert!(
            matches!(scene.check(10), Verdict::Granted(usage) if usage.remaining == 10 - charged)
        );
        scene.clock.advance(Duration::from_millis(999));
        assert!(matches!(scene.check(10), Verdict::Granted(_)));
        assert!(matches!(scene.check(charged), Verdict::Exceeded(_)));
        scene.clock.advance(Duration::from_millis(1));
    }
    assert_eq!(scene.check(10), Verdict::Ask);
}

#[test]
fn units_are_idle_a_second_after_it_was_noticed_that_none_is_used() {
    let mut scene = Scene::new();
    scene.receive(5, 5, 10);
    let idle = |scene: &mut Scene| {
        let now = scene.clock.now();
        scene.account.take_idle(now)
    };
    assert_eq!(idle(&mut scene), None);
    scene.clock.advance(Duration::from_millis(999));
    assert_eq!(idle(&mut scene), None);
    assert_eq!(scene.remaining(10), 9, "a charge begins the second again");
    scene.clock.advance(Duration::from_millis(1));
    assert_eq!(idle(&mut scene), None);
    scene.clock.advance(Duration::from_secs(1));
    assert_eq!(idle(&mut scene), Some(4));
    assert_eq!(idle(&mut scene), None, "they are taken out once");
    assert_eq!(scene.wanted(10), 2);
}

#[test]
fn units_that_could_not_be_given_back_are_used_here() {
    let mut scene = Scene::new();
    scene.receive(5, 5, 10);
    let units = scene.account.take_unused().unwrap();
    scene.account.put_back(units);
    assert_eq!(scene.remaining(10), 9);
}

#[test]
fn unused_units_are_taken_out_once() {
    let mut scene = Scene::new();
    scene.receive(5, 8, 10);
    assert_eq!(scene.remaining(10), 6);
    assert_eq!(scene.account.take_unused(), Some(4));
    assert_eq!(scene.account.take_unused(), None);
    assert_eq!(scene.account.spent(), 4);
}
