"""Libraries are used through their public headers, and only so.

No symbol that the program defines is one that a library which it links exports: whoever stands in front
of a library's function changes what that library, or another, does inside.  Nor may anything in services/
replace a descriptor (dup2, dup3), which may be a library's, or ask for what stands behind a symbol
(dlsym): foreign_symbols.txt has who may, with the reason.
"""

import os
import subprocess
import sys

import objects
import report

FORBIDDEN = {"dup2", "dup3", "dlsym", "dlvsym", "dlopen"}

# What the linker, the C library and the compiler put into every program.
EVERY_PROGRAMS = {
    "_init", "_fini", "_start", "main", "data_start", "__data_start", "_edata", "_end", "__bss_start",
    "__dso_handle", "__TMC_END__", "_IO_stdin_used", "__libc_csu_init", "__libc_csu_fini",
    "environ", "_environ",  # other names of a copied variable's place
}  # fmt: skip


def symbols(path, *options):
    """The names that nm knows of, without versions."""
    lines = report.run("nm", *options, path).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line}


def copied(program):
    """Variables of libraries that the program reads, which the linker keeps in it (ld.so, R_*_COPY)."""
    lines = report.run("readelf", "--relocs", "--wide", program).splitlines()
    return {line.split()[4].split("@")[0] for line in lines if "_COPY " in line}


def libraries(program):
    """The shared libraries that the program names itself, and all that those need."""
    for line in report.run("ldd", program).splitlines():
        _, arrow, rest = line.partition("=>")
        path = (rest if arrow else line).split("(")[0].strip()
        if os.path.isabs(path):
            yield path


def is_current(path, root):
    """Not of a generator, nor left over from a source that is gone."""
    at = path.find(os.sep + "services" + os.sep)
    return os.sep + "generate" + os.sep not in path and (at < 0 or os.path.exists(os.path.join(root, path[at + 1 : -len(".o")])))


def own(program, build, root):
    """Global symbols that the program's own objects define: static functions hide nothing."""
    paths = [
        os.path.join(build, path)
        for path in report.files(build, ["CMakeFiles"], (".o",))
        if is_current(path, root)
    ]
    lines = subprocess.run(
        ["nm", "--defined-only", "--extern-only", "--format=posix", *paths],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    defined = {line.split()[0] for line in lines if len(line.split()) > 1}
    return (defined | symbols(program, "--defined-only", "--extern-only")) - EVERY_PROGRAMS - copied(program)


program, build, root = sys.argv[1:]
defined = own(program, build, root)
problems = [
    f"{os.path.basename(path)} has {name} too: a library is used through its public headers only"
    for path in sorted(libraries(program))
    for name in sorted(defined & symbols(path, "--dynamic", "--defined-only", "--extern-only"))
]
if len(defined) < 100:
    problems.append(f"{program}: only {len(defined)} symbols: is it stripped?")
users = {source: used & FORBIDDEN for source, used in objects.undefined_symbols(build).items()}
listed = os.path.join(root, "tests", "checks", "foreign_symbols.txt")
problems += objects.compare(users, objects.allowed(listed), "foreign_symbols.txt", "replaces descriptors or looks up symbols")
report.end(problems)
