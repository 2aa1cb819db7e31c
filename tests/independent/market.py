"""The raw files of the demo market and the derived values that every case needs: adjusted bars, averages, ratings. Plain Python 3.

Only the definitions of Parquote's formula book are used.
"""

import csv
import datetime
import glob
import io
import json
import math
import os
import re
import statistics
import zipfile
from bisect import bisect_right
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction


# Words in the names of Indian companies that determine a sector if no list does.
SECTOR_WORDS = {
    "Automobile and Auto Components": "auto automobiles automotive motor tyres",
    "Capital Goods": "aerospace bearings cables defence pipes shipbuilders shipyard transformers tubes",
    "Chemicals": "agrochem agrochemicals amines chemicals dyes fertilisers fertilizers organics petrochemicals",
    "Construction": "constructions infraprojects",
    "Construction Materials": "cement cements",
    "Consumer Durables": "ceramics footwear granito jewellers jewellery paints tiles",
    "Consumer Services": "hotel hotels resorts retail",
    "Fast Moving Consumer Goods": "beverages breweries dairy distilleries foods spirits sugar sugars tea",
    "Financial Services": "bank broking capital credit finance financial fincorp finserv insurance investment leasing microfinance securities",
    "Forest Materials": "paper papers",
    "Healthcare": "biosciences diagnostics drugs formulations healthcare hospital hospitals laboratories lifesciences medicare "
                  "pharma pharmaceutical pharmaceuticals remedies",
    "Information Technology": "software",
    "Oil Gas & Consumable Fuels": "coal petroleum refineries refinery",
    "Realty": "realtors realty",
    "Services": "logistics shipping",
    "Textiles": "apparels cotspin denim fabrics garments knitting spinners spinning syntex textile textiles weaving yarns",
}
SECTOR_OF_WORD = {word: sector for sector, words in SECTOR_WORDS.items() for word in words.split()}


def rows_of(text):
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    return [{(k or "").strip(): (v or "").strip() for k, v in row.items()} for row in reader]


def day(text):
    return datetime.datetime.strptime(text.title(), "%d-%b-%Y").date().isoformat()


def before(date, days):
    """Returns the date this many calendar days earlier."""
    return (datetime.date.fromisoformat(date) - datetime.timedelta(days)).isoformat()


def rounded(x, places=2):
    """Rounds as in answers: half away from zero."""
    if x is None:
        return None
    value = Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return int(value) if value == value.to_integral_value() else float(value)


def ema(values, n):
    if len(values) < n:
        return None
    value = sum(values[:n]) / n
    for x in values[n:]:
        value += 2 / (n + 1) * (x - value)
    return value


def rsi(values, n=14):
    moves = [b - a for a, b in zip(values, values[1:])]
    if len(moves) < n:
        return None
    gain = sum(max(m, 0) for m in moves[:n]) / n
    loss = sum(max(-m, 0) for m in moves[:n]) / n
    for m in moves[n:]:
        gain = (gain * (n - 1) + max(m, 0)) / n
        loss = (loss * (n - 1) + max(-m, 0)) / n
    if loss == 0:
        return 50 if gain == 0 else 100
    return 100 - 100 / (1 + gain / loss)


