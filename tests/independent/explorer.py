"""Cases of requests that only the explorer sends, in both markets: deals of a company, ratios within the sector, rotation, changes of
ratings, and all rows of a screen."""

from statistics import median

import rotation
from books import LOWER, times
from fundamentals import COUNTS, RATIOS, chosen, rounded
from market import day


def write(india, of_india, indian, american, of_us, american_books):
    deals(india, of_india)
    for market, case, books, pre in ((india, of_india, indian, ""), (american, of_us, american_books, "us/")):
        sector_ratios(books, case, pre)
        rotations(market, case, pre)
        rating_changes(market, case, pre)


def deals(market, case):
    """The company with the most deals: each with its session, from the price file of the day."""
    rows = {}
    for kind in ("bulk", "block"):
        for r in market.read(f"deals/{kind}.csv"):
            rows.setdefault(r["Symbol"], []).append((kind, r))
    symbol = max(sorted(rows), key=lambda s: len(rows[s]))
    stock = market.stocks[symbol]

    def deal(kind, r):
        date, quantity, price = day(r["Date"]), int(r["Quantity Traded"]), float(r["Trade Price / Wght. Avg. Price"])
        at = stock.place.get(date)
        volume, close = (stock.traded_volume[at], stock.traded[at]) if at is not None else (None, None)
        issued = market.shares(symbol, date)
        return {"symbol": symbol, "deal_date": date, "deal_type": kind, "client": r["Client Name"], "side": r["Buy/Sell"].lower(),
                "quantity": quantity, "price": rounded(price), "value_cr": rounded(quantity * price / 1e7), "session_volume": volume,
                "session_close": rounded(close), "pct_of_volume": rounded(100 * quantity / volume) if volume else None,
                "pct_of_company": rounded(100 * quantity / issued) if issued and close else None,
                "price_to_close_pct": rounded(100 * (price / close - 1)) if close else None}, quantity * price

    found = [deal(kind, r) for kind, r in rows[symbol]]
    found.sort(key=lambda d: (-d[1], d[0]["client"]))
    found.sort(key=lambda d: d[0]["deal_date"], reverse=True)
    all_rows = [d for d, _ in found]
    path = f"explore/company-deals?symbol={symbol}&days=1830&limit=500"
    words = "The company with the most deals; volume and close of the session, and the issue size of the market-cap report."
    case.many("deals.all", [(path, {"@rows": all_rows})], words)
    bought = [d for d in all_rows if d["side"] == "buy" and d["deal_type"] == "bulk"]
    case.many("deals.bought", [(f"{path}&side=buy&deal_type=bulk", {"@rows": bought})], "What was bought in bulk.")


def quantile(values, share):
    """Interpolates linearly between the two nearest values."""
    values = sorted(values)
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def sector_ratios(books, case, pre):
    for kind, symbol in chosen(books).items():
        own = books.facts[symbol]
        sector = books.market.sectors.get(symbol)
        rows = []
        for code in (*RATIOS, *COUNTS):
            if not books.applies(symbol, code):
                continue
            alike = [s for s in books.facts if s in books.eligible and sector and books.market.sectors.get(s) == sector
                     and books.lends(s) == books.lends(symbol)
                     and (code != "altman_z_score" or books.facts[s]["altman_model"] == own["altman_model"])]
            values = [books.facts[s][code] for s in alike if books.facts[s][code] is not None]
            goodness = [times(-1 if code in LOWER else 1, v) for v in values]
            mine = times(-1 if code in LOWER else 1, own[code]) if symbol in alike else None
            enough = len(values) >= 5
            below, equal = sum(1 for v in goodness if mine is not None and v < mine), sum(1 for v in goodness if v == mine)
            percentile = 100 * (below + (equal - 1) / 2) / (len(values) - 1) if enough and mine is not None else None
            rows.append((percentile, {
                "ratio_code": code, "ratio_value": rounded(own[code]), "sector": sector, "peer_count": len(values),
                "sector_lower_quartile": rounded(quantile(values, 0.25)) if enough else None,
                "sector_median": rounded(median(values)) if enough else None,
                "sector_upper_quartile": rounded(quantile(values, 0.75)) if enough else None,
                "ratio_place": None if mine is None else 1 + sum(1 for v in goodness if v > mine),
                "sector_percentile": rounded(percentile, 1)}))
        rows.sort(key=lambda r: (r[0] is None, -(r[0] or 0), r[1]["ratio_code"]))
        case.many(f"sector-ratios.{kind}", [(f"{pre}explore/sector-ratios?symbol={symbol}", {"@rows": [r for _, r in rows]})],
                  "Every ratio that applies among the companies of the sector, one by one.")


def rotations(market, case, pre):
    middle = market.sessions[-30]
    for name, asked, weeks in (("newest", None, 8), ("date", middle, 3), ("heads", None, 0), ("half-a-year", None, 26)):
        rows = rotation.rows(market, asked or market.last, weeks)
        for row in rows:
            row["trail"] = row["trail"] if weeks else None
        query = "&".join(([f"as_of={asked}"] if asked else []) + ([f"weeks={weeks}"] if weeks != 8 else []))
        case.many(f"rotation.{name}", [(f"{pre}explore/rotation{'?' if query else ''}{query}", {"@rows": rows})],
                  f"A row a sector, chained stock by stock, with {weeks} weeks before in its trail.")


def rating_changes(market, case, pre):
    def changed(days):
        then = market.ratings(market.sessions[-1 - days])
        for symbol in market.stocks:
            (now, _), (past, _) = market.now.get(symbol, (None, None)), then.get(symbol, (None, None))
            if now is not None and past is not None and market.stocks[symbol].tradable():
                yield {"symbol": symbol, "sector": market.sectors.get(symbol), "rs_now": now, "rs_then": past, "rs_delta": now - past,
                       "session": market.last, "session_then": market.sessions[-1 - days], "liquidity": "tradable"}

    rose = sorted((r for r in changed(10) if r["rs_delta"] >= 15), key=lambda r: (-r["rs_delta"], r["symbol"]))
    case("rs-changes.gainers", f"{pre}explore/rs-changes", {"@rows": rose[:50]}, "Ten sessions and 15 points where nothing is given.")
    fell = sorted((r for r in changed(63) if r["rs_delta"] <= -5), key=lambda r: (r["rs_delta"], r["symbol"]))
    case("rs-changes.losers", f"{pre}explore/rs-changes?days=63&direction=losers&min_delta=5&limit=7", {"@rows": fell[:7]},
         "The other side, over a quarter of a year.")
    moved = sorted(changed(100), key=lambda r: (-abs(r["rs_delta"]), r["symbol"]))
    case.many("rs-changes.both", [(f"{pre}explore/rs-changes?days=100&direction=all&min_delta=0&limit=400", {"@rows": moved[:400]})],
              "All that can be traded, by the size of the change.")
