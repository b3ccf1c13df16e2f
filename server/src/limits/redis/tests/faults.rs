//! What happens to requests when Redis, or the network to it, fails.

use std::io::Write;

use super::proxy::{Mode, Proxy};
use super::*;

/// The time left for a request that should run out of it.
const LITTLE: Duration = Duration::from_millis(50);
/// More than the kernel buffers beside what a client reads.
const HELD: usize = 64 << 20;

fn behind(proxy: &Proxy) -> Rig {
    Rig::behind(|runtime, redis| proxy.start(runtime, redis))
}

#[test]
#[ignore = "needs Redis"]
fn a_store_that_does_not_answer_is_asked_no_more_until_it_is_back() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let key = family(1);
    assert!(rig.count(&key, 9).is_ok());
    proxy.set(Mode::Hold);
    let slow = rig.try_count_within(LITTLE, &key, 9).unwrap_err();
    assert!(matches!(slow, RedisFailure::TooSlow { .. }), "{slow}");
    let away = rig.try_count(&key, 9).unwrap_err();
    assert!(matches!(away, RedisFailure::Away { .. }), "{away}");
    assert!(!rig.limits.is_counting());
    // What was held arrives now, when nobody waits for it.
    rig.pass(Duration::from_secs(1));
    proxy.set(Mode::Pass);
    rig.wait_for(|state| *state == State::Counting);
    assert_eq!(rig.count(&key, 9).unwrap().remaining, 7);
}

#[test]
#[ignore = "needs Redis"]
fn a_request_that_the_store_comes_to_too_late_is_not_counted() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let key = family(1);
    proxy.set(Mode::Hold);
    // As if the store was stopped: all clocks went on, and the request's budget ended.
    let stopped = async {
        rig.pass(WAIT_MAX + Duration::from_micros(1));
        proxy.set(Mode::Pass);
    };
    let counting = rig.limits.count(&key, 1, WAIT_MAX);
    let (late, ()) = rig.wait(futures_util::future::join(counting, stopped));
    let late = late.unwrap_err();
    assert!(
        matches!(late, MinuteError::Unavailable(RedisFailure::Late { .. })),
        "{late:?}"
    );
    assert_eq!(rig.held(&key), 0);
    assert!(rig.count(&key, 1).is_ok());
}

