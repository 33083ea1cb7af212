#!/usr/bin/env python3
"""Runs the fuzz targets (./dev fuzz), says what came of it in one table, and how much of the sources
that they are for the inputs reach.

    run.py [SECONDS] [--only PART]   every target so long, as many at a time as there are cores
    run.py --coverage                the table of sources alone, for the inputs that are there
    run.py --keep                    what was found and reaches something new goes into the corpora
    run.py --check                   holds targets.txt, the targets and the corpora to each other

What a target finds on its way is kept in build/fuzz/found/, and is where it goes on the next time.
An input that broke a property, crashed, leaked or took too long is in build/fuzz/findings/, and ends
the run with status 1.

Coverage is clang's, of the lines and branches of the source (llvm-cov), measured by a build of its
own (preset `coverage`) that runs each input once: libFuzzer's own figure is of edges in the machine
code, those of the sanitizers included, and says nothing about any one file.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/fuzz"
FUZZ = ROOT / "build/fuzz"
COVERAGE = ROOT / "build/coverage"

INPUT_MOST_BYTES = 64 * 1024  # of a committed one
CORPORA_MOST_BYTES = 3 * 1024 * 1024
TIMEOUT_S = 30  # an input that takes so long, on a busy machine too, is a finding
MEMORY_MB = 2048


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    longest: int
    dictionary: str  # "": none
    patterns: tuple  # of sources, under services/

    @property
    def corpus(self):
        return HERE / "corpus" / self.name.split("_", 2)[2]

    @property
    def found(self):
        return FUZZ / "found" / self.name

    @property
    def findings(self):
        return FUZZ / "findings" / self.name

    @property
    def sources(self):
        return sorted({path for pattern in self.patterns for path in (ROOT / "services").glob(pattern)})


def read_targets():
    targets = []
    for line in (HERE / "targets.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, longest, dictionary, *patterns = line.split()
            targets.append(Target(name, int(longest), "" if dictionary == "-" else dictionary, tuple(patterns)))
    return targets


def check(targets):
    """What is wrong with the table, as lines."""
    problems = []
    names = {target.name for target in targets}
    written = {path.stem for path in HERE.glob("fuzz_*_*.c")}
    folders = {target.corpus for target in targets}
    problems += [f"targets.txt: no row for {name}.c" for name in sorted(written - names)]
    problems += [f"targets.txt: there is no {name}.c" for name in sorted(names - written)]
    problems += [f"{path}: the corpus of no target" for path in sorted((HERE / "corpus").iterdir()) if path not in folders]
    if len(folders) < len(targets):
        problems.append("targets.txt: two targets share a corpus")
    for target in targets:
        problems += [
            f"targets.txt: {target.name}: no source is {pattern}"
            for pattern in target.patterns
            if not list((ROOT / "services").glob(pattern))
        ]
        if target.dictionary and not (HERE / "dictionaries" / f"{target.dictionary}.dict").exists():
            problems.append(f"targets.txt: {target.name}: no dictionary {target.dictionary}")
        if not target.corpus.is_dir() or not any(target.corpus.iterdir()):
            problems.append(f"{target.corpus}: no inputs")
    sizes = [path.stat().st_size for path in (HERE / "corpus").rglob("*") if path.is_file()]
    if max(sizes) > INPUT_MOST_BYTES or sum(sizes) > CORPORA_MOST_BYTES:
        problems.append(f"corpus: {sum(sizes)} bytes, the largest {max(sizes)}: too much")
    return problems


# ---- fuzzing ----


def fuzzer(target, *options):
    command = [FUZZ / "tests/fuzz" / target.name, f"-max_len={target.longest}", f"-timeout={TIMEOUT_S}",
               f"-rss_limit_mb={MEMORY_MB}", *options]
    if target.dictionary:
        command.append(f"-dict={HERE / 'dictionaries' / target.dictionary}.dict")
    return command


def findings_of(target):
    if not target.findings.is_dir():
        return []
    return sorted(path for path in target.findings.iterdir() if not path.name.startswith("slow-unit"))


def run_target(target, seconds):
    """Figures of one run: runs, a second, edges, new; and what libFuzzer said."""
    target.found.mkdir(parents=True, exist_ok=True)
    target.findings.mkdir(parents=True, exist_ok=True)
    known = len(findings_of(target))
    command = fuzzer(target, f"-max_total_time={seconds}", "-print_final_stats=1",
                     f"-artifact_prefix={target.findings}/", target.found, target.corpus)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = result.stdout.decode(errors="replace")
    edges = re.findall(r"\bcov: (\d+)", output)
    figures = {name: int(number) for name, number in re.findall(r"^stat::(\w+):\s+(\d+)", output, re.M)}
    return {
        "runs": figures.get("number_of_executed_units", 0),
        "a second": figures.get("average_exec_per_sec", 0),
        "edges": int(edges[-1]) if edges else 0,
        "new": figures.get("new_units_added", 0),
        "found": len(findings_of(target)) - known,
        "failed": result.returncode != 0,
        "output": output,
    }


def run_all(targets, seconds):
    """By target, in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {target: pool.submit(run_target, target, seconds) for target in targets}
        for target, run in runs.items():
            figures = run.result()
            if figures["failed"]:
                print(f"== {target.name}\n" + "\n".join(figures["output"].splitlines()[-40:]), flush=True)
        return {target: run.result() for target, run in runs.items()}


