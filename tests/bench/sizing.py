#!/usr/bin/env python3
"""What a machine for Poise must have: the figures of services/deploy/operations.md, as its table.

    python3 tests/bench/sizing.py [--poise PROGRAM] [--tools build/gcc/tests/bench]

A crowd of candidates plays whole interviews of ten questions through one loop, with typed answers of a
minute's length and a model that takes half a second; then 20,000 connections rest.  Figures belong to one
machine on one day.
"""

import argparse
import concurrent.futures
import contextlib
import json
import pathlib
import sqlite3
import tempfile
import types
import urllib.request

import run
from servers import poise, upstream

SESSIONS, AT_ONCE, QUESTIONS = 400, 200, 10
WORDS = ("I led the migration of our billing system and asked each team what it needed first . " * 9).strip()


def call(base, path, body=None, token=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + token} if token else {})
    request = urllib.request.Request(base + path, json.dumps(body).encode() if body else None, headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read().decode()


def begin(base):
    interview = {"role": "Nurse", "interview_type": "behavioral", "difficulty": "easy", "question_count": QUESTIONS}
    return json.loads(call(base, "/session/start", interview))["data"]


def interview(base, session):
    for number in range(QUESTIONS - 1):
        turn = {"session_id": session["session_id"], "transcript": f"{WORDS} Number {number}."}
        call(base, "/turn", turn, session["session_token"])


def measure(base, setup):
    """Bytes of the database and of the log, and seconds of CPU."""
    store = sqlite3.connect(setup.directory / "poise.db")
    store.execute("PRAGMA wal_checkpoint(PASSIVE)")
    pages, free, page = (store.execute(f"PRAGMA {what}").fetchone()[0]
                         for what in ("page_count", "freelist_count", "page_size"))
    store.close()
    samples = dict(line.rsplit(" ", 1) for line in call(base, "/metrics").splitlines() if line[0] != "#")
    return ((pages - free) * page, (setup.directory / "poise.log").stat().st_size,
            float(samples["process_cpu_seconds_total"]) * 1e6, float(samples["process_resident_memory_bytes"]))


def each(before, after, count):
    return [(now - then) / count for then, now in zip(before, after)]


def crowd(setup):
    with contextlib.ExitStack() as programs:
        _, model = programs.enter_context(upstream(setup, 500))
        _, port = programs.enter_context(poise(setup, model, 1))
        base = f"http://127.0.0.1:{port}"
        pool = programs.enter_context(concurrent.futures.ThreadPoolExecutor(AT_ONCE))
        start = measure(base, setup)
        sessions = [begin(base) for _ in range(SESSIONS)]
        begun = measure(base, setup)
        list(pool.map(lambda session: interview(base, session), sessions))
        ended = measure(base, setup)
    for leftover in setup.directory.glob("poise.*"):
        leftover.unlink()
    return start, each(start, begun, SESSIONS), each(begun, ended, SESSIONS * (QUESTIONS - 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--poise", type=pathlib.Path, default=run.ROOT / "build/gcc/poise")
    parser.add_argument("--tools", type=pathlib.Path, default=run.ROOT / "build/gcc/tests/bench")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        setup = types.SimpleNamespace(poise=options.poise.resolve(), tools=options.tools.resolve(),
                                      directory=pathlib.Path(directory), settings={})
        start, session, turn = crowd(setup)
        held = run.measure(setup, next(s for s in run.SCENARIOS if s.name == "1000"), "poise")
        idle = run.measure_idle(setup, "poise")
    print(f"""| | CPU | memory | database | log |
|---|---|---|---|---|
| the program, one loop | | {start[3] / 1e6:.0f} MB | | |
| a session, begun | {session[2]:.0f} us | | {session[0]:.0f} bytes | {session[1]:.0f} bytes |
| a turn, typed | {held['cpu_us']:.0f} us | {held['resident_kb']:.0f} KB while it runs | {turn[0]:.0f} bytes | {turn[1]:.0f} bytes |
| a connection at rest | | {idle['resident_kb']:.1f} KB, and {idle['kernel_kb']:.1f} KB in the kernel | | |""")


main()
