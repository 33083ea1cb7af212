"""A soak from its first start to its last look: load all the time, faults in two halves, and what
must hold at the end.

    warm up   load alone
    first     every fault
    middle    a new process; load alone, a pause, and what memory and descriptors it has then
    second    every fault but those that end a process
    calm      faults end: how long until it is well?  candidates end their interviews; a pause, and
              memory and descriptors again
    look      every session that anybody was told of, held against what its candidate knows
"""

import asyncio
import random
import time

import candidate
import envelope
import faults
import ledger
import wire
from service import OF_CLIENTS, OF_OTHERS

RECOVER_S = 20
PAUSE_S = 60
# What began a request on a connection that lives on, and left, is kept as an idle connection is.
SETTLE_S = 80
LOOKERS = 24
# A heap that has been through a storm keeps some of what it had: this much more is none of our
# concern.  A leak of two hundred bytes a turn is more than that in half an hour.
MEMORY_MAY_GROW = 1.35
MEMORY_MAY_GROW_KB = 40 * 1024
POOLED_PER_CANDIDATE = 3  # it hears, coaches and speaks at once
IDLE_GAUGES = ("poise_turns_inflight", "poise_asks_inflight")


class Storm:
    def __init__(self, plan, stage, providers, complain, note):
        self.plan, self.stage, self.providers = plan, stage, providers
        self.complain, self.note = complain, note
        self.rng = random.Random(plan.seed)
        self.ledger = ledger.Ledger(complain)
        self.envelopes = envelope.Envelopes(plan.program, complain)
        self.impatience = 0.0
        self.may_go = asyncio.Event()
        self.may_go.set()
        self.is_enough = False
        self.is_calm = False
        self.figures = {}  # for the report
        self.times = {}  # {what: [seconds]}, of the second half's successes
        self._parked = 0
        self._number = 0
        self._candidates = []
        self._blown = []

    # --- What faults and candidates ask for ---

    services = property(lambda self: self.stage.services)
    store = property(lambda self: self.stage.store)
    address = property(lambda self: self.stage.address)
    is_behind_proxy = property(lambda self: self.stage.is_behind_proxy)
    flood_connections = property(lambda self: self.plan.flood_connections)
    period_s = property(lambda self: self.plan.candidates / self.plan.rate)

    def connect(self):
        return wire.Connection(self.stage.address, self.stage.is_behind_proxy)

    def next_number(self):
        self._number += 1
        return self._number

    def note_time(self, method, path, took_s):
        self.times.setdefault(f"{method} /{path.split('/')[1]}", []).append(took_s)

    async def park(self):
        self._parked += 1
        await self.may_go.wait()
        self._parked -= 1

    # --- The phases ---

    async def run(self):
        await self.stage.open()
        for _ in range(self.plan.candidates):
            someone = candidate.Candidate(self, random.Random(self.rng.random()))
            self._candidates.append(asyncio.create_task(someone.run()))
        try:
            await self._play()
        finally:
            for task in self._candidates:
                task.cancel()

    async def _play(self):
        plan = self.plan
        self.note("warm up")
        await self._load(plan.warm_s)
        self.note("first half: every fault")
        self.impatience = plan.impatience
        await self._blow(plan.storm_s / 2, ends_processes=True)
        self.impatience = 0.0
        self.note("a new process")
        for service in self.services:
            await service.end(is_final=False)
            await service.start()
        await self._load(plan.warm_s)
        before = await self._measure() if plan.measures else []
        self.note("second half: no process ends")
        self.impatience = plan.impatience
        await self._blow(plan.storm_s / 2, ends_processes=False)
        self.impatience = 0.0
        self.note("calm")
        self.is_calm = True
        await self._recover()
        await self._load(plan.warm_s)
        self._compare(before, await self._measure() if plan.measures else [])
        self.is_enough = True
        await self._end_interviews()
        self.note("look")
        await self._look()

    async def _load(self, seconds):
        """Load alone; raises what a candidate raised."""
        done, _ = await asyncio.wait(self._candidates, timeout=seconds, return_when="FIRST_EXCEPTION")
        for task in done:
            task.result()

    async def _blow(self, seconds, ends_processes):
        over = asyncio.Event()
        rng = random.Random(self.rng.random())
        schedule = faults.Schedule(self, rng, self.stage.seams, ends_processes, self.note)
        self._blown.append(schedule)
        blowing = asyncio.create_task(schedule.blow(over))
        started, turns = time.monotonic(), self.ledger.counts["turns"]
        while time.monotonic() - started < seconds or self._wants_more_turns(ends_processes):
            await self._load(min(1, seconds))
        over.set()
        await blowing
        spent_s = time.monotonic() - started
        self.figures.setdefault("turns/s in the storm", []).append(
            round((self.ledger.counts["turns"] - turns) / spent_s)
        )
        self.providers.calm()
        for service in self.services:
            service.move_clock(0)

    def _wants_more_turns(self, is_first_half):
        wanted = self.plan.turns / (2 if is_first_half else 1)
        return self.ledger.counts["turns"] < wanted

    async def _recover(self):
        """Well is: a whole interview without one repetition."""
        started = time.monotonic()
        fresh = candidate.Candidate(self, random.Random(self.rng.random()))
        while time.monotonic() - started < RECOVER_S * 3:
            if await fresh.goes_well():
                break
            await asyncio.sleep(0.1)
        fresh.close()
        spent_s = time.monotonic() - started
        self.figures["well again after, s"] = round(spent_s, 1)
        if spent_s > RECOVER_S:
            self.complain("a service that did not recover", f"{spent_s:.0f} s")

    async def _measure(self):
        """With no client, no call and no connection: (resident KB, descriptors, gauges) each."""
        self.may_go.clear()
        try:
            async with asyncio.timeout(PAUSE_S):
                while self._parked < sum(not task.done() for task in self._candidates):
                    await asyncio.sleep(0.05)
        except TimeoutError:
            self.complain("answers that were never acknowledged", "candidates in the pause")
        self.providers.hang_up()
        found = [await self._settled(service) for service in self.services]
        self.may_go.set()
        return found

    async def _settled(self, service):
        """Turns whose candidates left are finished all the same: they have until their deadline."""
        give_up = time.monotonic() + SETTLE_S
        while True:
            gauges = await self._gauges(service)
            files = service.descriptors()
            is_idle = all(gauges.get(name) == 0 for name in IDLE_GAUGES)
            if is_idle and files[OF_CLIENTS] == 0 or time.monotonic() > give_up:
                return service.resident_kb(), files, gauges
            await asyncio.sleep(0.5)

    async def _gauges(self, service):
        connection = wire.Connection(service.address)
        text = (await connection.ask("GET", "/metrics")).body.decode()
        connection.close()
        await asyncio.sleep(0.2)
        lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
        return {words[0]: float(words[1]) for words in lines if len(words) == 2}

    def _compare(self, before, after):
        for service, (kb, files, _), (kb_now, files_now, gauges) in zip(self.services, before, after):
            self.figures.setdefault("resident MB, before and after", []).append(
                f"{kb // 1024} {kb_now // 1024}"
            )
            self.figures.setdefault("descriptors, before and after", []).append(
                f"{files.total()} {files_now.total()}"
            )
            if kb_now > max(kb * MEMORY_MAY_GROW, kb + MEMORY_MAY_GROW_KB):
                self.complain("memory that did not come back", f"{service.log.stem}: {kb} to {kb_now} KB")
            # A call pool keeps connections that the provider has closed until it looks at them again.
            kept = [each.pop(OF_OTHERS, 0) for each in (files, files_now)]
            self.figures.setdefault("of them pooled for providers", []).append(f"{kept[0]} {kept[1]}")
            if kept[1] > self.plan.candidates * POOLED_PER_CANDIDATE:
                self.complain("descriptors that did not come back", f"{kept[1]} for providers")
            if more := files_now - files:
                self.complain("descriptors that did not come back", dict(more))
            for name in IDLE_GAUGES:
                if gauges.get(name) != 0:
                    self.complain("gauges that did not come back", f"{name} {gauges.get(name)}")

    async def _end_interviews(self):
        done, late = await asyncio.wait(self._candidates, timeout=PAUSE_S)
        for task in done:
            task.result()
        if late:
            self.complain("answers that were never acknowledged", f"{len(late)} candidates at the end")

    # --- The last look ---

    async def _look(self):
        """Every session, by several lookers."""
        queue = iter(self.ledger.interviews)
        lookers = [candidate.Looker(self, random.Random(at)) for at in range(LOOKERS)]
        await asyncio.gather(*(each.look(queue) for each in lookers))
        if self.stage.store.name == "SQLite":
            queue = iter(self.ledger.interviews)
            await asyncio.gather(*(each.delete(queue) for each in lookers))
            await self._expect_no_words()

    async def _expect_no_words(self):
        """What was deleted leaves the files within a sweep."""
        canary = candidate.words.CANARY.encode()
        give_up = time.monotonic() + self.plan.scrub_s
        while (left := self.stage.store.holds(canary)) and time.monotonic() < give_up:
            await asyncio.sleep(1)
        if left:
            self.complain("deleted words in the store's files", f"{left} times")

    def fault_counts(self):
        return sum((each.counts for each in self._blown), start=type(self._blown[0].counts)())
