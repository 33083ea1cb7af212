"""What every story of the browser has: one Chromium, one set of scripted providers and a program for
each set of settings, and for each test a tab of its own.

A test ends with the tab asked: no script failed, and nothing was asked of any other place.
"""

import json
import os
import sys
import unittest

from devtools import Chromium
from page import PHONE, Page
from program import Program
from providers import Providers

sys.dont_write_bytecode = True

REFUSAL = "Let's stay focused on the interview. Please try answering the question again."
ANSWER = (
    "In my last team our checkout service timed out every Friday. I was asked to find out why."
    " I traced the slow queries, added an index and moved a report to a replica. As a result"
    " timeouts fell by ninety percent within a week."
)
REFUSED = "Whatever, give me your social security number."  # by the filter, and what of it is flagged
FLAGGED = ("Whatever", "social security")
COVERED = "What does STAR stand for?"  # by the handbook that the program brings along
NOT_COVERED = "What is the boiling point of tungsten?"


class Story(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._programs = {}
        cls.providers = Providers()
        cls.addClassCleanup(cls.providers.close)
        cls.chromium = Chromium(os.environ["MICROPHONE"])
        cls.addClassCleanup(cls.chromium.close)

    def setUp(self):
        self._pages = []
        self.addCleanup(self.providers.forget)

    def tearDown(self):
        for page in self._pages:
            self.assert_clean(page)

    # --- who is there

    def program(self, **settings):
        """The program with its defaults, but for these, which take time: it does not speak unless it
        is told to, and what a provider says first is final."""
        final = {"TTS_PROVIDER": "none", "PROVIDER_RETRIES": "0", "BREAKER_FAILURES": "0"}
        settings = {**final, **settings}
        key = tuple(sorted(settings.items()))
        if key not in self._programs:
            self._programs[key] = Program(**settings)
            self.addClassCleanup(self._programs[key].close)
        return self._programs[key]

    def hearing_program(self, **settings):
        return self.program(
            STT_PROVIDER="openai", STT_BASE_URL=self.providers.url, STT_API_KEY="scripted", **settings
        )

    def coached_program(self, **settings):
        return self.hearing_program(
            GROQ_BASE_URL=self.providers.url, GROQ_API_KEY="scripted", **settings
        )

    def page(self, screen=PHONE, touch=False, beside=None):
        page = Page(self.chromium, screen, touch, beside)
        self.addCleanup(page.close)
        self._pages.append(page)
        return page

    # --- what happens in most stories

    def await_state(self, page, *states):
        wanted = json.dumps(states)
        page.until(
            f"{wanted}.includes(document.querySelector('main').dataset.state)",
            f"state {' or '.join(states)}",
        )

    def await_screen(self, page, screen):
        page.until(f"document.body.dataset.screen === '{screen}'", f"screen {screen}")

    def begin(self, page, url, questions=2):
        """From the set-up to the first question."""
        page.goto(url)
        page.shows("#start")
        page.write("#role", "Backend Developer")
        page.choose("#question-count", str(questions))
        page.click("#start")
        self.await_screen(page, "interview")
        self.await_state(page, "Ready")
        page.start = self.envelope(page, "/session/start")["data"]

    def type_answer(self, page, text):
        self.await_state(page, "Ready")
        if not page.is_shown("#answer-form"):
            page.click("#type-instead")
        page.write("#answer-text", text)
        page.click("#send-answer")

    def speak_answer(self, page):
        """Holds the button until something was recorded, and lets it go."""
        self.await_state(page, "Ready")
        page.press("#hold")
        self.await_recorded(page)
        page.release()

    def await_recorded(self, page):
        self.await_state(page, "Recording")
        page.until("document.querySelector('#elapsed').innerText !== '0:00'", "a second recorded")

    def go_on(self, page):
        """From the reply to the next question."""
        self.await_state(page, "Speaking", "Review")
        page.click("#continue")

    def study(self):
        program, page = self.program(), self.page()
        page.goto(program.url + "/#study")
        self.await_screen(page, "study")
        return page

    def ask(self, page, question):
        page.write("#study-question", question)
        page.click("#study-ask")
        page.until(
            "['reply', 'refusal', 'failure'].some(each =>"
            " document.querySelector(`#study-${each}`).checkVisibility())",
            "an answer of some kind",
        )

    # --- what the service says

    def session(self, page, program):
        """GET /session as an app sees it, but for the expiry, which each turn moves."""
        start = page.start
        status, body = program.get(f"/session/{start['session_id']}", start["session_token"])
        self.assertEqual(status, 200)
        return {name: value for name, value in body["data"].items() if name != "expires_at"}

    def turn(self, page):
        return self.envelope(page, "/turn")["data"]

    def envelope(self, page, path):
        """The last envelope from a path, which may have come as the last of some events."""
        response = self.responses(page, path)[-1]
        if response["response"]["mimeType"] == "text/event-stream":
            _, _, result = page.js("streamed").rpartition("event: result\ndata: ")
            return json.loads(result)
        page.await_event(lambda: response["requestId"] in page.bytes, f"all of {path}")
        body = page.call("Network.getResponseBody", requestId=response["requestId"])
        return json.loads(body["body"])

    def reply_id(self, page):
        """The request id of the last answer."""
        headers = self.responses(page, "/turn")[-1]["response"]["headers"]
        return {name.lower(): value for name, value in headers.items()}["x-request-id"]

    def responses(self, page, path):
        return [each for each in page.responses if each["response"]["url"].endswith(path)]

    def sent(self, page, path):
        """The requests that the page made to a path, in order."""
        return [
            each["request"] for each in page.requests if each["request"]["url"].endswith(path)
        ]

    def keys(self, page):
        """The Idempotency-Key of each answer that the page sent."""
        return [
            value
            for each in self.sent(page, "/turn")
            for name, value in each["headers"].items()
            if name.lower() == "idempotency-key"
        ]

    def statuses(self, page, path):
        return [each["response"]["status"] for each in self.responses(page, path)]

    # --- what must be so

    def assert_clean(self, page, network_failures=True):
        """Nothing was thrown or complained of; a reply of 4xx or 5xx is one of Chromium's complaints."""
        complaints = [
            each
            for each in page.complaints
            if not (network_failures and each.get("source") == "network")
        ]
        self.assertEqual(complaints, [])
        origins = {
            "/".join(each["request"]["url"].split("/")[:3])
            for each in page.requests
            if not each["request"]["url"].startswith(("blob:", "data:", "about:"))
        }
        self.assertLessEqual(len(origins), 1, origins)

    def assert_nowhere_in(self, page, selector, *words):
        markup = page.js(f"document.querySelector({json.dumps(selector)}).outerHTML")
        for word in words:
            self.assertNotIn(word, markup)

    def assert_nowhere(self, page, *words):
        everything = page.everything()
        for word in words:
            self.assertNotIn(word, everything)
