"""Each check finds what it is for, and nothing in a history that is right.

    .ci/run checks
"""

import collections
import unittest

from checks.cluster import promises
from checks.cluster.history import Entry, Key, Span


def entry(sent, received=None, **fields):
    return Entry(sent, sent + 0.01 if received is None else received,
                 **{"key": "a", "asked": "boat", "status": 200, "release": "r1"} | fields)


def key(**fields):
    return Key(**{"name": "a", "secret": "", "id": "", "subscription": "acme", "window": "a", "barred": [],
                  "changing": []} | fields)


class MinuteLimits(unittest.TestCase):
    def found(self, entries, limit=2, windows=None):
        return list(promises.minute_limits(entries, windows or {"a": "a"}, {"a": limit}))

    def test_as_many_as_the_limit_are_right_in_every_window(self):
        self.assertEqual(self.found([entry(0), entry(1), entry(60.2), entry(61.2)]), [])

    def test_one_more_within_a_minute_is_found(self):
        found = self.found([entry(0), entry(30), entry(59.5)])
        self.assertEqual(found, ["a: 3 requests were accepted within a minute from 0.000 s on, of 2"])

    def test_what_may_have_been_counted_later_is_not_certain(self):
        self.assertEqual(self.found([entry(0), entry(30), entry(59.5, 60.5)]), [])

    def test_what_may_have_been_counted_before_is_not_certain(self):
        self.assertEqual(self.found([entry(-1, 1), entry(30), entry(59.5)]), [])

    def test_a_slow_request_among_quick_ones_hides_nothing(self):
        self.assertEqual(len(self.found([entry(0, 100), entry(1), entry(2), entry(3)])), 1)

    def test_refusals_are_not_counted(self):
        refused = [entry(2, status=429, code="RATE_LIMITED"), entry(3, status=503), entry(4, status=0),
                   entry(5, status=401)]
        self.assertEqual(self.found([entry(0), entry(1), *refused]), [])

    def test_whatever_else_is_answered_counts(self):
        for status, code in ((304, ""), (404, ""), (403, ""), (400, ""), (429, "QUOTA_EXCEEDED")):
            self.assertEqual(len(self.found([entry(0), entry(1), entry(2, status=status, code=code)])), 1, status)

    def test_keys_of_one_window_count_together(self):
        entries = [entry(0), entry(1, key="b"), entry(2)]
        self.assertEqual(len(self.found(entries, windows={"a": "a", "b": "a"})), 1)
        self.assertEqual(self.found(entries, windows={"a": "a", "b": "b"}), [])


class Quotas(unittest.TestCase):
    def test_only_200s_are_received(self):
        entries = [entry(0), entry(1, status=304), entry(2, key="b"), entry(3, key="-")]
        received = promises.received_200s(entries, {"a": "acme", "b": "acme"})
        self.assertEqual(received, {"acme": 2})

    def test_one_more_than_the_quota_is_found(self):
        received = collections.Counter(acme=3)
        self.assertEqual(list(promises.quotas(received, {"acme": 3})), [])
        self.assertEqual(len(list(promises.quotas(received, {"acme": 2}))), 1)

    def test_a_ledger_is_not_below_nor_too_far_above(self):
        received, above = collections.Counter(acme=10), {"acme": 5}
        self.assertEqual(len(list(promises.ledger(received, {"acme": 9}, above))), 1)
        self.assertEqual(list(promises.ledger(received, {"acme": 10}, above)), [])
        self.assertEqual(list(promises.ledger(received, {"acme": 15}, above)), [])
        self.assertEqual(len(list(promises.ledger(received, {"acme": 16}, above))), 1)


class Barred(unittest.TestCase):
    def found(self, entries, *spans):
        return list(promises.barred(entries, {"a": key(barred=list(spans))}))

    def test_an_answer_to_what_was_sent_after_the_command_returned_is_found(self):
        self.assertEqual(len(self.found([entry(11)], (10, None))), 1)

    def test_what_was_sent_before_may_be_answered_after(self):
        self.assertEqual(self.found([entry(9.99, 10.5)], (10, None)), [])

    def test_what_may_have_been_answered_after_it_was_let_in_again_is_right(self):
        self.assertEqual(self.found([entry(11, 12.5), entry(13)], (10, 12)), [])
        self.assertEqual(len(self.found([entry(11, 11.5)], (10, 12))), 1)

    def test_refusals_are_right(self):
        self.assertEqual(self.found([entry(11, status=status) for status in (0, 401, 503)], (10, None)), [])

    def test_every_other_status_was_let_in(self):
        for status in (200, 304, 400, 403, 404, 429):
            self.assertEqual(len(self.found([entry(11, status=status)], (10, None))), 1, status)


