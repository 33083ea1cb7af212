"""A refusal: the calm sheet, the same question, and not a word of what was said."""

import unittest

from providers import refusal, transcript
from story import ANSWER, FLAGGED, REFUSAL, REFUSED, Story

FILTER_TEXT = "processed"  # of the service's own text
MODEL_TEXT = "Let us return to the work that you did."


class Refusals(Story):
    def refused_by_filter(self, page):
        self.type_answer(page, REFUSED)
        self.await_refusal(page)

    def await_refusal(self, page):
        self.await_state(page, "Refused")
        page.shows("#refusal-try-again")
        self.assertEqual(page.text("#refusal-text"), REFUSAL)

    def assert_only_two_ways_on(self, page):
        shown = page.js(
            "[...document.querySelectorAll('button, a[href], input, textarea, select')].filter("
            "each => each.checkVisibility({visibilityProperty: true}) && each.matches('#refusal *'))"
            ".map(each => each.innerText.trim())"
        )
        self.assertEqual(shown, ["Try Again", "End Session"])
        self.assertTrue(page.js("document.querySelector('#refusal').matches(':modal')"))

    def test_by_the_filter_changes_nothing_and_tries_again(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        before = self.session(page, program)
        question, progress = page.text("#question"), page.text("#progress-text")

        self.refused_by_filter(page)

        self.assert_only_two_ways_on(page)
        self.assert_nowhere(page, *FLAGGED, FILTER_TEXT)
        self.assertEqual(self.session(page, program), before)
        page.click("#refusal-try-again")
        self.await_state(page, "Ready")
        self.assertEqual(page.text("#question"), question)
        self.assertEqual(page.text("#progress-text"), progress)
        self.assert_nowhere(page, *FLAGGED, FILTER_TEXT)

        self.type_answer(page, ANSWER)
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(self.session(page, program)["turn_count"], 1)

    def test_by_the_filter_of_what_was_heard(self):
        self.providers.will("hearing", transcript(REFUSED))
        program, page = self.hearing_program(), self.page()
        self.begin(page, program.url)
        before = self.session(page, program)

        self.speak_answer(page)

        self.await_refusal(page)
        self.assert_only_two_ways_on(page)
        self.assert_nowhere(page, *FLAGGED, FILTER_TEXT)
        self.assertEqual(self.session(page, program), before)
        page.click("#refusal-try-again")
        self.speak_answer(page)
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(self.session(page, program)["turn_count"], 1)

    def test_by_the_model_shows_not_a_word_of_the_model(self):
        self.providers.will("coach", refusal(MODEL_TEXT))
        program, page = self.coached_program(), self.page()
        self.begin(page, program.url)
        before = self.session(page, program)
        question, progress = page.text("#question"), page.text("#progress-text")

        self.type_answer(page, ANSWER)

        self.await_refusal(page)
        self.assertEqual(self.envelope(page, "/turn")["error"]["message_safe"], MODEL_TEXT)
        self.assert_only_two_ways_on(page)
        self.assert_nowhere(page, MODEL_TEXT, ANSWER)
        self.assertEqual(self.session(page, program), before)
        page.click("#refusal-try-again")
        self.await_state(page, "Ready")
        self.assertEqual(page.text("#question"), question)
        self.assertEqual(page.text("#progress-text"), progress)

    def test_ending_the_session_asks_once(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        self.refused_by_filter(page)

        page.click("#refusal-end")
        page.shows("#confirm-text")
        page.click("#confirm-no")
        self.await_refusal(page)
        page.click("#refusal-end")
        page.click("#confirm-yes")

        self.await_screen(page, "setup")
        self.assertFalse(page.js("document.querySelector('dialog[open]') !== null"))
        self.assert_nowhere(page, *FLAGGED)

    def test_the_sheet_is_read_out_and_kept_by_the_keyboard(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        self.refused_by_filter(page)

        page.until("document.querySelector('#refusal').contains(document.activeElement)")
        for _ in range(3):
            page.key("Tab")
            page.until(
                "document.activeElement === document.body"
                " || document.querySelector('#refusal').contains(document.activeElement)"
            )
        page.key("Escape")
        page.until(
            "document.querySelector('main').dataset.state === 'Ready'"
            " || document.querySelector('#refusal').open"
        )

    def test_the_sheet_alarms_nobody(self):
        program, page = self.program(), self.page()
        self.begin(page, program.url)
        self.refused_by_filter(page)

        for scheme in ("light", "dark"):
            page.prefer(scheme)
            colours = page.js(
                "[...document.querySelectorAll('#refusal, #refusal *')].flatMap(each => {"
                " const style = getComputedStyle(each);"
                " return [style.color, style.backgroundColor, style.borderTopColor] })"
            )
            for colour in set(colours):
                self.assertFalse(is_red(colour), colour)
        filled, text = page.js(
            "['#refusal-try-again', '#refusal-end'].map(each =>"
            " getComputedStyle(document.querySelector(each)).backgroundColor)"
        )
        self.assertNotEqual(filled, "rgba(0, 0, 0, 0)")
        self.assertEqual(text, "rgba(0, 0, 0, 0)")


def is_red(colour):
    """Of rgb(...): red well above the others."""
    numbers = [float(each) for each in colour[colour.index("(") + 1 : -1].replace(",", " ").split()[:3]]
    red, green, blue = numbers
    return red > 120 and red > 1.8 * green and red > 1.8 * blue


if __name__ == "__main__":
    unittest.main()
