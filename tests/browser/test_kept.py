"""Nothing that was typed or said is lost: by a reload, a crash, a refusal, a slip of the finger."""

import json
import unittest

from looks import look
from page import DESKTOP
from providers import HEARD, failure, question, transcript
from scripts import STORED
from story import ANSWER, FLAGGED, REFUSED, Story

PARTS = f"{STORED}.then(kept => JSON.parse(kept).flat().some(each => each?.part))"
PART_KEYS = """new Promise(tell => { indexedDB.open("poise").onsuccess = ({target: {result}}) => {
  result.transaction("parts").objectStore("parts").getAllKeys().onsuccess = ({target}) => {
    result.close(); tell(target.result) } } })"""


class Kept(Story):
    def scene(self, **settings):
        program, page = self.coached_program(**settings), self.page()
        self.begin(page, program.url)
        return program, page

    def value(self, page):
        return page.js("document.querySelector('#answer-text').value")

    def test_what_is_typed_outlives_a_reload_another_screen_and_the_talk_button(self):
        _, page = self.scene()
        page.click("#type-instead")
        page.write("#answer-text", ANSWER)

        page.click("#talk-instead")
        page.click("#type-instead")
        self.assertEqual(self.value(page), ANSWER)
        page.click("#nav-study")
        self.await_screen(page, "study")
        page.click("#nav-interview")
        self.await_screen(page, "interview")
        self.assertEqual(self.value(page), ANSWER)
        page.reload()
        self.await_screen(page, "interview")
        self.await_state(page, "Ready")
        self.assertEqual(self.value(page), ANSWER)

        page.click("#send-answer")
        self.go_on(page)
        self.await_state(page, "Ready")
        self.assertEqual(self.value(page), "")
        page.reload()
        self.await_state(page, "Ready")
        self.assertEqual(self.value(page), "")

    def test_what_is_chosen_at_set_up_outlives_a_reload(self):
        program, page = self.program(), self.page()
        page.goto(program.url)
        page.shows("#start")
        page.write("#role", "Night nurse")
        page.choose("#question-count", "3")
        page.reload()
        page.shows("#start")
        self.assertEqual(page.js("document.querySelector('#role').value"), "Night nurse")
        self.assertEqual(page.js("document.querySelector('#question-count').value"), "3")

    def test_a_recording_outlives_a_crash_and_is_sent_then(self):
        program, page = self.scene()
        page.press("#hold")
        self.await_recorded(page)
        page.until(PARTS, "a part on the disk")
        page.crash()

        page = self.page(beside=page)
        page.goto(program.url)

        self.await_screen(page, "interview")
        page.shows("#kept-send")
        self.assertIn("kept", page.text("#kept-text"))
        page.js("scrollTo(0, document.body.scrollHeight)")
        above = page.js(
            "document.querySelector('#kept').getBoundingClientRect().bottom"
            " <= document.querySelector('#hold').getBoundingClientRect().top"
        )
        self.assertTrue(above)
        look(self, page, "kept")
        page.click("#kept-send")
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(page.text("#transcript"), HEARD)
        self.assertGreater(len(self.providers.recordings[0]), 2000)
        self.assertFalse(page.js(PARTS))

    def test_discarding_asks_and_a_tap_by_mistake_replaces_nothing(self):
        _, page = self.scene()
        self.keep_one(page)
        kept = page.text("#kept-text")
        page.click("#hold")
        self.await_state(page, "Recording")
        page.key("Escape")
        self.await_state(page, "Ready")

        page.click("#kept-discard")
        page.shows("#confirm-text")
        page.click("#confirm-no")
        if page.text("#kept-text") != kept:  # the tap took long enough to be one as well
            page.click("#kept-discard")
            page.click("#confirm-yes")
        page.until(f"document.querySelector('#kept-text').innerText === {json.dumps(kept)}")
        page.click("#kept-discard")
        page.click("#confirm-yes")
        page.until("document.querySelector('#kept').hidden", "nothing kept")
        page.until(f"{PARTS}.then(is => !is)", "nothing on the disk")

    def keep_one(self, page):
        """A recording whose answer failed, and which the candidate left."""
        self.providers.will("hearing", failure(500))
        self.speak_answer(page)
        self.await_state(page, "Failed")
        page.click("#failure-cancel")
        self.await_state(page, "Ready")
        page.shows("#kept-send")

    def test_a_recording_that_failed_is_kept_across_a_reload_and_sent_again(self):
        program, page = self.scene()
        self.keep_one(page)
        page.reload()
        self.await_screen(page, "interview")
        page.click("#kept-send")
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(self.providers.recordings[0], self.providers.recordings[-1])
        self.assertEqual(self.session(page, program)["turn_count"], 1)

    def test_typed_words_of_a_turn_that_was_left_stay_in_the_field(self):
        _, page = self.scene()
        page.hold_clock()
        slow = self.providers.will("coach", question("And then?", is_held=True))
        self.type_answer(page, ANSWER)
        slow.asked.wait(30)
        page.advance(3000)
        page.click("#cancel-turn")
        self.await_state(page, "Ready")
        self.assertEqual(self.value(page), ANSWER)
        slow.let_go()

    def test_refused_words_are_nowhere_until_their_writer_wants_them_back(self):
        _, page = self.scene()
        self.type_answer(page, REFUSED)
        self.await_state(page, "Refused")
        self.assert_nowhere(page, *FLAGGED)
        page.click("#refusal-try-again")
        self.await_state(page, "Ready")
        page.shows("#words-back")
        self.assert_nowhere(page, *FLAGGED)
        look(self, page, "refused-words")

        page.click("#words-back")

        self.assertEqual(self.value(page), REFUSED)

    def test_a_refused_recording_is_still_there_and_not_on_the_disk(self):
        _, page = self.scene()
        self.providers.will("hearing", transcript(REFUSED))
        self.speak_answer(page)
        self.await_state(page, "Refused")
        self.assertFalse(page.js(PARTS))
        page.click("#refusal-try-again")
        page.until(
            "document.querySelector('#talk').className === 'talk compact'"
            " && document.querySelector('#mic-hint').offsetHeight > 10"
            " && document.querySelector('#kept-send').getBoundingClientRect().bottom"
            " <= document.querySelector('#talk').getBoundingClientRect().top",
            "the way to send it, above a bar that says how to talk",
        )
        page.click("#kept-send")
        self.await_state(page, "Speaking", "Review")
        self.assertEqual(self.providers.recordings[0], self.providers.recordings[1])

    def test_the_refusal_says_its_request(self):
        _, page = self.scene()
        self.type_answer(page, REFUSED)
        self.await_state(page, "Refused")
        self.assertIn(self.reply_id(page), page.text("#refusal-id"))


