"""Cases of event studies: the entries of every stock into each state, bar by bar, and the returns after them beside those of all stocks."""

from bisect import bisect_left
from collections import defaultdict
from math import comb
from statistics import median

from explorer import quantile
from market import before, rounded
from scans import has_vcp

HORIZONS = (5, 21, 63)
STATES = ("aboveEmas", "aboveSmas", "allThree", "highVol", "nearHigh", "newHigh", "rs90", "stage2", "stage2NearHigh", "vcp", "volume")


class Until:
    """The last 120 bars of a stock up to one of them."""

    def __init__(self, stock, i):
        first = max(0, i - 119)
        self.high, self.low, self.close, self.volume = (x[first:i + 1] for x in (stock.high, stock.low, stock.close, stock.volume))


def emas(values, n):
    """Returns the exponential average at each place, seeded with the mean of the first n."""
    found = [None] * min(n - 1, len(values))
    for i in range(n - 1, len(values)):
        found.append(sum(values[:n]) / n if i == n - 1 else found[-1] + 2 / (n + 1) * (values[i] - found[-1]))
    return found


def stages(stock):
    """Returns the stage at each bar."""
    found, trend = [None] * len(stock.close), None
    for i in range(169, len(stock.close)):
        m = stock.sma(i, 150)
        slope = 100 * (m / stock.sma(i - 20, 150) - 1)
        now = 2 if stock.close[i] > m and slope >= 1 else 4 if stock.close[i] < m and slope <= -1 else None
        trend = now or trend
        found[i] = now or {2: 3, 4: 1, None: None}[trend]
    return found


def held(stock, ratings):
    """Returns the states of each bar from the 253rd on, by its place."""
    fast, slow, stage = emas(stock.close, 10), emas(stock.close, 21), stages(stock)
    found = {}
    for i in range(252, len(stock.close)):
        close, high = stock.close[i], stock.high[i]
        top = max(stock.high[bisect_left(stock.dates, before(stock.dates[i], 365)):i + 1])
        a, b, c, past = stock.sma(i, 50), stock.sma(i, 150), stock.sma(i, 200), stock.sma(i - 21, 200)
        rvol = stock.volume[i] / (sum(stock.volume[i - 20:i]) / 20)
        above = lambda x, y: x - y > 1e-12 * y
        stage2 = stage[i] == 2 and all((above(close, b), above(close, c), above(b, c), above(c, past), above(a, b), above(a, c), above(close, a)))
        near, loud = close - 0.95 * top >= -1e-12 * close, stock.change(i) > 0 and rvol >= 1.5 and above(close, a)
        base = has_vcp(Until(stock, i)) if stage[i] == 2 else None
        found[i] = {name for name, holds in (
            ("stage2", stage2), ("nearHigh", near), ("highVol", loud), ("volume", rvol >= 2), ("stage2NearHigh", stage2 and near),
            ("allThree", stage2 and near and loud), ("vcp", base is not None and close <= 1.05 * base[0]),
            ("rs90", (ratings[stock.dates[i]].get(stock.symbol, (None,))[0] or 0) >= 90), ("newHigh", high >= top),
            ("aboveEmas", above(close, fast[i]) and above(close, slow[i])), ("aboveSmas", above(close, a) and above(close, c))) if holds}
    return found


def interval(values):
    """Returns the order statistics by the printed formula, whose rank must be that of the exact binomial distribution or differ by one."""
    n = len(values)
    rank, tail = 0, 0.0
    while rank < n / 2 and tail + comb(n, rank) / 2 ** n <= 0.025:
        tail += comb(n, rank) / 2 ** n
        rank += 1
    formula = int((n + 1 - 1.959964 * n ** 0.5) // 2) if n else 0
    assert abs(formula - rank) <= 1, (n, formula, rank)
    return (None, None) if formula < 1 else (values[formula - 1], values[n - formula])


def study(market):
    """Returns the rows of all states and horizons."""
    first = market.sessions[max(len(market.sessions) - 504, 0)]
    ratings = {session: market.ratings(session) for session in market.sessions[252:]}
    base, entries = defaultdict(list), defaultdict(list)
    for stock in market.stocks.values():
        states, close = held(stock, ratings), stock.close
        has_ceased = stock.dates[-1] < market.sessions[-64]
        for i in range(253, len(close)):
            if stock.dates[i] < first or not stock.liquid(i):
                continue
            for n in HORIZONS:
                end = i + n if i + n < len(close) else -1 if has_ceased else None
                change = None if end is None else 100 * (close[end] / close[i] - 1)
                base[stock.dates[i], n].append(change)
                for state in states[i] - states[i - 1]:
                    entries[state, n].append((stock.dates[i], change, end == -1))
    rows = []
    for state in STATES:
        for n in HORIZONS:
            of_state = entries[state, n]
            known = [(day, change, short) for day, change, short in of_state if change is not None]
            known_base = {day: [x for x in base[day, n] if x is not None] for day, _, _ in known}
            middle = {day: median(values) for day, values in known_base.items()}
            share = lambda flags: 100 * sum(flags) / len(flags)
            values = sorted(change for _, change, _ in known)
            low, high = interval(values)
            rows.append({
                "event": state, "horizon": n, "entry_count": len(of_state), "entry_days": len(middle), "complete_count": len(known),
                "incomplete_count": len(of_state) - len(known), "ceased_count": sum(short for _, _, short in known),
                "lower_quartile_return_pct": rounded(quantile(values, 0.25)), "median_return_pct": rounded(median(values)),
                "upper_quartile_return_pct": rounded(quantile(values, 0.75)), "median_return_low_pct": rounded(low), "median_return_high_pct": rounded(high),
                "positive_pct": rounded(share([x > 0 for x in values])),
                "base_median_return_pct": rounded(median(middle[day] for day, _, _ in known)),
                "base_positive_pct": rounded(sum(share([x > 0 for x in known_base[day]]) for day, _, _ in known) / len(known)),
                "beat_pct": rounded(share([change > middle[day] for day, change, _ in known])),
                "first_entry": min(day for day, _, _ in of_state), "last_entry": max(day for day, _, _ in of_state)})
    return rows


def write(market, case, prefix):
    rows = study(market)
    words = "Every entry found bar by bar, with its return, the order statistics of the returns, and the returns of all stocks from the same close."
    case("event-study.all", f"{prefix}explore/event-study", {"@rows": rows}, words)
