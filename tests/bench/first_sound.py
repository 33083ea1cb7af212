"""How long after a spoken answer does the next question sound?

    POISE_PROGRAM=$PWD/build/gcc/poise python3 tests/bench/first_sound.py

Scripted providers take their time: hearing 300 ms; the model streams for 1,500 ms and has its question
after 500; speech takes 400.  Printed are the milliseconds from the request to each event of the stream,
the median of five turns.
"""

import collections
import http.client
import io
import json
import os
import statistics
import sys
import time
import wave

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "browser"))
from program import Program  # noqa: E402
from providers import Providers, Reply, Streamed, transcript  # noqa: E402

HEARING, QUESTION, REST, SPEECH = 0.3, 0.5, 1.0, 0.4
TURNS = 5


class Slow(Reply):
    def __init__(self, seconds, body, kind="application/json"):
        super().__init__(body, kind=kind)
        self.seconds = seconds

    def wait(self):
        time.sleep(self.seconds)


class SlowlyWritten(Streamed):
    def write(self, file):
        time.sleep(QUESTION)
        super().write(file)

    def wait(self):
        time.sleep(REST)


def recording(seed):
    """A second of sound, as WAV."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 8000, 8000, "NONE", ""))
        file.writeframes(bytes([seed]) * 16000)
    return out.getvalue()


def start(program):
    connection = http.client.HTTPConnection("127.0.0.1", program.port)
    wanted = {"role": "Nurse", "interview_type": "behavioral", "difficulty": "easy", "question_count": 10}
    connection.request("POST", "/session/start", json.dumps(wanted), {"Content-Type": "application/json"})
    return json.load(connection.getresponse())["data"]


def answer(program, session, seed):
    """(event, milliseconds since the request) as they come; of the stages only their names."""
    form = (
        b'--b\r\ncontent-disposition: form-data; name="session_id"\r\n\r\n%s\r\n'
        b'--b\r\ncontent-disposition: form-data; name="audio"; filename="a.wav"\r\n'
        b"content-type: audio/wav\r\n\r\n%s\r\n--b--\r\n"
    ) % (session["session_id"].encode(), recording(seed))
    headers = {
        "Content-Type": "multipart/form-data; boundary=b",
        "Accept": "text/event-stream",
        "Authorization": f"Bearer {session['session_token']}",
    }
    connection = http.client.HTTPConnection("127.0.0.1", program.port)
    since = time.monotonic()
    connection.request("POST", "/turn", form, headers)
    for line in connection.getresponse():
        if line.startswith(b"event: "):
            event = line[7:].decode().strip()
        elif line.startswith(b"data: ") and event != "stage":
            yield event, 1000 * (time.monotonic() - since)


providers = Providers()
SPEAKS = dict(
    STT_PROVIDER="openai", STT_BASE_URL=providers.url, STT_API_KEY="scripted",
    TTS_PROVIDER="openai", TTS_BASE_URL=providers.url, TTS_API_KEY="scripted",
    GROQ_BASE_URL=providers.url, GROQ_API_KEY="scripted",
)  # fmt: skip
program = None
try:
    program = Program(**SPEAKS)
    session = start(program)
    times = collections.defaultdict(list)
    for turn in range(TURNS):
        providers.will("hearing", Slow(HEARING, transcript("I found the slow query.").body))
        providers.will("coach", SlowlyWritten(f"What came of project {turn}?"))
        providers.will("speaking", Slow(SPEECH, recording(100 + turn), "audio/wav"))
        for event, ms in answer(program, session, turn):
            times[event].append(ms)
    for event, each in times.items():
        print(f"{event:15} {statistics.median(each):6.0f} ms")
finally:
    if program:
        program.close()
    providers.close()
