"""clang-format has nothing to change in any C file, and every .c of services/ opens with what it is for."""

import os
import re
import shutil
import subprocess
import sys

import report

root = sys.argv[1]
paths = report.files(root, ["services", "include", "tests"], (".c", ".h"))
if shutil.which("clang-format") is None:
    print("clang-format is not installed")
    sys.exit(77)  # ctest: skipped
said = subprocess.run(
    ["clang-format", "--dry-run", "-ferror-limit=0"] + [os.path.join(root, path) for path in paths],
    capture_output=True,
    text=True,
).stderr
changed = {os.path.relpath(path, root) for path in re.findall(r"^(\S+?):\d+:\d+: ", said, re.MULTILINE)}
problems = [f"{path}: run ./dev format" for path in sorted(changed)]
for path in paths:
    if not path.startswith("services") or not path.endswith(".c"):
        continue
    if not report.read(root, path).startswith("/*"):
        problems.append(f"{path}: opens with no comment that says what it is for")
report.end(problems)
