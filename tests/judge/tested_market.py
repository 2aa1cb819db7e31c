"""What the second engine of back-tests reads: the tables of a market that a server serves, and the costs of trades.

Prices are those of base shares: the traded price times the split factor, with unexplained jumps folded in."""

import json
import math
import tomllib
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

import duckdb

ROOT = Path(__file__).parent.parent.parent


class Charges:
    """The taxes and fees of a market by date, with the brokerage of a caller."""

    def __init__(self, market, brokerage_pct):
        file = ROOT / "queries" / "costs" / f"{market}.toml"
        self.rows, self.brokerage_pct = tomllib.loads(file.read_text())["charges"], brokerage_pct
        self.on_date = {}

    def of_trade(self, day, side, value, shares):
        """Returns the money of each charge. Of several rows of one name, the newest that is not after the day holds."""
        if day not in self.on_date:
            newest = {}
            for row in sorted(self.rows, key=lambda row: row["from"]):
                if row["from"] <= str(day):
                    newest[row["name"]] = row
            order = list(dict.fromkeys(row["name"] for row in self.rows))
            self.on_date[day] = sorted(newest.values(), key=lambda row: order.index(row["name"]))
        paid = {}
        for row in self.on_date[day]:
            if row["side"] in ("both", side):
                pct = row.get("pct", 0) + (self.brokerage_pct if row["name"] == "brokerage" else 0)
                base = sum(paid.get(name, 0) for name in row["percent_of"]) if "percent_of" in row else value
                paid[row["name"]] = min(base * pct / 100 + shares * row.get("per_share", 0), row.get("most", math.inf))
        return paid


class Bar:
    """A bar in base shares: prices times the factor, volume divided by it."""

    def __init__(self, row, before, gap):
        _, self.at, self.segment, open, high, low, close, volume, split, cap, upper, lower = row
        self.jump = before is not None and self.segment != before.segment and self.at - before.at <= gap
        # An unexplained jump leaves the value as it was at the close before, like a split.
        self.over = (1 if before is None else before.over) * (before.close / (open * split * before.over) if self.jump else 1)
        self.factor = split * self.over
        self.open, self.high, self.low, self.close = (price * self.factor for price in (open, high, low, close))
        self.volume, self.turnover, self.cap = volume / self.factor, volume * close, cap
        self.upper, self.lower = upper and upper * self.factor, lower and lower * self.factor

    def shut(self, side, price):
        """Returns true if no one takes the other side of an order at this price."""
        slack = 1e-6 * self.factor
        return price >= self.upper - slack if side == "buy" and self.upper else side == "sell" and self.lower is not None and price <= self.lower + slack


class Market:
    """The tables of a market's newest set."""

    def __init__(self, data, market):
        self.name, self.folder, self.duck = market, Path(data) / market, duckdb.connect()
        newest = max(int(file.stem) for file in (self.folder / "sets").glob("*.json") if file.stem.isdigit())
        tables = json.loads((self.folder / "sets" / f"{newest}.json").read_text())["tables"]
        for name in ("sessions", "daily_prices", "session_prices", "benchmark", "scan_spells", "corporate_events", "limit_hits"):
            files = [str(self.folder / "files" / name / f"{file['hash']}.parquet") for file in tables.get(name, {"files": []})["files"]]
            if files:
                self.duck.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({files!r})")
            else:
                self.duck.execute(f"CREATE VIEW {name} AS SELECT NULL::VARCHAR symbol, NULL::DATE session, NULL::VARCHAR direction, NULL::DOUBLE limit_price, "
                                  "NULL::DATE ex_date, NULL::DOUBLE dividend WHERE FALSE")
        self.sessions = [row[0] for row in self.rows("SELECT session FROM sessions ORDER BY 1")]
        self.benchmark = dict(self.rows("SELECT session, benchmark_close FROM benchmark"))
        self.last_bars = dict(self.rows("SELECT symbol, MAX(session) FROM daily_prices GROUP BY 1 ORDER BY 1"))
        self.gone = [symbol for symbol, session in self.last_bars.items() if session < self.sessions[-1]]
        self.split = [row[0] for row in self.rows(
            "SELECT symbol FROM daily_prices GROUP BY 1 HAVING MAX(cumulative_split_factor) > MIN(cumulative_split_factor) OR MAX(price_segment) > 0 ORDER BY 1")]

    def rows(self, sql, values=()):
        return self.duck.execute(sql, values).fetchall()

    def at(self, day):
        """Returns the place of the last session that is not after the day."""
        return bisect_right(self.sessions, day) - 1

    def bars(self, symbols, first, last):
        """Returns the bars of stocks by symbol and place of the session."""
        found = defaultdict(dict)
        for row in self.rows("""
            WITH hits AS (SELECT symbol, session, MAX(limit_price) FILTER (WHERE direction = 'upper') AS upper,
                                 MAX(limit_price) FILTER (WHERE direction = 'lower') AS lower FROM limit_hits GROUP BY ALL),
                 places AS (SELECT session, ROW_NUMBER() OVER (ORDER BY session) - 1 AS place FROM sessions)
            SELECT p.symbol, s.place, price_segment, open, high, low, close, volume, cumulative_split_factor,
                   CASE WHEN NOT market_cap_assumed THEN market_cap END, upper, lower
            FROM daily_prices p JOIN places s USING (session) LEFT JOIN hits h ON h.symbol = p.symbol AND h.session = p.session
            WHERE list_contains(?, p.symbol) AND p.session BETWEEN ? AND ? ORDER BY 1, 2""", [symbols, first, last]):
            of_stock = found[row[0]]
            of_stock[row[1]] = Bar(row, of_stock[next(reversed(of_stock))] if of_stock else None, 60)
        return found

    def dividends(self, symbols):
        return self.rows("SELECT symbol, ex_date, dividend FROM corporate_events WHERE dividend IS NOT NULL AND list_contains(?, symbol) ORDER BY 1, 2",
                         [symbols])
