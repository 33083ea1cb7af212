"""How every screen looks and reads: axe-core, light and dark, from 320 px up, and what it costs."""

import os
import unittest

from looks import look
from page import DESKTOP, PHONE, SMALLEST
from providers import HEARD, failure, question, transcript
from story import ANSWER, COVERED, NOT_COVERED, REFUSED, Story

FIRST_LOAD_BYTES = 100 * 1000
LATER_LOAD_BYTES = 30 * 1000  # headers


class Looks(Story):
    def look(self, page, name):
        look(self, page, name)

    def test_each_screen_of_an_interview(self):
        program, page = self.coached_program(TTS_PROVIDER="espeak"), self.page()
        page.goto(program.url)
        page.shows("#start")
        self.look(page, "setup")

        self.begin(page, program.url)
        page.click("label:has(#sound-steps)")
        self.look(page, "ready")
        page.press("#hold")
        self.await_recorded(page)
        self.look(page, "recording")
        hearing = self.providers.will("hearing", transcript(HEARD, is_held=True))
        page.release()
        self.await_state(page, "Transcribing")
        self.look(page, "transcribing")
        hearing.let_go()
        self.await_state(page, "Speaking", "Review")
        self.look(page, "reply")
        self.go_on(page)

        self.providers.will("coach", failure(401))
        self.type_answer(page, ANSWER)
        self.await_state(page, "Failed")
        self.look(page, "failed")
        page.click("#failure-cancel")
        self.type_answer(page, REFUSED)
        self.await_state(page, "Refused")
        self.look(page, "refused")
        page.click("#refusal-end")
        page.shows("#confirm-text")
        self.look(page, "end")
        page.click("#confirm-no")
        page.click("#refusal-try-again")
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_screen(page, "summary")
        self.look(page, "summary")
        page.click("#nav-diagnostics")
        self.await_screen(page, "diagnostics")
        self.look(page, "diagnostics")

    def test_each_screen_of_study(self):
        page = self.study()
        self.ask(page, COVERED)
        page.click("#study-sources details:first-of-type summary")
        page.shows("#study-sources .passage")
        self.look(page, "study")
        self.ask(page, NOT_COVERED)
        self.look(page, "study-refused")

    def test_the_first_load_is_small_quiet_and_asks_nobody_else(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#start")
        page.await_event(
            lambda: all(each["requestId"] in page.bytes for each in page.responses), "every reply"
        )

        self.assertLess(sum(page.bytes.values()), FIRST_LOAD_BYTES)
        self.assert_clean(page, network_failures=False)
        first = {name.lower(): value for name, value in page.responses[0]["response"]["headers"].items()}
        policy = first["content-security-policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)

    def test_a_second_load_brings_next_to_nothing(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#start")
        page.bytes.clear()
        page.reload()
        page.shows("#start")
        self.assertLess(sum(page.bytes.values()), LATER_LOAD_BYTES)

    def test_every_word_is_there_in_every_language(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#start")
        languages = page.js("[...document.querySelector('#language').options].map(each => each.value)")
        self.assertGreaterEqual(len(languages), 2)
        shown = set()
        for language in languages:
            page.choose("#language", language)
            page.until(f"document.documentElement.lang.startsWith('{language[:2]}')")
            page.until("document.querySelector('#start').innerText.trim()")
            empty = page.js(
                "[...document.querySelectorAll('[data-t]')].filter(each =>"
                " !each.textContent.trim() || each.textContent.includes('undefined'))"
                ".map(each => each.dataset.t)"
            )
            self.assertEqual(empty, [])
            shown.add(page.text("#start"))
        self.assertEqual(len(shown), len(languages))

    def test_the_whole_set_up_is_done_by_keyboard(self):
        program, page = self.program(), self.page(DESKTOP)
        page.goto(program.url)
        page.shows("#start")
        page.js("document.querySelector('#role').focus()")
        page.call("Input.insertText", text="Nurse")
        page.key("Enter", text="\r")
        self.await_screen(page, "interview")
        self.await_state(page, "Ready")
        page.until("document.querySelector('#screen-interview').contains(document.activeElement)")


if __name__ == "__main__":
    unittest.main()
