"""No file of code is longer than 450 lines; the page's words, in all languages, are one file."""

import sys

import report

LONGEST_FILE = 450
CODE = (".c", ".h", ".py", ".sh", ".js", ".mjs", ".css", ".html")
A_TABLE = "services/web/strings.js"

root = sys.argv[1]
problems = []
for path in report.files(root, ["services", "include", "tests"], CODE):
    if path == A_TABLE:
        continue
    lines = report.read(root, path).splitlines()
    if len(lines) > LONGEST_FILE:
        problems.append(f"{path}: {len(lines)} lines, more than {LONGEST_FILE}")
report.end(problems)
