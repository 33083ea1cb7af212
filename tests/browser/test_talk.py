"""Answering out loud: held or tapped, cancelled, heard before it is sent, and the microphone tried first."""

import json
import unittest

from looks import look
from story import Story


class Talk(Story):
    def scene(self, touch=False, **settings):
        program, page = self.hearing_program(**settings), self.page(touch=touch)
        self.begin(page, program.url)
        return program, page

    def sent_answers(self, page):
        return len(self.sent(page, "/turn"))

    def test_a_tap_starts_and_another_sends(self):
        _, page = self.scene()
        page.click("#hold")
        self.await_recorded(page)
        self.assertEqual(page.text("#hold-label"), "Tap to send")
        look(self, page, "talk-tapped")
        page.click("#hold")
        page.shows("#reply")
        self.assertEqual(self.sent_answers(page), 1)

    def test_a_finger_taps_too(self):
        _, page = self.scene(touch=True)
        page.touch("#hold")
        page.lift()
        self.await_recorded(page)
        page.touch("#hold")
        page.lift()
        page.shows("#reply")

    def test_enter_taps_and_escape_cancels_and_nothing_is_lost(self):
        _, page = self.scene()
        page.js("document.querySelector('#hold').focus()")
        page.key("Enter", text="\r")
        self.await_recorded(page)
        page.key("Escape")
        self.await_state(page, "Ready")
        page.shows("#kept-replay")
        self.assertEqual(self.sent_answers(page), 0)
        look(self, page, "talk-cancelled")
        page.click("#kept-send")
        page.shows("#reply")

    def test_sliding_away_cancels_and_coming_back_does_not(self):
        _, page = self.scene()
        page.press("#hold")
        self.await_recorded(page)
        page.slide(180)
        page.until("document.querySelector('#hold-label').innerText === 'Release to cancel'")
        page.slide(0)
        page.until("document.querySelector('#hold-label').innerText === 'Release to send'")
        page.slide(180)
        page.until("document.querySelector('#hold-label').innerText === 'Release to cancel'")
        look(self, page, "talk-away")
        page.release()
        self.await_state(page, "Ready")
        page.shows("#kept")
        self.assertEqual(self.sent_answers(page), 0)

    def test_what_was_said_can_be_heard_before_it_is_sent(self):
        _, page = self.scene()
        page.click("#listen-first")
        self.speak_answer(page)
        self.await_state(page, "Ready")
        page.shows("#kept-replay")
        self.assertEqual(self.sent_answers(page), 0)
        look(self, page, "talk-listen-first")
        page.click("#kept-replay .replay-play")
        page.until("Number(document.querySelector('#kept-replay input').value) > 0", "a position")
        page.reload()
        page.shows("#kept-send")
        self.assertTrue(page.js("document.querySelector('#listen-first').checked"), "remembered")
        page.click("#kept-send")
        page.shows("#reply")
        self.assertEqual(self.sent_answers(page), 1)

    def test_the_limit_counts_down_and_sends_what_was_said(self):
        program, page = self.hearing_program(MAX_AUDIO_SECONDS="5"), self.page()
        self.begin(page, program.url)
        page.click("#hold")
        page.until("document.querySelector('#elapsed-limit').innerText === '0:03 left'")
        self.assertTrue(page.js("document.querySelector('#elapsed-limit').matches('.soon')"))
        page.shows("#reply")
        self.assertEqual(self.sent_answers(page), 1)

    def test_the_microphone_can_be_tried_at_set_up_and_nothing_of_it_leaves(self):
        program, page = self.hearing_program(), self.page()
        page.goto(program.url)
        page.click("#mic-test-start")
        page.until("document.querySelector('#mic-test-level').value > 0", "a level")
        page.until("document.querySelector('#mic-test-said').innerText === 'You can be heard well.'")
        page.shows("#mic-test-replay")
        look(self, page, "talk-mic-test")
        self.assertEqual([each for each in page.requests if each["request"]["method"] == "POST"], [])
        _, _, *stores = json.loads(page.stored())
        self.assertFalse(any(stores), "something was kept")

    def test_a_server_that_cannot_hear_offers_no_test(self):
        page = self.page()
        page.goto(self.program().url)
        page.shows("#disclosure li")
        self.assertFalse(page.is_shown("#mic-test"))


if __name__ == "__main__":
    unittest.main()
