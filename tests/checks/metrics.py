"""GET /metrics is well-formed Prometheus text (version 0.0.4) that keeps Prometheus' naming
conventions, and the dashboard and the alerts ask for what is there, and for nothing else.

The program is started for it, with the built-in coach, and plays a turn and a refused one.

https://prometheus.io/docs/instrumenting/exposition_formats
https://prometheus.io/docs/practices/naming
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import report

program, root = sys.argv[1:]
DASHBOARD = "services/deploy/grafana-dashboard.json"
ALERTS = "services/deploy/alerts.yml"
ALERT = re.compile(
    r'      - alert: (\w+)\n        expr: (?:\|-\n((?:          .*\n)+)|(.+)\n)        for: \d+[mh]\n'
    r'        labels: \{severity: (?:page|ticket)\}\n        annotations:\n'
    r'          summary: "[^"\n]+"\n          description: "[^"\n]+"\n'
)
OF_PROMETHEUS = {"up"}
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}
BAD_UNITS = re.compile(r"_(milliseconds|microseconds|ms|minutes|hours|kilobytes|kb|mb|percent)(_|$)")
problems = []


# ---- what the program says ----


def call(base, path, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(base + path, json.dumps(body).encode() if body else None, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.read().decode()


def play(base):
    """One session with a turn and a refused one, so that there is something to count."""
    interview = {"role": "nurse", "interview_type": "behavioral", "difficulty": "easy"}
    session = json.loads(call(base, "/session/start", interview))["data"]
    for words in ("I led the migration, and as a result errors fell by half.", "fuck you"):
        turn = {"session_id": session["session_id"], "transcript": words}
        call(base, "/turn", turn, session["session_token"])
    call(base, "/nowhere")


def metrics():
    with tempfile.TemporaryDirectory() as directory:
        environment = {
            "PORT": "0",
            "HOST": "127.0.0.1",
            "WORKERS": "2",
            "TTS_PROVIDER": "none",
            "GROQ_API_KEY": "none",
            "GROQ_BASE_URL": "http://127.0.0.1:9",
            "LLM_FALLBACKS": "builtin,other@http://127.0.0.1:9",
            "STORE_URL": f"sqlite:///{directory}/poise.db",
        }
        process = subprocess.Popen([program], env=environment, stdout=subprocess.PIPE, text=True)
        try:
            for line in process.stdout:
                if json.loads(line)["event"] == "listening":
                    base = f"http://127.0.0.1:{json.loads(line)['port']}"
                    break
            play(base)
            return call(base, "/metrics")
        finally:
            process.terminate()
            process.communicate(timeout=30)


# ---- is it well-formed? ----


class Family:
    def __init__(self, name):
        self.name, self.kind, self.help = name, None, None
        self.samples = {}  # (suffix, labels) -> value


def family_of(name, families):
    for suffix in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(suffix)
        if name.endswith(suffix) and base in families and families[base].kind == "histogram":
            return families[base], suffix
    return families.get(name), ""


def parse(text):
    families = {}
    last = None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(("# HELP ", "# TYPE ")):
            _, word, name, rest = line.split(" ", 3)
            last = families.setdefault(name, Family(name))
            field = "help" if word == "HELP" else "kind"
            if getattr(last, field) is not None:
                problems.append(f"line {number}: a second {word} of {name}")
            setattr(last, field, rest)
        elif line:
            last = parse_sample(number, line, families, last)
    if not text.endswith("\n"):
        problems.append("the last line has no end")
    return families


def parse_sample(number, line, families, last):
    sample = SAMPLE.fullmatch(line)
    if not sample:
        problems.append(f"line {number}: {line}")
        return last
    name, inside, value = sample.groups()
    labels = LABEL.findall(inside or "")
    if LABEL.sub("", inside or ""):
        problems.append(f"line {number}: broken labels: {line}")
    family, suffix = family_of(name, families)
    if family is None or family.kind is None or family.help is None:
        problems.append(f"line {number}: {name} has no HELP and TYPE before it")
        return last
    if family is not last:
        problems.append(f"line {number}: {name} is not beside its family")
    if len({label for label, _ in labels}) != len(labels):
        problems.append(f"line {number}: a label twice")
    key = suffix, tuple(sorted(labels))
    if key in family.samples:
        problems.append(f"line {number}: again {line}")
    family.samples[key] = float(value)
    return last


def check_names(family):
    name, kind = family.name, family.kind
    if kind not in ("counter", "gauge", "histogram"):
        problems.append(f"{name}: unknown type {kind}")
    if (kind == "counter") != name.endswith("_total"):
        problems.append(f"{name}: a counter ends in _total, and nothing else does")
    if BAD_UNITS.search(name):
        problems.append(f"{name}: not in base units")
    if not re.fullmatch(r"(poise|process|gen_ai)_[a-z0-9_]+", name):
        problems.append(f"{name}: no prefix of ours")
    for _, labels in family.samples:
        for label, _ in labels:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", label) or (label == "le" and kind != "histogram"):
                problems.append(f"{name}: label {label}")


def check_histogram(family):
    series = collections.defaultdict(list)
    for (suffix, labels), value in family.samples.items():
        if suffix == "_bucket":
            bound = dict(labels)["le"]
            rest = tuple(label for label in labels if label[0] != "le")
            series[rest].append((float(bound.replace("+Inf", "inf")), value))
    for labels, buckets in series.items():
        counts = [count for _, count in buckets]
        if buckets != sorted(buckets) or counts != sorted(counts) or buckets[-1][0] != float("inf"):
            problems.append(f"{family.name}{labels}: buckets {buckets}")
        if family.samples.get(("_count", labels)) != counts[-1]:
            problems.append(f"{family.name}{labels}: _count is not that of +Inf")
        if ("_sum", labels) not in family.samples:
            problems.append(f"{family.name}{labels}: no _sum")


# ---- the dashboard ----


def panels(dashboard):
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def names_in(expression):
    """Names of metrics: what PromQL has besides its own words, labels and times."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    bare = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", "", bare)
    labels = set()
    for selector in re.findall(r"\{([^}]*)\}", bare):
        labels |= set(re.findall(r"([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)", selector))
    for group in re.findall(r"\b(?:by|without)\s*\(([^)]*)\)", expression):
        labels |= {label.strip() for label in group.split(",") if label.strip()}
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", bare)
    names = set(re.findall(r"(?<![\w.])[a-zA-Z_:][\w:]*(?!\w*\s*\()", bare))
    return names - {"and", "or", "unless", "bool", "offset"}, labels


