"""A connection that is cut, a page that is loaded again: the same session, and no second turn."""

import unittest

from cutter import Cutter
from providers import question
from scripts import STORED
from story import ANSWER, Story

LONG_PAUSES_MS = (2000, 5000)  # between the page's own tries; the first is shorter


class Connection(Story):
    def scene(self):
        program, page = self.coached_program(), self.page()
        cutter = Cutter(program.port)
        self.addCleanup(cutter.close)
        self.begin(page, cutter.url)
        return program, page, cutter

    def lose(self, page, cutter):
        """Until the page knows; then the tunnel ends."""
        page.await_event(lambda: page.lost, "a connection lost")
        cutter.revive()

    def assert_one_turn(self, page, program):
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(self.session(page, program)["turn_count"], 1)
        keys = self.keys(page)
        self.assertGreaterEqual(len(keys), 2)
        self.assertEqual(len(set(keys)), 1)

    def test_cut_before_the_recording_arrived(self):
        program, page, cutter = self.scene()
        cutter.die_at("sent", b"POST /turn ")
        self.speak_answer(page)
        self.lose(page, cutter)
        self.assert_one_turn(page, program)
        self.assertEqual(len(self.providers.recordings), 1)

    def test_cut_when_the_answer_was_due(self):
        program, page, cutter = self.scene()
        cutter.die_at("answered", b"event: result")
        self.speak_answer(page)
        self.lose(page, cutter)
        self.assert_one_turn(page, program)
        self.assertEqual(self.providers.calls["hearing"], 1)
        self.assertEqual(self.providers.calls["coach"], 1)

    def test_cut_while_the_model_thinks(self):
        program, page, cutter = self.scene()
        slow = self.providers.will("coach", question("And then?", is_held=True))
        cutter.die_at("answered", b'"thinking"')
        self.type_answer(page, ANSWER)
        slow.asked.wait(30)
        slow.let_go()
        self.lose(page, cutter)
        self.assert_one_turn(page, program)
        self.assertEqual(self.providers.calls["coach"], 1)

    def test_a_service_that_stays_away_is_told_and_tried_again(self):
        program, page, cutter = self.scene()
        page.hold_clock()
        cutter.die()
        self.type_answer(page, ANSWER)
        for pause_ms in LONG_PAUSES_MS:
            page.advance(pause_ms)
        self.await_state(page, "Failed")
        page.shows("#failure-retry")
        self.assertEqual(page.js("document.querySelector('#failure').dataset.code"), "connection_lost")

        cutter.revive()
        page.click("#failure-retry")

        self.assert_one_turn(page, program)

    def test_a_reload_comes_back_to_the_question(self):
        program, page, _ = self.scene()
        self.type_answer(page, ANSWER)
        self.await_state(page, "Speaking", "Review")
        self.go_on(page)
        self.await_state(page, "Ready")
        question_shown, progress = page.text("#question"), page.text("#progress-text")

        page.reload()

        self.await_screen(page, "interview")
        self.await_state(page, "Ready")
        self.assertEqual(page.text("#question"), question_shown)
        self.assertEqual(page.text("#progress-text"), progress)

    def test_a_reload_that_comes_before_an_answer_is_dropped_does_not_send_it_again(self):
        program, page, _ = self.scene()
        page.prepare("IDBObjectStore.prototype.delete = function () { return this.count() }")
        page.reload()
        self.await_screen(page, "interview")
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_state(page, "Ready")
        page.requests.clear()

        page.reload()

        self.await_screen(page, "interview")
        self.await_state(page, "Ready")
        self.assertEqual(self.sent(page, "/turn"), [])
        self.assertEqual(self.session(page, program)["turn_count"], 1)

    def test_a_reload_in_the_middle_of_a_turn_makes_no_second_one(self):
        program, page, _ = self.scene()
        slow = self.providers.will("coach", question("And then?", is_held=True))
        self.type_answer(page, ANSWER)
        slow.asked.wait(30)
        page.until(f"{STORED}.then(kept => kept.includes('checkout service'))", "an answer kept")

        page.reload()
        slow.let_go()

        self.await_screen(page, "interview")
        self.await_state(page, "Review")
        self.assertEqual(page.text("#next-question"), "And then?")
        self.assertEqual(self.session(page, program)["turn_count"], 1)
        self.assertEqual(self.providers.calls["coach"], 1)

    def test_a_reload_when_all_is_answered_comes_back_to_the_summary(self):
        program, page = self.coached_program(), self.page()
        self.begin(page, program.url, questions=1)
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_screen(page, "summary")
        page.reload()
        self.await_state(page, "Complete")
        self.await_screen(page, "summary")


if __name__ == "__main__":
    unittest.main()