class Expired(Story):
    """The session is gone on the server, and the page has everything that was answered."""

    def scene(self, questions=3):
        program, page = self.program(), self.page()
        self.begin(page, program.url, questions)
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_state(page, "Ready")
        self.expire(page)
        return program, page

    def expire(self, page):
        start = page.start
        status = page.js(
            f"fetch('/session/{start['session_id']}', {{method: 'DELETE', headers:"
            f" {{Authorization: 'Bearer {start['session_token']}'}}}}).then(reply => reply.status)"
        )
        self.assertEqual(status, 200)

    def test_the_words_stay_and_the_interview_goes_on_in_a_new_session(self):
        _, page = self.scene()
        second = "I asked a colleague to review each step."
        self.type_answer(page, second)
        self.await_state(page, "Failed")
        self.assertIn("expired", page.text("#failure-title"))
        look(self, page, "expired")

        page.click("#failure-renew")

        self.await_state(page, "Ready")
        self.assertEqual(page.js("document.querySelector('#answer-text').value"), second)
        self.assertIn("2 of 3", page.text("#progress-text"))
        self.assertFalse(page.is_shown("#opening"))
        for text in (second, ANSWER.replace("checkout", "search")):
            self.type_answer(page, text)
            self.go_on(page)
        self.await_screen(page, "summary")
        self.assertEqual(page.js("document.querySelectorAll('#report-list > li').length"), 3)
        begun = self.sent(page, "/session/start")
        self.assertIn('"question_count":2', begun[-1]["postData"])
        self.assertIn("Backend Developer", begun[-1]["postData"])

    def test_a_recording_goes_along_into_the_new_session(self):
        program, page = self.hearing_program(), self.page()
        self.begin(page, program.url)
        self.expire(page)
        self.speak_answer(page)
        self.await_state(page, "Failed")
        page.click("#failure-renew")
        self.await_state(page, "Ready")
        page.shows("#kept-send")
        page.until(f"{PART_KEYS}.then(keys => keys.length && keys.every(([session]) =>"
                   f" session !== '{page.start['session_id']}'))", "all of it moved")
        page.reload()
        self.await_state(page, "Ready")
        page.click("#kept-send")
        page.until("document.querySelector('#transcript').textContent", "a transcript")
        self.assertEqual(page.text("#transcript"), HEARD)

    def test_a_page_that_comes_back_too_late_ends_with_what_it_kept(self):
        _, page = self.scene()
        page.reload()
        self.await_state(page, "Failed")

        page.click("#failure-end")

        self.await_screen(page, "summary")
        self.assertEqual(page.js("document.querySelectorAll('#report-list > li').length"), 1)
        self.assertTrue(page.is_shown("#summary-chart svg"))


