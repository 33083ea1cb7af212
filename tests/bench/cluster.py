"""A PostgreSQL for a measurement: a fresh cluster as initdb leaves it, with durable commits."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile


def programs():
    """Where initdb and pg_ctl are; None: not installed."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextlib.contextmanager
def postgres():
    """Its STORE_URL.  PostgreSQL does not run as root, and the path of its socket must be short."""
    with tempfile.TemporaryDirectory(prefix="poise-pg-", dir="/tmp") as made:
        as_owner = []
        if os.geteuid() == 0:
            shutil.chown(made, "postgres")
            as_owner = ["runuser", "-u", "postgres", "--"]
        control = [*as_owner, programs() / "pg_ctl", "-D", f"{made}/data", "-s", "-w"]
        quiet = {"check": True, "cwd": "/", "stdout": subprocess.DEVNULL}
        subprocess.run([*as_owner, programs() / "initdb", "-D", f"{made}/data", "-A", "trust",
                        "-U", "poise", "-E", "UTF8"], **quiet)
        subprocess.run([*control, "-l", f"{made}/log", "-o", f"-c listen_addresses= -k {made}",
                        "start"], **quiet)
        try:
            yield f"postgresql://poise@/postgres?host={made}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
