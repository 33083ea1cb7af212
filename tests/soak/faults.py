"""What goes wrong in a soak, and when: one function for each fault, and the schedule that picks them
by the seed.

A fault holds for some seconds and undoes itself; several may hold at once, but only one at a time
takes hold of a process (Service.busy).  The kinds that end a process are left out of the second half
of a storm, at whose end memory and descriptors must be what they were at its beginning.
"""

import asyncio
import collections
import contextlib
import dataclasses
import random
import signal
import socket
import typing

import providers

MOST_AT_ONCE = 3
GAP_S = (0.3, 3.5)
CLOCK_MOST_MS = 6 * 3600 * 1000  # sessions live for days, and may not expire


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    begin: typing.Callable  # async (storm, rng, seconds)
    weight: int
    seconds: tuple
    ends_process: bool
    seam: str  # what has to be there for it: "any", "sqlite", "small disk", "cluster", "own process"


FAULTS = []


def fault(name, weight, seconds, ends_process=False, seam="any"):
    def register(begin):
        FAULTS.append(Fault(name, begin, weight, seconds, ends_process, seam))
        return begin

    return register


# --- Providers ---


async def _mood(storm, role, mood, seconds):
    storm.providers.moods[role] = mood
    try:
        await asyncio.sleep(seconds)
    finally:
        storm.providers.moods[role] = providers.well


@fault("a provider flaps", 8, (0.5, 4))
async def flap(storm, rng, seconds):
    await _mood(storm, rng.choice(providers.ROLES), providers.flapping, seconds)


@fault("a provider fails each call", 4, (0.5, 3))
async def fail(storm, rng, seconds):
    manners = ("failing", "busy", "reset", "cut", "garbage", "nonsense", "leaving", "slow")
    mood = providers.always(rng.choice(manners))
    await _mood(storm, rng.choice(providers.ROLES), mood, seconds)


@fault("a provider hangs", 2, (0.5, 3))
async def hang(storm, rng, seconds):
    mood = providers.always(rng.choice(("silent", "dripping")))
    await _mood(storm, rng.choice(providers.ROLES), mood, seconds)


# --- Clients ---


@fault("clients break off", 5, (1, 4))
async def break_off(storm, _, seconds):
    before = storm.impatience
    storm.impatience = 0.35
    try:
        await asyncio.sleep(seconds)
    finally:
        storm.impatience = before


@fault("a flood of connections", 2, (1, 3))
async def flood(storm, rng, seconds):
    """Some say nothing, some begin a request line, some a header, some a body."""
    beginnings = (
        b"", b"POST /tu", b"POST /turn HTTP/1.1\r\nHost: x\r\n",
        b"POST /turn HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nhalf",
    )  # fmt: skip
    opened = []
    try:
        for _ in range(storm.flood_connections):
            each = socket.socket()
            opened.append(each)
            each.setblocking(False)
            with contextlib.suppress(OSError):
                await asyncio.wait_for(
                    asyncio.get_running_loop().sock_connect(each, storm.address), timeout=0.2
                )
                each.send(rng.choice(beginnings))
        await asyncio.sleep(seconds)
    finally:
        for each in opened:
            each.close()


# --- The process ---


@fault("SIGKILL", 3, (0.1, 1.5), ends_process=True)
async def kill(storm, rng, seconds):
    service = rng.choice(storm.services)
    async with service.busy:
        await service.kill()
        await asyncio.sleep(seconds)
        await service.start()


@fault("SIGTERM and a new start", 3, (0.0, 0.5), ends_process=True)
async def restart(storm, rng, seconds):
    service = rng.choice(storm.services)
    async with service.busy:
        await service.end(is_final=False)
        await asyncio.sleep(seconds)
        await service.start()


@fault("SIGSTOP, SIGCONT", 3, (0.2, 3))
async def stop(storm, rng, seconds):
    service = rng.choice(storm.services)
    async with service.busy:
        service.signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            service.signal(signal.SIGCONT)


