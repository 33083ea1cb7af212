"""What is said about an answer, how it was said, one's own voice again, and another try."""

import unittest

from looks import look
from providers import question, transcript
from story import Story

SAID = "Um, in my last team I traced, um, the slow queries, and timeouts fell by ninety percent."


class Feedback(Story):
    def scene(self):
        program, page = self.coached_program(), self.page()
        self.begin(page, program.url, questions=3)
        return program, page

    def answer(self, page, scores=(4, 3, 5, 2)):
        self.providers.will("hearing", transcript(SAID))
        self.providers.will("coach", question("What did you learn from it?", scores=scores))
        self.speak_answer(page)
        page.shows("#feedback-card")
        self.await_state(page, "Review")

    def scores(self, page):
        return page.js(
            "[...document.querySelectorAll('#feedback li')].map(each =>"
            " [each.dataset.before ?? null, each.dataset.score])"
        )

    def test_feedback_comes_first_then_the_own_words_and_how_they_were_said(self):
        _, page = self.scene()
        self.answer(page)
        tops = page.js(
            "['feedback-card', 'transcript-card', 'reply-card'].map(id =>"
            " document.getElementById(id).getBoundingClientRect().top)"
        )
        self.assertEqual(tops, sorted(tops))
        page.until("document.activeElement.id === 'feedback-title'")
        facts = page.js(
            "Object.fromEntries([...document.querySelectorAll('#delivery-facts > div')].map(each =>"
            " [each.dataset.fact, each.dataset.good]))"
        )
        self.assertEqual(facts, {"pace": "true", "longest_pause": "true", "length": "false", "fillers": "false"})
        marked = page.js("[...document.querySelectorAll('#transcript mark')].map(each => each.innerText)")
        self.assertEqual(marked, ["Um", "um"])
        self.assertEqual(page.text("#transcript"), SAID)

    def test_ones_own_recording_is_heard_again_and_stays_here(self):
        program, page = self.scene()
        self.answer(page)
        page.shows("#own-replay")
        marks = page.js("[...document.querySelectorAll('#own-replay [data-mark]')].map(each => each.innerText)")
        self.assertEqual(marks, ["0:00 “um”", "0:03 “um”"])
        page.js("document.querySelector('#own-recording').scrollIntoView()")
        look(self, page, "feedback-replay")
        page.click("#own-replay [data-mark]:first-child button")
        page.until("Number(document.querySelector('#own-replay input').value) > 0", "it plays from there")
        page.click("#own-replay .replay-play")
        page.click("#own-replay .replay-play")
        page.until("Number(document.querySelector('#own-replay input').value) > 0", "it plays")
        page.js("document.querySelector('#own-replay .replay-play').click()")
        page.reload()
        page.shows("#own-replay")
        fetched = [each["request"]["url"] for each in page.requests if "/tts/" in each["request"]["url"]]
        self.assertEqual(fetched, [])
        self.assertEqual(len(self.sent(page, "/turn")), 1)

    def test_another_try_shows_both_attempts_side_by_side_and_counts_nothing(self):
        program, page = self.scene()
        asked = page.text("#question")
        self.answer(page, scores=(2, 3, 3, 2))
        page.click("#answer-again")
        self.await_state(page, "Ready")
        self.assertEqual(page.text("#question"), asked)
        page.shows("#again-note")
        look(self, page, "feedback-again")
        page.reload()
        page.shows("#again-note")
        self.answer(page, scores=(4, 3, 5, 2))

        self.assertEqual(self.scores(page), [["2", "4"], ["3", "3"], ["3", "5"], ["2", "2"]])
        self.assertIn("2", page.text("#feedback-title"))
        look(self, page, "feedback-attempts")
        self.assertEqual(self.session(page, program)["turn_count"], 1)
        self.go_on(page)
        self.assertEqual(page.text("#question"), "What did you learn from it?")

    def test_another_try_in_a_conversation_comes_before_the_question_that_is_open(self):
        program, page = self.coached_program(TTS_PROVIDER="espeak", MAX_ATTEMPTS_PER_QUESTION="2"), self.page()
        self.begin(page, program.url, questions=3)
        asked = page.text("#question")
        for attempt in (1, 2):
            self.providers.will("coach", question("What did you learn from it?", scores=(attempt, 3, 3, 3)))
            self.speak_answer(page)
            page.shows(f"#feedback [data-dimension=Clarity][data-score='{attempt}']")
            self.assertEqual(page.text("#question"), "What did you learn from it?")
            page.click("#answer-again")
            page.shows("#again-note")
            self.assertEqual(page.text("#question"), asked)
        self.speak_answer(page)
        self.await_state(page, "Failed")
        self.assertEqual(page.js("document.querySelector('#failure').dataset.code"), "too_many_attempts")
        page.click("#failure-cancel")
        self.await_state(page, "Ready")
        self.assertEqual(page.text("#question"), "What did you learn from it?")
        self.assertFalse(page.is_shown("#answer-again"))
        self.assertEqual(self.session(page, program)["turn_count"], 1)

    def test_another_try_can_be_left_again(self):
        _, page = self.scene()
        self.answer(page)
        page.click("#answer-again")
        self.await_state(page, "Ready")
        page.click("#again-back")
        self.await_state(page, "Review")
        page.shows("#feedback-card")
        self.go_on(page)

    def test_asking_for_the_question_or_for_the_next_one_is_no_answer(self):
        program, page = self.hearing_program(), self.page()
        self.begin(page, program.url, questions=3)
        asked = page.text("#question")
        self.type_answer(page, "Sorry, could you repeat the question, please?")
        page.shows("#notice")
        self.await_state(page, "Ready")
        self.assertEqual(page.text("#question"), asked)
        self.assertEqual(self.session(page, program)["turn_count"], 0)
        self.type_answer(page, "I would like to skip this question, please.")
        self.await_state(page, "Review")
        self.assertIn("went on without", page.text("#feedback-missing"))
        self.assertEqual(self.session(page, program)["turn_count"], 1)


if __name__ == "__main__":
    unittest.main()