class Home(Story):
    def rehearse(self, page, url, role, text=ANSWER):
        page.write("#role", role)
        page.choose("#question-count", "1")
        page.click("#start")
        self.await_screen(page, "interview")
        self.type_answer(page, text)
        self.go_on(page)
        self.await_screen(page, "summary")

    def scene(self, screen=DESKTOP):
        program, page = self.program(), self.page(screen)
        page.goto(program.url)
        page.shows("#start")
        self.assertFalse(page.is_shown("#home"))
        for role, text in (("Nurse", ANSWER), ("Teacher", ANSWER.replace("Friday", "Monday"))):
            self.rehearse(page, program.url, role, text)
            page.click("#new-interview")
            self.await_screen(page, "setup")
        page.until("document.querySelectorAll('#past-list li').length === 2", "both interviews")
        return program, page

    def test_past_interviews_open_again_also_after_a_reload_and_without_the_server(self):
        _, page = self.scene()
        page.reload()
        page.shows("#home")
        page.click("#past-list li:last-child .past-open")
        self.await_screen(page, "summary")
        self.assertIn("Nurse", page.text("#summary-about"))
        page.click("#report-list summary")
        self.assertIn("checkout", page.text("#report-list"))
        page.click("#new-interview")
        self.await_screen(page, "setup")
        page.shows("#home")

    def test_progress_and_the_weakest_with_its_exercise(self):
        _, page = self.scene()
        averages = page.js(
            "[...document.querySelectorAll('#progress-table tbody tr')].map(row =>"
            " [...row.querySelectorAll('td')].map(cell => Number(cell.textContent)))"
        )
        self.assertEqual(len(averages), 2)
        means = [sum(each) / 2 for each in zip(*averages)]
        keys = ["clarity", "relevance", "structure", "filler_words"]
        weakest = page.js("document.querySelector('#weakest').dataset.dimension")
        self.assertEqual(means[keys.index(weakest)], min(means))
        self.assertIn("Next exercise", page.text("#exercise"))
        self.assertIn("this device", page.text("#home"))

        page.click("#exercise-start")
        self.assertEqual(page.js("document.querySelector('#role').value"), "Teacher")

    def test_all_can_be_exported_and_deleted(self):
        program, page = self.scene()
        sessions = [each["postData"] for each in self.sent(page, "/session/start")]
        self.assertEqual(len(sessions), 2)
        page.js("window.saved = []; URL.createObjectURL = blob => { blob.text().then(text =>"
                " saved.push(text)); return 'blob:x' }; HTMLAnchorElement.prototype.click = () => {}")
        page.click("#export-all")
        text = page.until("window.saved[0]", "an export")
        self.assertIn("Nurse", text)
        self.assertNotIn("token", text)

        page.click("#delete-all")
        page.click("#confirm-no")
        self.assertTrue(page.is_shown("#home"))
        page.click("#delete-all")
        page.click("#confirm-yes")
        page.until("document.querySelector('#home').hidden", "nothing")
        self.assertNotIn("checkout", page.stored())
        deleted = [each["request"] for each in page.requests if each["request"]["method"] == "DELETE"]
        self.assertEqual(len(deleted), 2)

    def test_the_report_is_copied_as_markdown_and_printed_whole(self):
        program, page = self.program(), self.page(DESKTOP)
        page.goto(program.url)
        page.shows("#start")
        self.rehearse(page, program.url, "Nurse")
        page.allow("clipboardReadWrite")
        page.click("#copy-report")
        text = page.until("navigator.clipboard.readText()", "a copy")
        self.assertTrue(text.startswith("# "))
        self.assertIn("> " + ANSWER, text)
        self.assertIn("## 1. ", text)

        page.js("window.print = () => { dispatchEvent(new Event('beforeprint'));"
                " window.isOpen = document.querySelector('#report details').open }")
        page.click("#print")
        page.until("window.isOpen", "an open report")
        page.call("Emulation.setEmulatedMedia", media="print")
        self.assertIn("checkout", page.text("#report-list"))
        page.screenshot("printed")


if __name__ == "__main__":
    unittest.main()