@fault("SIGHUP", 3, (0, 0.3))
async def hang_up(storm, rng, seconds):
    service = rng.choice(storm.services)
    service.signal(signal.SIGHUP)
    await asyncio.sleep(seconds)


@fault("no descriptors left", 3, (0.5, 3))
async def few_descriptors(storm, rng, seconds):
    service = rng.choice(storm.services)
    async with service.busy:
        service.limit_descriptors(rng.randint(0, 6))
        try:
            await asyncio.sleep(seconds)
        finally:
            service.limit_descriptors(None)


@fault("the clock jumps", 3, (0.5, 4))
async def jump(storm, rng, seconds):
    """To a time within hours of the right one, and sometimes it stays wrong until the next jump."""
    service = rng.choice(storm.services)
    service.move_clock(rng.randint(-CLOCK_MOST_MS, CLOCK_MOST_MS))
    await asyncio.sleep(seconds)
    if rng.random() < 0.7:
        service.move_clock(0)


# --- The store ---


@fault("the store is locked", 3, (0.5, 5), seam="sqlite")
async def lock(storm, _, seconds):
    with storm.store.locked():
        await asyncio.sleep(seconds)


@fault("the disk is full", 3, (0.5, 4), seam="small disk")
async def fill(storm, _, seconds):
    with storm.store.full():
        await asyncio.sleep(seconds)


@fault("PostgreSQL restarts, immediate mode", 5, (0, 2), seam="cluster")
async def restart_postgres(storm, _, seconds):
    async with storm.store.busy:
        await storm.store.restart(seconds)


@fault("PostgreSQL ends all connections", 3, (0, 0.5), seam="cluster")
async def end_connections(storm, _, seconds):
    async with storm.store.busy:
        await storm.store.query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        )
        await asyncio.sleep(seconds)


@fault("PostgreSQL stands still", 3, (0.3, 7), seam="cluster")
async def stop_postgres(storm, _, seconds):
    async with storm.store.busy:
        with storm.store.stopped():
            await asyncio.sleep(seconds)


@fault("PostgreSQL's tables are locked", 2, (0.3, 4), seam="cluster")
async def lock_tables(storm, _, seconds):
    async with storm.store.busy:
        await storm.store.query(f"BEGIN; LOCK TABLE poise_session; SELECT pg_sleep({seconds}); COMMIT")


# --- The schedule ---


async def is_set_within(event, seconds):
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


class Schedule:
    def __init__(self, storm, rng, seams, ends_processes, note):
        self._storm, self._rng, self._note = storm, rng, note
        self._faults = [
            each
            for each in FAULTS
            if each.seam in seams and storm.plan.only in each.name
            and (ends_processes or not each.ends_process)
        ]  # fmt: skip
        self._under_way = {}  # {Fault: task}
        self.counts = collections.Counter()

    async def blow(self, until):
        """Begins one fault after the other until `until` (an asyncio.Event), then awaits their ends.
        What is drawn depends on the seed alone, and so does what a fault draws for itself; what would
        be too much at once is left out."""
        while self._faults and not await is_set_within(until, self._rng.uniform(*GAP_S)):
            chosen = self._rng.choices(self._faults, [each.weight for each in self._faults])[0]
            seconds = self._rng.uniform(*chosen.seconds)
            own = random.Random(self._rng.random())
            if len(self._under_way) < MOST_AT_ONCE and chosen not in self._under_way:
                self._begin(chosen, own, seconds)
        await asyncio.gather(*self._under_way.values())

    def _begin(self, chosen, rng, seconds):
        self.counts[chosen.name] += 1
        self._note(f"{chosen.name}, {seconds:.1f} s")
        task = asyncio.create_task(chosen.begin(self._storm, rng, seconds))
        self._under_way[chosen] = task
        task.add_done_callback(lambda _: self._end(chosen))

    def _end(self, chosen):
        task = self._under_way.pop(chosen)
        if not task.cancelled() and task.exception():
            self._storm.complain("faults of the soak itself", f"{chosen.name}: {task.exception()!r}")
