"""What the program says of its errors is the contract's table, and README keeps to it.

    poise --errors        exactly the rows of contract_errors.txt, each with a message
    README.md             names no error code that does not exist

That GET /openapi.json has every code is a black-box test.
"""

import os
import re
import sys

import report

program, root = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
problems = []


def contract_rows():
    rows = {}
    for line in report.read(here, "contract_errors.txt").splitlines():
        if line and not line.startswith("#"):
            stage, code, status, retryable = line.split()
            rows[code] = (stage, status, retryable)
    return rows


def printed_rows():
    rows = {}
    lines = report.run(program, "--errors").splitlines()
    for line in lines[1:]:
        stage, code, status, retryable, message = line.split("\t")
        if not message.strip():
            problems.append(f"poise --errors: {code} has no message")
        rows[code] = (stage, status, retryable)
    return rows


def agrees(wanted, printed):
    status = printed[1] if printed[1] != "0" else "-"
    return (
        wanted[0] == printed[0]
        and wanted[1] == status
        and (wanted[2] == "-" or wanted[2] == printed[2])
    )


def compare_table(contract, printed):
    for code in contract.keys() - printed.keys():
        problems.append(f"poise --errors: {code} of the contract is missing")
    for code in printed.keys() - contract.keys():
        problems.append(f"poise --errors: {code} is not in the contract")
    for code in contract.keys() & printed.keys():
        if not agrees(contract[code], printed[code]):
            problems.append(f"poise --errors: {code} is {printed[code]}, not {contract[code]}")


def compare_readme(contract):
    text = report.read(root, "README.md")
    for code in re.findall(r'"code":\s*"(\w+)"', text):
        if code not in contract:
            problems.append(f"README.md: {code} is no code of the contract")


rows = contract_rows()
compare_table(rows, printed_rows())
compare_readme(rows)
report.end(sorted(problems))