class Stock:
    """The adjusted bars of one symbol, oldest first."""

    def __init__(self, market, symbol, bars):
        self.market, self.symbol = market, symbol
        self.dates = sorted(bars)
        self.raw = raw = [bars[d] for d in self.dates]
        self.factor = f = [market.factor(symbol, d) for d in self.dates]
        self.traded = [r["close"] for r in raw]
        self.open, self.high, self.low, self.close = (
            [r[name] * f for r, f in zip(raw, f)] for name in ("open", "high", "low", "close"))
        self.traded_volume = [r["volume"] for r in raw]
        self.volume = [v / f for v, f in zip(self.traded_volume, f)]
        self.delivered = [r["delivered"] for r in raw]
        self.place = {d: i for i, d in enumerate(self.dates)}
        self.scores = [self.score(i) for i in range(len(raw))]

    def roc(self, i, n):
        return None if i < n else 100 * (self.close[i] / self.close[i - n] - 1)

    def score(self, i):
        parts = [self.roc(i, n) for n in (63, 126, 189, 252)]
        return None if None in parts else 0.4 * parts[0] + 0.2 * sum(parts[1:])

    def change(self, i):
        """Returns the change against the previous bar, in percent; a difference in the last digit of the arithmetic counts as none."""
        if i == 0:
            return None
        change = self.close[i] / self.close[i - 1] - 1
        return 0.0 if abs(change) < 1e-12 else 100 * change

    def year(self):
        """Returns the highest high and lowest low of the bars at most 365 calendar days older than the last one."""
        first = self.place[min(d for d in self.dates if d >= before(self.dates[-1], 365))]
        return max(self.high[first:]), min(self.low[first:])

    def sma(self, i, n):
        return None if i + 1 < n else sum(self.close[i + 1 - n : i + 1]) / n

    def ema(self, n):
        return ema(self.close, n)

    def rsi(self, n=14):
        return rsi(self.close, n)

    def rvol(self):
        return None if len(self.volume) < 21 else self.volume[-1] / (sum(self.volume[-21:-1]) / 20)

    def median_turnover(self, i):
        """Returns the median turnover of the last 20 bars, or of all bars of a younger listing."""
        first = max(0, i - 19)
        return statistics.median(c * v for c, v in zip(self.traded[first:i + 1], self.traded_volume[first:i + 1]))

    def liquid(self, i):
        return self.median_turnover(i) >= self.market.least_turnover

    def tradable(self):
        """Returns true if the stock is tradable in the last session: a bar in the last five, and enough turnover."""
        return self.held(self.market.last) is not None and self.liquid(len(self.dates) - 1)

    def stage(self):
        before, stage = None, None
        for i in range(169, len(self.close)):
            m = self.sma(i, 150)
            slope = 100 * (m / self.sma(i - 20, 150) - 1)
            if self.close[i] > m and slope >= 1:
                stage, before = 2, 2
            elif self.close[i] < m and slope <= -1:
                stage, before = 4, 4
            else:
                stage = {2: 3, 4: 1, None: None}[before] if before is not None else None
        return stage

    def alignment(self):
        a, b, c, d = self.close[-1], self.ema(10), self.ema(21), self.ema(50)
        if d is None:
            return None
        return "BULLISH" if a > b > c > d else "BEARISH" if a < b < c < d else "MIXED"

    def moves(self):
        """Yields each open over the previous traded close, with its date: bars at most five sessions apart, without an action between
        them, and without a listing's first five."""
        sessions = self.market.sessions
        for i in range(5, len(self.dates)):
            before, date = self.dates[i - 1], self.dates[i]
            acted = any(before < ex <= date for ex, _ in self.market.factors[self.symbol])
            if not acted and sessions.index(date) - sessions.index(before) <= 5:
                yield date, self.raw[i]["open"] / self.raw[i - 1]["close"]

    def held(self, session):
        """Returns the index of the last bar, if it is among the five sessions that end with this one."""
        at = bisect_right(self.dates, session) - 1
        sessions = self.market.sessions
        if at < 0 or self.dates[at] < sessions[max(sessions.index(session) - 4, 0)]:
            return None
        return at


