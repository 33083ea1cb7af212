"""What a storm is played on: one process with its SQLite file, or two on one PostgreSQL behind HAProxy."""

import asyncio
import os
import pathlib
import re
import subprocess

import postgres_store
import providers
import service
import sqlite_store

ROOT = pathlib.Path(__file__).resolve().parents[2]

SETTINGS = {
    "LLM_PROVIDER": "groq",
    "STT_PROVIDER": "groq",
    "TTS_PROVIDER": "groq",
    "GROQ_API_KEY": providers.KEY,
    "LLM_TIMEOUT_SECONDS": "2",
    "STT_TIMEOUT_SECONDS": "2",
    "TTS_TIMEOUT_SECONDS": "2",
    "TURN_DEADLINE_SECONDS": "8",
    "UPLOAD_TIMEOUT_SECONDS": "5",
    "SESSION_TTL_MINUTES": "10080",
    "SESSION_MAX_HOURS": "720",
    "TTS_CACHE_TTL_SECONDS": "86400",
    "TTS_CACHE_MAX_BYTES": str(128 * sqlite_store.MB),
    "MAX_CONNECTIONS": "400",
    "MAX_INFLIGHT_TURNS": "48",
    # A sanitizer's report ends the program; what it keeps back of freed memory stays small.
    "ASAN_OPTIONS": "verify_asan_link_order=0:quarantine_size_mb=16:exitcode=99",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=99",
}


def settings_of(arguments, scripted, store):
    return (
        SETTINGS
        | {"GROQ_BASE_URL": scripted.url, "LD_PRELOAD": str(arguments.clock), **store.settings()}
        | dict(item.split("=", 1) for item in arguments.set)
    )


class OneProcess:
    is_behind_proxy = False

    def __init__(self, directory, plan, arguments, scripted, complain):
        self.store = sqlite_store.SqliteStore(directory, 512 + int(2 * plan.storm_s))
        settings = settings_of(arguments, scripted, self.store)
        one = service.Service(plan.program, directory, "poise", settings, complain)
        self.services = [one]
        self.address = one.address

    @property
    def seams(self):
        return {"any", "sqlite"} | ({"small disk"} if self.store.has_small_disk else set())

    async def open(self):
        await self.store.open()
        await self.services[0].start()

    async def close(self):
        await self.services[0].end()
        await self.store.close()


class Cluster:
    """Clients meet HAProxy alone, as services/deploy/haproxy.cfg has it, but without TLS."""

    is_behind_proxy = True
    seams = {"any", "cluster"}

    def __init__(self, directory, plan, arguments, scripted, complain):
        self._complain = complain
        self.store = postgres_store.PostgresStore()
        settings = settings_of(arguments, scripted, self.store) | {
            "TRUSTED_PROXIES": "127.0.0.1",
            "DRAIN_NOTICE_SECONDS": "3",
        }
        self.services = [
            service.Service(plan.program, directory, name, settings, complain) for name in ("one", "two")
        ]
        self._log = pathlib.Path(directory) / "haproxy.log"
        self._configuration = pathlib.Path(directory) / "haproxy.cfg"
        self.address = ("127.0.0.1", service.free_port())
        self._proxy = None

    async def open(self):
        await self.store.open()
        await asyncio.gather(*(each.start() for each in self.services))
        environment = {
            "PATH": os.environ["PATH"],
            "POISE_BIND": f"127.0.0.1:{self.address[1]}",
            "POISE_ONE": f"127.0.0.1:{self.services[0].port}",
            "POISE_TWO": f"127.0.0.1:{self.services[1].port}",
        }
        shipped = (ROOT / "services/deploy/haproxy.cfg").read_text()
        self._configuration.write_text(re.sub(r"(\n    bind \S+) ssl .*", r"\1", shipped))
        with open(self._log, "ab") as log:
            self._proxy = await asyncio.create_subprocess_exec(
                "setpriv", "--pdeathsig", "KILL", "--",
                "/usr/sbin/haproxy", "-f", str(self._configuration),
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        await service.await_answer(self.address, lambda: self._proxy.returncode is None)

    async def close(self):
        await asyncio.gather(*(each.end() for each in self.services))
        if self._proxy is not None:
            if self._proxy.returncode is not None:
                self._complain("ends that nobody asked for", f"HAProxy: {self._proxy.returncode}")
            else:
                self._proxy.terminate()
                await self._proxy.wait()
        await self.store.close()
