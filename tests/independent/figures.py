#!/usr/bin/env python3
"""Figures of the demo market, computed without Parquote: from the raw CSV files, in plain Python.

    parquote demo --raw RAW --data DATA
    python3 tests/independent/figures.py RAW tests/cases/figures

writes the cases with expected figures from here. Run it when the demo market or a formula changes and review the
difference: every changed line is a figure that changed for every user. It needs only Python 3.

This file has the cases of prices, strength and breadth in India; `announced.py`, `events.py`, `explorer.py`, `filed.py`, `fundamentals.py`, `intel.py`, `rotation.py`, `scans.py`
and `us.py` have the others.
"""

import datetime
import os
import sys
from collections import defaultdict

sys.dont_write_bytecode = True  # Nothing is left behind beside the sources.

import announced
import events
import explorer
import filed
import fundamentals
import intel
import rotation
import scans
import texts
import us
from market import Cases, India, Us, cap_assumed, rounded

market = India(os.path.join(sys.argv[1], "india"))
case = Cases(sys.argv[2], market.last)
stocks, sessions, last, factors = market.stocks, market.sessions, market.last, market.factors
names, sectors, lists, now, rating = market.names, market.sectors, market.lists, market.now, market.rating
ratings, cap = market.ratings, market.cap
by_cap = sorted(stocks.values(), key=lambda s: (cap(s) is None, -(cap(s) or 0), s.symbol))


def company(stock):
    return {
        "symbol": stock.symbol,
        "company_name": names.get(stock.symbol),
        "sector": sectors.get(stock.symbol),
        "market_cap_cr": rounded(cap(stock)),
        "market_cap_assumed": cap_assumed(cap(stock)),
        "rs_rating": rating[stock.symbol],
    }


# Without a search text, stocks with a bar in the last five sessions are listed.
trading = [s for s in by_cap if s.held(last) is not None]
largest = trading[0]
case("companies.largest", "companies?limit=3", {"@len": 3, "@exactly": [company(s) for s in trading[:3]]},
     "Close of the last session times the issue size of the market-cap report, over 1e7.")
case("companies.page-2", "companies?limit=3&page=2", {"@exactly": [company(s) for s in trading[3:6]]},
     "The fourth to the sixth by market cap.")
pages = (len(trading) + 49) // 50
case("companies.last-page", f"companies?limit=50&page={pages}",
     {"@exactly": [company(s) for s in trading[50 * (pages - 1):]]}, "What is left; stocks without a market cap come last.")
case("companies.behind-the-last-page", f"companies?limit=50&page={pages + 1}", {"@len": 0}, "There are no more.")
strong = [s for s in trading if (rating[s.symbol] or 0) >= 90]
case("companies.min-rs", "companies?min_rs=90&limit=50", {"@len": min(50, len(strong)), "@each": {"rs_rating": {"@in": [90, 99]}},
     "@first": company(strong[0])}, "Stocks rated 90 or more, counted one by one.")
large = [s for s in trading if (cap(s) or 0) >= 10000]
case("companies.min-mcap", "companies?min_mcap=10000&limit=50",
     {"@len": min(50, len(large)), "@last": company(large[:50][-1]), "@sorted": "market_cap_cr desc"}, "At least 10,000 crore.")
middle = [s for s in trading if cap(s) is not None and 1000 <= cap(s) <= 2000]
case("companies.between", "companies?min_mcap=1000&max_mcap=2000&limit=50", {"@exactly": [company(s) for s in middle]},
     "From 1,000 to 2,000 crore, both included.")
bank = "BANK"
found = [s for s in by_cap if bank in s.symbol or bank in (names.get(s.symbol) or "").upper()]
found.sort(key=lambda s: (s.held(last) is None, not (s.symbol.startswith(bank) or (names.get(s.symbol) or "").upper().startswith(bank))))
case("companies.search", "companies?q=bank&limit=50", {"@exactly": [company(s) for s in found]},
     "`bank` anywhere in symbol or name, whatever its capitals.")
case("companies.search-whole-symbol", f"companies?q={largest.symbol.lower()}", {"@first": company(largest), "@len": 1},
     "A whole symbol.")
