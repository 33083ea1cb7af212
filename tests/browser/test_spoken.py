"""An interview that is spoken, into Chromium's fake microphone, and heard by a scripted provider."""

import unittest

from providers import HEARD, transcript
from scripts import PLAYED, SOUNDING
from story import Story

SPEAKING = {"TTS_PROVIDER": "espeak"}

# Remembers how often the microphone was asked for.
WATCH = (
    PLAYED
    + """
window.microphoneAsked = 0;
const ask = MediaDevices.prototype.getUserMedia;
MediaDevices.prototype.getUserMedia = function (what) { microphoneAsked++; return ask.call(this, what) };
"""
)


class Spoken(Story):
    def scene(self, touch=False, **settings):
        program = self.hearing_program(**settings)
        page = self.page(touch=touch)
        page.prepare(WATCH)
        return program, page

    def heard(self, page):
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(page.text("#transcript"), HEARD)

    def test_answers_are_held_and_spoken_up_to_the_summary(self):
        program, page = self.scene()
        self.begin(page, program.url)
        self.speak_answer(page)
        self.heard(page)
        self.go_on(page)
        self.speak_answer(page)
        self.heard(page)
        self.go_on(page)
        self.await_state(page, "Complete")

        self.assertEqual(self.session(page, program)["status"], "completed")
        self.assertEqual(self.providers.calls["hearing"], 2)

    def test_the_recording_is_of_the_microphone(self):
        program, page = self.scene()
        self.begin(page, program.url)
        self.speak_answer(page)
        self.heard(page)

        (recording,) = self.providers.recordings
        self.assertGreater(len(recording), 2000)
        self.assertTrue(recording.startswith(b"\x1a\x45\xdf\xa3") or recording[4:8] == b"ftyp")

    def test_a_finger_holds_the_button(self):
        program, page = self.scene(touch=True)
        self.begin(page, program.url)
        page.touch("#hold")
        self.await_recorded(page)
        page.lift()
        self.heard(page)

    def test_the_space_bar_holds_the_button(self):
        program, page = self.scene()
        self.begin(page, program.url)
        page.until("document.activeElement !== document.querySelector('#role')")
        page.key(" ", "Space", text=" ", kinds=["keyDown"])
        self.await_recorded(page)
        page.key(" ", "Space", kinds=["keyUp"])
        self.heard(page)

    def test_the_progress_is_told_as_it_comes(self):
        program, page = self.scene()
        hearing = self.providers.will("hearing", transcript(HEARD, is_held=True))
        self.begin(page, program.url)
        self.speak_answer(page)
        self.await_state(page, "Transcribing")
        page.shows("#waiting-text")
        hearing.let_go()
        self.heard(page)

    def test_a_hidden_page_stops_the_recording(self):
        program, page = self.scene()
        self.begin(page, program.url)
        page.press("#hold")
        self.await_recorded(page)
        page.js(
            "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});"
            "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )
        self.await_state(page, "Ready")
        page.release()
        self.assertEqual(self.providers.calls["hearing"], 0)
        page.click("#kept-send")
        self.heard(page)

    def test_step_by_step_the_next_question_is_played_when_asked_for_and_can_be_paused_stopped_and_replayed(self):
        program, page = self.scene(**SPEAKING)
        self.begin(page, program.url)
        page.click("label:has(#sound-steps)")
        self.speak_answer(page)
        self.await_state(page, "Review")
        self.assertEqual(page.js(SOUNDING), 0)
        page.click("#player-replay")
        page.until(f"{SOUNDING} === 1", "a voice")
        page.click("#player-pause")
        page.until(f"{SOUNDING} === 0", "a pause")
        page.click("#player-pause")
        page.until(f"{SOUNDING} === 1", "the voice again")
        page.click("#player-stop")
        self.await_state(page, "Review")
        self.assertEqual(page.js(SOUNDING), 0)
        page.click("#player-replay")
        self.await_state(page, "Speaking")
        page.until(f"{SOUNDING} === 1", "one voice")
        page.click("#player-replay")
        page.until(f"{SOUNDING} === 1", "one voice still")

    def test_nothing_is_played_while_recording(self):
        program, page = self.scene(**SPEAKING)
        self.begin(page, program.url)
        self.speak_answer(page)
        self.await_state(page, "Speaking")
        page.until(f"{SOUNDING} === 1", "a voice")
        page.press("#hold")
        self.await_recorded(page)
        self.assertEqual(page.js(SOUNDING), 0)
        page.release()

    def test_who_hears_is_named_before_the_microphone_is_asked_for(self):
        program, page = self.scene()
        page.goto(program.url)
        page.shows("#disclosure li")
        self.assertIn("Recordings go to 127.0.0.1,", page.text("#disclosure"))
        self.begin(page, program.url)
        self.assertEqual(page.js("microphoneAsked"), 0)
        self.speak_answer(page)
        self.heard(page)
        self.assertEqual(page.js("microphoneAsked"), 1)


if __name__ == "__main__":
    unittest.main()
