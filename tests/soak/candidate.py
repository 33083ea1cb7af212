"""A candidate behaves as the app does: it sends an answer, and where that breaks, is too much for the
service or fails on the way, sends the same again until it is acknowledged.  Some recordings and texts
come with an Idempotency-Key, most do not.

One thing the contract leaves open, and so does the ledger: a text without a key whose reply lay in
the candidate's kernel when the candidate broke off counts as delivered, and sent again it is a new
turn (people do say the same twice).  Such answers are `doubtful`.
"""

import asyncio
import contextlib
import dataclasses
import time
import uuid

import wire
import words

# Codes that are not retryable, but that a person answers by trying again.
TRIED_AGAIN = {"null_response", "empty_response", "stt_empty_transcript"}
TRIES_MOST = 60
BACKOFF_S = (0.05, 1.5)  # first, longest


@dataclasses.dataclass
class Answer:
    mark: str
    said: str
    manner: str  # "recording", "keyed recording", "keyed text" or "text"
    is_json: bool
    is_streamed: bool
    key: str | None

    @property
    def is_bare_text(self):
        return self.manner == "text"


class Abandoned(Exception):
    """The interview cannot go on; why was complained of."""


class Candidate:
    _patience_s = 120

    def __init__(self, storm, rng):
        self._storm, self._rng = storm, rng
        self._connection = storm.connect()
        self._due = time.monotonic()

    async def run(self):
        """One interview after the other, until the storm has enough."""
        try:
            while not self._storm.is_enough:
                try:
                    await self._interview()
                except Abandoned:
                    self._storm.ledger.counts["interviews abandoned"] += 1
        finally:
            self.close()

    def close(self):
        self._connection.close()

    # --- An interview ---

    async def _interview(self):
        interview = await self._start()
        leaves_at = self._rng.randint(1, interview.total) if self._rng.random() < 0.06 else None
        while interview.reached < interview.total and not interview.is_stuck:
            if interview.reached == leaves_at:
                break
            await self._detour(interview)
            await self._think()
            if await self._answer(interview) == "over":
                break
        if leaves_at is not None or self._rng.random() < 0.05:
            await self._delete(interview)

    async def _start(self):
        """Repeats until there is a session; with a key it must be the same one each time."""
        total = self._rng.randint(2, 6)
        headers = ["Content-Type: application/json"]
        if self._rng.random() < 0.5:
            headers.append(f"Idempotency-Key: {self._new_id()}")
        body = (
            '{"role":"Backend Developer","interview_type":"behavioral","difficulty":"medium",'
            f'"question_count":{total}}}'
        ).encode()
        outcome = await self._until_done("POST", "/session/start", headers, body)
        data = outcome.data
        return self._storm.ledger.open(data["session_id"], data["session_token"], total)

    async def _detour(self, interview):
        """What else a client does between two answers."""
        chance = self._rng.random()
        if chance < 0.12:
            await self._be_refused(interview)
        elif chance < 0.16:
            await self._study()
        elif chance < 0.20:
            await self._until_done("GET", f"/session/{interview.session_id}", self._as(interview))

    async def _think(self):
        """Answers are due at a steady rate, however long the last one took; what was missed is not made
        up for."""
        now = time.monotonic()
        self._due = max(now, self._due + self._rng.uniform(0, 2 * self._storm.period_s))
        await asyncio.sleep(self._due - now)
        if not self._storm.may_go.is_set():
            self.close()
            await self._storm.park()

    # --- Answers ---

    def _new_answer(self, say):
        mark = words.mark(self._storm.next_number())
        manner = self._rng.choices(
            ("recording", "keyed recording", "keyed text", "text"), weights=(40, 5, 25, 30)
        )[0]
        is_text = manner.endswith("text")
        return Answer(
            mark,
            say(mark),
            manner,
            is_json=is_text and self._rng.random() < 0.3,
            is_streamed=self._rng.random() < 0.4,
            key=self._new_id() if manner.startswith("keyed") else None,
        )

    def _request(self, interview, answer):
        """(headers, body): the same bytes at each try."""
        fields = {"session_id": interview.session_id}
        recording = None
        if answer.manner.endswith("recording"):
            recording = words.wav(answer.said)
        else:
            fields["transcript"] = answer.said
        if answer.is_json:
            kind, body = "application/json", wire.as_json(fields)
        else:
            kind, body = wire.form(fields, recording)
        headers = [*self._as(interview), f"Content-Type: {kind}"]
        if answer.key:
            headers.append(f"Idempotency-Key: {answer.key}")
        if answer.is_streamed:
            headers.append("Accept: text/event-stream")
        return headers, body

    async def _answer(self, interview):
        """One answer until it is acknowledged or given up; "over" where nothing more can come."""
        answer = self._new_answer(words.plain_answer)
        headers, body = self._request(interview, answer)
        for attempt in range(TRIES_MOST):
            try:
                outcome = await self._ask("POST", "/turn", headers, body, self._cut(answer))
            except wire.Lost as lost:
                self._note_loss(interview, answer, lost)
                if lost.was_cut and self._rng.random() < 0.08:
                    return await self._give_up(interview, answer)
                await self._back_off(attempt)
                continue
            if outcome is None:
                return await self._give_up(interview, answer)
            if outcome.data is not None:
                return await self._acknowledged(interview, answer, outcome.data)
            if outcome.code == "session_complete" and (interview.given_up or interview.doubtful):
                return "over"
            if not outcome.is_retryable and outcome.code not in TRIED_AGAIN:
                self._storm.complain("errors that nothing explains", f"POST /turn: {outcome.code}")
                return await self._give_up(interview, answer)
            await self._back_off(attempt, outcome.retry_after_s)
        if self._storm.is_calm:
            interview.is_stuck = True
            self._storm.complain("answers that were never acknowledged", interview.session_id)
        return await self._give_up(interview, answer)

    def _note_loss(self, interview, answer, lost):
        self._storm.ledger.counts["replies lost"] += 1
        if answer.is_bare_text and lost.was_cut and lost.may_have_arrived:
            interview.doubtful[answer.mark] += 1

    async def _give_up(self, interview, answer):
        """The app was closed: the answer may have been taken, or not, or still be."""
        interview.given_up.add(answer.mark)
        self._storm.ledger.counts["answers given up"] += 1
        session = (await self._until_done("GET", *self._of(interview))).data
        return "over" if session["turn_count"] >= interview.total else None

    async def _acknowledged(self, interview, answer, data):
        complain, where = self._storm.complain, interview.session_id
        expected = interview.reached + 1
        if data["transcript"] != answer.said:
            complain("replies to another answer", f"{where}: its transcript")
        if words.mark_in(data["assistant_text"]) != answer.mark:
            complain("replies to another answer", f"{where}: its question")
        if data["question_number"] != expected and not (interview.given_up or interview.doubtful):
            complain("turns out of order", f"{where}: {data['question_number']}, not {expected}")
        if data["is_complete"] != (data["question_number"] == interview.total):
            complain("turns out of order", f"{where}: is_complete")
        self._storm.ledger.acknowledge(interview, answer.mark, data)
        if self._rng.random() < 0.4:
            await self._listen(interview, answer, data)
        if not answer.is_bare_text and self._rng.random() < 0.06:
            await self._say_again(interview, answer, data)
        return "over" if data["is_complete"] else None

    async def _say_again(self, interview, answer, data):
        """The same recording, or under the same key, on two connections at once: the same turn."""
        headers, body = self._request(interview, answer)
        other = Candidate(self._storm, self._rng)
        asked = [who._until_done("POST", "/turn", headers, body) for who in (self, other)]
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        other.close()
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            again = outcome.data
            kept = ("transcript", "assistant_text", "question_number", "is_complete", "tts_audio_url")
            if any(again[name] != data[name] for name in kept):
                self._storm.complain("replays that differ", f"{interview.session_id} {answer.manner}")
            self._storm.ledger.acknowledge(interview, answer.mark, again)

    async def _listen(self, interview, answer, data):
        path = data["tts_audio_url"]
        if path is None:
            if not any(warning["stage"] == "tts" for warning in data["warnings"]):
                self._storm.complain("replies without sound or a warning", interview.session_id)
            return
        outcome = await self._until_done("GET", path, self._as(interview))
        if words.mark_in(words.said_in(outcome.reply.body) or "") != answer.mark:
            self._storm.complain("sound of another turn", interview.session_id)
        self._storm.ledger.counts["sounds heard"] += 1

    # --- Refusals, studies, deletion ---

    async def _be_refused(self, interview):
        """By the filter or by the model; the session is held against what it was before."""
        say = words.forbidden_answer if self._rng.random() < 0.5 else words.declined_answer
        answer = self._new_answer(say)
        interview.refused.add(answer.mark)
        before = await self._until_done("GET", *self._of(interview))
        headers, body = self._request(interview, answer)
        allowed = {"content_refused", "session_complete"}
        outcome = await self._until_done("POST", "/turn", headers, body, allowed=allowed)
        if outcome.code != "content_refused":
            # What was given up may have been taken meanwhile, as the last answer.
            if outcome.data is not None or not (interview.given_up or interview.doubtful):
                self._storm.complain("refusals that were none", interview.session_id)
            return
        after = await self._until_done("GET", *self._of(interview))
        self._storm.ledger.counts["refusals"] += 1
        kept = [name for name in before.data if name != "expires_at"]
        is_same = all(before.data[name] == after.data[name] for name in kept)
        if not is_same and not (interview.given_up or interview.doubtful):
            self._storm.complain("refusals that changed their session", interview.session_id)

    async def _study(self):
        question = self._rng.choice(
            ("What three things does an employer want to know in an interview?",
             "How do I answer a question about a weakness?", "How deep is the Mariana Trench?")
        )
        path, fields = self._rng.choice(
            (("/ask", {"question": question}), ("/v1/chat", {"query": question, "mode": "book-wide"}))
        )
        headers = ["Content-Type: application/json"]
        await self._until_done("POST", path, headers, wire.as_json(fields))
        self._storm.ledger.counts["questions about the material"] += 1

    async def _delete(self, interview):
        """A deletion whose reply was lost may be repeated, and then finds nothing."""
        gone = {"session_not_found"}
        interview.may_be_deleted = True
        await self._until_done("DELETE", *self._of(interview), allowed=gone)
        interview.is_deleted = True
        self._storm.ledger.counts["deletions"] += 1
        outcome = await self._until_done("GET", *self._of(interview), allowed=gone)
        if outcome.data is not None:
            self._storm.complain("deleted sessions that are there", interview.session_id)

    # --- Requests ---

    def _new_id(self):
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    def _as(self, interview):
        return [f"Authorization: Bearer {interview.token}"]

    def _of(self, interview):
        return f"/session/{interview.session_id}", self._as(interview)

    def _cut(self, answer=None):
        """Now and then the candidate breaks off, wherever it is; behind a proxy, which takes replies
        in its place, a bare text only while it is sent."""
        if self._rng.random() >= self._storm.impatience:
            return None
        is_reset = self._rng.random() < 0.5
        ways = ["sending", "waiting", "reading"]
        if answer and answer.is_bare_text and self._storm.is_behind_proxy:
            ways = ["sending"]
        match self._rng.choice(ways):
            case "sending":
                return wire.Cut(sending=self._rng.random(), is_reset=is_reset)
            case "waiting":
                return wire.Cut(waiting_s=self._rng.uniform(0, 0.3), is_reset=is_reset)
        return wire.Cut(reading=self._rng.randint(1, 2500), is_reset=is_reset)

    async def _ask(self, method, path, headers, body=b"", cut=None):
        """The Outcome; None for a reply that breaks the contract.  Raises wire.Lost."""
        request_id = self._new_id() if self._rng.random() < 0.3 else None
        if request_id:
            headers = [*headers, f"X-Request-ID: {request_id}"]
        try:
            reply = await self._connection.ask(method, path, headers, body, cut)
        except wire.Lost as lost:
            if str(lost) == "patience":
                self._storm.complain("requests that were never answered", f"{method} {path[:12]}")
            raise
        except wire.Broken as broken:
            self._storm.complain("replies that break the contract", f"{method}: {broken}")
            return None
        self._storm.note_time(method, path, reply.took_s)
        return self._storm.envelopes.read(reply, request_id)

    async def _until_done(self, method, path, headers, body=b"", allowed=frozenset()):
        """Repeats until there is data or an allowed code."""
        attempt, give_up = 0, time.monotonic() + self._patience_s
        while True:
            try:
                outcome = await self._ask(method, path, headers, body, self._cut())
            except wire.Lost:
                outcome = None
            if outcome and (outcome.data is not None or outcome.code in allowed):
                return outcome
            if outcome and not outcome.is_retryable and outcome.code not in TRIED_AGAIN:
                self._storm.complain("errors that nothing explains", f"{method} {path[:12]}: {outcome.code}")
                raise Abandoned
            if time.monotonic() > give_up:
                self._storm.complain("answers that were never acknowledged", f"{method} {path[:12]}")
                raise Abandoned
            await self._back_off(attempt, outcome.retry_after_s if outcome else 0)
            attempt += 1

    async def _back_off(self, attempt, at_least_s=0.0):
        first_s, longest_s = BACKOFF_S
        wait_s = min(longest_s, first_s * 2**attempt) * self._rng.uniform(0.5, 1.5)
        await asyncio.sleep(max(wait_s, min(at_least_s, longest_s)))

    async def goes_well(self):
        """Whether one answer of a new interview is taken at the first try, all but its sound."""
        interview = await self._start()
        answer = self._new_answer(words.plain_answer)
        headers, body = self._request(interview, answer)
        try:
            outcome = await self._ask("POST", "/turn", headers, body)
        except wire.Lost:
            outcome = None
        if outcome is None or outcome.data is None:
            interview.given_up.add(answer.mark)
            return False
        await self._acknowledged(interview, answer, outcome.data)
        return not outcome.data["warnings"]


class Looker(Candidate):
    """Who looks at sessions when all is over."""

    _patience_s = 10

    async def look(self, interviews):
        gone = {"session_not_found"}
        for interview in interviews:
            try:
                outcome = await self._until_done("GET", *self._of(interview), allowed=gone)
            except Abandoned:
                continue
            is_there = outcome.data is not None
            if is_there and interview.is_deleted:
                self._storm.complain("deleted sessions that are there", interview.session_id)
            elif is_there:
                self._storm.ledger.compare(interview, outcome.data)
            elif not interview.may_be_deleted:
                self._storm.complain("sessions that are not there", interview.session_id)

    async def delete(self, interviews):
        gone = {"session_not_found"}
        for interview in interviews:
            with contextlib.suppress(Abandoned):
                await self._until_done("DELETE", *self._of(interview), allowed=gone)
