"""Random back-tests, sent to a running server and computed again by `second_engine`: both must find the same money.

backtests.py BINARY DATA COUNT SEED. Compared are equity and cash of each session, each position from its first purchase to its last sale,
charges, orders that were not filled, picks without an order, counts and statistics; money to the cent. Excluded, and so without credit:
`random`, `list`, `screen`, `saved` and warnings.

The script checks itself: the same comparison must find a difference if the second engine fills one session early, leaves the costs out, or
picks only stocks that still trade. The exit code is 1 if a back-test differs, or if such a fault stays hidden."""

import datetime
import http.client
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from pathlib import Path

from answer_figures import answer_of
from second_engine import FAULTS
from tested_market import Market

SCANS = ["stage2", "nearHigh", "highVol", "vcp", "brs", "volume", "ipo", "stage2NearHigh", "allThree", "all"]


class Server:
    """A running server over a data folder."""

    def __init__(self, binary, data):
        self.folder = tempfile.TemporaryDirectory()
        work = Path(self.folder.name)
        state, listed = work / "state.db", work / "server"
        self.process = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0", "--data", data, "--state", state],
                                        stdout=open(listed, "w"), stderr=open(work / "log", "w"))
        found = None
        while not found:
            assert self.process.poll() is None, (work / "log").read_text()
            time.sleep(0.05)
            found = re.search(r" at http://([^ /]+)/v1", listed.read_text())
        issue = [binary, "keys", "issue", "--state", state, "--tier", "api_max", "--owner", "judge", "--unmetered"]
        self.key = subprocess.run(issue, check=True, capture_output=True, text=True).stdout.strip()
        self.address = found[1]

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def backtest(self, market, call):
        route = "/v1/us/backtest?" if market == "us" else "/v1/backtest?"
        for _ in range(600):
            connection = http.client.HTTPConnection(self.address, timeout=300)
            connection.request("GET", route + urllib.parse.urlencode({**call, "detail": "full"}), headers={"X-Api-Key": self.key})
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            # Until the tables are read, a server answers 503.
            if answer.status != 503:
                return answer.status, json.loads(body)
            time.sleep(0.1)
        raise AssertionError(body)


