"""Cases of announcements in India: deals, insiders' trades, corporate actions, shareholdings, and hits of price bands."""

import math
import re
from collections import defaultdict

from market import before, cap_assumed, day, rounded


def write(market, case):
    deals(market, case)
    insiders(market, case)
    actions(market, case)
    holdings(market, case)
    circuits(market, case)


def deals(market, case):
    rows = [(kind, r) for kind in ("bulk", "block") for r in market.read(f"deals/{kind}.csv")]

    def deal(kind, r):
        quantity, price = int(r["Quantity Traded"]), float(r["Trade Price / Wght. Avg. Price"])
        remarks = r.get("Remarks")
        return {
            "symbol": r["Symbol"], "company_name": market.names[r["Symbol"]], "sector": market.sectors.get(r["Symbol"]),
            "deal_date": day(r["Date"]), "deal_type": kind, "client": r["Client Name"], "side": r["Buy/Sell"].lower(),
            "quantity": quantity, "price": rounded(price), "value_cr": rounded(quantity * price / 1e7),
            "remarks": None if remarks in (None, "-", "") else remarks, "source": market.source("bulk and block deals"),
        }, quantity * price

    found = [deal(kind, r) for kind, r in rows]
    # The largest first; the equal sides of a block deal in the order of their clients.
    found.sort(key=lambda d: (-d[1], d[0]["symbol"], d[0]["client"]))
    found.sort(key=lambda d: d[0]["deal_date"], reverse=True)
    since = lambda days: [d for d, _ in found if before(market.last, days) <= d["deal_date"] <= market.last]
    fortnight = since(14)
    case("deals.default", "feeds/bulk-block-deals", {"@len": min(25, len(fortnight)), "@exactly": fortnight[:25]},
         "14 days to the last session and 25 rows where nothing is given.")
    block = [d for d in since(90) if d["deal_type"] == "block"]
    case("deals.block", "feeds/bulk-block-deals?days=90&deal_type=block&limit=50",
         {"@len": min(50, len(block)), "@exactly": block[:50]}, "Block deals of 90 days.")
    finance = [d for d in since(30) if d["sector"] == "Financial Services" and d["deal_type"] == "bulk"]
    case("deals.sector", "feeds/bulk-block-deals?days=30&deal_type=bulk&sector=financial services&limit=50",
         {"@exactly": finance[:50]}, "Bulk deals of one sector, whatever its capitals.")


def insiders(market, case):
    # None of these is a decision about the market, whatever type of transaction the filing names.
    kept_apart = ("pledge", "gift", "esop")

    def trade(r):
        mode, shares, value = r["acqMode"], int(r["secAcq"]), float(r["secVal"])
        side = {"Buy": "buy", "Sell": "sell"}.get(r["tdpTransactionType"], "other")
        return {
            "symbol": r["symbol"], "company_name": market.names.get(r["symbol"], r["company"]),
            "filed_on": day(r["date"].split()[0]), "traded_from": day(r["acqfromDt"]), "traded_to": day(r["acqtoDt"]),
            "person": r["acqName"], "category": r["personCategory"],
            "side": "other" if any(word in mode.lower() for word in kept_apart) else side,
            "transaction_type": r["tdpTransactionType"], "mode": mode, "security_type": r["securitiesTypePost"],
            "shares": shares, "price": rounded(value / shares), "value_cr": rounded(value / 1e7),
            "held_before": int(r["befAcqSharesNo"]), "held_after": int(r["afterAcqSharesNo"]),
            "held_before_pct": rounded(float(r["befAcqSharesPer"])), "held_after_pct": rounded(float(r["afterAcqSharesPer"])),
            "trade_exchange": None if r["exchange"] == "NA" else r["exchange"], "document": None,
            "source": market.source("insider disclosures"),
        }, value

    found = [trade(r) for r in market.read("insider_trading.csv")]
    found.sort(key=lambda t: (-t[1], t[0]["symbol"]))
    found.sort(key=lambda t: t[0]["filed_on"], reverse=True)
    since = lambda days: [t for t in found if before(market.last, days) <= t[0]["filed_on"] <= market.last]
    in_feed = lambda t: t[0] | {"sector": market.sectors.get(t[0]["symbol"])}
    case("insider-feed.default", "feeds/insider", {"@len": min(25, len(since(30))), "@exactly": [in_feed(t) for t in since(30)[:25]]},
         "30 days and 25 rows where nothing is given.")
    for side in ("buy", "sell"):
        rows = [in_feed(t) for t in since(90) if t[0]["side"] == side]
        case(f"insider-feed.{side}", f"feeds/insider?days=90&type={side}&limit=50",
             {"@len": min(50, len(rows)), "@exactly": rows[:50]}, "Market trades of one side in 90 days.")
    large = [in_feed(t) for t in since(90) if t[1] >= 5e7 and t[0]["side"] == "sell"]
    case("insider-feed.large", "feeds/insider?days=90&type=sell&min_value_cr=5&limit=50", {"@exactly": large[:50]},
         "Sales of five crore and more.")
    finance = [in_feed(t) for t in since(90) if market.sectors.get(t[0]["symbol"]) == "Financial Services"]
    case("insider-feed.sector", "feeds/insider?days=90&sector=FINANCIAL SERVICES&limit=50",
         {"@len": min(50, len(finance)), "@exactly": finance[:50]}, "One sector, whatever its capitals.")
    by_symbol = defaultdict(list)
    filed = {}
    for t in since(90):
        by_symbol[t[0]["symbol"]].append(t[0])
    most = min(by_symbol, key=lambda s: (-len(by_symbol[s]), s))
    case("insider-trades.most", f"company/insider-trades?symbol={most}", {"@len": len(by_symbol[most]), "@exactly": by_symbol[most]},
         "The company with the most disclosures in 90 days, which is how far back it looks where nothing is given.")
    year = [t[0] for t in since(365) if t[0]["symbol"] == most]
    sold = [t for t in year if t["side"] == "sell"]
    case("insider-trades.year", f"company/insider-trades?symbol={most}&days=365&type=sell", {"@exactly": sold}, "Its sales of a year.")
    quiet = next(s for s in sorted(market.stocks) if s in market.names and s not in by_symbol)
    case("insider-trades.none", f"company/insider-trades?symbol={quiet}", {"@len": 0}, "A company without disclosures in 90 days.")