class Market:
    """A market: its folder, its actions, its stocks and their benchmark."""

    def __init__(self, folder):
        self.folder = folder
        self.factors = defaultdict(list)
        for row in self.read("corporate_actions.csv"):
            self.factors[row["symbol"]].append((row["ex_date"], float(row["factor"])))
        bars = self.bars()
        self.sessions = sorted({session for all_bars in bars.values() for session in all_bars})
        self.last = self.sessions[-1]
        self.stocks = {symbol: Stock(self, symbol, bars[symbol]) for symbol in sorted(bars)}
        # Figures here use all bars of a stock, which is right only if none of its moves starts a new history.
        self.moves = {s: list(stock.moves()) for s, stock in self.stocks.items()}
        jumps = [(s, date, ratio) for s, moves in self.moves.items() for date, ratio in moves if self.is_jump(ratio)]
        if jumps:
            raise SystemExit(f"{folder}: unexplained jumps: {jumps}")
        self.references()
        self.now = self.ratings(self.last)
        self.rating = {s: self.now.get(s, (None, None))[0] for s in self.stocks}

    def source(self, kind=None):
        """Returns the source of a kind of file, for rows that name none."""
        with open(os.path.join(self.folder, "source.txt"), encoding="utf-8") as file:
            said = file.read().strip()
        return said if kind is None else f"{said}: {kind}"

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8-sig") as file:
            return rows_of(file.read())

    def factor(self, symbol, session):
        """Returns the factor that adjusts prices of a session: the product of the factors after it."""
        return math.prod(f for ex, f in self.factors[symbol] if ex > session)

    def ratings(self, session):
        """Returns rating and rank of every stock that is eligible on a session: rated against the universe, ranked among all rated stocks."""
        universe = self.universe(session)
        held = {s: stock.held(session) for s, stock in self.stocks.items()}
        score = {s: self.stocks[s].scores[at] for s, at in held.items() if at is not None}
        field = sorted(score[s] for s in universe if score.get(s) is not None)
        everybody = [x for x in score.values() if x is not None]
        rated = {}
        for symbol, x in score.items():
            if x is None:
                rated[symbol] = (None, None)
                continue
            below = sum(1 for y in field if y < x)
            equal = sum(1 for y in field if y == x)
            rank = below + (equal + 1) / 2
            rating = 1 + math.floor(98 * (rank - 1) / (len(field) - 1) + 0.5)
            rated[symbol] = (min(max(rating, 1), 99), 1 + sum(1 for y in everybody if y > x))
        return rated


