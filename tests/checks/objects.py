"""The objects that the program is made of, and the symbols that each takes from elsewhere."""

import os
import subprocess

import report

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def undefined_symbols(build):
    """{source file: set of undefined symbols} for every object built from services/."""
    sources = {}
    for path in report.files(build, ["CMakeFiles"], (".c.o",)):
        at = path.find(os.sep + "services" + os.sep)
        source = path[at + 1 : -len(".o")]
        # An object may be left over from a source that has moved.
        if at >= 0 and os.path.exists(os.path.join(ROOT, source)) and "/generate/" not in path:
            sources[os.path.join(build, path)] = source

    result = {source: set() for source in sources.values()}
    lines = subprocess.run(
        ["nm", "--undefined-only", "--print-file-name"] + list(sources),
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for line in lines:  # path:                  U symbol@VERSION
        path, _, rest = line.partition(": ")
        result[sources[path]].add(rest.split()[-1].split("@")[0])
    return result


def allowed(path):
    """{source file: reason} of a list with lines "<file>  <reason>"."""
    entries = {}
    for line in report.read(path).splitlines():
        if line and not line.startswith("#"):
            source, _, reason = line.partition(" ")
            entries[source] = reason.strip()
    return entries


def compare(users, allowed_files, list_name, what):
    """Problems: who does it without being listed, is listed without doing it or without reason."""
    problems = [
        f"{source}: {what} ({', '.join(sorted(symbols))}) and is not in {list_name}"
        for source, symbols in sorted(users.items())
        if symbols and source not in allowed_files
    ]
    for source, reason in sorted(allowed_files.items()):
        if source in users and not users[source]:
            problems.append(f"{list_name}: {source} no longer {what}: take it off the list")
        if source not in users:
            problems.append(f"{list_name}: there is no {source}")
        if not reason:
            problems.append(f"{list_name}: {source} has no reason")
    return problems
