"""What a run left in its logs: JSON lines of known shape, and nobody's words, keys or tokens."""

import json
import re

import providers
import service
import words

SECRETS = (words.CANARY, words.FORBIDDEN, words.DECLINE, providers.KEY, service.SECRET)
REPORTS = ("Sanitizer", "runtime error:", "Assertion", "double free", "corrupted")
# On standard error, in words; the last two are libpq's, of a server that turns somebody out while it
# lets him in (tests/blackbox/log_rules.c).
IN_WORDS = ("poise: ", "WARNING:  terminating connection due to ",
            "FATAL:  terminating connection due to ")
TOKEN_LENGTH = 75
LONG = re.compile(rf"[A-Za-z0-9_-]{{{TOKEN_LENGTH},}}")


def read(path, complain, tokens, torn_most):
    """Looks at every line; returns {event: lines}.  Each SIGKILL may have torn one."""
    events = {}
    torn = 0
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            _look(line, complain, tokens)
            try:
                event = json.loads(line)["event"]
            except (ValueError, KeyError, TypeError):
                is_torn = not line.startswith(IN_WORDS)
                torn += is_torn
                if is_torn and torn > torn_most:
                    complain("log lines that are none", line[:160].strip())
                continue
            events[event] = events.get(event, 0) + 1
    return events


def _look(line, complain, tokens):
    for secret in SECRETS:
        if secret in line:
            complain("somebody's words, or a key, in a log", f"{secret}: {line[:160].strip()}")
    for report in REPORTS:
        if report in line:
            complain("reports of a sanitizer", line[:200].strip())
    for run in LONG.findall(line):
        if any(run[at : at + TOKEN_LENGTH] in tokens for at in range(len(run) - TOKEN_LENGTH + 1)):
            complain("somebody's words, or a key, in a log", "a session token")
