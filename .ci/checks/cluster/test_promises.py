"""Each check finds what it is for, and nothing in a history that is right.

    .ci/run checks
"""

import collections
import unittest

from checks.cluster import promises
from checks.cluster.history import Entry, Key, Span


def entry(sent, received=None, **fields):
    usual = {"key": "a", "asked": "boat", "expected": 200, "status": 200, "release": "r1", "server": "one"}
    return Entry(sent, sent + 0.01 if received is None else received, **usual | fields)


def key(**fields):
    return Key(**{"name": "a", "secret": "", "id": "", "subscription": "acme", "window": "a"} | fields)


class MinuteLimits(unittest.TestCase):
    def found(self, entries, limit=2, keys=None, alone=(), starts=(-10,)):
        starts = {"one": starts, "other": (-10,)}
        return list(promises.minute_limits(entries, keys or {"a": key()}, {"a": limit}, alone, starts))

    def test_as_many_as_the_limit_are_right_in_every_window(self):
        self.assertEqual(self.found([entry(0), entry(1), entry(60.2), entry(61.2)]), [])

    def test_one_more_within_a_minute_is_found(self):
        found = self.found([entry(0), entry(30), entry(59.5, server="other")])
        self.assertEqual(found, ["a: all servers accepted 3 requests within a minute from 0.000 s on, of 2"])

    def test_a_server_that_counts_alone_grants_a_limit_to_itself_and_no_more(self):
        alone = [Span("alone", 20, 40, "other")]
        entries = [entry(0), entry(1, server="other"), entry(30, server="other"), entry(50)]
        self.assertEqual(self.found(entries, alone=alone), [])
        found = self.found([*entries, entry(51, server="other")], alone=alone)
        self.assertEqual(found, ["a: other accepted 3 requests within a minute from 1.000 s on, of 2"])

    def test_from_when_on_all_count_together_they_are_held_to_the_limit(self):
        alone = [Span("alone", 20, 40, "other")]
        entries = [entry(0), entry(41), entry(42, server="other"), entry(43, server="other")]
        self.assertEqual(self.found(entries, alone=alone),
                         ["a: all servers accepted 3 requests within a minute from 41.000 s on, of 2"])

    def test_a_server_that_was_started_anew_has_no_counts_of_its_own(self):
        alone = [Span("alone", 2, 4, "one")]
        entries = [entry(0), entry(1), entry(5), entry(6)]
        self.assertEqual(self.found(entries, alone=alone, starts=(-10, 3)), [])
        self.assertEqual(len(self.found(entries, alone=alone)), 1)

    def test_what_may_have_been_counted_earlier_or_later_is_not_certain(self):
        self.assertEqual(self.found([entry(0), entry(30), entry(59.5, 60.5)]), [])
        self.assertEqual(self.found([entry(-1, 1), entry(30), entry(59.5)]), [])

    def test_a_slow_request_among_quick_ones_hides_nothing(self):
        self.assertEqual(len(self.found([entry(0, 100), entry(1), entry(2), entry(3, server="other")])), 1)

    def test_refusals_are_not_counted_and_whatever_else_is_answered_is(self):
        for status, code in ((429, "RATE_LIMITED"), (503, ""), (0, ""), (401, "")):
            self.assertEqual(self.found([entry(0), entry(1), entry(2, status=status, code=code)]), [], status)
        for status, code in ((304, ""), (404, ""), (403, ""), (400, ""), (429, "QUOTA_EXCEEDED")):
            found = self.found([entry(0), entry(1), entry(2, status=status, code=code, server="other")])
            self.assertEqual(len(found), 1, status)

    def test_keys_of_one_window_count_together(self):
        entries = [entry(0), entry(1, key="b"), entry(2, server="other")]
        self.assertEqual(len(self.found(entries, keys={"a": key(), "b": key()})), 1)
        self.assertEqual(self.found(entries, keys={"a": key(), "b": key(window="b")}), [])


class Ledger(unittest.TestCase):
    def found(self, received, used, quota=100):
        return list(promises.ledger(collections.Counter(acme=received), {"acme": quota}, {"acme": used}, {"acme": 5}))

    def test_only_200s_to_a_key_are_received(self):
        entries = [entry(0), entry(1, status=304), entry(2, key="b"), entry(3, key="-")]
        self.assertEqual(promises.received_200s(entries, {"a": key(), "b": key()}), {"acme": 2})

    def test_one_more_than_the_quota_is_found(self):
        self.assertEqual(self.found(3, 3, quota=3), [])
        self.assertEqual(len(self.found(3, 3, quota=2)), 1)

    def test_a_ledger_is_not_below_nor_too_far_above(self):
        self.assertEqual([len(self.found(10, used)) for used in (9, 10, 15, 16)], [1, 0, 0, 1])


class ChangedKeys(unittest.TestCase):
    def found(self, asked, barred_since=10):
        return list(promises.changed_keys([asked], {"a": key(barred_since=barred_since)}))

    def test_whatever_is_let_in_of_what_was_sent_after_the_command_returned_is_found(self):
        for status in (200, 304, 400, 403, 404, 429):
            self.assertEqual(len(self.found(entry(11, status=status))), 1, status)
        for status in (0, 401, 503):
            self.assertEqual(self.found(entry(11, status=status)), [], status)

    def test_what_was_sent_before_may_be_answered_after(self):
        self.assertEqual(self.found(entry(9.99, 10.5)), [])


class Statuses(unittest.TestCase):
    def found(self, asked, limited=(), **fields):
        return list(promises.statuses([asked], {"a": key(**fields)}, set(limited)))

    def test_the_expected_one_is_right_and_another_is_found(self):
        self.assertEqual(self.found(entry(0)), [])
        self.assertEqual(self.found(entry(0, expected=403, status=403)), [])
        self.assertEqual(self.found(entry(0, key="-", expected=401, status=401)), [])
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

    def test_a_key_is_refused_only_where_it_is_new_or_was_changed(self):
        refused = entry(5, status=401)
        self.assertEqual(len(self.found(refused)), 1)
        self.assertEqual(self.found(refused, changing_since=4), [])
        self.assertEqual(self.found(refused, known_since=6), [])
        self.assertEqual(len(self.found(refused, known_since=4, changing_since=6)), 1)


class Releases(unittest.TestCase):
    def test_an_answer_of_no_release_is_found(self):
        self.assertEqual(list(promises.releases([entry(0), entry(1, status=404, release="")])), [])
        self.assertEqual(len(list(promises.releases([entry(0, release="?")]))), 1)


if __name__ == "__main__":
    unittest.main()
