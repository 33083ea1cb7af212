"""Study: the corpus answers with its sources, or refuses with a hint at what to try next."""

import json
import unittest

from story import COVERED, NOT_COVERED, REFUSED, Story

PASSAGE = (
    "The night ward has three nurses. A nurse who finds a fault in a pump tells the ward sister at"
    " once and puts a red label on the pump. The pump is exchanged within two hours."
)


class Study(Story):
    def assert_reads_as_help(self, page, reason):
        self.assertTrue(page.is_shown("#study-refusal"))
        self.assertEqual(page.js("document.querySelector('#study-refusal').dataset.reason"), reason)
        self.assertGreater(page.js("document.querySelectorAll('#study-next li').length"), 0)
        self.assertFalse(page.is_shown("#study-failure"))
        self.assertFalse(page.is_shown("#study-reply"))

    def test_an_answer_comes_with_sources_that_fold_out(self):
        page = self.study()
        self.ask(page, COVERED)

        self.assertEqual(page.text("#study-answer"), self.envelope(page, "/ask")["data"]["answer"])
        page.shows("#study-sources details")
        self.assertFalse(page.is_shown("#study-sources .passage"))
        page.click("#study-sources details:first-of-type summary")
        page.shows("#study-sources .passage")

    def test_a_refusal_says_what_to_try_next(self):
        page = self.study()
        self.ask(page, NOT_COVERED)

        said = self.envelope(page, "/ask")["data"]
        self.assertTrue(said["was_refusal"])
        self.assert_reads_as_help(page, "empty_retrieval")
        self.assertEqual(page.text("#study-refusal-text"), said["answer"])

    def test_a_question_that_is_refused_by_the_filter_reads_as_help_too(self):
        page = self.study()
        self.ask(page, REFUSED)

        self.assert_reads_as_help(page, "content_refused")

    def test_selected_text_of_a_passage_is_asked_about(self):
        page = self.study()
        self.ask(page, COVERED)
        page.click("#study-sources details:first-of-type summary")
        page.shows("#study-sources .passage")
        page.js("getSelection().selectAllChildren(document.querySelector('#study-sources .passage'))")
        page.click("#ask-selection")
        page.shows("#study-selection-text")
        selected = page.text("#study-selection-text")
        self.ask(page, COVERED)

        asked = self.sent(page, "/ask")[-1]["postData"]
        self.assertIn(selected[:30], asked)

    def test_what_is_typed_outlives_a_reload(self):
        page = self.study()
        page.write("#study-question", NOT_COVERED)
        page.reload()
        self.await_screen(page, "study")
        page.until(f"document.querySelector('#study-question').value === {json.dumps(NOT_COVERED)}")

    def test_a_passage_of_ones_own_is_asked_about(self):
        page = self.study()
        page.click("#study-own summary")
        page.write("#study-passage", PASSAGE)
        self.ask(page, "What does a nurse put on the pump?")
        self.assertIn("label", page.text("#study-answer"))

        page.write("#study-passage", PASSAGE)
        self.ask(page, NOT_COVERED)
        self.assert_reads_as_help(page, "selected_text_insufficient")


if __name__ == "__main__":
    unittest.main()
