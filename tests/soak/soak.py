#!/usr/bin/env python3
"""./dev soak [MINUTES]: Poise under load while everything around it fails, by a seed.

One process with its SQLite file, or with --cluster two on one PostgreSQL behind HAProxy (stages.py),
scripted providers, and candidates that behave as the app does (candidate.py).  faults.py is what goes
wrong, complaints.py what must never be, storm.py the course of it.

Exit status 0 means that every invariant held; otherwise the seed is said again, which draws the same
faults in the same order (what they hit depends on the machine's own timing).  To look closer, --only
takes a part of a fault's name, --keep a directory for the logs, --set settings of the program, --poise
a program that was broken on purpose.
"""

import argparse
import asyncio
import dataclasses
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import complaints
import logs
import providers
import stages
import storm
from stages import ROOT


@dataclasses.dataclass(frozen=True)
class Plan:
    seed: int
    program: pathlib.Path
    candidates: int
    rate: float  # turns a second that are asked for
    warm_s: float
    storm_s: float
    turns: int  # the storm lasts until so many are acknowledged
    only: str = ""  # in the names of the faults that may come
    impatience: float = 0.03
    flood_connections: int = 600
    scrub_s: float = 90
    measures: bool = True  # memory and descriptors; it takes pauses of more than a minute


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("minutes", nargs="?", type=float, default=2)
    parser.add_argument("--cluster", action="store_true", help="two processes, PostgreSQL and HAProxy")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--candidates", type=int, default=64)
    parser.add_argument("--rate", type=float, default=200, help="turns a second to ask for")
    parser.add_argument("--turns", type=int, default=0, help="go on until so many are acknowledged")
    parser.add_argument("--asan", action="store_true", help="the program of build/asan")
    parser.add_argument("--poise", type=pathlib.Path, help="another program than that of build/gcc")
    parser.add_argument("--clock", type=pathlib.Path, default=ROOT / "build/gcc/tests/soak/libsoak_clock.so")
    parser.add_argument("--only", default="", help="faults whose name has this in it, and no others")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--keep", type=pathlib.Path, help="a directory for the logs that stay")
    return parser.parse_args()


def make_plan(arguments):
    seconds = arguments.minutes * 60
    warm_s = min(15.0, seconds / 10)
    return Plan(
        seed=arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6),
        program=(arguments.poise or ROOT / f"build/{'asan' if arguments.asan else 'gcc'}/poise").resolve(),
        candidates=arguments.candidates,
        rate=arguments.rate,
        warm_s=warm_s,
        storm_s=max(seconds - 3 * warm_s, 1),
        turns=arguments.turns,
        only=arguments.only,
        measures=arguments.minutes >= 1,
    )


def check_openapi(shapes, description, directory, complain):
    """By the check that holds the black-box stories to openapi.json."""
    with open(directory / "replies.jsonl", "w", encoding="utf-8") as file:
        for each in (description, *shapes.values()):
            file.write(json.dumps(each) + "\n")
    check = ROOT / "tests/checks/openapi_replies.py"
    said = subprocess.run(
        [sys.executable, "-B", check, directory], capture_output=True, text=True, check=False
    )
    if said.returncode == 0:
        return
    for line in (said.stdout + said.stderr).splitlines():
        complain("replies that openapi.json does not describe", line)


async def description_of(weather):
    """openapi.json as the program serves it, as a reply for the check."""
    reply = await weather.connect().ask("GET", "/openapi.json")
    return {"line": "GET /openapi.json HTTP/1.1", "status": reply.status, "type": reply.kind,
            "headers": list(reply.headers), "body": json.loads(reply.body)}  # fmt: skip


async def soak(plan, arguments, directory, complain, note):
    scripted = providers.Providers(random.Random(plan.seed), complain)
    await scripted.open()
    stage_of = stages.Cluster if arguments.cluster else stages.OneProcess
    stage = stage_of(directory, plan, arguments, scripted, complain)
    weather = storm.Storm(plan, stage, scripted, complain, note)
    try:
        await weather.run()
        description = await description_of(weather)
    finally:
        await stage.close()
    check_openapi(weather.envelopes.shapes, description, directory, complain)
    tokens = {each.token for each in weather.ledger.interviews}
    for each in stage.services:
        weather.figures.setdefault("log lines", 0)
        events = logs.read(each.log, complain, tokens, torn_most=each.ends["SIGKILL"])
        weather.figures["log lines"] += sum(events.values())
    return weather


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def report(plan, weather, complain, seconds):
    counts = weather.ledger.counts
    print(f"\nSoak of {seconds / 60:.1f} minutes, seed {plan.seed}, {plan.candidates} candidates, "
          f"{weather.stage.store.name}\n")
    print("What happened")
    interviews = len(weather.ledger.interviews)
    driver = resource.getrusage(resource.RUSAGE_SELF)
    rows = {"interviews": interviews, "replies read": weather.envelopes.count, **counts, **weather.figures,
            "CPU of the soak itself, s": round(driver.ru_utime + driver.ru_stime)}  # fmt: skip
    for name, figure in rows.items():
        print(f"  {name:<48} {figure}")
    for name, times in sorted(weather.times.items()):
        spread = " ".join(f"{percentile(times, share) * 1000:.0f}" for share in (0.5, 0.99, 1))
        print(f"  {name + ', ms: median, 99 %, most':<48} {spread}")
    print("\nWhat went wrong around it")
    for name, count in sorted(weather.fault_counts().items()):
        print(f"  {name:<48} {count}")
    calls = {}
    for (_, manner), count in weather.providers.calls.items():
        calls[manner] = calls.get(manner, 0) + count
    print(f"  provider calls: {', '.join(f'{count} {manner}' for manner, count in sorted(calls.items()))}")
    if not weather.stage.store.has_small_disk:
        print("  (the disk was never full: mounting one takes root)")
    print("\nWhat must never be")
    for invariant in complaints.INVARIANTS:
        count = complain.counts[invariant]
        print(f"  {invariant:<56} {count}{'   <--' if count else ''}")
        for example in complain.examples[invariant]:
            print(f"      {example}")


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does: tidily
    arguments = read_arguments()
    plan = make_plan(arguments)
    started = time.monotonic()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="poise-soak-"))
    events = open(directory / "soak.log", "w", encoding="utf-8", buffering=1)

    def note(text):
        events.write(f"{time.monotonic() - started:9.2f} {text}\n")

    complain = complaints.Complaints(note)
    print(f"Seed {plan.seed}; logs in {arguments.keep or directory}", flush=True)
    try:
        weather = asyncio.run(soak(plan, arguments, directory, complain, note))
        report(plan, weather, complain, time.monotonic() - started)
    finally:
        events.close()
        if arguments.keep:
            shutil.copytree(directory, arguments.keep, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("disk"))
        if not complain.counts or arguments.keep:
            shutil.rmtree(directory, ignore_errors=True)
    if complain.counts:
        print(f"\nNot everything held. Again: ./dev soak {arguments.minutes:g} --seed {plan.seed}")
        return 1
    print("\nEverything held.")
    return 0


if __name__ == "__main__":
    # Whoever may not mount the small disk may do it in a namespace, where the system allows that.
    if os.geteuid() != 0 and "--cluster" not in sys.argv:
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0:
            os.execvp("unshare", ["unshare", "-rm", sys.executable, "-B", *sys.argv])
    sys.exit(main())
