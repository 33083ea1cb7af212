"""The real program on a free port, with a store of its own and no setting but those given."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

PROGRAM = os.environ["POISE_PROGRAM"]


class Program:
    def __init__(self, **settings):
        self._folder = tempfile.mkdtemp(prefix="poise-service-")
        self._said = []
        environment = {
            "PATH": os.environ["PATH"],
            "PORT": "0",
            "HOST": "127.0.0.1",
            "WORKERS": "1",
            "STORE_URL": "sqlite:///poise.db",
            **settings,
        }
        # Should this script be killed, the program goes with it.
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", PROGRAM],
            cwd=self._folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.port = self._listening()["port"]
        self.url = f"http://127.0.0.1:{self.port}"
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _listening(self):
        for line in self._process.stdout:
            self._said.append(line.decode(errors="replace"))
            if '"event":"listening"' in self._said[-1]:
                return json.loads(line)
        raise AssertionError(f"Poise did not start: {''.join(self._said)}")

    def _read(self):
        for line in self._process.stdout:
            self._said.append(line.decode(errors="replace"))

    def close(self):
        """Ends the program and returns all that it has logged."""
        self._process.terminate()
        status = self._process.wait(timeout=30)
        self._reading.join()
        self._process.stdout.close()
        shutil.rmtree(self._folder)
        if status != 0:
            raise AssertionError(f"Poise ended with {status}: {''.join(self._said[-20:])}")
        return "".join(self._said)

    def get(self, path, token=None):
        """Asks as an app would: (status, the parsed reply)."""
        request = urllib.request.Request(self.url + path)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
