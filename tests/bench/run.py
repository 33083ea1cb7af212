#!/usr/bin/env python3
"""The macro-benchmark: what one turn costs in Poise, beside nginx passing on the same bytes.

Each measurement starts its own programs, on free ports of the loopback address, in a directory that
is removed afterwards:

    bench_load  ->  poise  ->  bench_upstream      a turn: filter, durable commit, one model call
    the same with PostgreSQL                       its sessions in a cluster as initdb leaves it
    bench_load  ->  nginx  ->  bench_upstream      the same request through proxy_pass
    bench_load  ->  bench_upstream                 what the load and the upstream add by themselves
    bench_idle  ->  poise, nginx                   20,000 connections that rest, and who comes then

The servers take turns within each round, and the table has the medians of the rounds: compare the
ratios, since absolute figures belong to one machine on one day.  Poise runs as it is deployed: a
fresh SQLite file with durable commits, the built-in patterns, its log lines to a file; one loop, and
where 5,000 turns are in flight two.

Latency "over the upstream" is measured request by request: the upstream writes into each reply for
how long it really held the request, and that is taken off what the client saw.

Exit status 0 means that everything ran, whether or not the bars were met.
"""

import argparse
import contextlib
import dataclasses
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import cluster
from servers import OVER_TLS, Failure, poise, proxy, start_over_tls, upstream

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVERS = ("poise", "postgres", "nginx", "direct")
STORES = ("poise", "postgres", *OVER_TLS)  # what has sessions
TURNS_PER_SESSION = 9  # of ten: bench_load leaves out the last, which also makes the summary


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    connections: int
    delay_ms: int
    ramp_ms: int
    warm_ms: int
    window_ms: int
    most_turns_per_s: int  # so many sessions are made beforehand
    workers: int = 1  # loops of poise, processes of nginx

    @property
    def sessions(self):
        """Enough for every turn from the first to the end of the window."""
        span_s = (self.ramp_ms + self.warm_ms + self.window_ms) / 1000
        return self.connections + int(span_s * self.most_turns_per_s / TURNS_PER_SESSION)

    @property
    def ideal_per_s(self):
        return self.connections * 1000 / self.delay_ms


SCENARIOS = (
    Scenario("busy", "64 connections, the upstream answers at once", 64, 0, 0, 1000, 4000, 16000),
    Scenario("1000", "1,000 in flight, the upstream takes 500 ms", 1000, 500, 1000, 2000, 9000, 2000),
    Scenario("2500", "2,500 in flight, the upstream takes 500 ms", 2500, 500, 1000, 2000, 9000, 5000),
    Scenario("5000", "5,000 in flight on two loops, the upstream takes 500 ms", 5000, 500, 2000, 2000,
             9000, 10000, 2),
)
IDLE = Scenario("idle", "20,000 idle keep-alive connections", 20000, 0, 0, 0, 0, 0)
SMOKE = Scenario("smoke", "smoke", 16, 5, 20, 50, 700, 3200)


def run_tool(setup, scenario, tool, *options):
    """One run of a tool; returns what it measured."""
    command = [setup.tools / tool, *options]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.stderr:
        print(result.stderr, file=sys.stderr, end="")
    if result.returncode != 0:
        raise Failure(f"{tool} failed in {scenario.name}")
    return json.loads(result.stdout)


def load(setup, scenario, child, port, sessions):
    return run_tool(setup, scenario, "bench_load", "--port", port, "--watch", child.pid,
                    "--connections", scenario.connections, "--sessions", sessions,
                    "--ramp-ms", scenario.ramp_ms, "--warm-ms", scenario.warm_ms,
                    "--window-ms", scenario.window_ms)


def start(programs, setup, scenario, server):
    """What the measurement needs; the program that is measured, and its port."""
    child, port = programs.enter_context(upstream(setup, scenario.delay_ms))
    if server == "poise":
        child, port = programs.enter_context(poise(setup, port, scenario.workers))
    elif server == "postgres":
        settings = {"STORE_URL": programs.enter_context(cluster.postgres())}
        child, port = programs.enter_context(poise(setup, port, scenario.workers, settings))
    elif server == "nginx":
        child, port = programs.enter_context(
            proxy(setup, "nginx", port, workers=scenario.workers))
    elif server in OVER_TLS:
        child, port = start_over_tls(programs, setup, port)
    return child, port


def measure_idle(setup, server):
    with contextlib.ExitStack() as programs:
        child, port = start(programs, setup, IDLE, server)
        run = run_tool(setup, IDLE, "bench_idle", "--port", port, "--watch", child.pid,
                       "--connections", IDLE.connections)
    for leftover in setup.directory.glob("poise.*"):
        leftover.unlink()
    return {
        "errors": 0,
        "connections": run["connections"],
        "resident_kb": run["resident_bytes"] / 1024 / run["connections"],
        "kernel_kb": run["kernel_bytes"] / 1024 / run["connections"],
        **{f"{who}_{point}_us": run[f"{who}_us"][point]
           for who in ("alone", "newcomer", "resting") for point in ("p50", "p99")},
    }


