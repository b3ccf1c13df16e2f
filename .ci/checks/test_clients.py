"""What holds answers to a state, and a port that stays free.

    .ci/run checks
"""

import socket
import time
import unittest

from checks.base import Broken, free_port
from checks.clients import Answer, Settled, Tally, request

ENVELOPE = b'{"error":{"code":"SERVICE_UNAVAILABLE","message":"later","requestId":"1"}}'


def answer(status, sent=None):
    sent = time.monotonic() if sent is None else sent
    return Answer(request("boat", "/v1/boats/a", 200), sent, sent, status, b"HTTP/1.1 \r\nx-request-id: 1\r\n\r\n", ENVELOPE)


class States(unittest.TestCase):
    def test_only_answers_in_a_row_tell_a_state(self):
        settled = Settled()
        for status in (503, None, 503, 200, 503):
            settled.note(answer(status))
        self.assertEqual(settled.in_a_row, {True: 1, False: 0})

    def test_while_all_is_refused_another_answer_breaks_the_promise(self):
        settled, before = Settled(), time.monotonic()
        with settled.refusing():
            settled.note(answer(200, sent=before))
            settled.note(answer(503))
            with self.assertRaises(Broken):
                settled.note(answer(200))
        settled.note(answer(200))
        self.assertEqual(settled.held, 1)

    def test_a_few_refusals_are_a_busy_machine_and_many_are_not(self):
        tally = Tally()
        for number in range(40):
            self.assertEqual(tally.is_busy(answer(503 if number < 2 else 200)), number < 2)
        tally.check()
        tally.is_busy(answer(503))
        with self.assertRaises(Broken):
            tally.check()


class Ports(unittest.TestCase):
    def test_a_program_can_listen_again_and_again_on_a_port_that_nobody_else_gets(self):
        port = free_port()
        for _ in range(2):
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port))
            with socket.create_server(("127.0.0.1", port)):
                socket.create_connection(("127.0.0.1", port)).close()
        with socket.socket() as other, self.assertRaises(OSError):
            other.bind(("127.0.0.1", port))


if __name__ == "__main__":
    unittest.main()