finance = [s for s in trading if sectors.get(s.symbol) == "Financial Services"]
case("companies.sector", "companies?sector=financial services&limit=50",
     {"@len": min(50, len(finance)), "@first": company(finance[0]), "@each": {"sector": "Financial Services"}},
     "The sector is the `Industry` of the index lists.")


def profile(stock):
    at, (high, low) = rating[stock.symbol], stock.year()
    return {
        "symbol": stock.symbol, "company_name": names.get(stock.symbol), "sector": sectors.get(stock.symbol),
        "sector_source": market.sector_source(stock.symbol), "market_cap_cr": rounded(cap(stock)), "price_cmp": rounded(stock.close[-1]),
        "rs_rating": at, "rs_rank": now.get(stock.symbol, (None, None))[1],
        "wk52_high": rounded(high), "wk52_low": rounded(low),
        "ema_10": rounded(stock.ema(10)), "ema_21": rounded(stock.ema(21)), "session": stock.dates[-1],
        "ema_50": rounded(stock.ema(50)), "ema_alignment": stock.alignment(), "change_pct": rounded(stock.change(len(stock.close) - 1)),
        "pct_from_high": rounded(100 * (stock.close[-1] / high - 1)), "stage": stock.stage(), "rsi_14": rounded(stock.rsi(), 1),
        "sma_50": rounded(stock.sma(len(stock.close) - 1, 50)), "sma_200": rounded(stock.sma(len(stock.close) - 1, 200)),
    } | market.turnover(stock)


month = ratings(sessions[-31])


def momentum(stock):
    past = month.get(stock.symbol, (None, None))[0]
    high = stock.year()[0]
    stage = stock.stage()
    return {
        "symbol": stock.symbol, "rs_rating": rating[stock.symbol], "rs_rank": now.get(stock.symbol, (None, None))[1],
        "rs_trend_30d": None if past is None or rating[stock.symbol] is None else rating[stock.symbol] - past,
        "rs_score": rounded(stock.scores[-1] if stock.held(last) is not None else None),
        "ema_alignment": stock.alignment(), "ema_10": rounded(stock.ema(10)), "ema_21": rounded(stock.ema(21)),
        "ema_50": rounded(stock.ema(50)), "stage": stage, "stage2": None if stage is None else stage == 2,
        "price_cmp": rounded(stock.close[-1]), "pct_from_high": rounded(100 * (stock.close[-1] / high - 1)),
        "rsi_14": rounded(stock.rsi(), 1), "rvol_20": rounded(stock.rvol()), "universe": "NIFTY500",
        "universe_as_of": max(d for d in lists["NIFTY500"] if d <= last), "session": stock.dates[-1],
    } | market.turnover(stock)


for source in ("industry", "name", None):
    of_source = [s for s in stocks.values() if market.sector_source(s.symbol) == source]
    for stock in of_source[:1]:
        case(f"company-profile.sector-{source or 'unknown'}", f"company/profile?symbol={stock.symbol}", profile(stock),
             "No list says its sector: its industry does, a word of its name, or nothing.")

# A single action that makes no halves of a hundredth, whose rounding depends on the last bit of a product.
is_plain = lambda actions: len(actions) == 1 and abs(5 * actions[0][1] % 1 - 0.5) > 1e-6
split = stocks[max((ex, s) for s, all_of in factors.items() for ex, _ in all_of if s in stocks and is_plain(all_of))[1]]
young = min(stocks.values(), key=lambda s: (len(s.dates), s.symbol))
strongest = min((s for s in stocks.values() if now.get(s.symbol, (None, None))[1]), key=lambda s: (now[s.symbol][1], s.symbol))
for which, stock, words in [("largest", largest, "The largest company."),
                            ("split", split, "The company with the newest split or bonus: highs and averages are adjusted."),
                            ("young", young, "The youngest listing: what it has too few bars for is null."),
                            ("strongest", strongest, "The stock ranked first by strength.")]:
    case(f"company-profile.{which}", f"company/profile?symbol={stock.symbol}", profile(stock), words)
    case(f"company-momentum.{which}", f"company/momentum?symbol={stock.symbol}", momentum(stock), words)