def purpose_of(words):
    """Returns kind and factor, for the few forms that the demo writes."""
    ratio = re.search(r"BONUS (\d+):(\d+)", words)
    if ratio:
        return "bonus", int(ratio[2]) / (int(ratio[1]) + int(ratio[2]))
    split = re.search(r"FV SPLT FRM RS (\d+) TO R[SE] (\d+)", words)
    if split:
        return "split", int(split[2]) / int(split[1])
    for word, kind in (("RIGHTS", "rights"), ("BUY BACK", "buyback"), ("AMALGAMATION", "merger")):
        if word in words:
            return kind, None
    return "other", None


def actions(market, case):
    def event(r):
        kind, factor = purpose_of(r["PURPOSE"])
        return {
            "symbol": r["SYMBOL"], "company_name": market.names.get(r["SYMBOL"]), "ex_date": r["EX_DT"],
            "record_date": r["RECORD_DT"] or None, "action_type": kind, "purpose": r["PURPOSE"],
            "factor": None if factor is None else rounded(factor, 6), "source": market.source("official corporate actions"),
        }

    found = sorted((event(r) for r in market.read("bc.csv")), key=lambda e: (e["symbol"], e["purpose"]))
    found.sort(key=lambda e: e["ex_date"], reverse=True)
    since = lambda days: [e | {"sector": market.sectors.get(e["symbol"])} for e in found if before(market.last, days) <= e["ex_date"] <= market.last]
    case("actions-feed.default", "feeds/corporate-actions", {"@len": min(25, len(since(30))), "@exactly": since(30)[:25]},
         "30 days and 25 rows where nothing is given.")
    for kind in ("split", "bonus", "rights", "buyback", "merger"):
        rows = [e for e in since(90) if e["action_type"] == kind]
        case(f"actions-feed.{kind}", f"feeds/corporate-actions?days=90&action_type={kind}&limit=50", {"@exactly": rows},
             "One kind of action in 90 days; a factor is what earlier prices are multiplied by.")
    by_symbol = defaultdict(list)
    for e in found:
        by_symbol[e["symbol"]].append(e)
    kinds = lambda s: len({e["action_type"] for e in by_symbol[s]})
    rich = min(by_symbol, key=lambda s: (-kinds(s), s))
    case("corporate-actions.all", f"company/corporate-actions?symbol={rich}&limit=20", {"@exactly": by_symbol[rich][:20]},
         "The company with the most kinds of actions.")
    case("corporate-actions.dividends", f"company/corporate-actions?symbol={rich}&action_type=other",
         {"@exactly": [e for e in by_symbol[rich] if e["action_type"] == "other"][:10]}, "Dividends are other.")
    # Announcements and price adjustments are in two files: each split and bonus must be in both.
    both = sorted((e["symbol"], e["ex_date"]) for e in found if e["factor"])
    assert both == sorted((s, ex) for s, all_of in market.factors.items() for ex, _ in all_of), "the two files differ"


# The columns of the file, in order.
CLASSES = "promoter", "public", "fii", "dii", "mutual_fund", "insurer", "government", "non_institution", "employee_trusts"


