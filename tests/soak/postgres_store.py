"""The store of several processes: a PostgreSQL of the soak's own (tests/postgres/cluster makes it), which
is restarted in immediate mode, stands still, or ends everybody's connections.
"""

import asyncio
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

MAKER = pathlib.Path(__file__).resolve().parents[1] / "postgres/cluster"
# As it is deployed, but for what only a crash of the machine can lose.
OPTIONS = "-c log_statement=none -c autovacuum=on -c fsync=off"


def programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        raise FileNotFoundError("PostgreSQL is not installed (Debian: postgresql-15)")
    return found[-1]


class PostgresStore:
    name = "PostgreSQL"
    has_small_disk = True  # nothing that is missed

    def __init__(self):
        # Not in the soak's directory: the path of a socket must be short, and its owner must get there.
        self._place = pathlib.Path(tempfile.mkdtemp(prefix="poise-pg-"))
        self._data = self._place / "run" / "shared"
        self.log = self._place / "run" / "shared.log"
        self.busy = asyncio.Lock()  # one fault at a time for it, too

    async def open(self):
        os.chmod(self._place, 0o711)
        await asyncio.to_thread(subprocess.run, [MAKER, "start", self._place / "run"], check=True)
        await self.restart(0)

    async def close(self):
        await asyncio.to_thread(subprocess.run, [MAKER, "stop", self._place / "run"], check=True)
        shutil.rmtree(self._place, ignore_errors=True)

    def settings(self):
        return {"STORE_URL": f"postgresql://poise@/postgres?host={self._place}/run"}

    async def restart(self, seconds):
        """Immediate mode: no goodbye, no checkpoint; the next start recovers from the log."""
        await self._control("-m", "immediate", "stop")
        await asyncio.sleep(seconds)
        await self._control("-w", "-t", "60", "-l", self.log, "-o", OPTIONS, "start")

    async def _control(self, *arguments):
        command = [programs() / "pg_ctl", "--silent", "-D", self._data, *arguments]
        if os.geteuid() == 0:
            owner = pwd.getpwuid(os.stat(self._data).st_uid)
            command = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}",
                       "--clear-groups", "--", *command]  # fmt: skip
        await asyncio.to_thread(
            subprocess.run, command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )

    async def query(self, sql):
        """As an operator does; what it says, or None where it did not answer."""
        command = [programs() / "psql", "-X", "-A", "-t", "-h", self._place / "run", "-U", "poise",
                   "-d", "postgres", "-c", sql]  # fmt: skip
        said = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
        return said.stdout.strip() if said.returncode == 0 else None

    def _processes(self):
        with contextlib.suppress(FileNotFoundError):
            first = int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])
            children = pathlib.Path(f"/proc/{first}/task/{first}/children").read_text()
            return [first, *map(int, children.split())]
        return []

    @contextlib.contextmanager
    def stopped(self):
        """Connections stay, and nobody answers on them: a network that swallows everything."""
        stopped = self._processes()
        try:
            for each in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGSTOP)
            yield
        finally:
            for each in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)
