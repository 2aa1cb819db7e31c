"""Cases of the scans: the stocks that pass each, and their scores, recomputed for every stock."""

from collections import defaultdict

from market import rounded


def percentiles(values):
    """Returns percentiles among known values, 0 to 100 by average rank; None for fewer than five."""
    field = [v for v in values.values() if v is not None]
    n = len(field)

    def place(x):
        if x is None or n < 5:
            return None
        below, equal = sum(1 for y in field if y < x), sum(1 for y in field if y == x)
        return 100 * (below + (equal + 1) / 2 - 1) / (n - 1)

    return {symbol: place(x) for symbol, x in values.items()}


def has_vcp(stock):
    """Returns the contraction pattern of the last 120 bars, and its pivot."""
    if len(stock.close) < 50:
        return None
    first = max(0, len(stock.close) - 120)
    high, low, volume = stock.high[first:], stock.low[first:], stock.volume
    places = range(5, len(high) - 5)
    swings = []
    for i in places:
        around = slice(i - 5, i + 6)
        if high[i] == max(high[around]):
            swings.append((i, "high", high[i]))
        if low[i] == min(low[around]):
            swings.append((i, "low", low[i]))
    highs = [s for s in swings if s[1] == "high"]
    if not highs:
        return None
    top = max(h for _, _, h in highs)
    start = next(i for i, _, h in highs if h == top)
    kept = []
    for i, kind, level in (s for s in swings if s[0] >= start):
        if kept and kept[-1][0] == kind:
            better = level > kept[-1][1] if kind == "high" else level < kept[-1][1]
            if better:
                kept[-1] = (kind, level)
        elif kept or kind == "high":
            kept.append((kind, level))
    pairs = [(a[1], b[1]) for a, b in zip(kept, kept[1:]) if a[0] == "high" and b[0] == "low"]
    depths = [100 * (h - l) / h for h, l in pairs]
    quiet = sum(volume[-10:]) / 10 < sum(volume[-50:]) / 50
    holds = len(depths) >= 2 and all(b <= 0.75 * a for a, b in zip(depths, depths[1:])) and depths[-1] <= 12 and quiet
    return (pairs[-1][0], depths) if holds else None


def every(*flags):
    """Returns true if all hold: a false one decides, otherwise a null makes it null."""
    return False if False in flags else None if None in flags else True


def either(*flags):
    return True if True in flags else None if None in flags else False


def above(a, b):
    return None if a is None or b is None else a > b


def readings(market):
    """Returns the flags and scores of each eligible stock's last bar."""
    found = {}
    for symbol, stock in market.stocks.items():
        if stock.held(market.last) is None:
            continue
        i = len(stock.close) - 1
        close, (high, low) = stock.close[-1], stock.year()
        a, b, c = stock.sma(i, 50), stock.sma(i, 150), stock.sma(i, 200)
        past = stock.sma(i - 21, 200) if i >= 21 else None
        stage, rvol, rating = stock.stage(), stock.rvol(), market.rating[symbol]
        template = [every(above(close, b), above(close, c)), above(b, c), above(c, past),
                    every(above(a, b), above(a, c)), above(close, a), close >= 1.3 * low, close >= 0.75 * high]
        pattern = has_vcp(stock) if stage == 2 else None
        rises = None if stock.change(i) is None else stock.change(i) > 0
        busy = lambda at_least: None if rvol is None else rvol >= at_least
        listed = stock.dates[0] if stock.dates[0] > market.sessions[0] else None
        found[symbol] = {
            "stage": stage, "rvol": rvol, "nearness": close / high, "template": template, "rs_rating": rating,
            "vcp": None if stage is None else pattern is not None and close <= 1.05 * pattern[0], "pivot": pattern and pattern[0], "listed": listed,
            "nearHigh": close >= 0.95 * high, "stage2": every(None if stage is None else stage == 2, *template[:5]),
            "highVol": every(rises, busy(1.5), above(close, a)), "volume": busy(2), "quick": busy(1.5),
            "ipo": listed is not None and len(stock.close) <= 252 and close >= 0.85 * max(stock.high),
            "turnover": stock.traded[-1] * stock.traded_volume[-1], "tradable": stock.tradable(),
        } | {n: stock.roc(i, n) for n in (63, 126, 252)}
    pct = {key: percentiles({s: r[key] for s, r in found.items()}) for key in ("rs_rating", "nearness", "rvol", 63, 126, 252)}
    for symbol, r in found.items():
        parts = [pct[key][symbol] for key in ("rs_rating", "nearness", "rvol")]
        r["score"] = None if None in parts else sum(parts) / 3
        known = parts if parts[0] is not None else parts[1:]
        r["ipo_score"] = None if None in known else sum(known) / len(known)
        moves, base = [pct[key][symbol] for key in (63, 126, 252)], either(r["vcp"], r["quick"])
        parts = r["template"] + moves + [r["stage"], base]
        r["brs_score"] = None if None in parts else (
            25 * sum(r["template"]) / 7 + 25 * sum(moves) / 300 + 20 * max(0, (r["nearness"] - 0.75) / 0.25)
            + 20 * (r["stage"] == 2) + 10 * base)
        r["brs"] = None if r["brs_score"] is None else r["brs_score"] >= 70
        five = [r[key] for key in ("stage2", "nearHigh", "highVol", "vcp", "brs")]
        r["count"] = None if None in five else sum(five)
        r["any"] = either(*five)
        r["stage2NearHigh"] = r["stage2nh"] = every(r["stage2"], r["nearHigh"])
        r["allThree"] = every(r["stage2NearHigh"], r["highVol"])
        r["effective"] = r["score"] if r["score"] is None or not r["vcp"] else min(100, r["score"] + 10)
        flags = r["template"] + [None if r["rs_rating"] is None else r["rs_rating"] >= 70]
        r["template_count"] = None if None in flags else sum(flags)
    return found


