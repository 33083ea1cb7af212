"""Only the logger and what runs in a terminal may print or write to a descriptor."""

import os
import sys

import objects
import report

PRINTERS = {
    "printf", "vprintf", "fprintf", "vfprintf", "dprintf", "vdprintf", "puts", "fputs", "putc",
    "fputc", "putchar", "fwrite", "perror", "psignal", "syslog", "vsyslog", "write", "writev",
    "pwrite", "pwritev", "stdout", "stderr", "__printf_chk", "__fprintf_chk", "__vprintf_chk",
    "__vfprintf_chk", "__dprintf_chk", "putchar_unlocked", "fputs_unlocked", "fwrite_unlocked",
}

build, root = sys.argv[1:]
listed = os.path.join(root, "tests", "checks", "may_print.txt")
users = {
    source: symbols & PRINTERS for source, symbols in objects.undefined_symbols(build).items()
}
report.end(objects.compare(users, objects.allowed(listed), "may_print.txt", "prints"))
