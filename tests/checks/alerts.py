"""The alerts of services/deploy/alerts.yml fire when they should and at no other time, by Prometheus' own
promtool (PROMTOOL or the PATH; skipped where it is not installed).

The program plays a scripted outage: it answers turns, refuses many, loses its model, then its database file.
What GET /metrics says before and after each act becomes an hour of quiet and half an hour of trouble.  What
cannot be played here (a full disk, a wrong clock, ...) is written into the numbers.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

import report

program, root = sys.argv[1:]
promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
SAMPLE = re.compile(r"([a-z_]+)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
OURS = 'instance="poise:8000",job="poise"'
QUIET, TROUBLE = 60, 30  # minutes


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        reply = {"refused": False, "follow_up_question": "And what came of it?", "coaching_feedback": None}
        choice = {"message": {"role": "assistant", "content": json.dumps(reply)}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# ---- the outage ----


class Play:
    def __init__(self, directory):
        self.model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        threading.Thread(target=self.model.serve_forever, daemon=True).start()
        self.store = os.path.join(directory, "poise.db")
        settings = {
            "PORT": "0",
            "HOST": "127.0.0.1",
            "WORKERS": "1",
            "TTS_PROVIDER": "none",
            "GROQ_API_KEY": "none",
            "GROQ_BASE_URL": f"http://127.0.0.1:{self.model.server_port}",
            "PROVIDER_RETRIES": "0",
            "BREAKER_FAILURES": "2",
            "STORE_URL": f"sqlite:///{self.store}",
        }
        self.process = subprocess.Popen([program], env=settings, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if json.loads(line)["event"] == "listening":
                self.base = f"http://127.0.0.1:{json.loads(line)['port']}"
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=30)

    def call(self, path, body=None, token=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        request = urllib.request.Request(self.base + path, json.dumps(body).encode() if body else None, headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.read().decode()

    def session(self):
        interview = {"role": "nurse", "interview_type": "behavioral", "difficulty": "easy", "question_count": 10}
        return json.loads(self.call("/session/start", interview))["data"]

    def answer(self, session, words):
        turn = {"session_id": session["session_id"], "transcript": words}
        self.call("/turn", turn, session["session_token"])

    def scrape(self):
        samples = {}
        for line in self.call("/metrics").splitlines():
            sample = SAMPLE.fullmatch(line)
            if sample:
                name, labels, value = sample.groups()
                samples[f"{name}{{{labels + ',' if labels else ''}{OURS}}}"] = float(value)
        return samples

    def lose_model(self):
        self.model.shutdown()
        self.model.server_close()


def outage():
    """What is counted from the beginning, through a quiet time, refusals, no model and no store."""
    with tempfile.TemporaryDirectory() as directory:
        play = Play(directory)
        try:
            session = play.session()
            scrapes = [play.scrape()]
            for i in range(5):
                play.answer(session, f"I led the migration, and errors fell by {i} percent.")
            scrapes.append(play.scrape())
            for _ in range(5):
                play.answer(session, "fuck you")
            scrapes.append(play.scrape())
            play.lose_model()
            for i in range(4):
                play.answer(session, f"I wrote the tests, all {i} of them.")
            scrapes.append(play.scrape())
            os.rename(play.store, play.store + ".away")
            for i in range(4):
                play.answer(session, f"I led the other migration, number {i}.")
            scrapes.append(play.scrape())
            return scrapes
        finally:
            play.end()


# ---- from scrapes to promtool ----


def is_counter(series):
    return re.match(r"[a-z_]+_(total|count|sum|bucket)\{", series)


def growth(before, after):
    return {series: value - before.get(series, 0) for series, value in after.items() if is_counter(series)}


def input_series(quiet, trouble, gauges):
    """A minute's growth of every counter, and what every gauge shows, in both times."""
    series = []
    for name in sorted(set(quiet) | set(trouble)):
        at, more = quiet.get(name, 0) * QUIET, trouble.get(name, 0)
        series.append((name, f"0+{quiet.get(name, 0):.6f}x{QUIET - 1} {at:.6f}+{more:.6f}x{TROUBLE}"))
    for name, (before, after) in gauges.items():
        series.append((name, f"{before:.6f}x{QUIET - 1} {after:.6f}x{TROUBLE}"))
    series.append((f"poise_clock_seconds{{{OURS}}}", f"0+60x{QUIET + TROUBLE}"))
    return dict(series)


