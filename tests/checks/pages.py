"""What the pages for operators name is there: commands of the program, settings, metrics, events of the log, files;
and so are the secrets that the unit is lent."""

import os
import re
import sys

import report

program, root = sys.argv[1:]
COMMAND = re.compile(r"(?<![\w/.-])poise ([a-z]+)\b(?=[^:.\w]|\n)")
SETTING = re.compile(r"`\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[`=]")
METRIC = re.compile(r"`(poise_[a-z_]+)`")
EVENT = re.compile(r"the log has `([a-z_]+)`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
OF_OTHERS = {"CREDENTIALS_DIRECTORY", "STATE_DIRECTORY", "NAME_FILE", "SESSION_ID"}

settings = set(re.findall(r"^#([A-Z0-9_]+)=", report.run(program, "--env-example"), re.M))
settings |= {name + "_FILE" for name in settings}
formers = set(re.findall(r'^FORMER\("(\w+)"', report.read(root, "include/tables/former_settings.def"), re.M))
COMING = "services/deploy/coming-from-fastapi.md"
commands = set(re.findall(r"^  poise (?:\[?)([a-z]+)", report.run(program, "--help"), re.M))
sources = "".join(report.read(root, path) for path in report.files(root, ["services", "include"], (".c", ".def")))


def missing(text):
    for name in SETTING.findall(text):
        if name not in settings | OF_OTHERS | formers:
            yield f"no setting {name}"
    for block in re.findall(r"```console\n(.*?)```|`([^`\n]+)`", text, re.S):
        for name in COMMAND.findall(block[0] + block[1] + "\n"):
            if name not in commands:
                yield f"no command poise {name}"
    for name in METRIC.findall(text) + EVENT.findall(text):
        if f'"{name}"' not in sources:
            yield f"no {name}"


problems = []
coming = report.read(root, COMING)
problems += [f"{COMING}: nothing of {name}" for name in formers if f"`{name}`" not in coming]
unit = report.read(root, "services/deploy/poise.service")
secrets = set(re.findall(r"^# A secret.*\n#([A-Z0-9_]+)=", report.run(program, "--env-example"), re.M))
for name, file in re.findall(r"^#?LoadCredential=(\w+):\S*/(\w+)$", unit, re.M):
    if name not in secrets or file != name:
        problems.append(f"poise.service: LoadCredential={name} is no secret of the program's")
for line in ("Type=notify", "RestartPreventExitStatus=2", "LoadCredential=SECRET_KEY:/etc/poise/SECRET_KEY"):
    if f"\n{line}\n" not in unit:
        problems.append(f"poise.service: no {line}")
for page in report.files(root, ["services/deploy"], (".md",)):
    text = report.read(root, page)
    problems += [f"{page}: {what}" for what in missing(text)]
    for link in LINK.findall(text):
        if not os.path.exists(os.path.join(root, os.path.dirname(page), link)):
            problems.append(f"{page}: no file {link}")
report.end(problems)