def measure(setup, scenario, server):
    """Runs the load against a server, and adds figures per request to what was measured."""
    with contextlib.ExitStack() as programs:
        child, port = start(programs, setup, scenario, server)
        run = load(setup, scenario, child, port, scenario.sessions if server in STORES else 0)
        ended = child.poll()
    for leftover in setup.directory.glob("poise.*"):
        leftover.unlink()
    if ended is not None:
        raise Failure(f"{server} ended during {scenario.name} with status {ended}")
    if run["requests"] == 0:
        raise Failure(f"no request was answered in {scenario.name} by {server}")
    if run["ran_dry"]:
        print(f"note: {scenario.name}: the sessions were used up early", file=sys.stderr)
    return figures(scenario, run)


def figures(scenario, run):
    """What is compared, of one measurement."""
    grown = run["resident_load_bytes"] - run["resident_idle_bytes"]
    per_s = run["requests"] / run["seconds"]
    return {
        "errors": run["errors"],
        "per_s": per_s,
        "ideal": per_s / scenario.ideal_per_s if scenario.delay_ms else 0,
        "cpu_us": run["server_cpu_us"] / run["requests"],
        "cores": run["server_cpu_us"] / run["seconds"] / 1e6,
        "added_p50_ms": run["added_us"]["p50"] / 1000,
        "added_p99_ms": run["added_us"]["p99"] / 1000,
        "added_max_ms": run["added_us"]["max"] / 1000,
        "over_p99_ms": run["latency_us"]["p99"] / 1000 - scenario.delay_ms,
        "latency_p50_ms": run["latency_us"]["p50"] / 1000,
        "latency_p99_ms": run["latency_us"]["p99"] / 1000,
        "resident_kb": grown / 1024 / scenario.connections,
    }


def medians(runs):
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


# --- The table ----------------------------------------------------------------------------------


def verdict(value, bar, at_least=False):
    """`>= 99 %  met` for a (bound, unit) bar, or nothing without one."""
    if bar is None:
        return ""
    bound, unit = bar
    met = value >= bound if at_least else value <= bound
    sign = ">=" if at_least else "<="
    return f"{sign} {bound:g}{unit}  {'met' if met else 'MISSED'}"


def line(label, value, unit, bar=None, at_least=False):
    shown = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
    print(f"  {label:<58}{shown:>10} {unit:<4} {verdict(value, bar, at_least)}".rstrip())


def show_busy(results):
    poise_run, nginx_run = results.get("poise"), results.get("nginx")
    if poise_run:
        line("poise: server CPU per turn", poise_run["cpu_us"], "us")
        line("poise: turns a second", poise_run["per_s"], "/s")
        line("poise: latency p50", poise_run["latency_p50_ms"], "ms")
        line("poise: latency p99", poise_run["latency_p99_ms"], "ms")
    if nginx_run:
        line("nginx: server CPU per request", nginx_run["cpu_us"], "us")
        line("nginx: requests a second", nginx_run["per_s"], "/s")
    if poise_run and nginx_run:
        ratio = poise_run["cpu_us"] / nginx_run["cpu_us"]
        line("CPU of a turn / of nginx's request", ratio, "", (5.0, ""))
    show_postgres(results)
    if "poise-h2" in results and poise_run:
        ratio = results["poise-h2"]["cpu_us"] / poise_run["cpu_us"]
        line("CPU of a turn: HTTP/2 over TLS behind / plain HTTP/1.1", ratio, "")


def show_held(results, ideal_bar, p99_bar, resident_bar):
    for server, run in results.items():
        is_poise = server == "poise"
        share = run["ideal"] * 100
        line(f"{server}: share of the ideal throughput", share, "%",
             (ideal_bar, " %") if is_poise else None, at_least=True)
        line(f"{server}: latency over the upstream's, p50", run["added_p50_ms"], "ms")
        line(f"{server}: latency over the upstream's, p99", run["added_p99_ms"], "ms",
             (p99_bar, " ms") if is_poise and p99_bar else None)
        line(f"{server}: the same over 500 ms sharp, p99", run["over_p99_ms"], "ms")
        if server == "direct":
            continue
        line(f"{server}: resident memory per turn in flight", run["resident_kb"], "KB",
             (resident_bar, " KB") if is_poise and resident_bar else None)
        line(f"{server}: server CPU per turn", run["cpu_us"], "us")


def show_idle(results):
    for server, run in results.items():
        line(f"{server}: connections, as the limit of descriptors allows", run["connections"], "")
        line(f"{server}: resident memory per connection", run["resident_kb"], "KB",
             (12, " KB") if server == "poise" else None)
        line(f"{server}: the kernel's, for both ends of it", run["kernel_kb"], "KB")
        for who, what in (("alone", "a newcomer among none"), ("newcomer", "a newcomer among all"),
                          ("resting", "one of those that rested")):
            line(f"{server}: {what} is served in, p50", run[f"{who}_p50_us"], "us")
            line(f"{server}: {what} is served in, p99", run[f"{who}_p99_us"], "us")