class India(Market):
    least_turnover, fund = 0.5e7, "NIFTYBEES"

    def turnover(self, stock):
        """Returns median turnover in crore, as in answers."""
        return {"median_turnover_cr": rounded(stock.median_turnover(len(stock.dates) - 1) / 1e7), "is_tradable": stock.tradable()}

    def price_files(self):
        for path in glob.glob(os.path.join(self.folder, "prices", "**", "*"), recursive=True):
            if path.endswith(".csv"):
                yield open(path, encoding="utf-8").read()
            elif path.endswith(".zip"):
                archive = zipfile.ZipFile(path)
                for name in archive.namelist():
                    yield archive.read(name).decode()

    def is_jump(self, ratio):
        """Markets with price bands: any move beyond them."""
        return ratio < 0.70 or ratio > 1.45

    def bars(self):
        """Returns common stock by symbol and session; EQ takes precedence on a day. The benchmark's fund is stored separately."""
        funds = {row["Symbol"] for row in self.read("eq_etfseclist.csv")}
        bars, self.benchmark = defaultdict(dict), {}
        for text in self.price_files():
            for row in rows_of(text):
                symbol, date = row["SYMBOL"], day(row["DATE1"])
                if symbol == "NIFTYBEES":
                    self.benchmark[date] = float(row["CLOSE_PRICE"])
                if row["SERIES"] not in ("EQ", "BE", "BZ") or symbol in funds:
                    continue
                if date not in bars[symbol] or row["SERIES"] == "EQ":
                    names = {"open": "OPEN_PRICE", "high": "HIGH_PRICE", "low": "LOW_PRICE", "close": "CLOSE_PRICE"}
                    bars[symbol][date] = {ours: float(row[theirs]) for ours, theirs in names.items()} | {
                        "volume": int(row["TTL_TRD_QNTY"]),
                        "delivered": None if row["DELIV_QTY"] == "-" else int(row["DELIV_QTY"])}
        return bars

    def references(self):
        self.sizes = defaultdict(dict)
        for path in glob.glob(os.path.join(self.folder, "mcap_*.csv")):
            stamp = os.path.basename(path)[5:13]
            for r in self.read(os.path.basename(path)):
                self.sizes[r["Symbol"]][f"{stamp[4:]}-{stamp[2:4]}-{stamp[:2]}"] = int(r["Issue Size"])
        self.names = {r["SYMBOL"]: r["NAME OF COMPANY"] for r in self.read("EQUITY_L.csv")}
        self.lists, self.sectors = defaultdict(dict), {}
        for path in sorted(glob.glob(os.path.join(self.folder, "lists_*", "*.csv"))):
            date = f"{os.path.dirname(path)[-6:-2]}-{os.path.dirname(path)[-2:]}-01"
            stem = os.path.basename(path)[:-4].removeprefix("ind_").removesuffix("list").rstrip("_").upper()
            with open(path, encoding="utf-8-sig") as file:
                members = rows_of(file.read())
            self.lists[stem][date] = {m["Symbol"] for m in members}
            self.sectors.update({m["Symbol"]: m["Industry"] for m in members})
            # A company that left the exchange's list retains its name from the index lists.
            self.names = {m["Symbol"]: m["Company Name"] for m in members} | self.names
        self.sources = {symbol: "index_list" for symbol in self.sectors}
        self.said_by_industry()
        for symbol, name in self.names.items():
            said = {SECTOR_OF_WORD[word] for word in re.findall("[a-z0-9]+", name.lower()) if word in SECTOR_OF_WORD}
            if symbol not in self.sectors and len(said) == 1:
                self.sectors[symbol], self.sources[symbol] = said.pop(), "name"

    def said_by_industry(self):
        """Returns the sector of an industry's other companies, if lists name it for at least three and agree."""
        industry = {r["symbol"]: r["industry"] for r in self.read("industry.csv")}
        groups = defaultdict(list)
        for symbol, sector in self.sectors.items():
            groups[industry.get(symbol)].append(sector)
        for symbol, name in industry.items():
            if symbol not in self.sectors and len(groups[name]) >= 3 and len(set(groups[name])) == 1:
                self.sectors[symbol], self.sources[symbol] = groups[name][0], "industry"

    def sector_source(self, symbol):
        return self.sources.get(symbol)

    def universe(self, session):
        dates = sorted(self.lists["NIFTY500"])
        return self.lists["NIFTY500"][max([d for d in dates if d <= session], default=dates[0])]

    def shares(self, symbol, date):
        """Returns the newest issue size known by a date, else the earliest, corrected for actions between the two dates."""
        reports = sorted(self.sizes[symbol])
        if not reports:
            return None
        report = max([d for d in reports if d <= date], default=reports[0])
        later = math.prod(f for ex, f in self.factors[symbol] if report < ex <= date)
        sooner = math.prod(f for ex, f in self.factors[symbol] if date < ex <= report)
        return self.sizes[symbol][report] / later * sooner

    def cap(self, stock):
        """Returns market capitalisation in crore: the last adjusted close times today's shares."""
        issued = self.shares(stock.symbol, self.last)
        return None if issued is None else stock.close[-1] * issued / 1e7

    def weight(self, stock, i):
        """Returns market capitalisation of a bar."""
        issued = self.shares(stock.symbol, stock.dates[i])
        return None if issued is None else stock.traded[i] * issued


