"""A room includes headers of its own room and of lower floors only.

    base < text, audio, net < {session < store, safety, provider, coach} < {turn, grounding} < http
        < {process, command} < main

A header in include/ is one that another room reads; one for the files of a room alone stands beside
them as foo_internal.h.

CMake gives each room only the include directories of lower ones; this also keeps rooms on one
floor apart, which a room above links together.  What one of them declares for others to
implement or to keep is named below.
"""

import os
import re
import sys

import report

FLOORS = [
    ["base"],
    ["text", "audio", "net"],
    ["store", "session", "safety", "provider", "coach"],
    ["turn", "grounding"],
    ["http"],
    ["process", "command"],
]

INTERFACES = {"coach.h": ["coach"], "session.h": ["store"]}

root = sys.argv[1]
headers = {}
for path in report.files(root, ["include"], (".h",)):
    headers.setdefault(os.path.basename(path), []).append(path.split(os.sep)[1])


def floor_of(room):
    for floor, rooms in enumerate(FLOORS):
        if room in rooms:
            return floor
    return len(FLOORS)


problems = []
readers = {}  # of each header: the rooms that include it; "include" where another public header does
for name, rooms in sorted(headers.items()):
    if len(rooms) > 1:
        problems.append(f"{name} is the name of a header in {' and '.join(sorted(rooms))}")
for path in report.files(root, ["services", "include"], (".c", ".h")):
    room = path.split(os.sep)[1]
    if room == "tables":
        continue
    if path.startswith("services") and path.endswith(".h") and not path.endswith("_internal.h"):
        problems.append(f"{path}: a header for one room's files is named foo_internal.h")
    for name in re.findall(r'^#include "([^"]+)"', report.read(root, path), re.MULTILINE):
        readers.setdefault(name, set()).add("include" if path.startswith("include") else room)
        for other in headers.get(name, []):
            if room in INTERFACES.get(name, []):
                continue
            if other not in ("tables", room) and floor_of(other) >= floor_of(room):
                problems.append(f"{path}: {room} must not know {other}/{name}")
for name, rooms in sorted(headers.items()):
    if rooms[0] != "tables" and not readers.get(name, set()) - {rooms[0]}:
        problems.append(f"include/{rooms[0]}/{name}: no other room reads it: put it beside its files")
report.end(problems)
