"""The settings of a run, as TOML, made from the tested OpenAPI document: settings.py DOCUMENT > schemathesis.toml

Differences from Schemathesis' own settings, with reasons:

- A call that the document allows may be answered with any refusal but 400: the named object may not exist (404) or be
  gone (410), the call may need another tier (403), or its URL may be too long after URL encoding (414).
- Operations with `x-constraints` may refuse such a call with 400 as well: these sentences state rules that no parameter schema can.
- For a call that the document does not allow, a missing set may be reported before the call's fault.
"""

import json
import sys

ALLOWED = ["2xx", "3xx", "401", "403", "404", "410", "414", "429"]
REFUSED = ["400", "401", "403", "404", "405", "406", "410", "414", "429"]


def listed(statuses: list[str]) -> str:
    return json.dumps(statuses)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    print(f"checks.positive_data_acceptance.expected-statuses = {listed(ALLOWED)}")
    print(f"checks.negative_data_rejection.expected-statuses = {listed(REFUSED)}")
    for path, item in document["paths"].items():
        if item["get"].get("x-constraints"):
            print(f'\n[[operations]]\ninclude-path = "{path}"')
            print(f"checks.positive_data_acceptance.expected-statuses = {listed([*ALLOWED, '400'])}")


main()
