"""What can go wrong but for a refusal: what failed is said, with what can be done, by stage."""

import json
import threading
import unittest
import urllib.error
import urllib.request

from providers import HEARD, failure, question, transcript
from story import ANSWER, Story

ASK_PAUSE_MS = 1500  # of the page, while another turn is under way
RETRY, RERECORD, CANCEL = "#failure-retry", "#failure-rerecord", "#failure-cancel"
WRITE = "#failure-type"


class Failures(Story):
    def scene(self, **settings):
        program, page = self.coached_program(**settings), self.page()
        self.begin(page, program.url)
        return program, page

    def assert_failed(self, page, stage, code, offers, not_offered):
        self.await_state(page, "Failed")
        page.shows("#failure")
        failed = page.js("({...document.querySelector('#failure').dataset})")
        self.assertEqual((failed["stage"], failed["code"]), (stage, code))
        self.assertTrue(page.text("#failure-title"))
        self.assertEqual(page.text("#failure-request-id"), self.reply_id(page))
        for button in offers:
            self.assertTrue(page.is_shown(button), button)
        for button in not_offered:
            self.assertFalse(page.is_shown(button), button)

    def assert_recovered(self, page, program, turns=1):
        page.shows("#continue")
        self.assertEqual(self.session(page, program)["turn_count"], turns)

    def test_a_provider_that_cannot_hear_is_retried_with_the_same_recording(self):
        program, page = self.scene()
        self.providers.will("hearing", failure(500))
        self.speak_answer(page)
        self.assert_failed(page, "stt", "stt_provider_error", [RETRY, RERECORD, CANCEL], [])

        page.click(RETRY)

        self.assert_recovered(page, program)
        self.assertEqual(self.providers.recordings[0], self.providers.recordings[-1])
        first, second = self.keys(page)
        self.assertEqual(first, second)

    def test_nothing_heard_is_recorded_again(self):
        program, page = self.scene()
        self.providers.will("hearing", transcript(""))
        self.speak_answer(page)
        self.assert_failed(page, "stt", "stt_empty_transcript", [RERECORD, CANCEL], [RETRY])

        page.click(RERECORD)
        self.speak_answer(page)

        self.assert_recovered(page, program)
        self.assertNotEqual(self.providers.recordings[0], self.providers.recordings[1])

    def test_a_model_that_fails_is_retried(self):
        program, page = self.scene()
        self.providers.will("coach", failure(500))
        self.type_answer(page, ANSWER)
        self.assert_failed(page, "llm", "llm_provider_error", [RETRY, CANCEL], [RERECORD])

        page.click(RETRY)

        self.assert_recovered(page, program)

    def test_a_model_that_refuses_our_key_cannot_be_retried(self):
        program, page = self.scene()
        self.providers.will("coach", failure(401))
        self.type_answer(page, ANSWER)
        self.assert_failed(page, "llm", "llm_auth_error", [CANCEL], [RETRY, RERECORD])

        page.click(CANCEL)

        self.await_state(page, "Ready")
        self.assertEqual(self.session(page, program)["turn_count"], 0)

    def test_a_turn_that_is_under_way_elsewhere_is_waited_for(self):
        program, page = self.scene()
        page.hold_clock()
        slow = self.providers.will("coach", question("And then?", is_held=True))
        other = threading.Thread(target=answer_elsewhere, args=(program, page.start))
        other.start()
        slow.asked.wait(30)
        self.type_answer(page, ANSWER)
        page.await_event(lambda: self.statuses(page, "/turn") == [409], "turn_in_progress")

        slow.let_go()
        other.join()
        page.advance(ASK_PAUSE_MS)

        self.assert_recovered(page, program, turns=2)

    def test_too_many_answers_a_minute_are_told_as_the_uploads(self):
        _, page = self.scene(RATE_LIMIT_TURNS_PER_MINUTE="1")
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.type_answer(page, ANSWER)
        self.assert_failed(page, "upload", "rate_limited", [RETRY, CANCEL], [RERECORD])

    def test_a_day_that_is_used_up_for_recordings_is_gone_on_with_in_writing_until_that_is_too(self):
        program, page = self.scene(MAX_AUDIO_SECONDS_PER_DAY="1", MAX_TURNS_PER_DAY="1")
        self.await_state(page, "Ready")
        page.press("#hold")
        page.until("document.querySelector('#elapsed').innerText === '0:02'", "two seconds recorded")
        page.release()
        self.assert_failed(page, "upload", "usage_cap_reached", [WRITE, CANCEL], [RETRY, RERECORD])
        self.assertIn("type", page.text("#failure-message"))

        page.click(WRITE)
        self.type_answer(page, ANSWER)
        self.assert_recovered(page, program)
        self.go_on(page)
        self.type_answer(page, ANSWER)

        self.assert_failed(page, "upload", "usage_cap_reached", [CANCEL], [RETRY, RERECORD, WRITE])
        self.assertIn("for today", page.text("#failure-message"))
        page.choose("#language", "de")
        page.until("document.querySelector('#failure-message').textContent.includes('für heute')")

    def test_a_recording_that_is_too_large_cannot_be_retried(self):
        _, page = self.scene(MAX_AUDIO_BYTES="1024")
        self.speak_answer(page)
        self.assert_failed(page, "upload", "file_too_large", [RERECORD, CANCEL], [RETRY])

    def test_a_session_that_is_gone_can_only_be_begun_anew(self):
        program, page = self.scene()
        delete_elsewhere(program, page.start)
        self.type_answer(page, ANSWER)
        self.assert_failed(page, "upload", "session_not_found", ["#failure-new"], [RETRY, RERECORD])

        page.click("#failure-new")
        self.assertIn("not sent", page.text("#confirm-text"))
        page.click("#confirm-yes")

        self.await_screen(page, "setup")

    def test_a_voice_that_fails_is_a_warning_beside_the_written_question(self):
        program, page = self.scene(
            TTS_PROVIDER="openai", TTS_BASE_URL=self.providers.url, TTS_API_KEY="scripted"
        )
        self.type_answer(page, ANSWER)
        self.assert_recovered(page, program)
        self.assertEqual(page.text("#next-question"), self.turn(page)["assistant_text"])
        self.assertTrue(page.is_shown("#voice-missing"))
        self.assertFalse(page.is_shown("#player-replay"))

    def test_the_request_id_can_be_copied(self):
        _, page = self.scene()
        self.providers.will("coach", failure(401))
        self.type_answer(page, ANSWER)
        self.await_state(page, "Failed")
        request_id = self.reply_id(page)
        page.allow("clipboardReadWrite")

        page.click("#failure-copy")

        self.assertEqual(page.until("navigator.clipboard.readText()", "a copy"), request_id)

    def test_a_slow_turn_says_so_and_can_be_left(self):
        program, page = self.scene()
        page.hold_clock()
        slow = self.providers.will("coach", question("And then?", is_held=True))
        self.type_answer(page, ANSWER)
        self.await_state(page, "Thinking")
        slow.asked.wait(30)
        self.assertFalse(page.is_shown("#slow-line"))

        page.advance(3000)

        page.shows("#slow-line")
        page.click("#cancel-turn")
        self.await_state(page, "Ready")
        slow.let_go()


def ask(program, start, method, path, body=None):
    request = urllib.request.Request(program.url + path, body, method=method)
    request.add_header("Authorization", f"Bearer {start['session_token']}")
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request, timeout=60).close()


def answer_elsewhere(program, start):
    body = {"session_id": start["session_id"], "transcript": HEARD}
    ask(program, start, "POST", "/turn", json.dumps(body).encode())


def delete_elsewhere(program, start):
    ask(program, start, "DELETE", f"/session/{start['session_id']}")


if __name__ == "__main__":
    unittest.main()