def check_expression(where, expression, families):
    names, labels = names_in(expression)
    known = {"le", "instance", "job"}
    if not names:
        problems.append(f"{where}: asks for nothing: {expression}")
    for name in names - OF_PROMETHEUS:
        family, suffix = family_of(name, families)
        if family is None or (family.kind == "histogram") != bool(suffix):
            problems.append(f"{where}: there is no {name}")
            continue
        for _, has in family.samples:
            known |= {label for label, _ in has}
        if family.kind != "gauge" and not re.search(r"\b(rate|increase)\s*\(\s*" + name, expression):
            problems.append(f"{where}: {name} only grows: ask for its rate")
    for label in labels - known:
        problems.append(f"{where}: no metric of it has the label {label}")


def check_dashboard(families):
    dashboard = json.loads(report.read(root, DASHBOARD))
    source = {"type": "prometheus", "uid": "${datasource}"}
    variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    if variables.get("datasource", {}).get("type") != "datasource":
        problems.append(f"{DASHBOARD}: no variable for the data source")
    if dashboard.get("id") is not None:
        problems.append(f"{DASHBOARD}: an id belongs to one Grafana")
    ids = [panel["id"] for panel in panels(dashboard)]
    if len(set(ids)) != len(ids):
        problems.append(f"{DASHBOARD}: panels of one id")
    for panel in panels(dashboard):
        where = f"{DASHBOARD}: {panel['title']}"
        if panel["type"] in ("row", "text"):
            continue
        if not panel.get("targets"):
            problems.append(f"{where}: no query")
        if panel.get("datasource") != source:
            problems.append(f"{where}: another data source")
        for target in panel.get("targets", []):
            check_expression(where, target.get("expr", ""), families)


# ---- the alerts ----


def check_alerts(families):
    text = report.read(root, ALERTS)
    alerts = ALERT.findall(text)
    if len(alerts) != text.count("- alert:") or not alerts:
        problems.append(f"{ALERTS}: not every alert has expr, for, severity, summary and description, in this order")
    for name, block, line in alerts:
        check_expression(f"{ALERTS}: {name}", block or line, families)
    if len({name for name, _, _ in alerts}) != len(alerts):
        problems.append(f"{ALERTS}: two alerts of one name")


families = parse(metrics())
for family in families.values():
    check_names(family)
    if family.kind == "histogram":
        check_histogram(family)
check_dashboard(families)
check_alerts(families)
report.end(problems)
