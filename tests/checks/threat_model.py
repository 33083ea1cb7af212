"""Every test that the threat model names is there, and every threat names one."""

import re
import sys

import report

PAGE = "services/deploy/threat-model.md"
STORY = re.compile(r"^(?:Test|ParameterizedTest)\((?:[^,()]+\*[^,()]*, )?(\w+),\s*(\w+)", re.M)
ERROR = re.compile(r"^ERROR\((\w+),", re.M)
ROW = re.compile(r"^\|(.+)\|(.+)\|(.+)\|$")
NAME = re.compile(r"`([a-z]\w*(?:/\w+)?)`")

root = sys.argv[1]
known = {f"errors/{symbol}" for symbol in ERROR.findall(report.read(root, "include/tables/errors.def"))}
for path in report.files(root, ["tests"], (".c",)):
    known |= {"/".join(found) for found in STORY.findall(report.read(root, path))}
    if path.startswith("tests/fuzz/fuzz_"):
        known.add(path.split("/")[-1][: -len(".c")])
checks = report.read(root, "tests/checks/CMakeLists.txt")
known |= {f"check_{name}" for name in re.findall(r"^check\((\w+)", checks, re.M)}

problems = []
for number, line in enumerate(report.read(root, PAGE).splitlines(), 1):
    row = ROW.match(line)
    if row is None or row[1].strip() in ("threat", "---"):
        continue
    names = NAME.findall(row[3])
    if not names:
        problems.append(f"{PAGE}:{number}: a threat without a test")
    problems += [f"{PAGE}:{number}: there is no test {name}" for name in names if name not in known]
report.end(problems)
