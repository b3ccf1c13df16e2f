"""By how much a ledger may be above what clients received, and by no more.

    .ci/run checks
"""

import unittest

from checks.cluster.history import Span
from checks.cluster.storm import LATER, may_be_above, may_lose_charges
from checks.cluster.traffic import CLIENTS
from checks.faults.kill import held_max

QUOTA = 2500
USED = (10.0, 20.0)


class Explained(unittest.TestCase):
    def above(self, *faults, unanswered=0):
        return may_be_above(QUOTA, (unanswered, *USED), faults)

    def test_nothing_explains_more_but_what_was_not_answered(self):
        self.assertEqual(self.above(), 0)
        self.assertEqual(self.above(unanswered=7), 7)

    def test_a_killed_server_loses_what_it_holds_and_what_is_under_way(self):
        self.assertEqual(self.above(Span("kill", 12, 13, "catalogue-1")), CLIENTS + held_max(QUOTA))

    def test_an_answer_that_does_not_arrive_may_have_been_a_lease_of_each_server_that_asked(self):
        self.assertEqual(self.above(Span("reset", 12, 13, "catalogue-1-postgres")), held_max(QUOTA))
        self.assertEqual(self.above(Span("stop", 12, 13, "postgres")), 3 * held_max(QUOTA))

    def test_late_answers_may_be_leases_again_and_again(self):
        self.assertEqual(self.above(Span("delay", 12, 13, "catalogue-1-postgres")), 3 * held_max(QUOTA))

    def test_a_pooler_and_each_of_a_pair_are_like_the_store_itself(self):
        for on in ("pgbouncer", "primary", "async-standby"):
            self.assertEqual(self.above(Span("kill", 12, 13, on)), 3 * held_max(QUOTA))
        self.assertEqual(self.above(Span("hole", 12, 13, "catalogue-2-async-primary")), held_max(QUOTA))

    def test_only_an_asynchronous_failover_may_lose_charges(self):
        self.assertTrue(may_lose_charges(Span("promote", 12, 13, "async-standby")))
        for what, on in (("promote", "standby"), ("kill", "async-standby")):
            self.assertFalse(may_lose_charges(Span(what, 12, 13, on)), (what, on))

    def test_other_engines_and_other_times_explain_nothing(self):
        self.assertEqual(self.above(Span("kill", 12, 13, "redis")), 0)
        self.assertEqual(self.above(Span("kill", 20 + LATER + 1, 30, "postgres")), 0)


if __name__ == "__main__":
    unittest.main()
