"""Is a reply what the contract says?  Every reply of a soak comes through here."""

import dataclasses
import json
import re
import subprocess

import words
import wire

UUID = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
RANDOM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ERROR_KEYS = {"stage", "code", "message_safe", "retryable", "details"}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A good reply: exactly one of data and code is there."""

    reply: wire.Reply
    data: dict | None = None
    code: str | None = None
    is_retryable: bool = False
    retry_after_s: float = 0.0


class Envelopes:
    """`shapes` gets one reply of each shape, for check_openapi_replies."""

    def __init__(self, program, complain):
        self._complain = complain
        self.table = read_error_table(program)
        self.shapes = {}
        self.count = 0

    def read(self, reply, request_id=None):
        """The Outcome; None, and a complaint, for a reply that the contract does not know."""
        self.count += 1
        try:
            self._expect(reply.headers, request_id if is_read(reply) else None)
            if reply.kind in ("audio/wav", "audio/mpeg", "text/plain") and reply.status < 300:
                return Outcome(reply, data={})
            outcome = self._outcome(reply, self._envelope(reply))
        except Wrong as wrong:
            self._complain("replies that break the contract", f"{where(reply)}: {wrong}")
            return None
        self._keep_shape(reply, outcome)
        return outcome

    def _expect(self, headers, request_id):
        found = headers.get("x-request-id", "")
        if not UUID.match(found):
            raise Wrong(f"X-Request-ID {found!r}")
        if request_id and found != request_id:
            raise Wrong("another X-Request-ID than was sent")

    def _envelope(self, reply):
        """The parsed envelope, and whether it came as an event."""
        try:
            if reply.kind == "text/event-stream":
                name, envelope = list(reply.events())[-1]
                need(name == "result", f"the last event is {name}")
            else:
                need(reply.kind == "application/json", f"of type {reply.kind!r}")
                envelope = json.loads(reply.body)
        except (ValueError, IndexError) as error:
            raise Wrong(f"not understood: {error}") from None
        need(isinstance(envelope, dict), "no object")
        need(set(envelope) == {"data", "error", "request_id"}, f"members {sorted(envelope)}")
        need(envelope["request_id"] == reply.headers["x-request-id"], "two request ids")
        need((envelope["data"] is None) != (envelope["error"] is None), "not one of data and error")
        return envelope

    def _outcome(self, reply, envelope):
        is_event = reply.kind == "text/event-stream"
        if envelope["data"] is not None:
            need(reply.status < 300, "data with an error's status")
            return Outcome(reply, data=envelope["data"])
        error = envelope["error"]
        need(set(error) == ERROR_KEYS, f"error members {sorted(error)}")
        code = error["code"]
        need(code in self.table, f"unknown code {code}")
        stage, status, is_retryable = self.table[code]
        need(error["stage"] == stage, f"{code} of stage {error['stage']}")
        need(error["retryable"] is is_retryable, f"{code} retryable {error['retryable']}")
        need(words.CANARY not in json.dumps(error), f"{code} repeats somebody's words")
        if not (is_event and reply.status == 200):
            need(reply.status == status, f"{code} with the wrong status")
            need(reply.headers.get("x-stage") == stage, f"X-Stage {reply.headers.get('x-stage')}")
            retry_after = reply.headers.get("retry-after", "")
            needs_one = status in (429, 503) and is_retryable
            need(not needs_one or retry_after.isdigit(), f"{code} with Retry-After {retry_after!r}")
        wait_s = float(reply.headers.get("retry-after") or 0)
        return Outcome(reply, code=code, is_retryable=is_retryable, retry_after_s=wait_s)

    def _keep_shape(self, reply, outcome):
        members = outcome.code or tuple((k, v is None) for k, v in sorted(outcome.data.items()))
        key = (RANDOM.sub("*", reply.line), reply.status, reply.kind, members)
        if key in self.shapes or len(self.shapes) > 1000:
            return
        is_stream = reply.kind == "text/event-stream"
        self.shapes[key] = {
            "line": f"{reply.line} HTTP/1.1",
            "status": reply.status,
            "type": reply.kind,
            "headers": list(reply.headers),
            "body": reply.body.decode() if is_stream else json.loads(reply.body),
        }


class Wrong(Exception):
    pass


def need(is_so, what):
    if not is_so:
        raise Wrong(what)


def is_read(reply):
    """Past MAX_CONNECTIONS the door answers before it has read which id was sent."""
    return not (reply.status == 503 and reply.headers.get("connection") == "close")


def where(reply):
    return f"{RANDOM.sub('*', reply.line)} -> {reply.status}"


def read_error_table(program):
    """{code: (stage, HTTP status, is retryable)} as the program prints it."""
    said = subprocess.run([program, "--errors"], capture_output=True, text=True, check=True).stdout
    table = {}
    for line in said.splitlines()[1:]:
        stage, code, status, retryable = line.split("\t")[:4]
        table[code] = (stage, int(status) if status.isdigit() else 0, retryable in ("yes", "true"))
    return table