class Statuses(unittest.TestCase):
    def found(self, asked, limited=(), **fields):
        return list(promises.statuses([asked], {"boat": 200, "forbidden": 403}, {"a": key(**fields)}, set(limited)))

    def test_the_expected_one_is_right_and_another_is_found(self):
        self.assertEqual(self.found(entry(0)), [])
        self.assertEqual(self.found(entry(0, asked="forbidden", status=403)), [])
        for status in (304, 400, 403, 404, 500, 502, 504):
            self.assertEqual(len(self.found(entry(0, status=status))), 1, status)

    def test_an_engine_may_be_away_in_our_envelope(self):
        self.assertEqual(self.found(entry(0, status=503, code="SERVICE_UNAVAILABLE")), [])
        self.assertEqual(self.found(entry(0, status=0)), [])
        self.assertEqual(len(self.found(entry(0, status=503))), 1)

    def test_only_what_is_limited_is_a_429(self):
        refused = entry(0, status=429, code="RATE_LIMITED")
        self.assertEqual(len(self.found(refused)), 1)
        self.assertEqual(self.found(refused, [("a", "RATE_LIMITED")]), [])
        self.assertEqual(len(self.found(refused, [("a", "QUOTA_EXCEEDED")])), 1)

    def test_a_key_is_refused_only_where_it_was_changed(self):
        refused = entry(5, status=401)
        self.assertEqual(len(self.found(refused)), 1)
        self.assertEqual(self.found(refused, changing=[(4, 6)]), [])
        self.assertEqual(self.found(refused, barred=[(4, None)]), [])
        self.assertEqual(len(self.found(refused, changing=[(1, 2)], barred=[(2, 3), (6, None)])), 1)


class Releases(unittest.TestCase):
    def test_an_answer_of_no_release_is_found(self):
        self.assertEqual(list(promises.releases([entry(0), entry(1, status=404, release="")])), [])
        for amiss in (entry(0, release="?"), entry(0, release=""), entry(0, status=304, release="")):
            self.assertEqual(len(list(promises.releases([amiss]))), 1)


class Faults(unittest.TestCase):
    FAULTS = [Span("kill", 10, 12, "redis"), Span("hole", 30, 31, "redis")]

    def found(self, *entries):
        return list(promises.away_without_reason(entries, self.FAULTS, 2))

    def test_refusals_and_breaks_need_a_fault(self):
        for status in (0, 503):
            self.assertEqual(len(self.found(entry(5, status=status))), 1)
            self.assertEqual(self.found(entry(11, status=status), entry(13.9, status=status)), [])
            self.assertEqual(len(self.found(entry(14.1, status=status))), 1)

    def test_a_request_that_waited_for_the_fault_is_explained_by_it(self):
        self.assertEqual(self.found(entry(9, 10.5, status=503)), [])

    def test_a_long_fault_is_not_forgotten_for_a_later_short_one(self):
        faults = [Span("stop", 0, 50), Span("hole", 5, 6)]
        self.assertEqual(list(promises.away_without_reason([entry(40, status=503)], faults, 2)), [])

    def test_a_few_findings_are_borne_where_that_is_said(self):
        self.assertEqual(promises.many(iter("ab"), 2), [])
        self.assertEqual(promises.many(iter("abc"), 2), ["a", "b", "c"])

    def test_recovery_is_the_last_refusal_before_the_next_fault(self):
        entries = [*(entry(at, status=503) for at in (11, 12.5)), entry(29.9, 30.1, status=0), entry(30.5, status=503)]
        self.assertEqual([seconds for _, seconds in promises.recoveries(entries, self.FAULTS)], [0.5, 0.0])

    def test_the_time_of_refusals_leaves_out_servers_that_stood_still(self):
        entries = [entry(11, 11.5, status=503), entry(20, 20.25, status=503), entry(21)]
        self.assertEqual(list(promises.refusal_seconds(entries, [self.FAULTS[0]])), [0.25])


class Lines(unittest.TestCase):
    def test_an_entry_is_read_as_it_was_written(self):
        for written in (entry(1.5), entry(2, status=503, code="SERVICE_UNAVAILABLE", release="")):
            self.assertEqual(Entry.of_line(written.line()), written)

    def test_shares(self):
        self.assertEqual([promises.share([1, 2, 3, 4], part) for part in (0, 0.5, 0.99, 1)], [1, 3, 4, 4])
        self.assertEqual(promises.share([], 0.5), 0.0)


if __name__ == "__main__":
    unittest.main()
