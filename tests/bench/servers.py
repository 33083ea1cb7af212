"""The programs that run.py measures: each starts on a free port, and ends with its `with` block.

`setup` is run.py's: where the programs are, and a directory for their files.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time

import nginx

OVER_TLS = ("poise-h2",)  # nginx.py says what it is


class Failure(Exception):
    """Something did not run; the text says what."""


@contextlib.contextmanager
def process(command, log, **options):
    """Runs a program until the block ends; SIGTERM, and SIGKILL if it does not heed that."""
    with open(log, "ab") as output:
        options.setdefault("stdout", output)
        child = subprocess.Popen(command, stderr=output, stdin=subprocess.DEVNULL, **options)
    try:
        yield child
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdout:
            child.stdout.close()


def wait_for(child, log, what, find):
    """find() once it returns something; the program's log tells why when it never does."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and child.poll() is None:
        found = find()
        if found:
            return found
        time.sleep(0.01)
    raise Failure(f"{what} did not start:\n{log.read_text(errors='replace')[-2000:]}")


@contextlib.contextmanager
def upstream(setup, delay_ms):
    command = [setup.tools / "bench_upstream", "--delay-ms", str(delay_ms)]
    log = setup.directory / "upstream.log"
    with process(command, log, stdout=subprocess.PIPE, text=True) as child:
        line = child.stdout.readline()
        if not line:
            raise Failure(f"the upstream did not start:\n{log.read_text()}")
        yield child, int(line)


def listening_port(log):
    """The port in poise's log line of the event `listening`."""
    for line in log.read_text(errors="replace").splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            entry = json.loads(line)
            if isinstance(entry, dict) and entry.get("event") == "listening":
                return entry["port"]
    return None


@contextlib.contextmanager
def poise(setup, upstream_port, workers, more=None):
    log = setup.directory / "poise.log"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(setup.directory),
        "HOST": "127.0.0.1",
        "PORT": "0",
        "WORKERS": str(workers),
        "STORE_URL": f"sqlite:///{setup.directory}/poise.db",
        "LLM_PROVIDER": "groq",
        "GROQ_API_KEY": "bench",
        "STT_PROVIDER": "none",
        "TTS_PROVIDER": "none",
        "GROQ_BASE_URL": f"http://127.0.0.1:{upstream_port}/openai/v1",
        "MAX_INFLIGHT_TURNS": "100000",
        "MAX_CONNECTIONS": "100000",
        "OVERLOAD_LAG_MS": "0",  # a machine that is too slow is to show in the figures
        "OVERLOAD_STORE_MS": "0",
        **(more or {}),
        **setup.settings,
    }
    with process([setup.poise], log, env=environment, cwd=setup.directory) as child:
        yield child, wait_for(child, log, "poise", lambda: listening_port(log))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def proxy(setup, name, to_port, **options):
    """nginx in front of a port; the options are nginx.write_configuration's."""
    port = free_port()
    log = setup.directory / f"{name}.log"
    configuration = nginx.write_configuration(setup.directory, name, port, to_port, **options)
    with process([setup.nginx, "-p", setup.directory, "-c", configuration, "-e", log], log) as child:
        wait_for(child, log, name, lambda: accepts(port))
        yield child, port


def start_over_tls(programs, setup, upstream_port):
    """poise-h2: its process, and the port for the load."""
    _, port = programs.enter_context(proxy(setup, "h2", upstream_port, takes_tls=True))
    return programs.enter_context(
        poise(setup, 0, 1, nginx.upstream_settings(setup.directory, port)))
