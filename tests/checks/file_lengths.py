"""No file of code is longer than 450 lines."""

import sys

import report

LONGEST_FILE = 450

root = sys.argv[1]
problems = []
for path in report.files(root, ["services", "include", "tests"], (".c", ".h", ".py", ".sh")):
    lines = report.read(root, path).splitlines()
    if len(lines) > LONGEST_FILE:
        problems.append(f"{path}: {len(lines)} lines, more than {LONGEST_FILE}")
report.end(problems)