def expect(minute, alerts):
    return {
        "expr": 'group by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": f"{minute}m",
        "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in alerts],
    }


def case(series, alerts):
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [expect(QUIET - 5, []), expect(QUIET + TROUBLE - 2, alerts)],
    }


def cases():
    start, quiet, refused, modelless, storeless = outage()
    healthy = growth(start, quiet)
    gauges = {name: (value, value) for name, value in quiet.items() if not is_counter(name) and "_clock_" not in name}
    gauges[f"up{{{OURS}}}"] = (1, 1)

    def played(before, after, *alerts):
        then = {name: (shown, after.get(name, shown)) for name, (shown, _) in gauges.items()}
        return case(input_series(healthy, growth(before, after), then), alerts)

    def written(changes, *alerts):
        return case(input_series(healthy, healthy, gauges) | changes, alerts)

    def shown(name, before, after):
        return {f"{name}{{{OURS}}}": f"{before}x{QUIET - 1} {after}x{TROUBLE}"}

    def growing(name, labels=""):
        return {f"{name}{{{labels}{OURS}}}": f"0x{QUIET - 1} 0+1x{TROUBLE}"}

    def slow():
        buckets = [name for name in healthy if name.startswith("poise_turn_stage_duration_seconds_bucket") and 'stage="total"' in name]
        return {
            name: f"0x{QUIET - 1} 0+{int(float(re.search('le=.([^,]+).,', name)[1].replace('+Inf', '99')) >= 30)}x{TROUBLE}"
            for name in buckets
        }

    yield played(quiet, refused, "PoiseRefusalsJump")
    yield played(refused, modelless, "PoiseBreakerOpen", "PoiseErrors")
    # The model is still away, but its breaker was open before: what fires is the outage as a whole.
    yield played(modelless, storeless, "PoiseBreakerOpen", "PoiseErrors", "PoiseStoreAway")
    yield written({})
    yield written(shown("up", 1, 0), "PoiseDown")
    yield written(shown("poise_store_disk_free_bytes", 50e9, 5e8), "PoiseDiskFull")
    yield written({f"poise_store_disk_free_bytes{{{OURS}}}": f"50000000000x{QUIET - 1} 50000000000-1000000000x{TROUBLE}"}, "PoiseDiskFull")
    yield written({f"poise_clock_seconds{{{OURS}}}": f"0+60x{QUIET - 1} {QUIET * 60 - 90}+60x{TROUBLE}"}, "PoiseClockWrong")
    yield written(growing("poise_log_lines_dropped_total"), "PoiseLogLost")
    yield written(growing("poise_shed_total", 'reason="loop",'), "PoiseTurnsAway")
    yield written(slow(), "PoiseSlow")


def main():
    if promtool is None:
        print("promtool is not installed")
        sys.exit(77)
    rules = os.path.join(os.path.abspath(root), "services/deploy/alerts.yml")
    tests = list(cases())
    fired = {sample["labels"] for test in tests for sample in test["promql_expr_test"][1]["exp_samples"]}
    named = {f'{{alertname="{name}"}}' for name in re.findall(r"- alert: (\w+)", report.read(root, "services/deploy/alerts.yml"))}
    problems = [f"alerts.yml: nothing here makes {name} fire" for name in sorted(named - fired)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"rule_files": [rules], "evaluation_interval": "1m", "tests": tests}, file)
        file.flush()
        for command in (["check", "rules", rules], ["test", "rules", file.name]):
            run = subprocess.run([promtool, *command], capture_output=True, text=True)
            if run.returncode:
                problems.append(run.stdout + run.stderr)
    report.end(problems)


main()
