"""No file has a path of one machine, a secret, or a word that says the work is not done."""

import re
import sys

import report

# Directories of people and of places of work; not those that every Linux has, such as /tmp.
PATHS = re.compile(r"(?<![\w./])/(?:home|root|work|Users|mnt|media)/\w+")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|\bfor now\b|\bstubs?\b|\bplaceholders?\b")
SECRETS = re.compile(r"\b(?:gsk_[A-Za-z0-9]{40,}|sk-[A-Za-z0-9]{32,}|ghp_[A-Za-z0-9]{30,})\b")

CODE = (".c", ".h", ".def", ".S", ".in", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".js",
        ".mjs", ".css", ".html")
HERE = "tests/checks/words_and_paths.py"

root = sys.argv[1]
problems = []
for path in report.files(root, ["."], CODE):
    if path == HERE:
        continue
    is_code = path.endswith((".c", ".h", ".def", ".py", ".sh", ".cmake"))
    for number, line in enumerate(report.read(root, path).splitlines(), 1):
        for pattern, what in ((PATHS, "a path of one machine"), (SECRETS, "a secret")):
            found = pattern.search(line)
            if found:
                problems.append(f"{path}:{number}: {what}: {found.group()[:12]}")
        found = UNFINISHED.search(line) if is_code else None
        if found:
            problems.append(f"{path}:{number}: unfinished work: {found.group()}")
report.end(problems)
