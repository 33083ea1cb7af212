"""What was found to be wrong: counted by invariant, with a few examples of each."""

import collections

EXAMPLES = 3

# Every invariant, in the order of the report: what must never be.
INVARIANTS = (
    "acknowledged turns that were lost",
    "answers that were taken twice",
    "committed turns that nobody acknowledged or gave up",
    "turn numbers that two answers got",
    "turns out of order",
    "answers that were never acknowledged",
    "requests that were never answered",
    "sessions that are not there",
    "sessions that contradict themselves",
    "refusals that were none",
    "refusals that changed their session",
    "refused answers that were committed",
    "replies to another answer",
    "replays that differ",
    "replies without sound or a warning",
    "sound of another turn",
    "deleted sessions that are there",
    "deleted words in the store's files",
    "forbidden text that reached a provider",
    "calls without key or request id",
    "replies that break the contract",
    "replies that openapi.json does not describe",
    "errors that nothing explains",
    "somebody's words, or a key, in a log",
    "log lines that are none",
    "reports of a sanitizer",
    "ends that nobody asked for",
    "ends that took too long",
    "starts that took too long",
    "a service that did not recover",
    "memory that did not come back",
    "descriptors that did not come back",
    "gauges that did not come back",
    "faults of the soak itself",
)


class Complaints:
    def __init__(self, note):
        self._note = note
        self.counts = collections.Counter()
        self.examples = collections.defaultdict(list)

    def __call__(self, invariant, example):
        if invariant not in INVARIANTS:
            raise KeyError(invariant)
        self.counts[invariant] += 1
        if len(self.examples[invariant]) < EXAMPLES:
            self.examples[invariant].append(str(example)[:300])
            self._note(f"!! {invariant}: {str(example)[:300]}")
