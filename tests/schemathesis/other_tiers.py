"""Repeats each call of Schemathesis with a key of another tier, and validates each reply against the document like the first key's.
The calls of an operation take the other tiers in turn: each tier has a quarter of them, and the run takes half as long as with all.

It is a hooks module of Schemathesis; `OTHER_KEYS` has a line `TIER KEY` for each of these keys.
"""

import collections
import itertools
import os

import requests
import schemathesis
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import ignored_auth

KEYS = [line.split() for line in os.environ["OTHER_KEYS"].splitlines()]
# Proxy settings of the environment do not apply to a local server.
TURNS = collections.defaultdict(lambda: itertools.cycle(KEYS))
SESSION = requests.Session()
SESSION.trust_env = False


@schemathesis.check
def another_tier(_ctx, _response, case):
    tier, key = next(TURNS[case.operation.label])
    headers = {"X-Api-Key": key}
    reply = case.call(session=SESSION, headers=headers)
    try:
        # Refusals of wrong keys are checked with the first key.
        case.validate_response(reply, excluded_checks=[another_tier, ignored_auth], headers=headers)
    except FailureGroup as failure:
        raise AssertionError(f"with a key of {tier}: {failure}") from failure
