"""What all checks share: finding files, and saying what is wrong."""

import os
import subprocess
import sys

GENERATED = {".git", "build", ".cache", "__pycache__", "node_modules"}


def files(root, folders, suffixes):
    """Paths below root/folder with one of the suffixes, relative to root, in order."""
    found = []
    for folder in folders:
        for directory, names, entries in os.walk(os.path.join(root, folder)):
            names[:] = [name for name in names if name not in GENERATED]
            found += [
                os.path.relpath(os.path.join(directory, entry), root)
                for entry in entries
                if entry.endswith(suffixes)
            ]
    return sorted(found)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", errors="replace") as file:
        return file.read()


def run(*command):
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}
    ).stdout


def end(problems):
    """Prints the problems, one a line, and ends the check."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
