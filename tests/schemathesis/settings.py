"""The settings of a run, as TOML, made from the tested OpenAPI document: settings.py DOCUMENT [SHARE] > schemathesis.toml

With a share of 3 it calls a third of the operations, another third on each day.

Differences from Schemathesis' own settings, with reasons:

- A call that the document allows may be answered with any refusal but 400: the named object may not exist (404) or be
  gone (410), the call may need another tier (403), or its URL may be too long after URL encoding (414).
- Operations with `x-constraints` may refuse such a call with 400 as well: these sentences state rules that no parameter schema can.
- For a call that the document does not allow, a missing set may be reported before the call's fault.
"""

import json
import sys
import time

ALLOWED = ["2xx", "3xx", "401", "403", "404", "410", "414", "429"]
REFUSED = ["400", "401", "403", "404", "405", "406", "410", "414", "429"]


def listed(statuses: list[str]) -> str:
    return json.dumps(statuses)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    print(f"checks.positive_data_acceptance.expected-statuses = {listed(ALLOWED)}")
    print(f"checks.negative_data_rejection.expected-statuses = {listed(REFUSED)}")
    share = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    day = int(time.time()) // 86_400
    for number, (path, item) in enumerate(document["paths"].items()):
        if number % share != day % share:
            setting = "enabled = false"
        elif item["get"].get("x-constraints"):
            setting = f"checks.positive_data_acceptance.expected-statuses = {listed([*ALLOWED, '400'])}"
        else:
            continue
        print(f'\n[[operations]]\ninclude-path = "{path}"\n{setting}')


main()
