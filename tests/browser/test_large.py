"""Held sideways, at 200 % and with text twice as large: all is there, and the talk button is on the screen."""

import unittest

from looks import look, outside
from page import DESKTOP, PHONE
from providers import HEARD, question, transcript
from story import ANSWER, REFUSED, Story

LANDSCAPE = {"width": 844, "height": 390, "deviceScaleFactor": 1, "mobile": True}
# At 200 % a page has half the pixels of its own in each direction.
LANDSCAPE_ZOOMED = {"width": 422, "height": 195, "deviceScaleFactor": 2, "mobile": True}
PHONE_ZOOMED = {"width": 195, "height": 422, "deviceScaleFactor": 2, "mobile": True}
DESKTOP_ZOOMED = {"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": False}
LARGE_TEXT = "document.documentElement.style.fontSize = '200%'"
USUAL_TEXT = "document.documentElement.style.fontSize = ''"
LONG = (
    "Think of the last time that a plan of yours met a deadline which everybody on the team knew it"
    " could not meet: what did you say, to whom, and what would you say today if it happened again?"
)


class Large(Story):
    def assert_fits(self, page, name):
        """Nothing is cut off at the sides."""
        with self.subTest(screen=name):
            width = page.js("innerWidth")
            self.assertLessEqual(page.js("document.scrollingElement.scrollWidth"), width)
            self.assertEqual(outside(page), [])

    def assert_large_text_fits(self, page, name):
        page.look_like(PHONE)
        page.js(LARGE_TEXT)
        self.assert_fits(page, f"{name}, text 200 %")
        page.screenshot(f"{name}-text-200")
        page.js(USUAL_TEXT)

    def assert_talk_is_on_the_screen(self, page, name):
        page.js("scrollTo(0, 0); dispatchEvent(new Event('resize'))")
        page.until(
            "(box => box.top >= 0 && box.bottom <= innerHeight && box.width >= 44)"
            "(document.querySelector('#hold').getBoundingClientRect())",
            f"a talk button on the screen: {name}",
        )
        self.assert_fits(page, name)
        page.screenshot(f"talk-{name}")

    def test_the_talk_button_is_on_the_screen_whatever_its_size(self):
        program, page = self.coached_program(), self.page()
        self.begin(page, program.url)
        self.providers.will("coach", question(LONG))
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_state(page, "Ready")
        page.click("#talk-instead")
        screens = {
            "landscape": LANDSCAPE,
            "phone-zoomed": PHONE_ZOOMED,
            "desktop-zoomed": DESKTOP_ZOOMED,
            "phone": PHONE,
            "desktop": DESKTOP,
        }
        for name, screen in screens.items():
            page.look_like(screen)
            self.assert_talk_is_on_the_screen(page, name)
        page.look_like(PHONE)
        page.js(LARGE_TEXT + "; dispatchEvent(new Event('resize'))")
        self.assert_talk_is_on_the_screen(page, "text-200")
        page.js(USUAL_TEXT)
        page.look_like(LANDSCAPE)
        self.speak_answer(page)
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(page.text("#transcript"), HEARD)

    def test_held_sideways_at_200_percent_the_question_is_in_sight(self):
        program, page = self.hearing_program(), self.page(LANDSCAPE_ZOOMED)
        self.begin(page, program.url)
        page.until(
            "(box => box.top >= 0 && box.top + 50 <= document.querySelector('#talk').getBoundingClientRect().top)"
            "(document.querySelector('#question').getBoundingClientRect())",
            "two lines of the question, above the talk button",
        )
        page.screenshot("talk-landscape-zoomed")

    def test_the_table_of_delivery_fits_a_phone(self):
        program, page = self.hearing_program(), self.page()
        self.begin(page, program.url, questions=1)
        self.providers.will("hearing", transcript("Um, so I, uh, I like, you know, um, traced the slow queries."))
        self.speak_answer(page)
        self.go_on(page)
        self.await_screen(page, "summary")
        self.assertIn("×2", page.text("#summary-delivery"))
        table = "document.querySelector('#summary-delivery').parentElement"
        self.assertLessEqual(page.js(f"{table}.scrollWidth"), page.js(f"{table}.clientWidth"))
        page.js(f"{table}.scrollIntoView()")
        page.screenshot("summary-delivery")

    def test_text_twice_as_large_leaves_nothing_out(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#start")
        self.assert_large_text_fits(page, "setup")
        self.begin(page, program.url, questions=1)
        self.assert_large_text_fits(page, "ready")
        self.type_answer(page, REFUSED)
        self.await_state(page, "Refused")
        self.assert_large_text_fits(page, "refused")
        page.click("#refusal-try-again")
        self.type_answer(page, ANSWER)
        self.await_state(page, "Speaking", "Review")
        self.assert_large_text_fits(page, "reply")
        self.go_on(page)
        self.await_screen(page, "summary")
        self.assert_large_text_fits(page, "summary")
        page.click("#new-interview")
        page.shows("#home")
        self.assert_large_text_fits(page, "home")
        page.js("document.querySelector('#home').scrollIntoView()")
        look(self, page, "home")
        page.click("#past-list .past-open")
        self.await_screen(page, "summary")
        page.click("#report-list summary")
        look(self, page, "report")
        for name in ("study", "diagnostics"):
            page.click(f"#nav-{name}")
            self.await_screen(page, name)
            self.assert_large_text_fits(page, name)


class Small(Story):
    """Things that are seen at once when they are wrong."""

    def test_an_empty_field_counts_nothing_and_its_ring_covers_no_word(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#start")
        page.click("#start")
        page.until("document.querySelector('#role-error').textContent", "an error")
        page.until("document.activeElement.id === 'role'")
        page.screenshot("role-missing")
        gap = page.js(
            "(field => document.querySelector('#role-error').getBoundingClientRect().top"
            " - field.getBoundingClientRect().bottom - parseFloat(getComputedStyle(field).outlineWidth)"
            " - parseFloat(getComputedStyle(field).outlineOffset))(document.querySelector('#role'))"
        )
        self.assertGreaterEqual(gap, 0)

        self.begin(page, program.url)
        self.assertEqual(page.js("document.querySelector('#answer-count').textContent"), "")
        page.write("#answer-text", "I did.")
        self.assertIn("6 of", page.text("#answer-count"))

    def test_who_waits_sees_for_how_long(self):
        program, page = self.coached_program(), self.page()
        self.begin(page, program.url)
        slow = self.providers.will("coach", question("And then?", is_held=True))
        self.type_answer(page, ANSWER)
        page.until("document.querySelector('#waiting-time').innerText === '0:01'", "a second")
        slow.let_go()
        self.await_state(page, "Speaking", "Review")

    def test_the_set_up_says_what_the_coach_speaks_and_what_it_cannot_read_has_no_scores(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#disclosure li")
        page.choose("#language", "de")
        self.assertIn("liest Englisch", page.text("#disclosure"))
        page.screenshot("setup-german")
        self.begin(page, program.url)
        self.type_answer(
            page,
            "Ich habe auf der Station sehr viel gelernt, weil das Team gut war und wir alles"
            " miteinander besprochen haben.",
        )
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(page.js("document.querySelectorAll('#feedback li').length"), 0)
        self.assertIn("nur Englisch", page.text("#feedback-missing"))
        self.assertEqual(page.js("document.querySelectorAll('#delivery-facts div').length"), 0)


if __name__ == "__main__":
    unittest.main()
