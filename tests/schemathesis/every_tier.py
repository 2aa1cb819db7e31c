"""Each call that Schemathesis makes, made once more with a key of every other tier, and each reply held against the document as that
of the first key is. Making up a call takes as long as several calls, so that it is done once for all tiers.

It is a module of hooks of Schemathesis; `OTHER_KEYS` has a line `TIER KEY` for each of these keys.
"""

import os

import requests
import schemathesis
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import ignored_auth

KEYS = [line.split() for line in os.environ["OTHER_KEYS"].splitlines()]
# What the environment says of proxies is no concern of a server of this machine.
SESSION = requests.Session()
SESSION.trust_env = False


@schemathesis.check
def every_other_tier(_ctx, _response, case):
    for tier, key in KEYS:
        headers = {"X-Api-Key": key}
        reply = case.call(session=SESSION, headers=headers)
        try:
            # That a wrong key is refused is seen beside the first key.
            case.validate_response(reply, excluded_checks=[every_other_tier, ignored_auth], headers=headers)
        except FailureGroup as failure:
            raise AssertionError(f"with a key of {tier}: {failure}") from failure
