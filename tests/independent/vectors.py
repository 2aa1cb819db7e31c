"""Writes vectors.csv: figures by other implementations, over invented series.

    pip install TA-Lib numpy && python tests/independent/vectors.py

The lookback figures are TA-Lib's, except where it has none: the rows of `rolling_max` and `rolling_min` before n are
numpy's running extreme, `rvol` divides by TA-Lib's SMA of the row before, and `rolling_median` is Python's median. Its RSI of a constant series is
0, while ours is 50 by definition, so no series here begins flat. The cross-sections, the stage, the contraction pattern,
the scores over weeks and the rotation implement the formula book's definitions directly. A row is: series, figure, n, then the values; an empty value is null.
"""

import csv
import math
import pathlib
import random
import statistics
from fractions import Fraction

import numpy as np
import talib

LOOKBACKS = {
    "sma": [2, 5, 20, 50],
    "ema": [2, 10, 21],
    "rsi": [2, 14],
    "rolling_max": [2, 10, 60],
    "rolling_min": [2, 10, 60],
    "roc": [1, 10],
    "rvol": [2, 20],
    "rolling_median": [1, 4, 20],
}


def walk(rng, bars):
    """Returns a random walk in hundredths."""
    close = [100.0]
    while len(close) < bars:
        close.append(round(close[-1] * math.exp(rng.gauss(0.0005, 0.02)), 2))
    return close


def with_ties(rng, bars):
    """Returns integers that repeat, with a flat stretch longer than most windows."""
    close = [9.0, 11.0, 8.0] + [float(rng.randint(8, 12)) for _ in range(bars - 3)]
    close[30:56] = [10.0] * 26
    return close


def cycle(bars):
    """Returns long swings that pass through all four stages."""
    return [round(200 + 60 * math.sin(i / 70) + 3 * math.sin(i / 5), 2) for i in range(bars)]


def lookback(figure, n, close, volume):
    x = np.array(close)
    before = np.concatenate([np.full(n - 1, False), np.full(len(x) - n + 1, True)])
    match figure:
        case "sma":
            return talib.SMA(x, n)
        case "ema":
            return talib.EMA(x, n)
        case "rsi":
            return talib.RSI(x, n)
        case "rolling_max":
            return np.where(before, talib.MAX(x, n), np.maximum.accumulate(x))
        case "rolling_min":
            return np.where(before, talib.MIN(x, n), np.minimum.accumulate(x))
        case "roc":
            return talib.ROC(x, n)
        case "rvol":
            v = np.array(volume)
            usual = np.concatenate([[np.nan], talib.SMA(v, n)[:-1]])
            return v / usual
        case "rolling_median":
            return np.array([statistics.median(close[max(0, i - n + 1) : i + 1]) for i in range(len(close))])


def rating(score, members):
    n = len(members)
    below = sum(other < score for other in members)
    equal = sum(other == score for other in members)
    avg_rank = below + Fraction(equal + 1, 2)
    return min(99, max(1, 1 + math.floor(98 * (avg_rank - 1) / (n - 1) + Fraction(1, 2))))


def percentile(score, scores):
    ordered = sorted(scores)
    places = [place for place, other in enumerate(ordered, 1) if other == score]
    return 100 * (sum(places) / len(places) - 1) / (len(ordered) - 1)


def stages(close):
    average = talib.SMA(np.array(close), 150)
    answer, last = [], None
    for i, price in enumerate(close):
        if i + 1 < 170:
            answer.append(None)
            continue
        slope = 100 * (average[i] / average[i - 20] - 1)
        if price > average[i] and slope >= 1:
            last = 2
        elif price < average[i] and slope <= -1:
            last = 4
        trend_now = (price > average[i] and slope >= 1) or (price < average[i] and slope <= -1)
        answer.append(last if trend_now else {2: 3, 4: 1, None: None}[last])
    return answer