def price(stock, i):
    volume, delivered = stock.traded_volume[i], stock.delivered[i]
    return {
        "session": stock.dates[i], "open": rounded(stock.open[i]), "high": rounded(stock.high[i]),
        "low": rounded(stock.low[i]), "close": rounded(stock.close[i]), "volume": rounded(stock.volume[i], 0),
        "delivery_pct": None if delivered is None or volume == 0 else rounded(100 * delivered / volume),
        "change_pct": rounded(stock.change(i)), "turnover_cr": rounded(stock.traded[i] * volume / 1e7),
        "traded_close": rounded(stock.traded[i]), "factor": rounded(stock.factor[i], 6),
    }


newest = [price(largest, i) for i in range(len(largest.dates) - 1, -1, -1)]
case("daily-prices.newest", f"company/daily-prices?symbol={largest.symbol}&limit=4", {"@exactly": newest[:4]}, "The last four bars.")
case("daily-prices.default", f"company/daily-prices?symbol={largest.symbol}",
     {"@len": 60, "@last": newest[59], "@sorted": "session desc"}, "60 rows where no limit is given.")
case("daily-prices.most", f"company/daily-prices?symbol={largest.symbol}&limit=365",
     {"@len": 365, "@last": newest[364], "@sorted": "session desc"}, "365 rows reach over a change of the year.")
ex = max(ex for ex, _ in factors[split.symbol])
at = split.place[min(d for d in split.dates if d >= ex)]
case("daily-prices.split", f"company/daily-prices?symbol={split.symbol}&from={split.dates[at - 2]}&to={split.dates[at + 1]}",
     {"@exactly": [price(split, i) for i in range(at + 1, at - 3, -1)]},
     f"Two bars on each side of an ex-date ({ex}): adjusted figures join, the traded close jumps.")
case("daily-prices.all-of-the-young", f"company/daily-prices?symbol={young.symbol}&limit=365",
     {"@exactly": [price(young, i) for i in range(len(young.dates) - 1, -1, -1)]}, "Every bar of the youngest listing.")
year = last[:4]
turn = [d for d in largest.dates if d.startswith(str(int(year) - 1))][-1]
first = largest.place[turn] + 1
case("daily-prices.over-new-year", f"company/daily-prices?symbol={largest.symbol}&from={turn}&to={largest.dates[first]}",
     {"@exactly": [price(largest, first), price(largest, first - 1)]}, "The last bar of a year and the first of the next.")
case("daily-prices.no-session", f"company/daily-prices?symbol={young.symbol}&to={sessions[0]}", {"@len": 0},
     "Before the listing there are no bars.")


def breadth(session):
    all_bars = [(s, s.place[session]) for s in stocks.values() if session in s.place]
    changes = [c for c in (s.change(i) for s, i in all_bars) if c is not None]

    def above(n):
        pairs = [(s.close[i], s.sma(i, n)) for s, i in all_bars]
        pairs = [(c, m) for c, m in pairs if m is not None]
        return rounded(100 * sum(1 for c, m in pairs if c - m > 1e-12 * m) / len(pairs))

    return {
        "session": session, "advances": sum(1 for c in changes if c > 0), "declines": sum(1 for c in changes if c < 0),
        "unchanged": sum(1 for c in changes if c == 0), "pct_above_sma10": above(10), "pct_above_sma20": above(20),
        "pct_above_sma40": above(40), "benchmark": "NIFTYBEES",
    }


case("breadth.newest", "market/breadth?days=3", {"@len": 3, "@first": breadth(last), "@last": breadth(sessions[-3])},
     "Counted bar by bar.")
case("breadth.default", "market/breadth", {"@len": 30, "@last": breadth(sessions[-30]), "@sorted": "session desc"},
     "30 sessions where no number is given.")
case("breadth.first-and-last", "market/breadth?days=2", [breadth(last), breadth(sessions[-2])], "The last two sessions.")