def holdings(market, case):
    by_symbol, filed = defaultdict(dict), {}
    for r in market.read("shareholding.csv"):
        filed[r["symbol"], day(r["date"])] = day(r["filed_on"])
        by_symbol[r["symbol"]][day(r["date"])] = [float(r[f"{k}_pct"]) for k in CLASSES]

    def quarters(symbol):
        dates, rows = sorted(by_symbol[symbol]), []
        for earlier, date in zip([None] + dates, dates):
            now, past = by_symbol[symbol][date], by_symbol[symbol].get(earlier)
            row = {"symbol": symbol, "company_name": market.names.get(symbol), "period_end": date,
                   "quarter": {"03": "Mar", "06": "Jun", "09": "Sep", "12": "Dec"}[date[5:7]] + " " + date[:4],
                   "filed_on": filed[symbol, date], "source": market.source("shareholding patterns")}
            promoters, public, trusts = now[0], now[1], now[8]
            assert abs(promoters + public + trusts - 100) < 1e-6 and abs(sum(now[i] for i in (2, 3, 6, 7)) - public) < 1e-6, now
            assert now[4] + now[5] <= now[3] + 1e-9, now
            for i, name in enumerate(CLASSES):
                name = name.removeprefix("employee_")
                row[f"{name}_pct"] = rounded(now[i])
                if name not in ("insurer", "government"):
                    row[f"{name}_change"] = None if past is None else rounded(now[i] - past[i])
            rows.append(row)
        return rows[::-1]

    changes = lambda s: max(by_symbol[s][d][0] for d in by_symbol[s]) - min(by_symbol[s][d][0] for d in by_symbol[s])
    moved = min((s for s in by_symbol if s in market.stocks), key=lambda s: (-changes(s), s))
    rows = quarters(moved)
    case("shareholding.default", f"company/shareholding?symbol={moved}", {"@len": min(8, len(rows)), "@exactly": rows[:8]},
         "The company whose promoters moved most: eight quarters where nothing is given, each against the one before.")
    case("shareholding.all", f"company/shareholding?symbol={moved}&periods=16", {"@exactly": rows[:16]},
         "All quarters; the first has none before it.")
    case("shareholding.one", f"company/shareholding?symbol={moved}&periods=1", {"@exactly": rows[:1]},
         "One quarter, against the one that is not shown.")


def tick(price):
    """Returns the tick size of a price from April 2025 on."""
    steps = ((250, 0.01), (1000, 0.05), (5000, 0.1), (10000, 0.5), (20000, 1.0))
    if price < 250:
        return 0.01
    return next((size for limit, size in steps[1:] if price <= limit), 5.0)


def circuits(market, case):
    bands = {r["Symbol"]: float(r["Band"]) for r in market.read("bands/sec_list_29102026.csv") if r["Band"] != "No Band"}
    hits = []
    for symbol, band in bands.items():
        stock = market.stocks.get(symbol)
        if stock is None or stock.dates[-1] != market.last or len(stock.dates) < 2:
            continue
        bar, previous = stock.raw[-1], stock.traded[-2] * stock.factor[-2] / stock.factor[-1]
        size = tick(previous)
        upper = math.floor(previous * (1 + band / 100) / size + 1e-6) * size
        lower = math.ceil(previous * (1 - band / 100) / size - 1e-6) * size
        for direction, limit, is_hit, locked in (
                ("upper", upper, bar["high"] > upper - 1e-6, bar["close"] > upper - 1e-6),
                ("lower", lower, bar["low"] < lower + 1e-6, bar["close"] < lower + 1e-6)):
            if is_hit:
                turnover = bar["close"] * bar["volume"]
                hits.append(({
                    "symbol": symbol, "company_name": market.names.get(symbol), "sector": market.sectors.get(symbol),
                    "session": market.last, "direction": direction, "locked": locked, "traded_close": rounded(bar["close"]),
                    "change_pct": rounded(stock.change(len(stock.close) - 1)), "limit_price": rounded(limit),
                    "previous_close": rounded(previous), "band_pct": rounded(band), "traded_volume": bar["volume"],
                    "turnover_cr": rounded(turnover / 1e7), "market_cap_cr": rounded(market.cap(stock)),
                    "market_cap_assumed": cap_assumed(market.cap(stock)),
                }, turnover))
    hits.sort(key=lambda h: (h[0]["direction"] == "lower", not h[0]["locked"], -h[1], h[0]["symbol"]))
    for direction in ("all", "upper", "lower"):
        rows = [h for h, _ in hits if direction in ("all", h["direction"])]
        case(f"circuit.{direction}", f"feeds/circuit?direction={direction}", {"session": market.last, "bands_known": True, "band_date": market.last, "hit_count": len(rows), "hits": {"@exactly": rows}},
             "Highs and lows against the limits of the day's band, from the close of the bar before, to the tick.")
