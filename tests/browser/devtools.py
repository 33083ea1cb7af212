"""Chromium, driven over the DevTools protocol by its own pipe: no driver, no port, no websocket.

https://chromedevtools.github.io/devtools-protocol/ names the commands and events.  Chromium reads
them from descriptor 3 and writes to descriptor 4, each message closed by a NUL byte
(--remote-debugging-pipe).  When this end of the pipe goes, Chromium ends by itself.
"""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# The same engine as Debian's chromium without its windows: a third of the CPU time.
CHROMIUM = "chromium-headless-shell"
ANSWER_SECONDS = 40  # for one command; it bounds a browser that hangs, no test waits for it

FLAGS = [
    "--headless",
    "--remote-debugging-pipe",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--mute-audio",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-breakpad",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--lang=en-US",
    "--force-color-profile=srgb",
    "--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
]


class ProtocolError(Exception):
    """Chromium's answer to a command that it did not carry out."""


class Chromium:
    def __init__(self, microphone):
        """microphone: a WAV file that is heard again and again."""
        self._profile = tempfile.mkdtemp(prefix="poise-browser-")
        self._listeners = {}
        self._replies = {}
        self._unread = b""
        self._last = 0
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        flags = FLAGS + [
            f"--use-file-for-fake-audio-capture={microphone}",
            f"--user-data-dir={self._profile}",
        ]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        log = open(os.path.join(self._profile, "log"), "wb")
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{read_there} 4>&{write_there}', "bash", CHROMIUM, *flags],
            pass_fds=(read_there, write_there),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "HOME": self._profile, "LANGUAGE": "en_US"},
        )
        log.close()
        os.close(read_there)
        os.close(write_there)
        self._from, self._to = read_here, write_here

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, ProtocolError):
            pass
        os.close(self._to)
        try:
            self._process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def listen(self, session, handler):
        """handler(method, parameters) is called with each event of the session."""
        self._listeners[session] = handler

    def unlisten(self, session):
        self._listeners.pop(session, None)

    def call(self, method, session=None, **parameters):
        """Sends a command and returns its result; events that arrive meanwhile are passed on."""
        return self.result(self.send(method, session, **parameters), method)

    def send(self, method, session=None, **parameters):
        """Sends a command and returns its number, for result()."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        unsent = json.dumps(message).encode() + b"\0"
        while unsent:
            unsent = unsent[os.write(self._to, unsent) :]
        return self._last

    def result(self, number, method, seconds=ANSWER_SECONDS):
        deadline = time.monotonic() + seconds
        while number not in self._replies:
            self.pump(deadline, method)
        reply = self._replies.pop(number)
        if "error" in reply:
            raise ProtocolError(f"{method}: {reply['error'].get('message')}")
        return reply["result"]

    def pump(self, deadline, what):
        """Waits for bytes from Chromium, and passes on the messages that they complete."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._from], [], [], left)[0]:
            raise TimeoutError(f"Chromium did not answer: {what}")
        block = os.read(self._from, 1 << 20)
        if not block:
            raise OSError(f"Chromium has ended: {self._said()}")
        *messages, self._unread = (self._unread + block).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self._replies[message["id"]] = message
            else:
                handler = self._listeners.get(message.get("sessionId"))
                if handler:
                    handler(message["method"], message["params"])

    def _said(self):
        try:
            with open(os.path.join(self._profile, "log"), errors="replace") as log:
                return log.read()[-2000:]
        except OSError:
            return ""
