"""Only files on a list may make a sentence for the log of what others said (include/base/sentence.h)."""

import os
import sys

import objects
import report

build, root = sys.argv[1:]
listed = os.path.join(root, "tests", "checks", "may_quote.txt")
users = {
    source: {name for name in symbols if name == "sentence_quote"}
    for source, symbols in objects.undefined_symbols(build).items()
}
report.end(objects.compare(users, objects.allowed(listed), "may_quote.txt", "quotes others"))
