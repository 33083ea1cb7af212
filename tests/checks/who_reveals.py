"""Only files on a list may look inside private text (include/base/private_reveal.h)."""

import os
import sys

import objects
import report

build, root = sys.argv[1:]
listed = os.path.join(root, "tests", "checks", "may_reveal.txt")
users = {
    source: {name for name in symbols if name.startswith("private_reveal")}
    for source, symbols in objects.undefined_symbols(build).items()
}
report.end(
    objects.compare(users, objects.allowed(listed), "may_reveal.txt", "reveals private text")
)
