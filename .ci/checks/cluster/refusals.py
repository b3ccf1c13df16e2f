"""Refusals with 503, each of which has to have its cause: none is ever because Redis is away, since servers then count alone."""

from checks.base import expect
from checks.cluster.processes import SERVER

# What a server logs of a request for which its key store took too long, which may be so on a busy machine.
OF_STORE = ("the key store was not confirmed", "could not count the request against its quota")


def is_of_redis(fault):
    return fault.on == "sentinels" or fault.on.endswith("redis")


class Refusals:
    def __init__(self, cluster):
        self.cluster, self.answers = cluster, []

    def note(self, answer):
        # A busy machine may refuse a list, and the balancer whatever it has no server for.
        if answer.status == 503 and answer.field(SERVER) and "boats" not in answer.request.kind:
            self.answers.append(answer)

    def check(self, since):
        """Since then nothing was refused but for a key store that was too slow, as the server says of the request."""
        for answer in self.answers:
            if since < answer.sent:
                member, name = self.cluster.member(answer.field(SERVER)), answer.field("x-request-id")
                told = "\n".join(line for line in member.log.read_text().splitlines() if name in line)
                expect(any(cause in told for cause in OF_STORE), f"refused while only Redis was away: {answer}\n{told}")
