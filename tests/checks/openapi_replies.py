"""Every reply that the black-box stories got is one that openapi.json describes.

    path and method       known: its status has a description, and the body its schema
    unknown               404 or 405, or what a request line that is no HTTP gets: an envelope
    X-Request-ID          on every reply

The description is the one that the program gave one of the stories.  Replies of one shape
are looked at once.  Skipped (77) where no story has run.
"""

import glob
import json
import os
import re
import sys

import jsonschema
import report

directory = sys.argv[1]
ERROR_OF_ANY_PATH = {"$ref": "#/components/responses/Error"}
problems = []
seen = set()
replies = []
for path in glob.glob(os.path.join(directory, "*.jsonl")):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                replies.append(json.loads(line))
            except ValueError:
                continue  # the story was killed while it wrote
if not replies:
    sys.exit(77)
descriptions = [
    reply["body"]
    for reply in replies
    if reply["line"].startswith("GET /openapi.json ") and reply["status"] == 200
]
if not descriptions:
    sys.exit(77)  # only some of the stories have run
openapi = descriptions[0]


def resolved(part):
    while "$ref" in part:
        target = openapi
        for name in part["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        part = target
    return part


routes = [
    (re.compile("^" + re.sub(r"\\\{[^/]*\\\}", "[^/]+", re.escape(path)) + "$"), path)
    for path in openapi["paths"]
]


def response_of(method, target, status):
    """The description of such a reply; None: openapi.json has none."""
    path = target.split("?")[0]
    for pattern, name in routes:
        if not pattern.match(path):
            continue
        operation = openapi["paths"][name].get("get" if method == "HEAD" else method.lower())
        if operation is None:
            break
        found = operation["responses"].get(str(status))
        if found is None and status >= 400:
            found = operation["responses"]["default"]
        return resolved(found) if found else None
    return resolved(ERROR_OF_ANY_PATH) if status >= 400 or method == "OPTIONS" else None


def shape(value):
    if isinstance(value, dict):
        return {key: shape(item) for key, item in sorted(value.items())}
    if isinstance(value, list):
        return [shape(item) for item in value[:3]] + [len(value) > 3]
    return type(value).__name__


def validate(where, schema, value):
    whole = {**schema, "components": openapi["components"]}
    for error in jsonschema.Draft202012Validator(whole).iter_errors(value):
        path = "/".join(str(part) for part in error.absolute_path)
        problems.append(f"{where}: {path}: {error.message[:200]}")


def events_of(text):
    for block in text.split("\n\n"):
        if not block or block.startswith(":"):
            continue
        name, data = block.split("\n", 1)
        yield {
            "event": name.removeprefix("event: "),
            "data": json.loads(data.removeprefix("data: ")),
        }


# What libmicrohttpd does not take for a request it answers by itself.
OF_LIBRARY = {400, 413, 414, 431, 505}


def check(reply):
    words = reply["line"].split(" ")
    method, target = (words + ["", ""])[:2]
    where = f"{method} {target[:80]} -> {reply['status']}"
    names = {name.lower() for name in reply["headers"]}
    if reply["status"] in OF_LIBRARY and not reply["type"]:
        return
    if "x-request-id" not in names:
        problems.append(f"{where}: no X-Request-ID")
    response = response_of(method, target, reply["status"])
    if response is None:
        problems.append(f"{where}: not in openapi.json")
        return
    body = reply["body"]
    content = response.get("content", {}).get(reply["type"].split(";")[0])
    if content is None and body is not None:
        problems.append(f"{where}: no {reply['type']} in openapi.json")
    elif reply["type"] == "text/event-stream" and body is not None:
        for event in events_of(body):
            validate(f"{where} (event {event['event']})", content["schema"], event)
    elif body is not None:
        validate(where, content["schema"], body)


for reply in replies:
    target = re.sub("[0-9a-f-]{36}", "", reply["line"])
    key = json.dumps([target, reply["status"], reply["type"], shape(reply["body"])])
    if key not in seen:
        seen.add(key)
        check(reply)
print(f"{len(replies)} replies of {len(seen)} shapes")
report.end(sorted(set(problems)))
