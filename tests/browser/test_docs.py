"""GET /docs: the description of the service for people, made of openapi.json and of nothing from elsewhere."""

import json
import unittest
import urllib.request

from story import Story


class Docs(Story):
    def open(self):
        program, page = self.program(), self.page()
        page.goto(program.url + "/docs")
        page.shows("#operations details")
        with urllib.request.urlopen(program.url + "/openapi.json") as reply:
            return page, json.load(reply)

    def count(self, page, selector):
        return page.js(f"document.querySelectorAll('{selector}').length")

    def test_every_operation_error_and_schema_is_there(self):
        page, api = self.open()
        operations = [
            each for path in api["paths"].values() for each in path.values() if "operationId" in each
        ]

        self.assertEqual(self.count(page, "#operations details"), len(operations))
        self.assertEqual(self.count(page, "#errors tr"), len(api["x-errors"]) + 1)
        self.assertEqual(self.count(page, "#schemas details"), len(api["components"]["schemas"]))
        self.assertIn(api["info"]["version"], page.text("#title"))

    def test_an_operation_unfolds_and_its_schema_is_a_link_that_leads_there(self):
        page, _ = self.open()
        page.click("#postTurn summary")
        page.shows("#postTurn pre")
        self.assertIn("session_id", page.text("#postTurn"))
        page.js("document.querySelector('#postTurn a[href$=schema-Turn]').click()")
        page.shows("#schema-Turn pre")


if __name__ == "__main__":
    unittest.main()