def row(market, symbol, r):
    stock = market.stocks[symbol]
    return {
        "symbol": symbol, "sector": market.sectors.get(symbol), "score": rounded(r["score"], 1), "rs_rating": r["rs_rating"],
        "price_cmp": rounded(stock.close[-1]), "change_pct": rounded(stock.change(len(stock.close) - 1)),
        "rvol_20": rounded(r["rvol"]), "pct_from_high": rounded(100 * (r["nearness"] - 1)), "stage": r["stage"],
        "template_count": r["template_count"], "vcp": r["vcp"], "vcp_pivot": rounded(r["pivot"]),
        "brs": rounded(r["brs_score"], 1), "scan_count": r["count"],
    }


def ranked(found, scan, score, then):
    """Sorts by the score as shown, then by another figure."""
    least = lambda x: (x is None, -(x or 0))
    order = lambda s: (least(rounded(found[s][score], 1)), least(found[s][then]), s)
    return sorted((s for s, r in found.items() if r[scan] and r["tradable"]), key=order)


def conviction(market, found, case, name, request, at_least, limit):
    rows = [s for s, r in found.items() if r["tradable"] and r["count"] is not None and r["count"] >= at_least]
    rows.sort(key=lambda s: (-found[s]["count"], found[s]["score"] is None, -(rounded(found[s]["score"], 1) or 0), s))
    flags = lambda r: {"in_stage2": r["stage2"], "in_near_high": r["nearHigh"], "in_high_vol": r["highVol"], "in_brs": r["brs"]}
    shown = ("symbol", "score", "vcp", "brs", "scan_count", "rs_rating")
    pick = lambda s: {k: v for k, v in row(market, s, found[s]).items() if k in shown} | flags(found[s])
    case(name, request, {"@rows": [pick(s) for s in rows[:limit]]}, f"Stocks that pass {at_least} of the five scans or more.")


def until(market, session):
    """Returns the market as of the close of a session, without later bars and actions."""
    class Past(type(market)):
        def bars(self):
            held = {s: {d: bar for d, bar in bars.items() if d <= session} for s, bars in super().bars().items()}
            self.factors = defaultdict(list, {s: [(ex, f) for ex, f in all_of if ex <= session] for s, all_of in self.factors.items()})
            return defaultdict(dict, {s: bars for s, bars in held.items() if bars})
    return Past(market.folder)