def keep(targets):
    """Adds to each corpus the fewest found inputs that reach what its own do not."""
    for target in targets:
        if target.found.is_dir():
            before = len(list(target.corpus.iterdir()))
            subprocess.run(fuzzer(target, "-merge=1", "-set_cover_merge=1", "-use_counters=0", target.corpus, target.found),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            print(f"{target.name}: {len(list(target.corpus.iterdir())) - before} more")


# ---- coverage ----

Share = collections.namedtuple("Share", "covered count")


def percent(share):
    return f"{100 * share.covered / share.count:5.1f} %" if share.count else "    -  "


def summed(shares):
    shares = list(shares)
    return Share(sum(share.covered for share in shares), sum(share.count for share in shares))


def profile(target):
    """Runs all inputs of a target once.  The merged profile, or None where one of them crashed."""
    raw, merged = COVERAGE / f"{target.name}.profraw", COVERAGE / f"{target.name}.profdata"
    raw.unlink(missing_ok=True)
    subprocess.run([COVERAGE / "tests/fuzz" / target.name, target.corpus, target.found],
                   env={**os.environ, "LLVM_PROFILE_FILE": str(raw)}, stdout=subprocess.DEVNULL, check=False)
    if not raw.exists() or raw.stat().st_size == 0:
        return None
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", merged, raw], check=True)
    raw.unlink()
    return merged


def measure(programs, profiles, sources):
    """Lines and branches of each source, by these programs' runs together."""
    together = COVERAGE / "together.profdata"
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", together, *profiles], check=True)
    objects = [argument for program in programs[1:] for argument in ("-object", program)]
    report = subprocess.run(["llvm-cov", "export", "-summary-only", f"-instr-profile={together}",
                             programs[0], *objects, *sources], stdout=subprocess.PIPE, check=True).stdout
    files = {pathlib.Path(file["filename"]).resolve(): file["summary"] for file in json.loads(report)["data"][0]["files"]}
    return {
        source: {what: Share(files[source][what]["covered"], files[source][what]["count"]) for what in ("lines", "branches")}
        for source in sources
        if source in files
    }


def program_of(target):
    return COVERAGE / "tests/fuzz" / target.name


def lines_by_target(targets, profiles):
    return {
        target: summed(figures["lines"] for figures in measure([program_of(target)], [profiles[target]], target.sources).values())
        for target in targets
        if profiles[target] is not None
    }


def print_sources(targets, profiles):
    ran = [target for target in targets if profiles[target] is not None]
    sources = sorted({source for target in ran for source in target.sources})
    figures = measure([program_of(target) for target in ran], [profiles[target] for target in ran], sources)
    print(f"{'source':44} {'lines':>6} {'reached':>8} {'branches':>9}  by")
    for source, shares in figures.items():
        by = " ".join(target.name.removeprefix("fuzz_") for target in ran if source in target.sources)
        print(f"{str(source.relative_to(ROOT / 'services')):44} {shares['lines'].count:6} "
              f"{percent(shares['lines']):>8} {percent(shares['branches']):>9}  {by}")
    lines, branches = (summed(shares[what] for shares in figures.values()) for what in ("lines", "branches"))
    print(f"{'all ' + str(len(figures)):44} {lines.count:6} {percent(lines):>8} {percent(branches):>9}")


# ---- tables ----


def print_runs(runs, reached):
    print(f"{'target':26} {'runs':>10} {'a second':>9} {'edges':>6} {'lines':>8} {'new':>5} {'findings':>8}")
    for target, figures in runs.items():
        lines = percent(reached[target]) if target in reached else "-"
        print(f"{target.name:26} {figures['runs']:10} {figures['a second']:9} {figures['edges']:6} "
              f"{lines:>8} {figures['new']:5} {figures['found'] or ('failed' if figures['failed'] else 0):>8}")
    print("edges: that the inputs reach, of the whole program; lines: of the sources that the target is for;\n"
          "new: inputs that reached something new, kept in build/fuzz/found")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=int, default=30)
    parser.add_argument("--only", default="", help="the targets with this in their name")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    targets = read_targets()

    problems = check(targets)
    if problems or arguments.check:
        print("\n".join(problems) if problems else f"{len(targets)} passed, 0 failed")
        return 1 if problems else 0
    targets = [target for target in targets if arguments.only in target.name]
    if not targets:
        print(f"no target has {arguments.only} in its name")
        return 2
    if arguments.keep:
        keep(targets)
        return 0
    runs = {} if arguments.coverage else run_all(targets, arguments.seconds)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        profiles = dict(zip(targets, pool.map(profile, targets)))
    if runs:
        print_runs(runs, lines_by_target(targets, profiles))
        print()
    print_sources(targets, profiles)
    broken = [target for target, figures in runs.items() if figures["failed"]]
    for target in broken:
        for path in findings_of(target):
            print(f"finding: {path}")
    return 1 if broken else 0


if __name__ == "__main__":
    if shutil.which("nice"):
        os.nice(10)
    sys.exit(main())
