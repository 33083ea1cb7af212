"""env.example is what `poise --env-example` prints."""

import difflib
import sys

import report

program, path = sys.argv[1:]
printed = report.run(program, "--env-example").splitlines()
try:
    kept = report.read(path).splitlines()
except FileNotFoundError:
    kept = []
report.end(list(difflib.unified_diff(kept, printed, "env.example", "poise --env-example", lineterm="")))