def bases(rng, bars):
    """Returns highs, lows and volumes of a rise into a base of swings, most of which shrink."""
    close, top = [], 60.0
    for _ in range(bars // 90 + 1):
        top *= rng.uniform(1.0, 1.5)
        legs, low, depth = [top], top, rng.uniform(0.1, 0.3)
        for _ in range(4):
            low = legs[-1] * (1 - depth)
            legs += [low, low + (top - low) * rng.uniform(0.7, 1.0)]
            depth *= rng.uniform(0.3, 0.9)
        start = close[-1] if close else 40.0
        for target in legs:
            steps = rng.randint(6, 14)
            close += [start + (target - start) * i / steps for i in range(1, steps + 1)]
            start = target
    close = [round(c * math.exp(rng.gauss(0, 0.004)), 2) for c in close[:bars]]
    high = [round(c * (1 + abs(rng.gauss(0, 0.004))), 2) for c in close]
    low = [round(c * (1 - abs(rng.gauss(0, 0.004))), 2) for c in close]
    volume = [float(round(1e5 * (1.3 + math.sin(i / 37)) * rng.uniform(0.7, 1.3))) for i in range(bars)]
    return high, low, volume


def vcp(high, low, volume, bar):
    """Returns (number of contractions, last depth, pivot) of the 120 bars that end with this one, or None."""
    if bar < 49 or np.mean(volume[bar - 9 : bar + 1]) >= np.mean(volume[bar - 49 : bar + 1]):
        return None
    first = max(0, bar - 119)
    points = []
    for i in range(first + 5, bar - 4):
        if high[i] == max(high[i - 5 : i + 6]):
            points.append(("high", high[i], i))
        if low[i] == min(low[i - 5 : i + 6]):
            points.append(("low", low[i], i))
    highs = [p for p in points if p[0] == "high"]
    if not highs:
        return None
    points = points[points.index(max(highs, key=lambda p: p[1])) :]
    while True:
        clash = next((i for i in range(len(points) - 1) if points[i][0] == points[i + 1][0]), None)
        if clash is None:
            break
        a, b = points[clash], points[clash + 1]
        better = max(a, b, key=lambda p: p[1]) if a[0] == "high" else min(a, b, key=lambda p: p[1])
        points[clash : clash + 2] = [better]
    tops, bottoms = points[0::2], points[1::2]
    depths = [100 * (top[1] - bottom[1]) / top[1] for top, bottom in zip(tops, bottoms)]
    if len(depths) < 2 or depths[-1] > 12 or any(b > 0.75 * a for a, b in zip(depths, depths[1:])):
        return None
    return len(depths), depths[-1], tops[len(depths) - 1][1]


def week_zscores(level, week, n):
    answer = []
    for i, x in enumerate(level):
        ends = {}
        for other, w in zip(level[:i], week[:i]):
            if w != week[i]:
                ends[w] = other
        last = ([*ends.values()] + [x])[-n:]
        answer.append((x - np.mean(last)) / np.std(last, ddof=1) if len(last) == n else None)
    return answer


def rotation(level, benchmark, week):
    """Returns (ratio, momentum) of every row: strength, its score and that score's change, under averages of ten rows; each score is among week ends and itself."""

    def ends(x, row, n):
        return list({w: x[k] for k, w in enumerate(week[: row + 1])}.values())[-n:]

    def scores(x):
        last = [ends(x, row, 14) for row in range(len(x))]
        return np.array([100 + (a[-1] - np.mean(a)) / np.std(a, ddof=1) if len(a) == 14 else math.nan for a in last])

    def average(x):
        missing = int(np.isnan(x).sum())
        return np.concatenate([[math.nan] * missing, talib.EMA(x[missing:], 10)])

    ratio = average(scores(average(np.array([100 * a / b for a, b in zip(level, benchmark)]))))
    steps = [ends(ratio, row, 2) for row in range(len(ratio))]
    momentum = scores(average(np.array([100 * (a[1] / a[0] - 1) if len(a) == 2 else math.nan for a in steps])))
    return [(None, None) if math.isnan(m) else (r, m) for r, m in zip(ratio, momentum)]


def mcclellan(advances, declines):
    net = np.array([1000 * (a - d) / (a + d) for a, d in zip(advances, declines)])
    return talib.EMA(net, 19) - talib.EMA(net, 39)


def cell(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.12g}"


def main():
    rng = random.Random(20260821)
    rows = []
    for series, close in [("walk", walk(rng, 120)), ("ties", with_ties(rng, 80))]:
        volume = [float(rng.randint(1_000, 90_000)) for _ in close]
        rows += [(series, "close", "", close), (series, "volume", "", volume)]
        for figure, lengths in LOOKBACKS.items():
            rows += [(series, figure, n, lookback(figure, n, close, volume)) for n in lengths]

    score = [None if i % 11 == 7 else float(rng.randint(-40, 60)) / 2 for i in range(70)]
    is_member = [rng.random() < 0.7 for _ in score]
    present = [s for s in score if s is not None]
    members = [s for s, member in zip(score, is_member) if member and s is not None]
    each = lambda figure: [None if s is None else figure(s) for s in score]
    rows += [
        ("cross_section", "score", "", score),
        ("cross_section", "is_member", "", [int(member) for member in is_member]),
        ("cross_section", "rs_rating", "", each(lambda s: rating(s, members))),
        ("cross_section", "rs_rank", "", each(lambda s: 1 + sum(other > s for other in present))),
        ("cross_section", "percentile", "", each(lambda s: percentile(s, present))),
    ]

    close = cycle(640)
    rows += [("stage", "close", "", close), ("stage", "stage", "", stages(close))]

    rng = random.Random(27)
    for series in range(4):
        high, low, volume = bases(rng, 600)
        found = [vcp(high, low, volume, bar) for bar in range(len(high))]
        name = f"base_{series}"
        rows += [(name, "high", "", high), (name, "low", "", low), (name, "volume", "", volume)]
        for place, figure in enumerate(["vcp_contractions", "vcp_last_depth", "vcp_pivot"]):
            rows.append((name, figure, "", [None if f is None else float(f[place]) for f in found]))

    level = walk(rng, 140)
    days = [day for day in range(300) if day % 7 < 5 and rng.random() < 0.85][:140]
    week = [day // 7 for day in days]
    rows += [
        ("weeks", "level", "", level),
        ("weeks", "week", "", week),
        ("weeks", "week_zscore", 14, week_zscores(level, week, 14)),
    ]

    level, benchmark = walk(rng, 200), walk(rng, 200)
    days = [day for day in range(400) if day % 7 < 5 and rng.random() < 0.9][:200]
    turns = rotation(level, benchmark, [day // 7 for day in days])
    rows += [
        ("rotation", "day", "", days),
        ("rotation", "level", "", level),
        ("rotation", "benchmark", "", benchmark),
        ("rotation", "rs_ratio", "", [ratio for ratio, _ in turns]),
        ("rotation", "rs_momentum", "", [momentum for _, momentum in turns]),
    ]

    advances, declines = ([rng.randint(1, 9) for _ in range(60)] for _ in range(2))
    rows += [
        ("breadth", "advances", "", advances),
        ("breadth", "declines", "", declines),
        ("breadth", "mcclellan", "", mcclellan(advances, declines)),
    ]

    with open(pathlib.Path(__file__).with_name("vectors.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([series, figure, n, *map(cell, values)] for series, figure, n, values in rows)


main()