SINGLE = {"stage2": "stage2", "nearHigh": "nearHigh", "highVol": "highVol", "vcp": "vcp", "brs": "brs", "volume": "volume", "ipo": "ipo"}
JOINT = {"stage2NearHigh": "stage2NearHigh", "allThree": "allThree", "all": "any"}


def moves(market, found, case, prefix):
    """Writes the stocks that entered and left scans since two sessions, each computed from the files up to then."""
    for name, session in (("default", market.sessions[-2]), ("a-month", market.sessions[-22])):
        then = readings(until(market, session))
        is_in = lambda at, symbol, key: bool(at.get(symbol, {}).get(key))
        exchanges, day = [], "" if name == "default" else f"&then={session}"
        for scan in (None, *SINGLE, *JOINT):
            rows = []
            for symbol in (s for s, r in found.items() if r["tradable"]):
                asked = SINGLE if scan is None else {scan: (SINGLE | JOINT)[scan]}
                now, was = ([s for s in sorted(asked) if is_in(at, symbol, asked[s])] for at in (found, then))
                entered, left = [s for s in now if s not in was], [s for s in was if s not in now]
                lasting = sum(1 for s in entered + left if s not in ("highVol", "volume"))
                if entered or left:
                    rating = market.rating[symbol]
                    rows.append(((-lasting, rating is None, -(rating or 0), symbol), {
                        "symbol": symbol, "scans_entered": ", ".join(entered) or None, "scans_left": ", ".join(left) or None,
                        "rs_rating": rating, "session_then": session}))
            asked = day + (f"&scan={scan}" if scan else "")
            rows = [row for _, row in sorted(rows, key=lambda row: row[0])]
            exchanges.append((f"{prefix}chat/scans?limit=200{asked}", {"@rows": rows}))
        case.many(f"moves.{name}", exchanges, "Who is in a scan now and was not then, and the reverse, each by the bars up to its day.")


def write_india(market, case):
    found = readings(market)
    moves(market, found, case, "")
    for scan in ("allThree", "stage2NearHigh", "vcp", "highVol", "stage2", "brs", "volume", "ipo"):
        order = ranked(found, scan, "ipo_score" if scan == "ipo" else "score", "turnover")
        rows = [row(market, s, found[s]) for s in order[:100]]
        if scan == "ipo":
            of = lambda r: found[r["symbol"]]
            rows = [r | {"listed_session": of(r)["listed"], "score": rounded(of(r)["ipo_score"], 1)} for r in rows]
        case(f"trader-scan.{scan}", f"market/trader-scan?scan_type={scan}&limit=100",
             {"scan_type": scan, "liquidity": "tradable", "count": len(rows), "stocks": {"@rows": rows}},
             "Every stock that passes by the scan's definition and can be traded, by score and turnover.")
    rows = [row(market, s, found[s]) for s in ranked(found, "allThree", "score", "turnover")[:20]]
    case("trader-scan.default", "market/trader-scan", {"scan_type": "allThree", "count": len(rows), "stocks": {"@rows": rows}},
         "All three at once and 20 rows where nothing is given.")
    conviction(market, found, case, "conviction.default", "market/conviction", 3, 25)
    conviction(market, found, case, "conviction.all", "market/conviction?min_matches=1&limit=50", 1, 50)
    conviction(market, found, case, "conviction.five", "market/conviction?min_matches=5", 5, 25)


def write_us(market, case):
    found = readings(market)
    moves(market, found, case, "us/")
    for scan, key in (("all", "any"), ("stage2nh",) * 2, ("stage2",) * 2, ("nearHigh",) * 2, ("highVol",) * 2, ("brs",) * 2, ("vcp",) * 2):
        order = ranked(found, key, "effective", "rs_rating")[:100]
        rows = [row(market, s, found[s]) | {"effective_score": rounded(found[s]["effective"], 1)} for s in order]
        case(f"us-trader-scan.{scan}", f"us/market/trader-scan?scan_type={scan}&limit=100",
             {"scan_type": scan, "count": len(rows), "stocks": {"@rows": rows}}, "Every stock that passes, by effective score and rating.")
    conviction(market, found, case, "us-conviction.default", "us/market/conviction", 2, 40)
    conviction(market, found, case, "us-conviction.all", "us/market/conviction?min_scans=1&limit=100", 1, 100)
