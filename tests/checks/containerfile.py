"""services/deploy/Containerfile installs what ./dev says that a build needs, and what the program
really loads.

Which package a library is of the system's dpkg knows; skipped (77) where there is none.
"""

import os
import re
import shutil
import subprocess
import sys

import report

program, root = sys.argv[1:]
CONTAINERFILE = "services/deploy/Containerfile"
# Of PACKAGES in ./dev: for tests, other compilers and checks, not for a build.
NOT_FOR_A_BUILD = {
    "binutils", "clang", "clang-format", "curl", "espeak-ng", "jq", "libclang-rt-14-dev",
    "libcriterion-dev", "libssl-dev", "openssl", "python3", "python3-jsonschema", "sox",
}  # fmt: skip
# Beside PACKAGES: gcc only recommends it.
OF_THE_COMPILER = {"libc6-dev"}
# Beside libraries: certificates for calls to providers, and a voice.
RUNS = {"ca-certificates", "espeak-ng"}
OF_EVERY_DEBIAN = {"libc6"}
problems = []

if shutil.which("dpkg") is None:
    sys.exit(77)


def stages(text):
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    found = []
    for line in lines:
        if line.startswith("FROM "):
            found.append([])
        if found:
            found[-1].append(line)
    return found


def installed(stage):
    for line in stage:
        match = re.search(r"apt-get install -y --no-install-recommends ([^&]*)", line)
        if match:
            return set(match[1].split())
    return set()


def package_of(path):
    for name in (path, os.path.realpath(path), os.path.realpath(path).removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    return f"the package of {path}"


def loaded():
    """Packages of the libraries that the program itself names."""
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", report.run("readelf", "-d", program)))
    places = re.findall(r"^\s*(\S+) => (\S+)", report.run("ldd", program), re.MULTILINE)
    return {package_of(path) for name, path in places if name in needed}


def compare(what, has, wants):
    problems.extend(f"{CONTAINERFILE}: {what} lacks {name}" for name in sorted(wants - has))
    problems.extend(f"{CONTAINERFILE}: {what} has no use for {name}" for name in sorted(has - wants))


text = report.read(root, CONTAINERFILE)
build, run = stages(text)
dev = set(re.search(r'^PACKAGES="([^"]*)"', report.read(root, "dev"), re.MULTILINE)[1].split())
compare("the build", installed(build), dev - NOT_FOR_A_BUILD | OF_THE_COMPILER)
if "fsanitize" not in report.read(os.path.dirname(program), "CMakeCache.txt"):
    compare("the image", installed(run), loaded() - OF_EVERY_DEBIAN | RUNS)
for stage in (build, run):
    if stage[0].split()[1] != "debian:12":
        problems.append(f"{CONTAINERFILE}: not from debian:12: {stage[0]}")
if not any(re.fullmatch(r"USER [1-9]\d*:[1-9]\d*", line) for line in run):
    problems.append(f"{CONTAINERFILE}: runs as root")
report.end(problems)
