"""How questions are heard: at once, in a conversation; when they are asked for, step by step; or not at all."""

import unittest

from cutter import Cutter
from looks import look
from page import DESKTOP
from providers import HEARD, Streamed, failure, speech
from scripts import PLAYED, SOUNDING
from story import ANSWER, Story

NEXT = "What came of it in the end?"


class Sound(Story):
    def voice(self):
        return {"TTS_PROVIDER": "openai", "TTS_BASE_URL": self.providers.url, "TTS_API_KEY": "scripted"}

    def scene(self):
        program, page = self.coached_program(**self.voice()), self.page()
        page.prepare(PLAYED)
        self.begin(page, program.url)
        return program, page

    def speak_until_it_sounds(self, page, **how):
        """The model is held behind its question, which is heard meanwhile."""
        coach = self.providers.will("coach", Streamed(NEXT, **how))
        self.providers.will("speaking", speech(20))
        self.speak_answer(page)
        page.until(f"{SOUNDING} === 1", "the next question")
        self.await_state(page, "Speaking")
        return coach

    def test_in_a_conversation_the_question_sounds_while_its_feedback_is_written(self):
        _, page = self.scene()
        coach = self.speak_until_it_sounds(page)
        self.assertEqual(page.text("#preview-question"), NEXT)
        self.assertEqual(page.text("#preview-transcript"), HEARD)
        self.assertFalse(page.is_shown("#feedback-card"))
        look(self, page, "sound-ahead")
        coach.let_go()

        page.shows("#feedback-card")
        self.assertEqual(page.text("#question"), NEXT)
        self.assertEqual(page.js(SOUNDING), 1)
        self.assertEqual(page.js("played.size"), 1)
        self.assertFalse(page.is_shown("#continue"))
        look(self, page, "sound-conversation")
        page.press("#hold")
        self.await_recorded(page)
        self.assertEqual(page.js(SOUNDING), 0)
        page.release()
        self.await_state(page, "Review")
        self.assertEqual(self.turn(page)["question_number"], 2)

    def test_a_turn_that_fails_after_it_was_heard_takes_its_question_back(self):
        program, page = self.scene()
        asked = page.text("#question")
        before = self.session(page, program)
        coach = self.speak_until_it_sounds(page, breaks=True)
        coach.let_go()

        self.await_state(page, "Failed")
        self.assertEqual(page.js(SOUNDING), 0)
        self.assertEqual(page.text("#question"), asked)
        page.shows("#taken-back")
        look(self, page, "sound-taken-back")
        self.assert_nowhere(page, NEXT)
        self.assertEqual(self.session(page, program), before)
        self.providers.will("speaking", speech())
        page.click("#failure-retry")
        page.shows("#feedback-card")
        self.assertEqual(self.turn(page)["question_number"], 1)
        self.assertFalse(page.is_shown("#taken-back"))

    def test_a_connection_that_is_lost_after_the_question_was_heard_loses_nothing(self):
        program = self.coached_program(**self.voice())
        page, cutter = self.page(), Cutter(program.port)
        self.addCleanup(cutter.close)
        page.prepare(PLAYED)
        self.begin(page, cutter.url)
        cutter.die_at("answered", b"event: result")
        coach = self.speak_until_it_sounds(page)
        coach.let_go()
        page.await_event(lambda: page.lost, "a connection lost")
        cutter.revive()

        page.shows("#feedback-card")
        self.assertEqual(page.text("#question"), NEXT)
        page.until(f"{SOUNDING} === 1", "the question, from its beginning")
        self.assertEqual(self.session(page, program)["turn_count"], 1)
        self.assertEqual(self.providers.calls["speaking"], 1)

    def test_one_tap_makes_it_silent_and_is_remembered(self):
        _, page = self.scene()
        coach = self.speak_until_it_sounds(page)
        page.click("#sound-mute")
        page.until(f"{SOUNDING} === 0", "silence")
        coach.let_go()
        self.await_state(page, "Ready")
        self.assertEqual(page.js(SOUNDING), 0)

        page.reload()
        page.shows("#sound-mute[aria-pressed=true]")
        self.speak_answer(page)
        page.shows("#reply-card")
        self.assertEqual(page.js("played.size && " + SOUNDING), 0)

    def test_typed_answers_go_step_by_step_unless_chosen_otherwise(self):
        _, page = self.scene()
        self.providers.will("speaking", speech(20), speech(20))
        self.type_answer(page, ANSWER)
        self.await_state(page, "Review")
        self.assertTrue(page.js("document.querySelector('#sound-steps').checked"))
        self.assertEqual(page.js(SOUNDING), 0)
        page.click("#player-replay")
        page.until(f"{SOUNDING} === 1", "the question, asked for")
        fetched = [each for each in page.requests if "/tts/" in each["request"]["url"]]
        self.assertEqual(fetched, [], "it had come with the turn")
        self.go_on(page)

    def test_a_voice_that_fails_leaves_the_question_to_be_read(self):
        _, page = self.scene()
        self.providers.will("speaking", failure(500))
        self.speak_answer(page)
        self.await_state(page, "Ready")
        page.shows("#feedback-card")
        self.assertEqual(page.js(SOUNDING), 0)
        self.providers.will("speaking", speech(20))
        page.click("#question-replay")
        page.until(f"{SOUNDING} === 1", "the question, spoken after all")

    def test_the_first_question_can_be_heard(self):
        _, page = self.scene()
        self.assertEqual(self.providers.calls["speaking"], 0)
        self.providers.will("speaking", speech(20))
        page.click("#question-replay")
        page.until(f"{SOUNDING} === 1", "the first question")
        look(self, page, "sound-first-question")
        page.click("#question-replay")
        page.until(f"{SOUNDING} === 0", "silence")
        page.click("#question-replay")
        page.until(f"{SOUNDING} === 1", "the same again")
        self.assertEqual(self.providers.calls["speaking"], 1)
        page.press("#hold")
        self.await_recorded(page)
        self.assertEqual(page.js(SOUNDING), 0)
        page.release()

    def test_nothing_that_plays_lies_over_the_text(self):
        _, page = self.scene()
        page.look_like(DESKTOP)
        self.speak_until_it_sounds(page).let_go()
        page.shows("#feedback-card")
        fixed = page.js(
            "[...document.querySelectorAll('#screen-interview *')].filter(each => each.checkVisibility() &&"
            " ['fixed', 'sticky'].includes(getComputedStyle(each).position)).map(each => each.id)"
        )
        self.assertEqual(fixed, [])

    def test_without_a_voice_there_is_no_switch(self):
        page = self.page()
        self.begin(page, self.hearing_program().url)
        self.assertFalse(page.is_shown("#sound"))


if __name__ == "__main__":
    unittest.main()
