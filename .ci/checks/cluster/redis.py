"""A Redis that is restarted, with its data and without, stands still, cannot be reached, answers with garbage or is failed over,
under load: no request is refused for it, each server says that it counts alone, none exceeds a limit by itself, and afterwards
all count together again, exactly.
"""

import asyncio
import time

from checks.base import expect, until
from checks.clients import Tally, ask
from checks.cluster import promises
from checks.cluster.counting import until_counting
from checks.cluster.disturbances import Disturbance
from checks.cluster.operating import KNOWN_WITHIN, operated
from checks.cluster.processes import SERVER
from checks.cluster.traffic import requests_of
from checks.sentinels import sentinels

# By where minutes are counted.
FAULTS = {"redis": ("kill", "lose", "stop", "hole", "reset", "garble"), "sentinels": ("failover",)}
# A limit that each server reaches while it counts alone, and how often its key is asked beside one request of an ample one.
TIGHT, WEIGHT = 30, 1.0
# How many answers there are at least while servers count alone.
ANSWERED = 300
# How many new keys are tried at most, because a busy server counted alone or refused what it could not confirm.
ATTEMPTS = 20
# What a server logs of a request for which its key store took too long.
OF_STORE = ("the key store was not confirmed", "could not count the request against its quota")


class Trial:
    def __init__(self, operator, random):
        self.operator, self.cluster, self.random = operator, operator.cluster, random
        self.tally, self.refused = Tally(), []

    async def run(self):
        for limits, whats in FAULTS.items():
            await self.cluster.count_in(limits)
            await self.put_keys()
            async with self.cluster.traffic.through(self.cluster.balancer.port, self.note):
                for what in whats:
                    await self.disturb(Disturbance(what, limits))
        self.check()

    async def put_keys(self):
        """An ample one and a tight one, which ask for a boat: a busy machine may refuse a list."""
        self.cluster.traffic.begin_anew()
        ample, self.tight = await self.operator.issue(self.operator.ample), await self.new_tight_key()
        for key, weight in ((ample, 1.0), (self.tight, WEIGHT)):
            self.cluster.traffic.put(key.name, requests_of(key)[:1], weight)

    async def new_tight_key(self):
        """One that all servers know."""
        key = await self.operator.issue(self.operator.ample, TIGHT)
        await asyncio.sleep(KNOWN_WITHIN)
        return key

    def note(self, answer):
        if self.tally.is_busy(answer):
            self.refused.append(answer)
            return
        is_limited = answer.status == 429 and answer.request.key["name"] == self.tight.name
        expect(is_limited or answer.status == answer.request.status, f"not {answer.request.status}: {answer}")

    async def disturb(self, fault):
        await self.count_together()
        began = time.monotonic()
        async with fault.befall(self.cluster, self.random):
            await until_counting(self.cluster.members, alone=True)
            enough = self.tally.answers + ANSWERED
            await until(lambda: enough <= self.tally.answers, "requests are not answered any more")
        ended = time.monotonic()
        await until_counting(self.cluster.members, alone=False)
        together = time.monotonic() - ended
        print(f"{fault.what} {fault.on}: {ended - began:.1f} s; counted together {together:.1f} s later", flush=True)
        await self.count_together()

    async def count_together(self):
        """All servers do: to a new key they grant its limit."""
        for _ in range(ATTEMPTS):
            await until_counting(self.cluster.members, alone=False)
            asked, began = requests_of(await self.new_tight_key())[0], time.monotonic()
            answers = [await ask(member.listen, asked) for _ in range(TIGHT) for member in self.cluster.members]
            statuses, ended = [answer.status for answer in answers], time.monotonic()
            is_alone = any(began <= span.ended for span in self.cluster.counting.alone())
            if {*statuses} <= {200, 429} and not is_alone and ended < began + promises.WINDOW:
                granted = statuses.count(200)
                expect(granted == TIGHT, f"servers that count together granted {granted} requests, of {TIGHT}")
                return
        expect(False, f"this machine is too busy: in each of {ATTEMPTS} attempts a server counted alone or refused something")

    def check(self):
        """What needs the whole history."""
        print(f"{self.tally} were refused with 503, for a key store that was too slow")
        self.tally.check()
        starts = {member.name: member.starts for member in self.cluster.members}
        findings = [f"refused, and not for the key store: {answer}" for answer in self.refused if not self.is_of_store(answer)]
        findings += promises.minute_limits(self.cluster.traffic.entries, self.operator.keys, self.operator.limits,
                                           self.cluster.counting.alone(), starts)
        expect(not findings, "\n  ".join([f"{len(findings)} findings", *findings[:10]]))

    def is_of_store(self, answer):
        """As the server says of this request."""
        names = [member for member in self.cluster.members if member.name == answer.field(SERVER)]
        lines = [line for member in names for line in member.log.read_text().splitlines() if answer.field("x-request-id") in line]
        return any(cause in line for cause in OF_STORE for line in lines)


async def run(found, command, work, random):
    with sentinels(found.folder) as watched:
        async with operated(found, command, work, random, watched=watched, is_patient=True) as operator:
            await Trial(operator, random).run()
