"""The figures of an answer of `backtest`, from the record of the second engine, by the words of queries/api/backtest.sql."""

import math
import statistics
from collections import Counter

from second_engine import Engine, Refused

BENCHMARK = ["total_return_pct", "cagr_pct", "volatility_pct", "sharpe", "max_drawdown_pct"]


def answer_of(market, call, fault=None):
    """Returns the fields of the operation's answer; `None` if the rules do not allow the call."""
    try:
        test = Engine(market, call, fault).run()
    except Refused:
        return None
    day = lambda at: None if at is None else str(test.market.sessions[at])
    curve = [(session, equity) for session, equity, _, _ in test.equity]
    index = [(session, test.market.benchmark.get(session)) for session, _ in curve]
    closed, mean = test.trips, statistics.fmean(equity for _, equity in curve[1:])
    costs = sum(test.paid.values()) + test.slipped
    years = (len(curve) - 1) / 252
    falls, index_falls = drawdowns(curve), drawdowns(index)
    unfilled = Counter(test.unfilled)
    trips = sorted([*closed, *test.positions.values()], key=lambda trip: (trip.opened, trip.symbol, trip.closed or math.inf))
    return {
        "from": str(curve[0][0]), "to": str(curve[-1][0]), "decisions": test.counts["decisions"],
        "statistics": figures(curve), "benchmark": {name: value for name, value in figures(index).items() if name in BENCHMARK},
        "years": [{"year": year, "return_pct": change, "max_drawdown_pct": fall, "benchmark_return_pct": other}
                  for (year, change, fall), (_, other, _) in zip(by_year(curve), by_year(index))],
        "activity": {
            "fills": test.fills, "turnover_pct_a_year": 100 * test.traded / 2 / mean / years if years else None,
            "charges": sum(test.paid.values()), "slippage": test.slipped, "costs_pct_a_year": 100 * costs / mean / years if years else None,
            "dividends": test.received, "exposure_pct": 100 * statistics.fmean(1 - cash / equity for _, equity, cash, _ in test.equity[1:]),
            "round_trips": len(closed), "hit_rate_pct": 100 * statistics.fmean(profit(trip) > 0 for trip in closed) if closed else None,
            "mean_trip_return_pct": 100 * statistics.fmean(profit(trip) / trip.bought for trip in closed) if closed else None,
            "unfilled": sorted([side, reason, unfilled[side, reason, "whole"], unfilled[side, reason, "in_part"]]
                               for side, reason in {order[:2] for order in unfilled})},
        "counts": {name: test.counts[name] for name in ("picks", "picks_outside", "unknown_picks", "unweighted_picks", "picks_not_due",
                                                        "positions_gone", "jumps_held", "open_without_bar")},
        "picks_left_out": sorted(map(list, test.left_out)),
        "charges": {name: paid for name, paid in test.paid.items() if paid >= 0.005},
        "equity": [{"session": str(session), "equity": equity, "cash": cash, "positions": held, "drawdown_pct": fall,
                    "benchmark_close": close, "benchmark_drawdown_pct": other}
                   for (session, equity, cash, held), (_, fall), (_, close), (_, other) in zip(test.equity, falls, index, index_falls)],
        "trades": [{"symbol": trip.symbol, "decided": day(trip.decided), "opened": day(trip.opened), "closed": day(trip.closed),
                    "exit": trip.exit, "bought": trip.bought, "sold": trip.sold, "dividends": trip.dividends, "costs": trip.costs,
                    "profit": profit(trip)} for trip in trips],
    }


def profit(trip):
    return trip.sold + trip.dividends - trip.bought - trip.costs


def drawdowns(curve):
    high, falls = 0.0, []
    for session, value in curve:
        high = max(high, value)
        falls.append((session, 100 * (1 - value / high)))
    return falls


def by_year(curve):
    """Returns the return and the deepest fall of each year, both from the last value before it."""
    found, start = [], 0
    for at, (session, value) in enumerate(curve):
        if at + 1 == len(curve) or curve[at + 1][0].year != session.year:
            if at > start:
                found.append((session.year, 100 * (value / curve[start][1] - 1), max(fall for _, fall in drawdowns(curve[start : at + 1]))))
            start = at
    return found


def figures(curve):
    """Returns the statistics of a curve, as the declarations of the operation name them."""
    moves = [after / before - 1 for (_, before), (_, after) in zip(curve, curve[1:])]
    growth, days = curve[-1][1] / curve[0][1], (curve[-1][0] - curve[0][0]).days
    mean = statistics.fmean(moves) if len(moves) > 1 else None
    spread = statistics.stdev(moves) if len(moves) > 1 else None
    falls = drawdowns(curve)
    deepest = max(fall for _, fall in falls)
    low = next(at for at, (_, fall) in enumerate(falls) if fall == deepest)
    high = max(range(low + 1), key=lambda at: (curve[at][1], at))
    recovered = next((str(session) for session, value in curve[low:] if value >= curve[high][1]), None)
    half = statistics.NormalDist().inv_cdf(0.975) * spread / math.sqrt(len(moves)) if spread is not None else None
    return {
        "returns": len(moves), "total_return_pct": 100 * (growth - 1), "cagr_pct": 100 * (growth ** (365.25 / days) - 1) if days >= 365.25 else None,
        "volatility_pct": spread and 100 * spread * math.sqrt(252), "sharpe": mean / spread * math.sqrt(252) if spread else None,
        "mean_return_pct": mean and 100 * 252 * mean, "mean_return_low_pct": half and 100 * 252 * (mean - half),
        "mean_return_high_pct": half and 100 * 252 * (mean + half), "max_drawdown_pct": deepest or None,
        "drawdown_from": str(curve[high][0]) if deepest else None, "drawdown_to": str(curve[low][0]) if deepest else None,
        "recovered_on": recovered if deepest else None}