def show_postgres(results):
    with contextlib.suppress(KeyError):
        line("with PostgreSQL: our CPU per turn", results["postgres"]["cpu_us"], "us")
        ratio = results["postgres"]["cpu_us"] / results["poise"]["cpu_us"]
        line("our CPU of a turn with PostgreSQL / with SQLite", ratio, "", (1.3, ""))


def show(results):
    for scenario in SCENARIOS:
        found = results.get(scenario.name)
        if not found:
            continue
        print(f"\n{scenario.title}")
        if scenario.name == "busy":
            show_busy(found)
        elif scenario.name == "1000":
            show_held(found, 99, 12, 45)
            show_postgres(found)
        elif scenario.name == "5000":
            show_held(found, 98.5, 20, 45)
        else:
            show_held(found, 97, None, None)
    if "idle" in results:
        print(f"\n{IDLE.title}")
        show_idle(results["idle"])
    with contextlib.suppress(KeyError):
        growth = results["2500"]["poise"]["cpu_us"] / results["1000"]["poise"]["cpu_us"]
        line("CPU of a turn at 2,500 / at 1,000", growth, "", (1.25, ""))
    errors = sum(run["errors"] for found in results.values() for run in found.values())
    print(f"\nReplies other than 200: {errors:.0f}")


# --- The run ------------------------------------------------------------------------------------


def play(setup, scenarios, servers, rounds):
    """All rounds; returns {scenario: {server: medians}}."""
    runs = {}
    for turn in range(rounds):
        for scenario in scenarios:
            for server in servers:
                if (server == "direct" and not scenario.delay_ms
                        or server in OVER_TLS and scenario.name != "busy"):
                    continue
                head = f"round {turn + 1}/{rounds}  {scenario.name:<5} {server:<9}"
                if scenario is IDLE:
                    run = measure_idle(setup, server)
                    runs.setdefault((scenario.name, server), []).append(run)
                    print(f"{head} {run['resident_kb']:6.2f} KB each"
                          f"  {run['newcomer_p50_us']:.0f}/{run['newcomer_p99_us']:.0f} us"
                          f" p50/p99 for a newcomer", flush=True)
                    continue
                run = measure(setup, scenario, server)
                runs.setdefault((scenario.name, server), []).append(run)
                print(f"{head}"
                      f"{run['per_s']:9.0f}/s {run['cpu_us']:7.1f} us"
                      f"  +{run['added_p50_ms']:.2f}/{run['added_p99_ms']:.2f} ms p50/p99"
                      f" {run['resident_kb']:6.1f} KB each", flush=True)
    results = {}
    for (scenario_name, server), found in runs.items():
        results.setdefault(scenario_name, {})[server] = medians(found)
    return results


def smoke(setup, servers):
    """Tries that the tools work; its figures mean nothing."""
    for server in servers:
        run = measure(setup, SMOKE, server)
        if run["errors"]:
            raise Failure(f"{run['errors']} replies of {server} were not 200")
        print(f"{server}: {run['per_s']:.0f}/s")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--poise", type=pathlib.Path, default=ROOT / "build/poise")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/gcc/tests/bench",
                        help="where bench_load and bench_upstream are")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=[s.name for s in (*SCENARIOS, IDLE)])
    parser.add_argument("--servers", default=",".join(SERVERS + OVER_TLS), help="of poise,postgres,nginx,direct and, at 64 connections, poise-h2")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="another setting for poise, to see what it costs")
    parser.add_argument("--directory", type=pathlib.Path, help="for the store and the logs")
    parser.add_argument("--json", type=pathlib.Path, help="write the medians to this file")
    parser.add_argument("--smoke", action="store_true", help="two seconds: do the tools work")
    return parser.parse_args()


@dataclasses.dataclass(frozen=True)
class Setup:
    poise: pathlib.Path
    tools: pathlib.Path
    nginx: str
    settings: dict
    directory: pathlib.Path


def check(arguments, servers):
    for server in servers:
        if server not in SERVERS + OVER_TLS:
            raise Failure(f"no such server: {server}")
    if not (arguments.tools / "bench_load").exists():
        raise Failure(f"no bench_load in {arguments.tools}; see --tools")
    if "postgres" in servers and cluster.programs() is None:
        raise Failure("PostgreSQL is not installed (Debian: postgresql)")
    if set(STORES) & set(servers) and not arguments.poise.exists():
        raise Failure(f"no program at {arguments.poise}; see --poise")
    if {"nginx", *OVER_TLS} & set(servers) and shutil.which("nginx") is None:
        raise Failure("nginx is not installed (Debian: nginx-light)")


def main():
    arguments = read_arguments()
    servers = arguments.servers.split(",")
    try:
        check(arguments, servers)
        with tempfile.TemporaryDirectory(prefix="poise-bench-", dir=arguments.directory) as made:
            setup = Setup(arguments.poise.resolve(), arguments.tools.resolve(), "nginx",
                          dict(item.split("=", 1) for item in arguments.set), pathlib.Path(made))
            if arguments.smoke:
                smoke(setup, servers)
                return 0
            chosen = [s for s in (*SCENARIOS, IDLE) if not arguments.only or s.name in arguments.only]
            results = play(setup, chosen, servers, arguments.rounds)
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    show(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
