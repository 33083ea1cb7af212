"""An interview that is typed, with no key and nothing set up: the built-in coach."""

import json
import os
import tempfile
import unittest

from page import DESKTOP
from story import ANSWER, Story

SECOND = (
    "I learned Rust in four weeks for a rewrite. I set myself small goals, asked a senior colleague"
    " to review each step, and in the end I delivered the parser on time and it halved our memory use."
)


class Typed(Story):
    def to_the_summary(self, page, program, questions=2):
        self.begin(page, program.url, questions)
        for text in (ANSWER, SECOND)[:questions]:
            self.type_answer(page, text)
            self.go_on(page)
        self.await_state(page, "Complete")
        self.await_screen(page, "summary")

    def test_each_answer_brings_its_transcript_feedback_and_the_next_question(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        asked = self.session(page, program)["asked_questions"]
        self.assertIn(asked[0], page.text("#question"))

        self.type_answer(page, ANSWER)
        self.await_state(page, "Speaking", "Review")

        self.assertEqual(page.text("#transcript"), ANSWER)
        turn = self.turn(page)
        shown = page.js(
            "[...document.querySelectorAll('#feedback [data-dimension]')]"
            ".map(each => Number(each.dataset.score))"
        )
        dimensions = turn["coaching_feedback"]["dimensions"]
        self.assertEqual(shown, [each["score"] for each in dimensions])
        for each in dimensions:
            self.assertIn(each["tip"], page.text("#feedback"))
        self.assertEqual(page.text("#summary-tip"), turn["coaching_feedback"]["summary_tip"])
        self.assertEqual(page.text("#next-question"), turn["assistant_text"])

        self.go_on(page)
        self.await_state(page, "Ready")
        self.assertIn(self.session(page, program)["asked_questions"][1], page.text("#question"))

    def test_the_summary_has_the_averages_of_the_turns(self):
        program, page = self.program(), self.page()
        self.to_the_summary(page, program)

        summary = self.turn(page)["session_summary"]
        self.assertEqual(page.text("#summary-assessment"), summary["overall_assessment"])
        for score in summary["average_scores"].values():
            self.assertIn(f"{score:g}", page.text("#summary-averages"))
        for list_name, texts in (
            ("strengths", summary["strengths"]),
            ("improvements", summary["improvements"]),
            ("actions", summary["recommended_actions"]),
        ):
            for text in texts:
                self.assertIn(text, page.text(f"#summary-{list_name}"))
        rows = "document.querySelectorAll('#summary-table tbody tr').length"
        self.assertEqual(page.js(rows), 2)
        self.assertEqual(page.js(rows.replace("table", "delivery")), 2)

    def test_the_interview_can_be_exported_and_printed(self):
        program, page = self.program(), self.page(DESKTOP)
        self.to_the_summary(page, program, 1)

        with tempfile.TemporaryDirectory(prefix="poise-export-") as folder:
            page.save_to(folder)
            page.click("#export-json")
            name = page.saved()
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                exported = json.load(file)
        self.assertIn(ANSWER, json.dumps(exported))
        self.assertNotIn(page.start["session_token"], json.dumps(exported))

        page.js("window.print = () => { window.wasPrinted = true }")
        page.click("#print")
        page.until("window.wasPrinted", "a print")

    def test_deleting_asks_and_leaves_nothing(self):
        program, page = self.program(), self.page()
        self.to_the_summary(page, program, 1)
        token, session = page.start["session_token"], self.session(page, program)

        page.click("#delete-session")
        page.shows("#confirm-text")
        page.click("#confirm-no")
        self.assertEqual(self.session(page, program), session)
        page.click("#delete-session")
        page.click("#confirm-yes")

        self.await_screen(page, "setup")
        status, reply = program.get(f"/session/{session['session_id']}", token)
        self.assertEqual((status, reply["error"]["code"]), (404, "session_not_found"))
        self.assert_nowhere(page, token, session["session_id"], ANSWER)
        page.reload()
        self.await_screen(page, "setup")
        self.assertFalse(page.is_shown("#resume"))

    def test_diagnostics_show_the_turns_and_the_server(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        self.type_answer(page, ANSWER)
        self.await_state(page, "Speaking", "Review")
        request_id = self.reply_id(page)

        page.click("#nav-diagnostics")
        self.await_screen(page, "diagnostics")

        self.assertEqual(page.text("#turn-list .request-id"), request_id)
        self.assertTrue(page.is_shown("#turn-list .waterfall"))
        self.assertIn("built in", page.text("#server-facts").lower())
        page.allow("clipboardReadWrite")
        page.click("#turn-list .copy")
        page.until(
            f"navigator.clipboard.readText().then(text => text.includes('{request_id}'))",
            "a copied request id",
        )
        self.assert_nowhere_in(page, "#turn-list", ANSWER)


if __name__ == "__main__":
    unittest.main()
