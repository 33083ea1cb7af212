"""clang-format has nothing to change in any C file."""

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
report.end([f"{path}: run ./dev format" for path in sorted(changed)])
