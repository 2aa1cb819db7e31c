"""Repeats each call of Schemathesis with a key of every other tier, and validates each reply against the document like the first
key's. Generating a call takes as long as several calls, so it is done once for all tiers.

It is a hooks module of Schemathesis; `OTHER_KEYS` has a line `TIER KEY` for each of these keys.
"""

import os

import requests
import schemathesis
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import ignored_auth

KEYS = [line.split() for line in os.environ["OTHER_KEYS"].splitlines()]
# Proxy settings of the environment do not apply to a local server.
SESSION = requests.Session()
SESSION.trust_env = False


@schemathesis.check
def every_other_tier(_ctx, _response, case):
    for tier, key in KEYS:
        headers = {"X-Api-Key": key}
        reply = case.call(session=SESSION, headers=headers)
        try:
            # Refusals of wrong keys are checked with the first key.
            case.validate_response(reply, excluded_checks=[every_other_tier, ignored_auth], headers=headers)
        except FailureGroup as failure:
            raise AssertionError(f"with a key of {tier}: {failure}") from failure
