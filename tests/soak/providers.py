"""The scripted providers: one server that hears, coaches and speaks as Groq's API does
(https://console.groq.com/docs/api-reference), in the manner that the storm sets for each role.

It watches as well: text that the safety filter should have kept must not come here, and every
call must bring its key and the request id.
"""

import asyncio
import collections
import json
import random
import re
import socket
import struct

import words

KEY = "soak-provider-key"
ROLES = ("hearing", "coach", "speaking")
FEEDBACK = {
    "dimensions": [
        {"label": "Clarity", "score": 4, "tip": "Name the system first.", "quote": None},
        {"label": "Relevance", "score": 3, "tip": "Say which part was yours.", "quote": None},
        {"label": "Structure", "score": 5, "tip": "Keep this order.", "quote": None},
        {"label": "Filler Words", "score": 2, "tip": "Pause instead.", "quote": None},
    ],
    "summary_tip": "Say what changed because of you.",
}
SUMMARY = {
    "overall_assessment": "A steady interview with clear examples.",
    "strengths": ["Concrete examples."],
    "improvements": ["State results sooner."],
    "recommended_actions": ["Practise two stories with numbers."],
}
HANG_S = 40  # longer than anybody waits
UUID = re.compile(rb"\r\nx-request-id: [0-9a-f-]{36}\r\n", re.IGNORECASE)


def well(_):
    return "well"


def flapping(rng):
    """What a provider in trouble does, one call at a time."""
    return rng.choice(
        ("well", "slow", "busy", "failing", "reset", "cut", "garbage", "nonsense", "leaving", "silent")
    )


def always(manner):
    return lambda _: manner


