"""HTTP/1.1 as a phone speaks it: over connections that break at any byte.

A request may be told to break off (a Cut): while it is sent, while its reply is waited for, or
while that is read.  Sockets are read by exact counts, so that what a candidate did not take stays
in the kernel, and closing then resets the connection as it does on a phone that loses its network.
"""

import asyncio
import dataclasses
import fcntl
import json
import socket
import struct
import termios
import time

# The service answers a turn within its deadline; whoever waits longer than this was forgotten.
PATIENCE_S = 25
BLOCK = 65536


@dataclasses.dataclass(frozen=True)
class Cut:
    """Where a candidate breaks off: a share of the request's bytes, seconds of waiting, or bytes of
    the reply."""

    sending: float | None = None
    waiting_s: float | None = None
    reading: int | None = None
    is_reset: bool = False  # RST, else FIN


class Lost(Exception):
    """No whole reply came.  `was_cut`: the candidate itself broke off; `may_have_arrived`: the
    server may take the reply for delivered, because it, or some of it, lay in our kernel."""

    def __init__(self, why, was_cut=False, may_have_arrived=False):
        super().__init__(why)
        self.was_cut, self.may_have_arrived = was_cut, may_have_arrived


class Broken(Exception):
    """What came is no HTTP."""


@dataclasses.dataclass
class Reply:
    line: str  # of the request, without what is random in it
    status: int
    headers: dict  # by lower-case name; doubled ones are joined with ", "
    body: bytes
    took_s: float

    @property
    def kind(self):
        return self.headers.get("content-type", "").split(";")[0]

    def events(self):
        """Of a text/event-stream: (name, parsed data) each."""
        for block in self.body.decode().split("\n\n"):
            if not block or block.startswith(":"):
                continue
            name, data = block.split("\n", 1)
            yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def unread_bytes(sock):
    return struct.unpack("i", fcntl.ioctl(sock, termios.FIONREAD, b"\0\0\0\0"))[0]


class Connection:
    """One keep-alive connection, made again when it is needed."""

    def __init__(self, address, is_behind_proxy=False):
        self._address = address
        self._is_behind_proxy = is_behind_proxy
        self._socket = None
        self._rest = b""  # read, and not yet used
        self._got = 0  # bytes of this reply

    def close(self, is_reset=False):
        if self._socket is None:
            return
        if is_reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()
        self._socket, self._rest = None, b""

    async def ask(self, method, path, headers=(), body=b"", cut=None):
        """One exchange; raises Lost or Broken, and then the connection is gone."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._address[0]}", *headers]
        if body or method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        started = time.monotonic()
        self._got = 0
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._send(request, cut)
                await self._wait(cut)
                status, fields, content = await self._receive(method, cut)
        except TimeoutError:
            self.close()
            raise Lost("patience") from None
        except OSError as error:
            self.close()
            raise Lost(type(error).__name__) from None
        except (Lost, Broken):
            self.close()
            raise
        except asyncio.CancelledError:
            self.close()
            raise
        if fields.get("connection", "").lower() == "close":
            self.close()
        return Reply(f"{method} {path}", status, fields, content, time.monotonic() - started)

    async def _send(self, request, cut):
        loop = asyncio.get_running_loop()
        if self._socket is None:
            self._socket = socket.socket()
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(self._socket, self._address)
        if cut and cut.sending is not None:
            await loop.sock_sendall(self._socket, request[: int(cut.sending * len(request))])
            self.close(cut.is_reset)
            raise Lost("cut", was_cut=True)
        await loop.sock_sendall(self._socket, request)

    async def _wait(self, cut):
        if cut and cut.waiting_s is not None:
            await asyncio.sleep(cut.waiting_s)
            self._break_off(cut)

    def _break_off(self, cut):
        has_some = self._is_behind_proxy or self._got > 0 or unread_bytes(self._socket) > 0
        self.close(cut.is_reset)
        raise Lost("cut", was_cut=True, may_have_arrived=has_some)

    async def _more(self, cut):
        most = BLOCK
        if cut and cut.reading is not None:
            most = cut.reading - self._got
            if most <= 0:
                self._break_off(cut)
        block = await asyncio.get_running_loop().sock_recv(self._socket, most)
        if not block:
            raise Lost("end of the connection")
        self._got += len(block)
        self._rest += block

    async def _until(self, mark, cut):
        while (at := self._rest.find(mark)) < 0:
            await self._more(cut)
        found, self._rest = self._rest[:at], self._rest[at + len(mark) :]
        return found

    async def _take(self, count, cut):
        while len(self._rest) < count:
            await self._more(cut)
        found, self._rest = self._rest[:count], self._rest[count:]
        return found

    async def _receive(self, method, cut):
        head = (await self._until(b"\r\n\r\n", cut)).decode("latin-1").split("\r\n")
        words = head[0].split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise Broken(f"no status line: {head[0][:80]!r}")
        status = int(words[1])
        if status < 200:
            return await self._receive(method, cut)
        fields = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            name = name.lower()
            fields[name] = f"{fields[name]}, {value.strip()}" if name in fields else value.strip()
        return status, fields, await self._content(method, fields, cut)

    async def _content(self, method, fields, cut):
        if method == "HEAD":
            return b""
        if fields.get("transfer-encoding", "").lower() == "chunked":
            return await self._chunks(cut)
        length = fields.get("content-length", "")
        if not length.isdigit():
            raise Broken("a reply of unknown length")
        return await self._take(int(length), cut)

    async def _chunks(self, cut):
        whole = []
        while True:
            size = int((await self._until(b"\r\n", cut)).split(b";")[0], 16)
            if size == 0:
                await self._until(b"\r\n", cut)  # no trailers
                return b"".join(whole)
            whole.append(await self._take(size, cut))
            await self._until(b"\r\n", cut)


def form(fields, recording=None):
    """(content type, body) of a multipart form as the app posts it."""
    boundary = "dart-http-boundary-soak"
    parts = [
        f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    if recording is not None:
        head = 'content-disposition: form-data; name="audio"; filename="answer.wav"\r\n'
        parts.append(f"--{boundary}\r\n{head}content-type: audio/wav\r\n\r\n".encode())
        parts.append(recording + b"\r\n")
    parts.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)


def as_json(fields):
    return json.dumps(fields).encode()