class Drawer:
    """Draws back-tests of a market."""

    def __init__(self, market, made):
        self.market, self.made = market, made

    def chance(self, share):
        return self.made.random() < share

    def call(self):
        made, sessions, call = self.made, self.market.sessions, {}
        days = sessions[70:]
        if self.chance(0.5):
            call["to"] = str(made.choice(days[len(days) // 2 :]) + datetime.timedelta(made.choice([0, 0, 1])))
        last = datetime.date.fromisoformat(call.get("to", str(sessions[-1])))
        span = [day for day in days if last - datetime.timedelta(made.choice([60, 200, 700, 4000])) <= day < last]
        getattr(self, made.choice(["scan", "symbols", "select", "select", "values", "values"]))(call, span)
        if self.chance(0.6) and "scan" not in call:
            call["from"] = str(span[0] - datetime.timedelta(made.choice([0, 1])))
        maybe = lambda share, name, *values: call.update({name: made.choice(values)}) if self.chance(share) else None
        maybe(0.4, "hold", 1, 3, 10, 21, 60, 130)
        maybe(0.4, "stop", 3, 5.5, 10, 25)
        maybe(0.4, "target", 2, 7.5, 15, 40)
        maybe(0.5, "fill", "open", "close")
        maybe(0.3, "costs", "none", "market")
        maybe(0.3, "brokerage_pct", 0.05, 0.1, 2)
        maybe(0.4, "slippage_bps", 0, 1, 20, 500)
        maybe(0.4, "volume_pct", 0.01, 0.5, 3, 25, 100)
        maybe(0.4, "wait", 0, 1, 3, 20, 60)
        maybe(0.6, "capital", 1000, 54_321, 10_000_000, 1_000_000_000)
        if call.pop("weighted", False):
            call["weight"] = "given"
        else:
            maybe(0.4, "weight", "equal", "cap", "inverse_volatility")
        return call

    def scan(self, call, span):
        # Scans are known for 63 sessions.
        call["scan"] = self.made.choice(SCANS)
        call["every"] = self.made.choice(["weekly", "weekly", "monthly"])
        call["top"] = self.made.choice([1, 3, 10, 20, 100])
        call["from"], call["to"] = str(self.market.sessions[-63]), str(self.market.sessions[-self.made.choice([1, 1, 2, 9, 30])])

    def symbols(self, call, span):
        call["symbols"] = ",".join(self.some_stocks(self.made.choice([1, 3, 10, 30])))
        call["every"] = self.made.choice(["weekly", "monthly", "quarterly"])

    def some_stocks(self, count):
        """Returns stocks of which some ceased to trade, split, or jumped."""
        kinds = [list(self.market.last_bars)] * 4 + [self.market.gone, self.market.split]
        return sorted({self.made.choice(self.made.choice(kinds) or kinds[0]) for _ in range(count)})

    def some_days(self, span, most):
        # A day without a session counts as the session before; two days of one session are not allowed.
        chosen = sorted(self.made.sample(span, min(len(span), self.made.randint(1, most))))
        weekend = lambda day: day + datetime.timedelta(1) if day.weekday() == 4 and self.chance(0.3) else day
        return [weekend(day) for day in chosen]

    def select(self, call, span):
        """Draws a screen by session: the first stocks in some order, with a condition."""
        top = self.made.choice([1, 3, 8, 20])
        days = ", ".join(f"DATE '{day}'" for day in sorted(self.made.sample(span, min(len(span), 400 // top, self.made.choice([2, 6, 20, 60])))))
        order = self.made.choice(["turnover DESC", "turnover", "market_cap DESC", "change_pct DESC", "change_pct", "adj_close", "adj_volume DESC"])
        where = self.made.choice(["is_tradable", "turnover > 1000000", "change_pct > 0", "adj_close > 100", "market_cap IS NOT NULL"])
        call["weighted"] = self.chance(0.4)
        weight = f", 0.9 / {top} / place AS weight" if call["weighted"] else ""
        call["sql"] = (f"SELECT session AS date, symbol{weight} FROM (SELECT session, symbol, ROW_NUMBER() OVER (PARTITION BY session "
                       f"ORDER BY {order} NULLS LAST, symbol) AS place FROM session_prices WHERE {where} AND session IN ({days})) "
                       f"WHERE place <= {top} ORDER BY session, place")

    def values(self, call, span):
        """Draws stocks and days without any reason."""
        call["weighted"] = self.chance(0.5)
        stocks, rows = self.some_stocks(self.made.choice([2, 10, 40])), []
        for day in self.some_days(span, 8):
            chosen = self.made.sample(stocks, self.made.randint(1, min(len(stocks), 12)))
            weights = [self.made.randint(0, 9) for _ in chosen]
            total = max(sum(weights), 1) * self.made.choice([1, 1.25, 3])
            rows += [f"(DATE '{day}', '{symbol}', {weight / total * 0.999:.4f}e0)" for symbol, weight in zip(chosen, weights)]
        columns = "date, symbol, weight" if call["weighted"] else "date, symbol"
        call["sql"] = f"SELECT {columns} FROM (VALUES {', '.join(rows)}) AS picks(date, symbol, weight) ORDER BY date, symbol"


def near(found, expected):
    """Returns true for equal texts and nulls, and for numbers that agree to the cent."""
    if isinstance(found, (int, float)) and isinstance(expected, (int, float)):
        return abs(found - expected) <= 0.00501 + 1e-12 * abs(expected)
    return found == expected


def differences(found, expected, path=""):
    """Yields the fields of an answer that differ."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            yield from differences(found.get(name), value, f"{path}.{name}")
    elif isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{path}: {len(found)} rows, expected {len(expected)}"
        for at, pair in enumerate(zip(found, expected)):
            yield from differences(*pair, f"{path}[{at}]")
    elif not near(found, expected):
        yield f"{path}: {found}, expected {expected}"


def comparable(answer):
    """Returns the compared fields of an answer of the server, in the second engine's form."""
    data = answer["data"]
    key = lambda trade: (trade["opened"], trade["symbol"], trade["closed"] or "9")
    return {**data, "trades": sorted(data["trades"], key=key),
            "picks_left_out": sorted([row["decided"], row["symbol"], row["reason"]] for row in data["picks_left_out"]),
            "charges": {row["name"]: row["paid"] for row in data["charges"] if row["paid"] >= 0.005},
            "activity": {**data["activity"], "unfilled": sorted([row["side"], row["reason"], row["whole"], row["in_part"]]
                                                                 for row in data["activity"]["unfilled"])}}


def judged(found, expected):
    """Returns the differences of an answer; an expected refusal is `None`."""
    status, answer = found
    if status != 200 or expected is None:
        return [] if status == 400 and expected is None else [f"{status} {json.dumps(answer)[:300]}, expected {'a refusal' if expected is None else 200}"]
    return list(differences(comparable(answer), expected))


def main():
    binary, data, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    markets = [Market(data, name) for name in ("india", "us") if (Path(data) / name / "sets").is_dir()]
    server, counts, began = Server(binary, data), Counter(), time.monotonic()
    applied, detected = Counter(), Counter()
    try:
        for at in range(count):
            market = markets[at % len(markets)]
            call = Drawer(market, random.Random(seed * 1_000_003 + at)).call()
            found, expected = server.backtest(market.name, call), answer_of(market, call)
            unequal = judged(found, expected)
            counts["different" if unequal else "refused" if expected is None else "same"] += 1
            if unequal:
                print(f"{at} {market.name} {json.dumps(call)}\n    " + "\n    ".join([*unequal[:6], f"{len(unequal)} differences"]))
            if expected is None or not expected["activity"]["fills"]:
                continue
            counts["fills"] += expected["activity"]["fills"]
            for fault in FAULTS:
                faulty = answer_of(market, call, fault)
                # A fault is hidden by right only where it changes nothing: without costs, or without a position in a stock that is gone.
                if fault == "early" or fault == "free" and expected["activity"]["charges"] + expected["activity"]["slippage"] > 0.01 or \
                        fault == "survivors" and any(trade["symbol"] in market.gone for trade in expected["trades"]):
                    applied[fault] += 1
                    detected[fault] += faulty is None or bool(judged(found, faulty))
    finally:
        server.end()
    print(f"{time.monotonic() - began:.0f} s, seed {seed}: {dict(counts)}; faults detected: "
          + ", ".join(f"{fault} {detected[fault]} of {applied[fault]}" for fault in FAULTS))
    blind = [fault for fault in FAULTS if detected[fault] < applied[fault] or not applied[fault]]
    sys.exit(bool(counts["different"] or blind))


if __name__ == "__main__":
    main()
