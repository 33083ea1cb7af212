"""The store of one process: an SQLite file on a small disk of its own, which can be locked by another
program and full to the last byte.

The disk is a tmpfs; mounting one takes root, and ./dev soak asks for a namespace where it is not.
Without either the disk is never full, and the report says so.
"""

import contextlib
import os
import pathlib
import sqlite3
import subprocess

MB = 1024 * 1024


class SqliteStore:
    name = "SQLite"

    def __init__(self, directory, megabytes):
        self._disk = pathlib.Path(directory) / "disk"
        self._file = self._disk / "poise.db"
        self._megabytes = megabytes
        self.has_small_disk = False

    async def open(self):
        self._disk.mkdir()
        size = f"size={self._megabytes}m"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "soak", self._disk], capture_output=True, check=False
        )
        self.has_small_disk = mounted.returncode == 0

    async def close(self):
        if self.has_small_disk:
            subprocess.run(["umount", "--lazy", self._disk], check=False)

    def settings(self):
        return {"STORE_URL": f"sqlite:///{self._file}"}

    @contextlib.contextmanager
    def locked(self):
        """As by a backup program that holds the write lock."""
        other = sqlite3.connect(self._file, timeout=1, isolation_level=None)
        try:
            with contextlib.suppress(sqlite3.OperationalError):  # it was busy, or the disk full
                other.execute("BEGIN IMMEDIATE")
            yield
        finally:
            with contextlib.suppress(sqlite3.OperationalError):
                other.execute("ROLLBACK")
            other.close()

    @contextlib.contextmanager
    def full(self):
        """Not a byte is left: the disk is made as small as what is on it, while that still grows."""
        for spare in (0, 64, 256, 1024):
            now = os.statvfs(self._disk)
            if self._resize((now.f_blocks - now.f_bfree) * now.f_frsize + spare * 1024):
                break
        try:
            yield
        finally:
            self._resize(self._megabytes * MB)

    def _resize(self, size):
        command = ["mount", "-t", "tmpfs", "-o", f"remount,size={size}", "soak", self._disk]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def holds(self, text):
        """How often the bytes stand in the store's files: after deletion never."""
        found = 0
        for path in self._disk.glob("poise.db*"):
            with open(path, "rb") as file:
                tail = b""
                while block := file.read(MB):
                    found += (tail + block).count(text)
                    tail = block[-(len(text) - 1) :]
        return found
