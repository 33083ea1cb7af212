"""One tab of Chromium, in a profile of its own: what a person does there, and what can be seen.

A wait is for a condition on the document.  It is looked at whenever the document changes and with
each frame, so nothing sleeps; PATIENCE_SECONDS only bounds a wait for what never comes.
"""

import base64
import json
import os
import time

from devtools import ProtocolError
from scripts import AIM, HELD_CLOCK, PLACE, STORED, STREAMED, UNTIL

PATIENCE_SECONDS = 40

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
DESKTOP = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
SMALLEST = {"width": 320, "height": 568, "deviceScaleFactor": 1, "mobile": True}


class Page:
    def __init__(self, chromium, screen=PHONE, touch=False, beside=None):
        """beside: another page, in whose profile this is a second tab."""
        self._chromium = chromium
        self._owns_context = beside is None
        self._context = (
            beside._context
            if beside
            else chromium.call("Target.createBrowserContext")["browserContextId"]
        )
        self._target = chromium.call(
            "Target.createTarget", url="about:blank", browserContextId=self._context
        )["targetId"]
        self._session = chromium.call(
            "Target.attachToTarget", targetId=self._target, flatten=True
        )["sessionId"]
        self.requests = []  # every Network.requestWillBeSent
        self.responses = []  # every Network.responseReceived
        self.bytes = {}  # transferred, by request
        self.lost = []  # every Network.loadingFailed
        self.complaints = []  # what the console says and what nobody caught
        self._pressed = None  # where the mouse button was put down
        self._saved = []
        chromium.listen(self._session, self._on_event)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.prepare(STREAMED)
        self.prepare(AIM)
        self.look_like(screen)
        self.prefer()

    def close(self):
        self._chromium.unlisten(self._session)
        if not self._owns_context:
            return
        self._chromium.call("Target.disposeBrowserContext", browserContextId=self._context)

    def call(self, method, **parameters):
        return self._chromium.call(method, self._session, **parameters)

    def _on_event(self, method, event):
        if method == "Network.requestWillBeSent":
            self.requests.append(event)
        elif method == "Network.responseReceived":
            self.responses.append(event)
        elif method == "Network.loadingFinished":
            self.bytes[event["requestId"]] = event["encodedDataLength"]
        elif method == "Network.loadingFailed":
            self.lost.append(event["errorText"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(event["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.complaints.append(event)
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.complaints.append(event["entry"])
        elif method == "Page.downloadWillBegin":
            self._saved.append([event["guid"], event["suggestedFilename"], False])
        elif method == "Page.downloadProgress" and event["state"] == "completed":
            self._saved[-1][2] = True
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(event)
            self._chromium.send("Page.handleJavaScriptDialog", self._session, accept=False)

    # --- what it looks like

    def look_like(self, screen):
        self.call("Emulation.setDeviceMetricsOverride", **screen)

    def prefer(self, scheme="light", motion="reduce"):
        """Sets the colour scheme; motion is reduced, so that what is pressed stands still."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion},
        ]
        self.call("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, name):
        folder = os.environ.get("SCREENSHOTS")
        if folder:
            os.makedirs(folder, exist_ok=True)
            picture = self.call("Page.captureScreenshot", format="png")["data"]
            with open(os.path.join(folder, f"{name}.png"), "wb") as file:
                file.write(base64.b64decode(picture))

    # --- going places

    def crash(self):
        """The page ends in the middle of what it does; only another tab can come back to it."""
        self._chromium.send("Page.crash", self._session)

    def lose_network(self, is_lost=True):
        self.call(
            "Network.emulateNetworkConditions",
            offline=is_lost,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def prepare(self, script):
        """Runs a script before any of the page's, in each document from here on."""
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def goto(self, url):
        self._went(lambda: self.call("Page.navigate", url=url))

    def reload(self):
        self._went(lambda: self.call("Page.reload"))

    def _went(self, go):
        """The mark is of the old document: where it is gone and the page is whole, we are there."""
        self.js("window.isOld = true")
        go()
        self.until("!window.isOld && document.readyState === 'complete'", "a page that has loaded")

    def allow(self, *permissions):
        self._chromium.call(
            "Browser.grantPermissions", permissions=permissions, browserContextId=self._context
        )

    def save_to(self, folder):
        """What is downloaded is put into a folder."""
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)

    def saved(self):
        """The name of the last file, once it is whole."""
        self.await_event(lambda: self._saved and self._saved[-1][2], "a file saved")
        return self._saved[-1][1]

    def hold_clock(self):
        self.js(HELD_CLOCK)

    def advance(self, ms):
        """Lets the timers of so many ms run out, as soon as there is one."""
        self.until(f"window.advance({ms})", f"a timer of {ms} ms")

    # --- asking the page

    def js(self, expression):
        """The value of an expression; a promise is waited for."""
        return self._evaluate(expression, PATIENCE_SECONDS)

    def _evaluate(self, expression, seconds):
        number = self._chromium.send(
            "Runtime.evaluate",
            self._session,
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=False,
        )
        result = self._chromium.result(number, expression, seconds)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {json.dumps(result['exceptionDetails'])[:600]}")
        return result["result"].get("value")

    def until(self, condition, what=None):
        """Waits until a JavaScript condition holds and returns its value."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self._evaluate(UNTIL % condition, deadline - time.monotonic())
            except ProtocolError:
                pass  # the document was left meanwhile: ask the next one
            except TimeoutError:
                break
        self.screenshot(f"failed-{time.time_ns()}")
        raise AssertionError(f"never came: {what or condition}\n{self.describe()}")

    def await_event(self, condition, what):
        """Waits until condition() holds; it can change with each event of the browser."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self._chromium.pump(deadline, what)

    def describe(self):
        return self.js(
            "`${location} ${JSON.stringify({...document.body.dataset})}"
            " ${JSON.stringify({...document.querySelector('main')?.dataset})}"
            "\\n${document.body.innerText}`"
        )

    def text(self, selector):
        """The text of the one element, as it is shown."""
        return self.until(
            f"document.querySelectorAll({json.dumps(selector)}).length === 1 &&"
            f" document.querySelector({json.dumps(selector)}).innerText.trim()",
            f"text in {selector}",
        )

    def is_shown(self, selector):
        return self.js(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            ".some(each => each.checkVisibility({visibilityProperty: true}))"
        )

    def shows(self, selector):
        self.until(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            ".some(each => each.checkVisibility({visibilityProperty: true}))",
            f"{selector} in sight",
        )

    def everything(self):
        """All that the document holds, seen or not, and all that this browser keeps."""
        return self.js(
            "[document.documentElement.outerHTML, document.title, location.href,"
            " ...[...document.querySelectorAll('input, textarea, select')].map(each => each.value)]"
            ".join('\\n')"
        ) + self.stored()

    def stored(self):
        return self.js(STORED)

    # --- what a person does

    def place(self, selector):
        return self.until(PLACE % json.dumps(selector), f"{selector}, to be pressed")

    def press(self, selector):
        """Puts the mouse button down on an element, and leaves it there."""
        while True:
            self._pressed = self.place(selector)
            self._mouse("mouseMoved", self._pressed, "none")
            self._mouse("mousePressed", self._pressed, "left")
            if self.js("isHit"):
                return
            self.release()

    def slide(self, pixels):
        """Moves what is pressed so far to the right of where it was pressed."""
        at = {**self._pressed, "x": self._pressed["x"] + pixels}
        self._mouse("mouseMoved", at, "left")

    def release(self):
        self._mouse("mouseReleased", self._pressed, "left")

    def click(self, selector):
        while True:
            self.press(selector)
            self.release()
            if self.js("isClicked"):
                return

    def _mouse(self, kind, at, button):
        count = 0 if kind == "mouseMoved" else 1
        self.call("Input.dispatchMouseEvent", type=kind, button=button, clickCount=count, **at)

    def touch(self, selector):
        """Puts a finger on an element, and leaves it there."""
        while True:
            at = self.place(selector)
            self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
            if self.js("isHit"):
                return
            self.lift()

    def lift(self):
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, key, code=None, text="", kinds=("keyDown", "keyUp")):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, " ": 32}
        for kind in kinds:
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code or key,
                windowsVirtualKeyCode=codes.get(key, 0),
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def write(self, selector, text):
        """Replaces what stands in a field by a text."""
        self.click(selector)
        self.js(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)

    def give_file(self, selector, path):
        """Chooses a file, whose window a headless browser has not."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[path], nodeId=node)

    def choose(self, selector, value):
        """Chooses an option of a drop-down list, whose own window a headless browser has not."""
        self.js(
            f"(list => {{ list.value = {json.dumps(value)};"
            " list.dispatchEvent(new Event('input', {bubbles: true}));"
            " list.dispatchEvent(new Event('change', {bubbles: true})) })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