class Providers:
    def __init__(self, rng, complain):
        self._rng = random.Random(rng.random())
        self._complain = complain
        self._connections = set()
        self.moods = {role: well for role in ROLES}
        self.calls = collections.Counter()  # by (role, manner)
        self.port = None

    async def open(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 22)
        self.port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/openai/v1"

    def calm(self):
        for role in ROLES:
            self.moods[role] = well

    def hang_up(self):
        """Ends every connection, as a provider does with idle ones."""
        for writer in self._connections:
            writer.close()

    async def _serve(self, reader, writer):
        self._connections.add(writer)
        try:
            while await self._one_call(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the other side left, or the soak is over
        finally:
            self._connections.discard(writer)
            writer.close()

    async def _one_call(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length.group(1))) if length else b""
        path = head.split(b" ", 2)[1].decode()
        role, reply = self._reply(path, head, body)
        manner = self.moods[role](self._rng) if role else "well"
        self.calls[role, manner] += 1
        return await getattr(self, f"_be_{manner}")(reader, writer, reply)

    # --- What is said ---

    def _reply(self, path, head, body):
        """(role, (status, content type, body)) of the good reply to a call."""
        if not path.startswith("/openai/v1/"):
            return None, (404, "application/json", b"{}")
        if f"Bearer {KEY}".encode() not in head or not UUID.search(head):
            self._complain("calls without key or request id", path)
        if path.endswith("/audio/transcriptions"):
            return "hearing", (200, "application/json", self._hear(body))
        if words.FORBIDDEN.encode() in body:
            self._complain("forbidden text that reached a provider", path)
        if path.endswith("/audio/speech"):
            return "speaking", (200, "audio/wav", words.wav(json.loads(body)["input"]))
        return "coach", self._coach(json.loads(body))

    def _hear(self, body):
        said = words.said_in(body) or "I have nothing to say."
        heard = [
            {"word": word, "start": 0.5 + 0.4 * at, "end": 0.8 + 0.4 * at}
            for at, word in enumerate(said.split())
        ]
        duration = 1.0 + 0.4 * len(heard)
        return json.dumps({"text": said, "duration": duration, "words": heard}).encode()

    def _coach(self, call):
        asked = json.loads(call["messages"][1]["content"])
        if "passages" in asked:
            content = answer_from(asked["passages"])
        elif "turns" in asked:
            content = SUMMARY
        else:
            content = question_after(asked["candidate_answer"], call["messages"][0]["content"])
        text = json.dumps(content)
        if call.get("stream"):
            return 200, "text/event-stream", streamed(text)
        choice = {"index": 0, "finish_reason": "stop"}
        choice["message"] = {"role": "assistant", "content": text}
        whole = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}
        return 200, "application/json", json.dumps(whole).encode()

    # --- How it is said: true where the connection lives on ---

    async def _be_well(self, _, writer, reply):
        await asyncio.sleep(self._rng.uniform(0.001, 0.02))
        await send(writer, *reply)
        return True

    async def _be_slow(self, _, writer, reply):
        await asyncio.sleep(self._rng.uniform(0.2, 1.0))
        await send(writer, *reply)
        return True

    async def _be_busy(self, _, writer, __):
        error = b'{"error":{"message":"slow down","type":"rate_limit"}}'
        await send(writer, 429, "application/json", error, "Retry-After: 1\r\n")
        return True

    async def _be_failing(self, _, writer, __):
        await send(writer, self._rng.choice((500, 502, 503)), "application/json", b'{"error":{}}')
        return True

    async def _be_reset(self, _, writer, __):
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        return False

    async def _be_cut(self, _, writer, reply):
        await send(writer, *reply, share=self._rng.random())
        return False

    async def _be_garbage(self, _, writer, __):
        writer.write(self._rng.randbytes(self._rng.randint(1, 4000)))
        await writer.drain()
        return False

    async def _be_nonsense(self, _, writer, reply):
        texts = (b"", b"{}", b"[]", b'{"choices":[]}', b"<html>", b'{"text":7}', b"\xff\xfe\0")
        await send(writer, 200, reply[1], self._rng.choice(texts))
        return True

    async def _be_leaving(self, _, writer, reply):
        await send(writer, *reply)
        return False

    async def _be_dripping(self, reader, writer, reply):
        whole = rendered(*reply)
        for at in range(len(whole)):
            if reader.at_eof() or writer.is_closing():
                return False
            writer.write(whole[at : at + 1])
            await asyncio.sleep(0.02)
        return True

    async def _be_silent(self, reader, _, __):
        try:
            async with asyncio.timeout(HANG_S):
                await reader.read(1)  # until the caller leaves
        except TimeoutError:
            pass
        return False


def rendered(status, kind, body, more=""):
    head = f"HTTP/1.1 {status} Scripted\r\nContent-Type: {kind}\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def send(writer, status, kind, body, more="", share=1.0):
    whole = rendered(status, kind, body, more)
    writer.write(whole[: int(share * len(whole))])
    await writer.drain()


def question_after(answer, system):
    answer_mark = words.mark_in(answer)
    if words.DECLINE in answer:
        refusal = f"Let us come back to the {answer_mark} question itself."
        return {"refused": True, "follow_up_question": refusal, "coaching_feedback": None}
    if "This was the last question" in system:
        text = f"Thank you for the {answer_mark} story, and for your time today."
    else:
        text = f"What did you measure first in the {answer_mark} project?"
    return {"refused": False, "follow_up_question": text, "coaching_feedback": FEEDBACK}


def answer_from(passages):
    """The first sentence of the first passage, word for word."""
    sentence = re.split(r"(?<=[.!?])\s", passages[0]["text"].strip())[0]
    cited = {"text": sentence, "citations": [passages[0]["id"]]}
    return {"answered": True, "confidence": 0.9, "sentences": [cited]}


def streamed(text):
    """The events of a streamed completion, some forty letters each."""
    chunks = []
    for at in range(0, len(text), 40):
        choice = {"index": 0, "delta": {"content": text[at : at + 40]}, "finish_reason": None}
        chunks.append({"object": "chat.completion.chunk", "choices": [choice]})
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks.append({"object": "chat.completion.chunk", "choices": [end]})
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join(events + ["data: [DONE]\n\n"]).encode()