#[test]
#[ignore = "needs Redis"]
fn connections_that_are_cut_are_made_again() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    for round in 1..=3 {
        assert_eq!(rig.count(&family(1), 9).unwrap().remaining, 9 - round);
        proxy.set(Mode::Cut);
        rig.wait_for(|state| matches!(state, State::Away(_)));
        assert!(rig.try_count(&family(1), 9).is_err());
        proxy.set(Mode::Pass);
        rig.wait_for(|state| *state == State::Counting);
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_garbled_reply_is_no_reply() {
    const TIME: i64 = START * 1_000_000;
    // The time, the verdict, the form of a reply, and all of it.
    let garbled: [(&[u8], &[u8]); 4] = [
        (
            &const { TIME.to_be_bytes() },
            &const { (TIME + 1).to_be_bytes() },
        ),
        (
            &const { 1_i64.to_be_bytes() },
            &const { 2_i64.to_be_bytes() },
        ),
        (b"$48", b"$47"),
        (b"$", b"?"),
    ];
    for (bytes, others) in garbled {
        let proxy = Proxy::new(Mode::Pass);
        let rig = behind(&proxy);
        assert!(rig.count(&family(1), 9).is_ok());
        proxy.set(Mode::Replace(bytes, others));
        let garbled = rig.try_count_within(LITTLE, &family(1), 9);
        assert!(garbled.is_err(), "{bytes:?} as {others:?}");
        proxy.set(Mode::Pass);
        rig.wait_for(|state| *state == State::Counting);
        assert!(rig.count(&family(1), 9).is_ok());
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_reply_without_an_end_is_an_error_before_it_is_large() {
    // A text of 4 GiB, a list of billions, a line, and unrequested replies.
    for (head, piece) in [
        ("$4294967296\r\n", " "),
        ("*2147483647\r\n", ":1\r\n"),
        ("+", "boat"),
        ("", ":1\r\n"),
    ] {
        let proxy = Proxy::new(Mode::Pass);
        let rig = behind(&proxy);
        let key = family(1);
        assert!(rig.count(&key, 9).is_ok());
        proxy.set(Mode::Endless(head, piece));
        let counting = (0..200).map(|_| rig.limits.count(&key, 9, WAIT_MAX));
        let counted = rig.wait(join_all(counting.collect::<Vec<_>>()));
        for failed in counted {
            let failed = failed.unwrap_err();
            assert!(
                !matches!(
                    failed,
                    MinuteError::Unavailable(RedisFailure::TooSlow { .. })
                ),
                "{head}: {failed:?}"
            );
        }
        let is_told = |why: &str| head.is_empty() || why.contains("longer than any answer");
        rig.wait_for(|state| matches!(state, State::Away(why) if is_told(why)));
        proxy.set(Mode::Pass);
        rig.wait_for(|state| *state == State::Counting);
        assert!(rig.count(&family(2), 9).is_ok());
        assert!(proxy.taken() < HELD, "{head}: {}", proxy.taken());
    }
}

#[test]
fn what_greets_without_an_end_is_left_before_that_is_large() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("redis://{}", listener.local_addr().unwrap());
    let sending = std::thread::spawn(move || {
        let (mut client, _from) = listener.accept().unwrap();
        client.write_all(b"$4294967296\r\n").unwrap();
        let piece = [b' '; 4096];
        let taken = std::iter::repeat_with(|| client.write_all(&piece));
        taken.take_while(Result::is_ok).count() * piece.len()
    });
    let place = rig::place(&address, "", "");
    let clock = shared::base::clock::ManualClock::at(START);
    let failed = runtime.block_on(place.connect(&clock)).unwrap_err();
    let text = failed.to_string();
    assert!(text.contains("longer than any answer"), "{text}");
    assert!(sending.join().unwrap() < HELD);
}

#[test]
#[ignore = "needs Redis"]
fn a_store_that_may_forget_or_may_not_be_written_to_is_refused() {
    for (text, other, expected) in [
        (
            "policy:noeviction",
            "policy:allkeyslru",
            "makes room by forgetting what was counted: its maxmemory-policy is allkeyslru",
        ),
        ("role:master", "role:slave2", "is a replica"),
    ] {
        let proxy = Proxy::new(Mode::Pass);
        let rig = behind(&proxy);
        assert!(rig.count(&family(1), 9).is_ok());
        proxy.set(Mode::Replace(text.as_bytes(), other.as_bytes()));
        // Found out without any request.
        rig.wait_for(|state| matches!(state, State::Away(why) if why.ends_with(expected)));
        assert!(rig.try_count(&family(1), 9).is_err());
        proxy.set(Mode::Pass);
        rig.wait_for(|state| *state == State::Counting);
        assert!(rig.count(&family(1), 9).is_ok());
    }
}

#[test]
fn a_server_starts_without_its_store() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(shared::base::clock::ManualClock::at(START));
    // Nobody listens on port 1.
    let nowhere = rig::place("redis://127.0.0.1:1", "", "");
    let started = runtime.block_on(RedisLimits::in_place(nowhere, clock));
    assert!(!started.unwrap().is_counting());
}

#[test]
#[ignore = "needs Redis"]
fn a_server_does_not_start_on_a_store_that_makes_room_by_forgetting() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(shared::base::clock::ManualClock::at(START));
    let evicting = Proxy::new(Mode::Replace(b"policy:noeviction", b"policy:allkeyslru"));
    let redis = evicting.start(&runtime, &rig::service(rig::REDIS));
    let evicting = rig::place(&redis, "", "");
    let started = runtime.block_on(RedisLimits::in_place(evicting, clock));
    let refused = started.err().unwrap();
    assert!(matches!(refused, RedisFailure::Evicts { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("noeviction"));
}
