"""Cases of the market's state in India: the relative rotation of sectors, and the index against its averages."""

import datetime
from collections import defaultdict
from statistics import mean, median, stdev

from market import ema, rounded


def write(market, case):
    rotation(market, case)
    conditions(market, case)


def levels(market):
    """Returns the index of every sector: 1,000, chained by the mean change of its stocks, weighted by market cap of the previous bar; stocks
    without a cap have the median weight of the others."""
    moves = defaultdict(lambda: defaultdict(list))
    for symbol, stock in market.stocks.items():
        sector = market.sectors.get(symbol)
        for i in range(1, len(stock.dates)):
            if sector:
                moves[sector][stock.dates[i]].append((stock.change(i) / 100, market.weight(stock, i - 1)))
    found = {}
    for sector, of in moves.items():
        level, found[sector] = 1000.0, {}
        for session in sorted(of):
            caps = [cap for _, cap in of[session] if cap is not None]
            if caps:
                weighed = [(change, median(caps) if cap is None else cap) for change, cap in of[session]]
                growth = sum(change * cap for change, cap in weighed) / sum(cap for _, cap in weighed)
            else:
                growth = mean(change for change, _ in of[session])
            level *= 1 + growth
            found[sector][session] = level
    return found


def monday(session):
    date = datetime.date.fromisoformat(session)
    return (date - datetime.timedelta(date.weekday())).isoformat()


def averaged(values, n=10):
    """Returns the exponential averages of known values, seeded with the plain mean of the first n."""
    known, average, found = [], None, []
    for value in values:
        if value is not None:
            known.append(value)
            if average is not None:
                average += 2 / (n + 1) * (value - average)
            elif len(known) == n:
                average = mean(known)
        found.append(None if value is None else average)
    return found


def scores(sessions, values):
    """Returns each session's standard score among fourteen weeks: earlier weeks by their last session, the current one by this session."""
    weeks, found = {}, []
    for session, value in zip(sessions, values):
        weeks[monday(session)] = value
        last = list(weeks.values())[-14:]
        known = len(last) == 14 and None not in last
        found.append(100 + (last[-1] - mean(last)) / stdev(last) if known else None)
    return found


def changes(sessions, values):
    """Returns each session's change against the end of the previous week, in percent."""
    weeks, found = {}, []
    for session, value in zip(sessions, values):
        weeks[monday(session)] = value
        before = list(weeks.values())[-2:-1]
        found.append(100 * (value / before[0] - 1) if value is not None and before and before[0] is not None else None)
    return found


def standings(market, index):
    """Returns ratio, momentum and quadrant of a sector on every session."""
    sessions = sorted(index)
    strength = averaged([100 * index[s] / market.benchmark[s] for s in sessions])
    ratios = averaged(scores(sessions, strength))
    momenta = scores(sessions, averaged(changes(sessions, ratios)))
    return {s: standing(now, momentum) for s, now, momentum in zip(sessions, ratios, momenta)}


def standing(now, momentum):
    if momentum is None:
        return {"rs_ratio": None, "rs_momentum": None, "quadrant": None}
    words = {(True, True): "Leading", (True, False): "Weakening", (False, True): "Improving", (False, False): "Lagging"}
    return {"rs_ratio": rounded(now), "rs_momentum": rounded(momentum), "quadrant": words[now > 100, momentum > 100]}


def rows(market, asked, weeks_before=8):
    """Returns every sector's state on a session, with the weeks before it."""
    ends = {}
    for session in (s for s in market.sessions if s <= asked):
        ends[monday(session)] = session
    weeks = sorted(ends, reverse=True)
    at = lambda of, week: {"week_start": week, "session": ends[week]} | of[ends[week]]
    all_levels = levels(market)
    stood = {sector: standings(market, index) for sector, index in all_levels.items()}
    return [{"sector": sector} | at(stood[sector], weeks[0]) | {
                "index_level": rounded(index[ends[weeks[0]]]), "benchmark": market.fund,
                "trail": {"@exactly": [at(stood[sector], week) for week in weeks[1:1 + weeks_before]]}}
            for sector, index in sorted(all_levels.items())]


def rotation(market, case):
    words = "A row a sector, chained stock by stock, with the eight weeks before in its trail."
    case("rrg.newest", "market/rrg", {"@rows": rows(market, market.last)}, words)
    middle = next(s for s in reversed(market.sessions[:-40]) if datetime.date.fromisoformat(s).weekday() == 2)
    case("rrg.date", f"market/rrg?as_of={middle}", {"@rows": rows(market, middle)}, words + " A week stands by its sessions up to the day.")


def conditions(market, case):
    def row(session):
        closes = [market.benchmark[s] for s in market.sessions if s <= session]
        a, b, now = ema(closes, 10), ema(closes, 21), closes[-1]
        condition = "ABOVE_BOTH" if now > a and now > b else "ABOVE_21_ONLY" if now > b else "BELOW_BOTH"
        return {"session": session, "condition": condition, "above_ema_10": now > a, "above_ema_21": now > b,
                "benchmark_close": rounded(now), "ema_10": rounded(a), "ema_21": rounded(b)}

    rows = [row(s) for s in reversed(market.sessions[-90:])]
    case("breakout-conditions.all", "market/breakout-conditions?days=90", {"@rows": rows},
         "The fund that stands for the index against its two averages; the flags say which of them it is above.")
