"""An interview that its candidate ends: the summary of what was answered, and what is no answer at all."""

import unittest

from looks import look
from providers import failure
from story import ANSWER, REFUSED, Story


class Finish(Story):
    def answered_once(self, program, questions=3):
        page = self.page()
        self.begin(page, program.url, questions)
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_state(page, "Ready")
        return page

    def test_ending_early_brings_the_summary_of_what_was_answered(self):
        program = self.program()
        page = self.answered_once(program)
        page.click("#end-interview")
        self.assertIn("summary of what you answered", page.text("#confirm-text"))
        self.assertNotIn("not sent", page.text("#confirm-text"))
        page.click("#confirm-no")
        self.await_state(page, "Ready")
        page.write("#answer-text", "Half an answer")
        page.click("#end-interview")
        self.assertIn("The answer that was not sent is dropped.", page.text("#confirm-text"))
        page.click("#confirm-no")
        page.click("#end-interview")
        page.click("#confirm-yes")

        self.await_screen(page, "summary")
        summary = self.envelope(page, "/finish")["data"]["session_summary"]
        self.assertEqual(page.text("#summary-assessment"), summary["overall_assessment"])
        self.assertEqual(page.js("document.querySelectorAll('#report-list > li').length"), 1)
        self.assertFalse(page.is_shown("#summary-again"))
        look(self, page, "finished")
        self.assertEqual(self.session(page, program)["status"], "completed")

        page.reload()
        self.await_screen(page, "summary")
        self.assertEqual(page.text("#summary-assessment"), summary["overall_assessment"])
        page.click("#new-interview")
        page.shows("#home")
        page.click("#past-list .past-open")
        self.await_screen(page, "summary")
        self.assertEqual(page.text("#summary-assessment"), summary["overall_assessment"])

    def test_ending_at_a_refusal_keeps_what_was_answered_before(self):
        page = self.answered_once(self.program())
        self.type_answer(page, REFUSED)
        self.await_state(page, "Refused")
        page.click("#refusal-end")
        page.click("#confirm-yes")
        self.await_screen(page, "summary")
        self.assertFalse(page.js("document.querySelector('dialog[open]') !== null"))

    def test_ending_with_nothing_answered_leaves(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        page.click("#end-interview")
        self.assertIn("no summary", page.text("#confirm-text"))
        page.click("#confirm-yes")
        self.await_screen(page, "setup")
        self.assertFalse(page.is_shown("#home"))

    def test_a_summary_that_failed_is_asked_for_again(self):
        program = self.coached_program()
        page = self.answered_once(program)
        self.providers.will("summary", failure(500))
        page.click("#end-interview")
        page.click("#confirm-yes")
        self.await_screen(page, "summary")
        self.assertIn("could not be made", page.text("#summary-assessment"))
        look(self, page, "summary-missing")

        page.click("#summary-again")

        page.until("document.querySelector('#summary-again').hidden", "a summary")
        self.assertIn("steady", page.text("#summary-assessment"))
        page.reload()
        self.await_screen(page, "summary")
        self.assertIn("steady", page.text("#summary-assessment"))

    def test_what_was_answered_elsewhere_is_in_the_report_too(self):
        program = self.program()
        page = self.answered_once(program, questions=2)
        start = page.start
        other = "I asked a colleague to review each step, and we finished a week early."
        status = page.js(
            "fetch('/turn', {method: 'POST', headers: {'Content-Type': 'application/json',"
            f" Authorization: 'Bearer {start['session_token']}'}}, body: JSON.stringify("
            f"{{session_id: '{start['session_id']}', transcript: '{other}'}})}}).then(reply => reply.status)"
        )
        self.assertEqual(status, 200)
        page.reload()
        self.await_screen(page, "summary")
        self.assertEqual(page.js("document.querySelectorAll('#report-list > li').length"), 2)
        page.click("#report-list > li:last-child summary")
        self.assertIn(other, page.text("#report-list"))
        self.assertFalse(page.is_shown("#summary-again"))

    def test_a_question_about_the_question_is_no_answer(self):
        program = self.program()
        page = self.answered_once(program)
        question = page.text("#question")
        self.type_answer(page, "Could you repeat the question, please?")
        page.until("document.querySelector('#notice').innerText.includes('Nothing was counted')", "a notice")
        self.await_state(page, "Ready")
        self.assertIn("2 of 3", page.text("#progress-text"))
        self.assertEqual(page.text("#question"), question)
        self.assertEqual(self.session(page, program)["turn_count"], 1)
        look(self, page, "asked-again")

        self.type_answer(page, "Can we skip this question?")
        self.await_state(page, "Speaking", "Review")
        self.assertIn("without an answer", page.text("#feedback-missing"))
        self.assertEqual(self.session(page, program)["turn_count"], 2)


if __name__ == "__main__":
    unittest.main()