everybody = sorted((s for s in stocks.values() if rating[s.symbol]), key=lambda s: (-rating[s.symbol], -s.scores[-1], s.symbol))
order = [s for s in everybody if s.tradable()]


def strong_row(stock):
    return {
        "symbol": stock.symbol, "sector": sectors.get(stock.symbol), "rs_rating": rating[stock.symbol],
        "rs_rank": now[stock.symbol][1], "elite": rating[stock.symbol] >= 90, "price_cmp": rounded(stock.close[-1]),
        "change_pct": rounded(stock.change(len(stock.close) - 1)), "market_cap_cr": rounded(cap(stock)),
        "ema_alignment": stock.alignment(), "session": stock.dates[-1],
    } | market.turnover(stock)


case("momentum.strongest", "market/momentum?limit=5", {"sorted_by": "rs_rating", "liquidity": "tradable", "as_of": last, "count": 5,
     "stocks": [strong_row(s) for s in order[:5]]}, "By rating, then by score; those that can be traded, ranked among all.")
case("momentum.everybody", "market/momentum?limit=100&liquidity=all", {"sorted_by": "rs_rating", "liquidity": "all", "count": 100,
     "stocks": {"@rows": [strong_row(s) for s in everybody[:100]]}}, "Also those that can hardly be traded.")
case("momentum.default", "market/momentum", {"count": 20, "stocks": {"@len": 20, "@last": strong_row(order[19]),
     "@sorted": "rs_rating desc"}}, "20 rows where no limit is given.")
case("momentum.most", "market/momentum?limit=1000", {"count": 100, "stocks": {"@len": 100, "@last": strong_row(order[99])}},
     "A limit above the tier's cap is the cap: 100.")
in_finance = [s for s in order if sectors.get(s.symbol) == "Financial Services"]
case("momentum.sector", "market/momentum?sector=FINANCIAL SERVICES&limit=100", {"count": len(in_finance),
     "stocks": {"@len": len(in_finance), "@first": strong_row(in_finance[0]), "@last": strong_row(in_finance[-1])}},
     "One sector, whatever its capitals.")

NO_SECTOR = "(no sector)"
groups = defaultdict(list)
for stock in stocks.values():
    if stock.held(last) is not None:
        groups[sectors.get(stock.symbol) or NO_SECTOR].append(stock)


def sector(name):
    members = groups[name]
    rated = [rating[s.symbol] for s in members if rating[s.symbol]]
    changes = [s.change(len(s.close) - 1) for s in members if s.dates[-1] == last]
    caps = [cap(s) for s in members if cap(s) is not None]
    return {
        "sector": name, "stock_count": len(members),
        "avg_rs_rating": rounded(sum(rated) / len(rated), 1) if rated else None,
        "elite_count": sum(1 for r in rated if r >= 90), "advances": sum(1 for c in changes if c is not None and c > 0),
        "declines": sum(1 for c in changes if c is not None and c < 0),
        "total_market_cap_cr": rounded(sum(caps)) if caps else None,
        "market_cap_assumed": False if caps else None,
    }


def mean(name):
    rated = [rating[s.symbol] for s in groups[name] if rating[s.symbol]]
    return sum(rated) / len(rated) if rated else None


by_mean = sorted(groups, key=lambda n: (n == NO_SECTOR, mean(n) is None, -(mean(n) or 0), n))
case("sectors.all", "market/sectors", {"@exactly": [sector(n) for n in by_mean]}, "Every sector, summed stock by stock.")


def changes(days):
    then = ratings(sessions[-1 - days])
    both = [(s, now[s][0], then[s][0]) for s in stocks if s in now and s in then]
    return [(s, a, b, a - b) for s, a, b in both if a is not None and b is not None and stocks[s].tradable()]


def changed(row, days):
    symbol, a, b, delta = row
    return {"symbol": symbol, "rs_now": a, "rs_then": b, "rs_delta": delta, "session": last,
            "session_then": sessions[-1 - days], "price_cmp": rounded(stocks[symbol].close[-1]), "liquidity": "tradable"}


