"""The page as an app: few requests, a start without a network, one interview in two tabs."""

import json
import unittest

from cutter import Cutter
from looks import look
from page import DESKTOP, PHONE
from story import ANSWER, Story

COLD, WARM = 15, 2  # requests, at most, until the page is up and quiet
READY = "navigator.serviceWorker.ready.then(worker => worker.active.state === 'activated')"


class App(Story):
    def open(self, page, url):
        page.goto(url)
        page.shows("#disclosure li")
        page.until(READY, "a service worker")

    def test_a_cold_start_asks_little_and_a_warm_one_next_to_nothing(self):
        page, cutter = self.page(), Cutter(self.program().port)
        self.addCleanup(cutter.close)
        self.open(page, cutter.url)
        self.assertLessEqual(len(cutter.asked), COLD, cutter.asked)
        self.assertGreater(len(cutter.asked), WARM)

        for _ in range(2):
            cutter.asked.clear()
            self.open(page, cutter.url)
            self.assertLessEqual(len(cutter.asked), WARM, cutter.asked)

    def test_nothing_moves_while_it_comes_up(self):
        program = self.program()
        for screen in (PHONE, DESKTOP):
            page = self.page(screen)
            self.open(page, program.url)
            moved = page.js(
                "new Promise(tell => new PerformanceObserver(list => tell(list.getEntries()"
                ".reduce((sum, each) => sum + each.value, 0))).observe({type: 'layout-shift',"
                " buffered: true}) || setTimeout(() => tell(0), 100))"
            )
            self.assertLess(moved, 0.01)

    def test_what_is_named_by_its_bytes_is_kept_for_ever_and_the_page_is_not(self):
        program, page = self.program(), self.page()
        self.open(page, program.url)

        for each in page.responses:
            headers = {name.lower(): value for name, value in each["response"]["headers"].items()}
            path = each["response"]["url"].removeprefix(program.url)
            if path.startswith("/web/"):
                self.assertRegex(path, r"^/web/\w+(-\d+)?-[0-9a-f]{12}\.\w+$")
                self.assertIn("immutable", headers["cache-control"])
            elif path == "/":
                self.assertEqual(headers["cache-control"], "no-cache")

    def test_it_can_be_installed(self):
        program, page = self.program(), self.page()
        self.open(page, program.url)
        manifest = page.call("Page.getAppManifest")
        self.assertEqual(manifest["errors"], [])
        icons = json.loads(manifest["data"])["icons"]
        sizes = page.js(
            f"Promise.all({json.dumps([each['src'] for each in icons])}.map(async path => {{"
            " const image = new Image(); image.src = path; await image.decode();"
            " return image.naturalWidth }))"
        )
        self.assertEqual(sizes[1:], [192, 512, 512])

        errors = page.call("Page.getInstallabilityErrors")["installabilityErrors"]
        self.assertEqual([each["errorId"] for each in errors if each["errorId"] != "in-incognito"], [])

    def test_it_opens_without_a_network_and_says_who_cannot_be_reached(self):
        program, page = self.program(), self.page()
        cutter = Cutter(program.port)
        self.addCleanup(cutter.close)
        self.open(page, cutter.url)
        cutter.die()

        page.goto(cutter.url)

        page.shows("#start")
        self.assertIn("cannot be reached", page.text("#disclosure"))
        page.write("#role", "Nurse")
        page.click("#start")
        page.shows("#setup-error")
        look(self, page, "offline")
        cutter.revive()
        page.js("dispatchEvent(new Event('online'))")
        page.until("!document.querySelector('#disclosure').innerText.includes('cannot be reached')")
        page.click("#start")
        self.await_screen(page, "interview")

    def test_an_interview_is_in_both_tabs_and_the_older_one_notices(self):
        program, first = self.program(), self.page()
        self.begin(first, program.url, questions=3)
        second = self.page(beside=first)
        second.goto(program.url)
        self.await_screen(second, "interview")
        self.assertEqual(second.text("#question"), first.text("#question"))

        first.write("#answer-text", "Half an answer")

        self.type_answer(second, ANSWER)
        self.await_state(second, "Speaking", "Review")

        self.await_state(first, "Review")
        self.assertEqual(first.text("#transcript"), ANSWER)
        self.assertIn("another tab", first.text("#notice"))
        self.assertIn("what you typed for the question before", first.text("#notice"))
        look(self, first, "tabs-older")
        self.go_on(second)
        self.await_state(first, "Ready")
        self.assertEqual(second.text("#question"), first.text("#question"))

        self.type_answer(first, ANSWER.replace("checkout", "search"))
        self.await_state(second, "Review")
        first.start = second.start = first.start
        self.assertEqual(self.session(first, program)["turn_count"], 2)

    def test_a_set_up_says_that_an_interview_has_begun_in_another_tab(self):
        program, first = self.program(), self.page()
        first.goto(program.url)
        first.shows("#start")
        second = self.page(beside=first)
        self.begin(second, program.url)

        first.click("#running-open")

        self.await_screen(first, "interview")
        self.assertEqual(second.text("#question"), first.text("#question"))


if __name__ == "__main__":
    unittest.main()
