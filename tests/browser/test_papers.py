"""The advert and the CV at set-up: pasted, out of a file of text, or out of a PDF that the browser reads."""

import json
import os
import tempfile
import unittest

from looks import look
from page import DESKTOP
from story import ANSWER, Story

ADVERT = "We look for a backend developer who traces slow queries and explains them to others."
CV = ["Backend developer at Heron Ltd.", "Moved the reports to a replica in 2023."]
REQUIREMENTS = """Backend Developer

Your profile:
- Experience with SQL databases and slow queries
- You explain technical decisions to customers
- Experience with Kubernetes in production
"""
MOST_CHARS = 20000


def pdf(lines, is_locked=False):
    """A PDF of one page with these lines (ISO 32000-1: 7.5, 9.4)."""
    shown = "".join(f"({line}) Tj 0 -20 Td " for line in lines)
    text = f"BT /F1 12 Tf 50 700 Td {shown}ET" if lines else ""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Filter /Standard /V 1 /R 2 /P -4"
        f" /O <{'41' * 32}> /U <{'42' * 32}> >>",
    ]
    body, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    lock = f" /Encrypt 6 0 R /ID [<{'00' * 16}> <{'00' * 16}>]" if is_locked else ""
    return (
        f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R{lock} >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode()


class Papers(Story):
    def scene(self, screen=None):
        program = self.program()
        page = self.page(screen) if screen else self.page()
        page.goto(program.url)
        page.shows("#disclosure li")
        page.click("#papers summary")
        return program, page

    def needs_pdf(self, page):
        if not page.js("document.querySelector('meta[name=poise-pdf]') !== null"):
            self.skipTest("pdf.js is not compiled in: npm was not there when Poise was built")

    def give(self, page, field, name, content):
        folder = tempfile.TemporaryDirectory(prefix="poise-paper-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, name)
        with open(path, "wb") as file:
            file.write(content)
        page.give_file(f"#{field}-file", path)

    def value(self, page, field):
        return page.js(f"document.querySelector('#{field}').value")

    def await_value(self, page, field, text):
        page.until(f"document.querySelector('#{field}').value.includes({json.dumps(text)})", text)

    def assert_refused(self, page, field, words):
        self.assertIn(words, page.text(f"#{field}-error"))

    def begun_with(self, page):
        self.await_screen(page, "interview")
        return json.loads(self.sent(page, "/session/start")[-1]["postData"])

    def test_pasted_and_read_from_a_file_they_are_shown_changed_and_sent(self):
        _, page = self.scene()
        page.write("#role", "Backend Developer")
        page.write("#job-advert", ADVERT)
        self.give(page, "resume", "cv.txt", "\r\n".join(CV).encode())
        self.await_value(page, "resume", CV[1])
        self.assertEqual(self.value(page, "resume"), "\n".join(CV))
        look(self, page, "papers")
        page.write("#resume", CV[0])
        page.reload()
        page.shows("#resume")
        self.assertEqual(self.value(page, "resume"), CV[0])

        page.click("#start")

        begun = self.begun_with(page)
        self.assertEqual((begun["job_advert"], begun["resume"]), (ADVERT, CV[0]))

    def test_the_summary_says_where_each_demand_of_the_advert_was_shown(self):
        _, page = self.scene()
        page.write("#role", "Backend Developer")
        page.choose("#question-count", "1")
        page.write("#job-advert", REQUIREMENTS)
        page.click("#start")
        self.await_screen(page, "interview")
        self.type_answer(page, ANSWER)
        self.go_on(page)
        self.await_screen(page, "summary")

        demands = self.turn(page)["session_summary"]["demands"]
        self.assertGreater(len(demands), 1)
        shown = page.js(
            "[...document.querySelectorAll('#summary-demands li')].map(each =>"
            " [each.querySelector('strong').innerText, each.dataset.shown === 'true'])"
        )
        self.assertEqual(
            shown, [[each["demand"], each["question_number"] is not None] for each in demands]
        )
        page.js("document.querySelector('#demands-card').scrollIntoView()")
        look(self, page, "demands")

    def test_what_the_server_does_not_take_is_said_at_its_field(self):
        _, page = self.scene()
        page.write("#role", "Nurse")
        page.write("#job-advert", ADVERT)
        page.write("#resume", "Whatever, give me your social security number.")
        page.click("#papers summary")
        page.click("#start")
        self.assert_refused(page, "resume", "cannot be used here")
        self.assertEqual(self.value(page, "job-advert"), ADVERT)
        page.until("document.activeElement.id === 'resume'")

    def test_without_them_nothing_of_them_is_sent(self):
        _, page = self.scene()
        page.write("#role", "Nurse")
        page.click("#start")
        self.assertNotIn("resume", self.begun_with(page))

    def test_a_pdf_is_read_in_the_browser_and_only_then_its_reader_is_loaded(self):
        _, page = self.scene(DESKTOP)
        self.needs_pdf(page)
        asked = [each["request"]["url"] for each in page.requests]
        self.assertFalse([url for url in asked if "/pdf" in url])
        page.requests.clear()

        self.give(page, "resume", "cv.pdf", pdf(CV))

        for line in CV:
            self.await_value(page, "resume", line)
        asked = {
            each["request"]["url"].rpartition("/")[2].partition("-")[0]
            for each in page.requests
            if not each["request"]["url"].startswith("blob:")
        }
        self.assertLessEqual(asked, {"pdf", "pdf_worker"})
        page.screenshot("papers-pdf-desktop-light")

    def test_what_cannot_be_read_is_told_and_the_form_keeps_everything(self):
        _, page = self.scene()
        page.write("#role", "Nurse")
        page.write("#job-advert", ADVERT)
        for name, content, words in (
            ("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF", "no text"),
            ("cv.docx", b"PK\x03\x04\x14\x00\x06\x00", "no text"),
            ("empty.txt", b" \n ", "empty"),
        ):
            self.give(page, "resume", name, content)
            page.until(f"document.querySelector('#resume-error').innerText.includes('{words}')", words)
        page.screenshot("papers-not-text-phone-light")
        self.assertEqual(self.value(page, "job-advert"), ADVERT)
        self.assertEqual(self.value(page, "role"), "Nurse")

    def test_a_pdf_without_text_a_locked_and_a_broken_one_are_told(self):
        _, page = self.scene()
        self.needs_pdf(page)
        for name, content, words in (
            ("scan.pdf", pdf([]), "no text in it"),
            ("locked.pdf", pdf(CV, is_locked=True), "password"),
            ("torn.pdf", b"%PDF-1.4\nnothing", "could not be read"),
        ):
            self.give(page, "resume", name, content)
            page.until(f"document.querySelector('#resume-error').innerText.includes('{words}')", words)
        self.assertEqual(self.value(page, "resume"), "")

    def test_one_that_is_too_long_is_told_before_and_when_it_is_sent(self):
        _, page = self.scene()
        page.write("#role", "Nurse")
        self.give(page, "job-advert", "long.txt", b"word " * (MOST_CHARS // 5) + b"more")
        page.until("document.querySelector('#job-advert-count').classList.contains('over')")
        page.click("#start")
        self.assertIn("too long", page.text("#job-advert-error"))
        self.assertEqual(self.sent(page, "/session/start"), [])
        page.until("document.activeElement.id === 'job-advert'")
        page.screenshot("papers-too-long-phone-light")

    def test_a_file_replaces_what_was_typed_only_when_that_is_wanted(self):
        _, page = self.scene()
        page.write("#resume", "Typed with care.")
        self.give(page, "resume", "cv.txt", CV[0].encode())
        page.click("#confirm-no")
        self.assertEqual(self.value(page, "resume"), "Typed with care.")
        self.give(page, "resume", "cv.txt", CV[0].encode())
        page.click("#confirm-yes")
        self.await_value(page, "resume", CV[0])


if __name__ == "__main__":
    unittest.main()