up = sorted((r for r in changes(10) if r[3] >= 15), key=lambda r: (-r[3], r[0]))
case("rs-changes.gainers", "market/rs-changes", {"@len": min(25, len(up)), "@first": changed(up[0], 10)} if up else {"@len": 0},
     "Ratings at both ends, each under the list that holds there; 10 sessions and 15 points where nothing is given.")
down = sorted((r for r in changes(30) if r[3] <= -5), key=lambda r: (r[3], r[0]))
case("rs-changes.losers", "market/rs-changes?days=30&direction=losers&min_delta=5&limit=4",
     [changed(r, 30) for r in down[:4]], "The other side, over 30 sessions.")
all_of = sorted(changes(1), key=lambda r: (-abs(r[3]), r[0]))
case("rs-changes.all", "market/rs-changes?days=1&direction=all&min_delta=0&limit=50",
     {"@len": min(50, len(all_of)), "@first": changed(all_of[0], 1), "@last": changed(all_of[:50][-1], 1)},
     "Both sides by the size of the change, from no change at all.")
of_sector = sorted((r for r in changes(20) if sectors.get(r[0]) == "Financial Services" and r[3] > 0), key=lambda r: (-r[3], r[0]))
case("rs-changes.sector", "market/rs-changes?days=20&min_delta=0&sector=Financial Services&limit=50",
     {"@len": min(50, len(of_sector)), "@first": changed(of_sector[0], 20)}, "Gainers of one sector; no change is no gain.")


def movers(session):
    all_bars = [(s, s.place[session]) for s in stocks.values() if session in s.place]
    return [(s, i, s.change(i)) for s, i in all_bars if s.change(i) is not None and s.liquid(i)]


def mover(row):
    stock, i, change = row
    return {"symbol": stock.symbol, "session": stock.dates[i], "close": rounded(stock.close[i]), "change_pct": rounded(change),
            "volume": rounded(stock.volume[i], 0), "is_tradable": True, "liquidity": "tradable", "turnover_cr": rounded(stock.traded[i] * stock.traded_volume[i] / 1e7)}


gain = sorted((r for r in movers(last) if r[2] > 0), key=lambda r: (-r[2], r[0].symbol))
case("top-movers.gainers", "market/top-movers?limit=3", [mover(r) | {"market_cap_cr": rounded(cap(r[0]))} for r in gain[:3]],
     "Close against the close of the bar before, both adjusted.")
case("top-movers.default", "market/top-movers", {"@len": min(20, len(gain)), "@sorted": "change_pct desc"}, "20 rows where no limit is given.")
lose = sorted((r for r in movers(last) if r[2] < 0), key=lambda r: (r[2], r[0].symbol))
case("top-movers.losers", "market/top-movers?direction=losers&limit=25",
     {"@len": min(25, len(lose)), "@first": mover(lose[0]), "@last": mover(lose[:25][-1])}, "The other side.")
big = sorted((r for r in movers(last) if (cap(r[0]) or 0) >= 10000), key=lambda r: (-abs(r[2]), r[0].symbol))
case("top-movers.large", "market/top-movers?direction=all&min_mcap=10000&limit=5", [mover(r) for r in big[:5]],
     "Both sides of stocks of 10,000 crore and more.")
older = sessions[-100]
past = sorted((r for r in movers(older) if r[2] > 0), key=lambda r: (-r[2], r[0].symbol))
case("top-movers.date", f"market/top-movers?date={older}&limit=3", [mover(r) for r in past[:3]], "A session of the past.")
on = lambda s: [r for r in movers(s) if r[2] != 0]
adjusted = next(s for s in reversed(sessions[:-1]) if any(r[0].factor[r[1]] != 1 for r in sorted(on(s), key=lambda r: (-abs(r[2]), r[0].symbol))[:25]))
then = sorted(on(adjusted), key=lambda r: (-abs(r[2]), r[0].symbol))[:25]
case("top-movers.before-a-split", f"market/top-movers?date={adjusted}&direction=all&limit=25", {"@rows": [mover(r) for r in then]},
     "A session before a split or bonus of one of them: its price and its volume are both in the shares of today.")
