"""What the candidates know, and whether the service agrees.

Every question of the scripted coach carries the mark of the answer that it follows.  So a session's
asked_questions tell which answers were committed, and where, without the service's saying so.
"""

import collections
import dataclasses

import words


@dataclasses.dataclass
class Interview:
    session_id: str
    token: str
    total: int
    acknowledged: dict = dataclasses.field(default_factory=dict)  # {turn number: (mark, next question)}
    given_up: set = dataclasses.field(default_factory=set)  # marks that may stand once, or not
    # {mark: how often it may stand beyond once}: see candidate.py
    doubtful: dict = dataclasses.field(default_factory=collections.Counter)
    refused: set = dataclasses.field(default_factory=set)  # that may not stand at all
    may_be_deleted: bool = False
    is_deleted: bool = False
    is_stuck: bool = False

    @property
    def reached(self):
        return max(self.acknowledged, default=0)


class Ledger:
    def __init__(self, complain):
        self._complain = complain
        self.interviews = []
        self.counts = collections.Counter()

    def open(self, session_id, token, total):
        interview = Interview(session_id, token, total)
        self.interviews.append(interview)
        return interview

    def acknowledge(self, interview, mark, data):
        """A success that a candidate got; the same again is a replay, anything else a fault."""
        number = data["question_number"]
        entry = (mark, data["assistant_text"])
        known = interview.acknowledged.get(number)
        if known is None:
            interview.acknowledged[number] = entry
            self.counts["turns"] += 1
        elif known == entry:
            self.counts["replays"] += 1
        else:
            self._complain("turn numbers that two answers got", f"{interview.session_id} {number}")

    def compare(self, interview, session):
        """Holds what GET /session says against what the candidate knows."""
        asked, count = session["asked_questions"], session["turn_count"]
        where = interview.session_id
        if len(asked) != min(count + 1, interview.total) or count > interview.total:
            self._complain("sessions that contradict themselves", f"{where}: {len(asked)} of {count}")
        if (session["status"] == "completed") != (count == interview.total):
            self._complain("sessions that contradict themselves", f"{where}: {session['status']}")
        self.counts["committed"] += count
        for number in interview.acknowledged:
            if number > count:
                self._complain("acknowledged turns that were lost", f"{where}: turn {number} of {count}")
        self._compare_marks(interview, asked, count)

    def _compare_marks(self, interview, asked, count):
        """asked[0] is the opening's; asked[n] follows turn n; the last turn has none behind it."""
        where, seen = interview.session_id, collections.Counter()
        for number in range(1, count + 1):
            known = interview.acknowledged.get(number)
            question = asked[number] if number < len(asked) else None
            mark = words.mark_in(question) if question else known and known[0]
            if known and question is not None and question != known[1]:
                self._complain("acknowledged turns that were lost", f"{where}: another turn {number}")
            seen[mark] += 1
            if mark in interview.refused:
                self._complain("refused answers that were committed", f"{where}: turn {number}")
            elif not known and not self._explains(interview, mark):
                self._complain("committed turns that nobody acknowledged or gave up", f"{where}: turn {number}")
        for mark, times in seen.items():
            if mark is None or times == 1:
                continue
            if times <= 1 + interview.doubtful[mark]:
                self.counts["taken twice, as the contract allows"] += times - 1
            else:
                self._complain("answers that were taken twice", f"{where}: {times} times")

    @staticmethod
    def _explains(interview, mark):
        """Of the last turn nothing but its number is to be seen."""
        if mark is None:
            return bool(interview.given_up or interview.doubtful)
        return mark in interview.given_up or mark in interview.doubtful
