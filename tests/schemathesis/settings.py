"""The settings of a run, as TOML, made from the OpenAPI document that is tested: settings.py DOCUMENT > schemathesis.toml

What is changed from Schemathesis' own settings, and why:

- A call that the document allows may be answered with any refusal but 400: what it names may not be there (404), not be kept
  any more (410), need another tier (403), or make a URL that is too long in the encoding of URLs (414).
- Operations with `x-constraints` may refuse such a call with 400 as well: these sentences say what no schema of a parameter can.
- Of a call that the document does not allow, a set that is not kept any more may be told before what is wrong with it.
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