class Us(Market):
    least_turnover, fund = 0.5e6, "SPY"

    def turnover(self, stock):
        """Returns median turnover in millions, as in answers."""
        return {"median_turnover_usd_m": rounded(stock.median_turnover(len(stock.dates) - 1) / 1e6), "is_tradable": stock.tradable()}

    def is_jump(self, ratio):
        """Markets without price bands: moves that look like a split, within 3 % of 1/n or n for n up to 100."""
        if 0.55 <= ratio <= 1.9:
            return False
        splits = [at for n in range(2, 101) for at in (n, Fraction(1, n))]
        return any(abs(Fraction(ratio) / at - 1) <= Fraction(3, 100) for at in splits)

    def bars(self):
        """Returns common stock by symbol and session; the demo's only other listing is the benchmark's fund."""
        bars, self.benchmark = defaultdict(dict), {}
        for path in glob.glob(os.path.join(self.folder, "prices_*.csv")):
            for row in self.read(os.path.basename(path)):
                bar = {name: float(row[name]) for name in ("open", "high", "low", "close")}
                if row["symbol"] == "SPY":
                    self.benchmark[row["date"]] = bar["close"]
                else:
                    bars[row["symbol"]][row["date"]] = bar | {"volume": int(row["volume"]), "delivered": None}
        return bars

    def references(self):
        self.listings = {row["symbol"]: row for row in self.read("listings.csv")}
        self.sectors = {s: row["sector"] or None for s, row in self.listings.items()}
        # The listing lacks three; the SEC names them, and the name of one contains its sector.
        self.sectors["PEQEGE"] = "Finance"
        with open(os.path.join(self.folder, "sec", "company_tickers.json")) as file:
            filers = json.load(file).values()
        self.names = {row["ticker"]: row["title"] for row in filers} | {s: row["name"] for s, row in self.listings.items()}
        self.lists = {n: {r["symbol"] for r in self.read(f"{n}.csv")} for n in ("SP500", "NDX100", "DOW30")}

    def sector_source(self, symbol):
        """The listings contain every sector but one."""
        return "name" if symbol == "PEQEGE" else "listing" if self.sectors.get(symbol) else None

    def universe(self, session):
        return self.stocks

    def cap(self, stock):
        """Returns market capitalisation in billions, as listed: the listing is as of the last bar."""
        row = self.listings.get(stock.symbol)
        return float(row["market_cap"]) / 1e9 if row and row["market_cap"] else None

    def weight(self, stock, i):
        """Returns market capitalisation of a bar: the shares of the listing, which only splits have changed."""
        cap = self.cap(stock)
        return None if cap is None else cap / stock.close[-1] * stock.close[i]


def cap_assumed(cap):
    """Returns the expected flag of an assumed market cap: no list of the demo market is dated after its last session."""
    return None if cap is None else False


class Cases:
    """The folder of cases; `words` of a case say how its figures were computed."""

    # Shared by both markets, because some routes answer for either.
    written = set()

    def __init__(self, folder, last):
        self.folder, self.last, self.count = folder, last, 0

    def __call__(self, name, request, data, words):
        self.file(name, words, [self.exchange(request, json.dumps({"data": data}, indent=2, ensure_ascii=False))])

    def many(self, name, exchanges, words):
        """Writes many requests into one file, with an answer each."""
        self.file(name, words, [self.exchange(request, json.dumps({"data": data}, ensure_ascii=False)) for request, data in exchanges])

    def refused(self, name, request, parts, words):
        """Writes a request that is refused, with words of its message."""
        body = json.dumps({"message": {"@has": parts}}, ensure_ascii=False)
        self.file(name, words, [f"GET {request}\n\n400\n\n{body}\n"])

    def exchange(self, request, body):
        return f"GET {request}\n\n200\nX-As-Of: {self.last}\n\n{body}\n"

    def file(self, name, words, exchanges):
        """Writes a file below the folder of its route; the route is left out of the name, up to its first dot."""
        route = exchanges[0].split("\n")[0].split(" ", 1)[1].split("?")[0]
        folder = os.path.join(self.folder, route)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name.split(".", 1)[-1] + ".http")
        if path in self.written:
            raise ValueError(f"{path} is written twice")
        self.written.add(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {words}\n# (tests/independent/figures.py, from the raw files)\n" + "\n###\n\n".join(exchanges))
        self.count += len(exchanges)
