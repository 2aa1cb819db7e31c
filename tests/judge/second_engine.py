"""A second engine for back-tests, written from the rules in words (the start of src/backtest/src/lib.rs, the declarations of
queries/api/backtest.sql and queries/costs, the guide "The past"), not from the Rust code."""

import datetime
import math
import statistics
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict

from tested_market import Charges

# Faults that the engine can have, to prove that a comparison detects them.
FAULTS = ["early", "free", "survivors"]


class Refused(Exception):
    """The rules do not allow the back-test."""


class Order:
    """An order: money of a purchase, base shares of a sale."""

    def __init__(self, side, symbol, amount, decided, first, exit=None):
        self.side, self.symbol, self.amount, self.left, self.decided, self.first, self.exit = side, symbol, amount, amount, decided, first, exit
        self.reason = None

    def is_done(self):
        return self.left <= self.amount * (0.01 if self.side == "buy" else 1e-9)


class Position:
    def __init__(self, symbol, decided, opened, price):
        self.symbol, self.decided, self.opened, self.price = symbol, decided, opened, price
        self.shares = self.bought = self.sold = self.dividends = self.costs = 0.0
        self.closed = self.exit = None
        self.since = opened


class Engine:
    """One back-test by the rules in words. `fault` is one of FAULTS, or None."""

    def __init__(self, market, call, fault=None):
        self.market, self.call, self.early, self.free = market, call, fault == "early", fault == "free"
        given = lambda name, other: call.get(name, other)
        self.to = market.at(datetime.date.fromisoformat(given("to", str(market.sessions[-1]))))
        to = min(datetime.date.fromisoformat(given("to", "9999-12-31")), market.sessions[-1])
        self.begin = datetime.date.fromisoformat(given("from", str(to - datetime.timedelta(365))))
        self.fill, self.hold, self.wait = given("fill", "open"), given("hold", None), given("wait", 5)
        self.stop, self.target, self.volume = given("stop", None), given("target", None), given("volume_pct", 10) / 100
        self.bps, self.charges = given("slippage_bps", 5), Charges(market.name, given("brokerage_pct", 0))
        if given("costs", "market") == "none":
            self.charges.rows = [row for row in self.charges.rows if row["name"] == "brokerage"]
        self.cash = self.capital = given("capital", 1_000_000)
        self.picks, self.counts, self.left_out = self.days_of_picks(), Counter(), []
        if "sql" in call and "from" not in call:
            self.begin = min(self.picks)
        if fault == "survivors":
            self.picks = {day: [pick for pick in picks if pick[0] not in market.gone] for day, picks in self.picks.items()}
        symbols = sorted({symbol for picks in self.picks.values() for symbol, _ in picks})
        self.bars = market.bars(symbols, self.begin - datetime.timedelta(110), market.sessions[self.to])
        self.places = {symbol: list(bars) for symbol, bars in self.bars.items()}
        self.positions, self.orders, self.trips, self.unfilled, self.equity, self.paid = {}, [], [], [], [], Counter()
        self.fills, self.traded, self.slipped, self.received = 0, 0.0, 0.0, 0.0

    # Picks.

    def days_of_picks(self):
        market, call = self.market, self.call
        if "sql" in call:
            picks = defaultdict(list)
            found = market.duck.execute(call["sql"])
            weighted = len(found.description) == 3
            for row in found.fetchall():
                picks[row[0]].append((row[1], row[2] if weighted else None))
            return dict(sorted(picks.items()))
        step = {"weekly": lambda day: day.isocalendar()[:2], "monthly": lambda day: (day.year, day.month),
                "quarterly": lambda day: (day.year, (day.month + 2) // 3)}[call.get("every", "monthly")]
        tested = market.sessions[: self.to + 1]
        ends = [day for day, after in zip(tested, tested[1:]) if step(day) != step(after) and self.begin <= day]
        if "symbols" in call:
            return {day: [(symbol, None) for symbol in call["symbols"].split(",")] for day in ends}
        # Scans are known for the last 63 sessions. After the first picks, a day on which the scan has no stock is a day of picks, too.
        spells = ("SELECT symbol, NULL FROM scan_spells WHERE scan_name = ? AND entered_on <= ? AND (left_on IS NULL OR left_on > ?) "
                  "ORDER BY entered_on DESC, symbol LIMIT ?")
        found = {day: market.rows(spells, [call.get("scan", "stage2"), day, day, call.get("top", 20)]) for day in ends if day >= market.sessions[-63]}
        first = next((day for day, picks in found.items() if picks), None)
        return {day: picks for day, picks in found.items() if first and day >= first}

    def decisions(self):
        """Returns the weights of the picks by the place of their session."""
        found, sessions = {}, self.market.sessions
        for day, picks in self.picks.items():
            at = self.market.at(day)
            if day < self.begin or day > sessions[self.to] or at == self.to:
                reason = "not_due" if self.begin <= day <= sessions[self.to] else "outside_days"
                self.counts["picks_not_due" if reason == "not_due" else "picks_outside"] += len(picks)
                self.left_out += [(str(day), symbol, reason) for symbol, _ in picks]
                continue
            if at in found:
                raise Refused("two decisions of a session")
            found[at] = self.weights(str(day), at, picks)
        if not found or self.counts["picks"] == self.counts["unknown_picks"] > 0:
            raise Refused("no decision, or no pick with a bar")
        if len({symbol for picks in self.picks.values() for symbol, _ in picks}) > 400:
            raise Refused("more than 400 stocks")
        return found

    def weights(self, day, at, picks):
        way, weights = self.call.get("weight", "equal"), {}
        self.counts["decisions"] += 1
        self.counts["picks"] += len(picks)
        for symbol, given in picks:
            last = self.last_bar(symbol, at)
            if last is None:
                self.counts["unknown_picks"] += 1
                self.left_out.append((day, symbol, "no_bar"))
                continue
            weight = {"equal": lambda: 1 / len(picks), "given": lambda: given, "cap": lambda: self.last_cap(symbol, at),
                      "inverse_volatility": lambda: self.inverse_volatility(symbol, at)}[way]()
            if not weight:
                self.counts["unweighted_picks"] += 1
                self.left_out.append((day, symbol, "no_weight"))
            else:
                weights[symbol] = weight
        if way in ("cap", "inverse_volatility"):
            total = sum(weights.values())
            weights = {symbol: weight / total for symbol, weight in weights.items()}
        if sum(weights.values()) > 1 + 1e-9:
            raise Refused("weights above 1")
        return weights

    def last_cap(self, symbol, at):
        caps = [bar.cap for place, bar in self.bars[symbol].items() if place <= at and bar.cap is not None]
        return caps[-1] if caps else None

    def inverse_volatility(self, symbol, at):
        places = self.places[symbol]
        closes = [self.bars[symbol][place].close for place in places[: bisect_right(places, at)][-64:]]
        moves = [math.log(after / before) for before, after in zip(closes, closes[1:])]
        spread = statistics.stdev(moves) if len(moves) >= 20 else 0
        return 1 / spread if spread > 0 else None

    # The simulation.

    def last_bar(self, symbol, at):
        places = self.places.get(symbol, [])
        found = bisect_right(places, at)
        return self.bars[symbol][places[found - 1]] if found else None

    def run(self):
        decisions, later = self.decisions(), 0 if self.early else 1
        dividends = defaultdict(list)
        for symbol, ex_date, amount in self.market.dividends(list(self.bars)):
            at = bisect_left(self.market.sessions, ex_date)
            bar = self.last_bar(symbol, at) if at <= self.to else None
            if bar:
                dividends[at].append((symbol, amount * bar.factor))
        for at in range(min(decisions), self.to + 1):
            self.pay_dividends(dividends[at])
            if self.fill == "close":
                self.levels(at)
            if at - later in decisions:
                self.decide(at, at - later, decisions[at - later])
            self.sell_what_is_due(at)
            self.fill_orders(at)
            if self.fill == "open":
                self.levels(at)
            self.close_gone(at)
            jumped = [symbol for symbol, position in self.positions.items() if position.opened < at and at in self.bars[symbol]]
            self.counts["jumps_held"] += sum(self.bars[symbol][at].jump for symbol in jumped)
            worth = sum(position.shares * self.last_bar(symbol, at).close for symbol, position in self.positions.items())
            self.equity.append((self.market.sessions[at], self.cash + worth, self.cash, len(self.positions)))
        for order in self.orders:
            self.drop(order, "ended")
        for symbol, position in self.positions.items():
            position.sold += position.shares * self.last_bar(symbol, self.to).close
            self.counts["open_without_bar"] += self.to not in self.bars[symbol]
        return self

    def pay_dividends(self, dividends):
        for symbol, amount in dividends:
            if position := self.positions.get(symbol):
                self.cash += position.shares * amount
                position.dividends += position.shares * amount
                self.received += position.shares * amount

    def close_gone(self, at):
        for symbol, position in list(self.positions.items()):
            if at - self.last_bar_place(symbol, at) >= 60:
                value = position.shares * self.last_bar(symbol, at).close
                self.cash += value
                position.sold += value
                self.counts["positions_gone"] += 1
                self.close(position, at, "gone")
                self.orders = [order for order in self.orders if order.symbol != symbol or order.side == "buy"]

    def last_bar_place(self, symbol, at):
        return self.places[symbol][bisect_right(self.places[symbol], at) - 1]

    def decide(self, at, decided, weights):
        kept = {symbol for symbol, position in self.positions.items() if self.hold is not None and at < position.since + self.hold}
        for order in self.orders:
            if order.symbol not in kept:
                self.drop(order, "replaced")
        self.orders = [order for order in self.orders if order.symbol in kept]
        price = lambda symbol: self.bars[symbol][at].__dict__[self.fill] if at in self.bars[symbol] else self.last_bar(symbol, at).close
        worth = {symbol: position.shares * price(symbol) for symbol, position in self.positions.items()}
        equity = self.cash + sum(worth.values())
        rest = equity - sum(worth[symbol] for symbol in kept) - sum(order.left for order in self.orders if order.side == "buy")
        rest -= sum(weight * equity for symbol, weight in weights.items() if symbol in worth and symbol not in kept)
        exit = "not_picked" if self.hold is None else "held_long_enough"
        for symbol in self.positions:
            if symbol not in weights and symbol not in kept:
                self.orders.append(Order("sell", symbol, self.positions[symbol].shares, decided, at, exit))
        for symbol, weight in weights.items():
            if symbol in self.positions:
                self.positions[symbol].since = at
            if symbol in kept:
                continue
            wanted = weight * equity
            if kept and symbol not in worth:
                enough, wanted = min(wanted, equity / (len(kept) + 1)) / 2, min(wanted, rest)
                if wanted < enough:
                    self.drop(Order("buy", symbol, weight * equity, decided, at), "cash")
                    continue
                rest -= wanted
            more = wanted - worth.get(symbol, 0)
            if abs(more) <= 1e-9 * equity:
                continue
            if more > 0:
                self.orders.append(Order("buy", symbol, more, decided, at))
            else:
                self.orders.append(Order("sell", symbol, -more / price(symbol), decided, at, "not_picked"))

    def sell_what_is_due(self, at):
        if self.hold is None:
            return
        for symbol, position in self.positions.items():
            if at >= position.since + self.hold and not any(order.symbol == symbol and order.side == "sell" for order in self.orders):
                self.orders.append(Order("sell", symbol, position.shares, at - 1, at, "held_long_enough"))

    def fill_orders(self, at):
        for order in [order for order in self.orders if order.side == "sell" and order.first <= at]:
            bar = self.open_bar(order, at)
            if bar and order.symbol in self.positions:
                price = getattr(bar, self.fill)
                shares = min(order.left, self.volume * bar.volume)
                order.left, order.reason = order.left - shares, "volume"
                self.sell(at, bar, self.positions[order.symbol], shares, price, order.exit)
        wanted = []
        for order in self.orders:
            if order.side == "buy" and (bar := self.open_bar(order, at)):
                most = self.volume * bar.volume * getattr(bar, self.fill)
                wanted.append((order, bar, min(order.left, most)))
        share = self.affordable(at, wanted)
        for order, bar, money in wanted:
            order.reason = "cash" if share < 0.99 else "volume"
            if share * money > 0:
                order.left -= share * money
                self.buy(at, bar, order, share * money)
        kept = []
        for order in self.orders:
            if order.is_done():
                continue
            if at - order.first >= self.wait and order.first <= at:
                self.drop(order, order.reason)
            else:
                kept.append(order)
        self.orders = kept

    def open_bar(self, order, at):
        bar = self.bars[order.symbol].get(at)
        if bar is None or bar.volume == 0:
            order.reason = "no_bar"
        elif bar.shut(order.side, getattr(bar, self.fill)):
            order.reason = "locked"
        else:
            return bar
        return None

    def affordable(self, at, wanted):
        """Returns the factor by which all purchases are scaled so that the cash pays for them and their costs."""
        needed = 0.0
        for _, bar, money in wanted:
            charges = 0 if self.free else sum(self.charges.of_trade(self.market.sessions[at], "buy", money, 0).values())
            needed += money + charges + (0 if self.free else money * (self.bps + money / bar.turnover * 100) / 1e4)
        if self.cash <= 1e-9 * self.capital:
            return 0.0
        return min(self.cash / needed, 1.0) if needed else 1.0

    def costs(self, at, bar, side, value, shares):
        if self.free:
            return 0.0
        paid = self.charges.of_trade(self.market.sessions[at], side, value, shares * bar.factor)
        slip = value * (self.bps + value / bar.turnover * 100) / 1e4
        self.paid.update(paid)
        self.slipped += slip
        return sum(paid.values()) + slip

    def buy(self, at, bar, order, money):
        price = getattr(bar, self.fill)
        position = self.positions.setdefault(order.symbol, Position(order.symbol, order.decided, at, price))
        costs = self.costs(at, bar, "buy", money, money / price)
        self.cash -= money + costs
        position.shares, position.bought, position.costs = position.shares + money / price, position.bought + money, position.costs + costs
        self.fills, self.traded = self.fills + 1, self.traded + money

    def sell(self, at, bar, position, shares, price, exit):
        shares = min(shares, position.shares)
        if shares <= 0:
            return
        value = shares * price
        costs = self.costs(at, bar, "sell", value, shares)
        self.cash += value - costs
        all_sold = shares >= position.shares * (1 - 1e-9)
        position.shares, position.sold, position.costs = position.shares - shares, position.sold + value, position.costs + costs
        self.fills, self.traded = self.fills + 1, self.traded + value
        if all_sold:
            self.close(position, at, exit)

    def close(self, position, at, exit):
        position.shares, position.closed, position.exit = 0.0, at, exit
        self.trips.append(position)
        del self.positions[position.symbol]

    def drop(self, order, reason):
        self.unfilled.append((order.side, reason, "whole" if order.left >= order.amount * (1 - 1e-12) else "in_part"))

    def levels(self, at):
        """Sells the positions that reached their stop or target in the session."""
        if self.stop is None and self.target is None:
            return
        for symbol, position in list(self.positions.items()):
            bar = self.bars[symbol].get(at)
            waiting = [order for order in self.orders if order.symbol == symbol]
            all_waits = any(order.side == "sell" and order.left >= position.shares * (1 - 1e-9) for order in waiting)
            if bar is None or bar.volume == 0 or all_waits:
                continue
            low = position.price * (1 - self.stop / 100) if self.stop else -math.inf
            high = position.price * (1 + self.target / 100) if self.target else math.inf
            falls, rises = (lambda price: price <= low * (1 + 1e-9)), (lambda price: price >= high * (1 - 1e-9))
            if falls(bar.open) or rises(bar.open):
                price, exit = bar.open, "stop" if falls(bar.open) else "target"
            elif falls(bar.low) or rises(bar.high):
                price, exit = (low, "stop") if falls(bar.low) else (high, "target")
            else:
                continue
            for order in waiting:
                self.drop(order, "replaced")
                self.orders.remove(order)
            # A stop above the session's low was passed on the way down.
            shut = bar.shut("sell", price) and (price == bar.open or exit == "stop" and bar.low >= price * (1 - 1e-9))
            held, shares = position.shares, 0.0 if shut else min(position.shares, self.volume * bar.volume)
            self.sell(at, bar, position, shares, price, exit)
            if symbol in self.positions:
                self.orders.append(Order("sell", symbol, held, at, at + 1, exit))
                self.orders[-1].left = position.shares
