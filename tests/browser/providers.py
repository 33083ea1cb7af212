"""The providers that Poise calls, as one scripted server: hears, coaches and speaks.

What each says next is put in a queue of its role; an empty queue says what goes well.
https://platform.openai.com/docs/api-reference names the paths and the replies.
"""

import collections
import http.server
import io
import json
import threading
import wave

HEARD = "In my last team I traced the slow queries and added an index, so timeouts fell by ninety percent."
TIPS = {
    "Clarity": "Name the system before you say what was wrong with it.",
    "Relevance": "Say in one sentence which part was yours.",
    "Structure": "Situation, action, result: keep this order.",
    "Filler Words": "Pause where you would say so.",
}


class Reply:
    """One answer of a provider.  A held one is given only after let_go()."""

    def __init__(self, body, status=200, kind="application/json", is_held=False):
        self.status, self.kind = status, kind
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.asked = threading.Event()
        self._may_go = threading.Event()
        if not is_held:
            self._may_go.set()

    def let_go(self):
        self._may_go.set()

    def wait(self):
        self.asked.set()
        self._may_go.wait(30)


def transcript(text, **how):
    words = [
        {"word": word, "start": 0.5 + 0.4 * i, "end": 0.8 + 0.4 * i}
        for i, word in enumerate(text.split())
    ]
    return Reply({"text": text, "duration": 1.0 + 0.4 * len(words), "words": words}, **how)


def _completion(content, **how):
    choice = {"index": 0, "finish_reason": "stop"}
    choice["message"] = {"role": "assistant", "content": json.dumps(content)}
    return Reply({"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}, **how)


def _reply_to_an_answer(text, scores=(4, 3, 5, 2)):
    dimensions = [
        {"label": label, "score": score, "tip": tip}
        for (label, tip), score in zip(TIPS.items(), scores)
    ]
    feedback = {"dimensions": dimensions, "summary_tip": "Say what changed because of you."}
    return {"refused": False, "follow_up_question": text, "coaching_feedback": feedback}


def question(text, scores=(4, 3, 5, 2), **how):
    return _completion(_reply_to_an_answer(text, scores), **how)


def refusal(text, **how):
    content = {"refused": True, "follow_up_question": text, "coaching_feedback": None}
    return _completion(content, **how)


def summary():
    return _completion(
        {
            "overall_assessment": "A steady interview with clear examples.",
            "strengths": ["Concrete examples."],
            "improvements": ["State results sooner."],
            "recommended_actions": ["Practise two stories with numbers."],
        }
    )


class Streamed(Reply):
    """A reply of the model that comes in two: its question, and once it may go its feedback."""

    def __init__(self, text, breaks=False, **how):
        whole = json.dumps(_reply_to_an_answer(text, **how))
        at = whole.index(', "coaching_feedback"')
        self.beginning, self.rest, self.breaks = whole[:at], whole[at:], breaks
        super().__init__(b"", kind="text/event-stream", is_held=True)

    def write(self, file):
        self.asked.set()
        self._event(file, {"delta": {"content": self.beginning}})
        self.wait()
        if not self.breaks:
            self._event(file, {"delta": {"content": self.rest}})
            self._event(file, {"delta": {}, "finish_reason": "stop"})
            file.write(b"data: [DONE]\n\n")

    def _event(self, file, choice):
        file.write(b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, **choice}]}).encode())
        file.flush()


def speech(seconds=1, **how):
    """A low hum, as WAV."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(x for i in range(8000 * seconds) for x in (0, i % 40)))
    return Reply(out.getvalue(), kind="audio/wav", **how)


def failure(status):
    return Reply({"error": {"message": "scripted", "type": "scripted"}}, status=status)


def _recording(form):
    """The file in a form (RFC 7578)."""
    boundary = form[: form.index(b"\r\n")]
    for part in form.split(boundary):
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content[:-2]
    raise ValueError("a form without a recording")


class Providers:
    def __init__(self):
        self.next = {role: collections.deque() for role in ("hearing", "coach", "speaking", "summary")}
        self.calls = collections.Counter()
        self.recordings = []
        self._given = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self.forget()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def will(self, role, *replies):
        """Puts what a role says next in its queue, and returns the last of it."""
        self.next[role].extend(replies)
        self._given.extend(replies)
        return replies[-1]

    def forget(self):
        """Between two tests: nothing is held, nothing is left to say, nothing was asked."""
        for queue in self.next.values():
            queue.clear()
        for reply in self._given:
            reply.let_go()
        self._given.clear()
        self.calls.clear()
        self.recordings.clear()

    def _answer(self, path, body):
        if path.endswith("/audio/transcriptions"):
            role, usual = "hearing", lambda: transcript(HEARD)
            self.recordings.append(_recording(body))
        elif path.endswith("/audio/speech"):
            role, usual = "speaking", lambda: failure(500)
        elif b"overall_assessment" in body:
            role, usual = "summary", summary
        else:
            number = self.calls["coach"] + 1
            role, usual = "coach", lambda: question(f"What did you learn from project {number}?")
        self.calls[role] += 1
        return self.next[role].popleft() if self.next[role] else usual()

    def _handler(self):
        providers = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                reply = providers._answer(self.path, body)
                if isinstance(reply, Streamed):
                    self._stream(reply)
                else:
                    reply.wait()
                    self._send(reply)

            def do_GET(self):
                self._send(failure(404))

            def _send(self, reply):
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.kind)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def _stream(self, reply):
                self.close_connection = True
                self.send_response(200)
                self.send_header("Content-Type", reply.kind)
                self.send_header("Connection", "close")
                self.end_headers()
                reply.write(self.wfile)

            def log_message(self, *_):
                pass

        return Handler
