"""The program under test: one process on one port, started again when the storm has ended it, and
watched: an end that nobody asked for is a fault.
"""

import asyncio
import collections
import contextlib
import ctypes
import os
import pathlib
import resource
import signal
import socket
import subprocess
import time

OF_CLIENTS, OF_OTHERS, OF_STORE = "socket of a client", "socket to a provider", "socket to the store"
SYS_PIDFD_GETFD = 438  # on every architecture
LIBC = ctypes.CDLL(None)
START_S = 30
DRAIN_S = 40  # the longest turn, and the store's last words
SECRET = "soak-secret-that-signs-tokens-and-stands-in-no-log"


def is_connected_to_a_path(sock):
    try:
        return bool(sock.getpeername())
    except OSError:  # it was, and the other side is gone; who is one of a pair is with itself
        return True


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def await_answer(address, is_running):
    """Until somebody answers there; false where nobody does in time."""
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up and is_running():
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: soak\r\nConnection: close\r\n\r\n")
            answer = await reader.read()
            writer.close()
            if answer:
                return True
        await asyncio.sleep(0.02)
    return False


class Service:
    """`name` tells processes of one storm apart; its log is <directory>/<name>.log."""

    def __init__(self, program, directory, name, settings, complain):
        self._program, self._settings, self._complain = program, settings, complain
        self._name = name
        self.log = pathlib.Path(directory) / f"{name}.log"
        self.port = free_port()
        self._process = None
        self._asked_to_end = False
        self._is_wanted = False
        self._has_answered = False
        self._watching = None
        self.clock = pathlib.Path(directory) / f"{name}.clock"
        self.clock.write_bytes(bytes(8))
        self.lives = 0
        self.ends = collections.Counter()
        self.busy = asyncio.Lock()  # one fault at a time for the process itself

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    @property
    def pid(self):
        return self._process.pid

    @property
    def is_running(self):
        return self._process is not None and self._process.returncode is None

    async def start(self):
        """Returns when it answers."""
        self._asked_to_end = False
        self._is_wanted = True
        self._has_answered = False
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.log.parent),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "SECRET_KEY": SECRET,
            "SOAK_CLOCK": str(self.clock),
            **self._settings,
        }
        with open(self.log, "ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                # Should this script be killed, the program goes with it.
                "setpriv", "--pdeathsig", "KILL", "--", str(self._program),
                cwd=self.log.parent, env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self.lives += 1
        self._watching = asyncio.create_task(self._watch(self._process))
        await self._await_port()

    async def _await_port(self):
        self._has_answered = await await_answer(self.address, lambda: self.is_running)
        if not self._has_answered and self.is_running:
            self._complain("starts that took too long", self._name)

    async def _watch(self, process):
        status = await process.wait()
        if self._asked_to_end:
            return
        # Who finds its store locked or full at its start says so and ends; systemd starts it again.
        if self._has_answered or status != 1:
            self.ends["by itself"] += 1
            self._complain("ends that nobody asked for", f"{self._name}: {status}; {self._last_words()}")
        await asyncio.sleep(0.2)
        if self._is_wanted:
            await self.start()

    def _last_words(self):
        with open(self.log, "rb") as log:
            log.seek(max(0, os.path.getsize(self.log) - 400))
            return log.read().decode(errors="replace").strip().rsplit("\n", 1)[-1]

    async def end(self, is_final=True):
        """SIGTERM: turns under way are finished, and the exit status is 0."""
        self._is_wanted = not is_final
        if not self.is_running:
            return
        self._asked_to_end = True
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        self.ends["SIGTERM"] += 1
        try:
            async with asyncio.timeout(DRAIN_S):
                status = await self._process.wait()
            if status != 0:
                self._complain("ends that nobody asked for", f"{self._name}: {status} at SIGTERM")
        except TimeoutError:
            self._complain("ends that took too long", self._name)
            self._process.kill()
            await self._process.wait()

    async def kill(self):
        self._asked_to_end = True
        if self.is_running:
            self.ends["SIGKILL"] += 1
            self._process.kill()
            await self._process.wait()

    def signal(self, number):
        if self.is_running:
            self._process.send_signal(number)

    # --- What the kernel knows of it ---

    def resident_kb(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def descriptors(self):
        """By what they are: a file's name, anon_inode, pipe, or a socket of whom."""
        found = collections.Counter()
        own = os.pidfd_open(self.pid)
        for each in os.scandir(f"/proc/{self.pid}/fd"):
            try:
                name = os.readlink(each.path)
            except FileNotFoundError:
                continue
            if name.startswith("socket:"):
                found[self._socket_kind(own, int(each.name))] += 1
            else:
                found[name.split(":[")[0].rsplit("/", 1)[-1]] += 1
        os.close(own)
        return found

    def _socket_kind(self, process, number):
        """Looked at through a copy of the descriptor (pidfd_getfd(2)): a socket that was reset is in no
        table of the kernel, but still knows its own end."""
        copy = LIBC.syscall(SYS_PIDFD_GETFD, process, number, 0)
        if copy < 0:
            return "socket"
        with socket.socket(fileno=copy) as sock:
            if sock.family == socket.AF_UNIX:
                return OF_STORE if is_connected_to_a_path(sock) else "pair of sockets"
            if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                return "listening socket"
            return OF_CLIENTS if sock.getsockname()[1] == self.port else OF_OTHERS

    def limit_descriptors(self, spare):
        """Lets it have `spare` more than it has now; None: as many as at first."""
        _, most = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        has = sum(self.descriptors().values())
        wanted = most if spare is None else min(most, has + spare)
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (wanted, most))

    # --- Its wall clock (wall_clock.c) ---

    def move_clock(self, ms):
        with open(self.clock, "r+b") as clock:
            clock.write(ms.to_bytes(8, "little", signed=True))