gap = next(datetime.date.fromisoformat(a) + datetime.timedelta(1) for a, b in zip(reversed(sessions[:-1]), reversed(sessions[1:]))
           if (datetime.date.fromisoformat(b) - datetime.date.fromisoformat(a)).days > 1)
before = max(s for s in sessions if s < gap.isoformat())
weekend = sorted((r for r in movers(before) if r[2] > 0), key=lambda r: (-r[2], r[0].symbol))
case("top-movers.no-session", f"market/top-movers?date={gap}&limit=2", [mover(r) for r in weekend[:2]],
     f"{gap} is no session; the last one before it is {before}.")

newest_list = {name: max(dates) for name, dates in lists.items()}
case("index-constituents.all", "market/index-constituents",
     {"@len": 30, "@exactly": [{"index_name": n, "member_count": len(lists[n][newest_list[n]]), "list_date": newest_list[n]}
                               for n in sorted(lists)]}, "The newest list of each index, counted.")
newest_held = {}
for row in market.read("shareholding.csv"):
    held_on = datetime.datetime.strptime(row["date"].title(), "%d-%b-%Y").date()
    newest_held[row["symbol"]] = max(newest_held.get(row["symbol"], (datetime.date.min, 0)), (held_on, float(row["public_pct"])))


def weights(of):
    """Weights by free float if it is known of every member with a market cap, else by market cap."""
    caps = {s.symbol: cap(s) for s in of if cap(s) is not None}
    by_float = all(s in newest_held for s in caps)
    weight = {s: x * newest_held[s][1] if by_float else x for s, x in caps.items()}
    share = lambda s: 100 * weight[s] / sum(weight.values()) if s in weight else None
    return {s.symbol: {"weight_pct": rounded(share(s.symbol)), "weight_basis": "free float" if by_float else "full market cap"} for s in of}


members = sorted((stocks[s] for s in lists["NIFTY50"][newest_list["NIFTY50"]]), key=lambda s: (cap(s) is None, -(cap(s) or 0), s.symbol))
weighed = weights(members)
case("index-constituents.members", "market/index-constituents?index=Nifty 50",
     {"@len": len(members), "@exactly": [
         {"symbol": s.symbol, "company_name": names.get(s.symbol), "sector": sectors.get(s.symbol), "market_cap_cr": rounded(cap(s)),
          "market_cap_assumed": cap_assumed(cap(s)), "members_assumed": newest_list["NIFTY50"] > last,
          "price_cmp": rounded(s.close[-1]), "change_pct": rounded(s.change(len(s.close) - 1)), "rs_rating": rating[s.symbol],
          "session": s.dates[-1], "index_name": "NIFTY50", "list_date": newest_list["NIFTY50"]} | weighed[s.symbol] for s in members]},
     "Members of the newest list by market cap, weighted by free float.")
widest = max(sorted(lists), key=lambda n: len(lists[n][newest_list[n]]))
of_widest = sorted((stocks[s] for s in lists[widest][newest_list[widest]] if s in stocks), key=lambda s: (cap(s) is None, -(cap(s) or 0), s.symbol))
weighed = weights(of_widest)
case("index-constituents.widest", f"market/index-constituents?index={widest}",
     {"@len": len(lists[widest][newest_list[widest]]), "@first": {"symbol": of_widest[0].symbol} | weighed[of_widest[0].symbol]},
     "The longest list.")
announced.write(market, case)
intel.write(market, case)
rotation.write(market, case)
scans.write_india(market, case)
american = Us(os.path.join(sys.argv[1], "us"))
of_us = Cases(sys.argv[2], american.last)
us.write(american, of_us)
scans.write_us(american, of_us)
filed.write(american, of_us)
indian_books, american_books = fundamentals.write(market, case, american, of_us)
texts.write(market, case, american, of_us, american_books)
explorer.write(market, case, indian_books, american, of_us, american_books)
events.write(market, case, "")
events.write(american, of_us, "us/")
print(f"{len(stocks)} stocks, {len(sessions)} sessions to {last}: {case.count + of_us.count} cases in {sys.argv[2]}")
print(f"largest {largest.symbol}, newest split {split.symbol}, youngest {young.symbol}, strongest {strongest.symbol}")
