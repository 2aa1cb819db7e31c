"""Random SELECTs over small invented tables, sent to /v1/query and to DuckDB: both must return the same rows.

judge.py BINARY DEMO SELECTS SEED. Each round of 2,500 has a new server and new tables: nulls, texts, booleans, dates, fractions that
are sums of powers of two (so that the order of a sum does not matter), integers near 2^63. A SELECT that DuckDB refuses is not counted;
of the others at most one of twenty may be refused, each with a clear message. One with other rows is shortened as long as the rows differ,
printed, and the exit code is 1. Where the dialects differ, a node has a form for each of them (`Both`)."""

import datetime
import http.client
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
ROUND = 2_500
# Planner's terms that mean nothing to the author of a SELECT.
UNCLEAR = re.compile(r"[Ii]nternal|not implemented|Physical plan|OuterReference|panick|Projection:|optimizer|Expr\b|\{ ")


class Node:
    """A piece of a SELECT, with its kind: pieces of one kind can replace each other."""

    def __init__(self, kind, *parts):
        self.kind, self.parts = kind, list(parts)

    def write(self, door, values):
        return "".join(part if isinstance(part, str) else part.write(door, values) for part in self.parts)

    def nodes(self):
        for part in self.parts:
            if isinstance(part, Node):
                yield part
                yield from part.nodes()


class Both(Node):
    """A piece with another form for DuckDB."""

    def __init__(self, kind, parts, duck):
        super().__init__(kind, *parts)
        self.duck = duck

    def write(self, door, values):
        if door == "product":
            return super().write(door, values)
        return self.duck.format(*[part.write(door, values) for part in self.parts if isinstance(part, Node)])


class Value(Node):
    """A literal, or a bound value."""

    def __init__(self, kind, value, bound=False):
        super().__init__(kind)
        self.value, self.bound = value, bound

    def write(self, door, values):
        if door == "product" and self.bound:
            values.append(self.value)
            return f"${len(values)}"
        if self.value is None:
            return "NULL"
        if isinstance(self.value, bool):
            return str(self.value).upper()
        if self.kind == "date":
            return f"DATE '{self.value}'"
        if self.kind == "text":
            return f"'{self.value}'"
        return f"{self.value!r}e0" if isinstance(self.value, float) else str(self.value)


class Maker:
    """Generates SELECTs."""

    def __init__(self, random):
        self.random, self.aliases = random, 0

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def alias(self):
        self.aliases += 1
        return f"q{self.aliases}"

    # Values.

    def value(self, kind):
        bound = self.chance(0.25)
        if kind == "int":
            return Value(kind, self.random.randint(-2, 5), bound)
        if kind == "big":
            return Value(kind, self.one(2**63 - 1, -(2**63) + 1, 2**62, -(2**62), 2**53 + 1, 7), bound)
        if kind == "number":
            return Value(kind, self.random.randint(-8, 12) / 4, bound)
        if kind == "text":
            return Value(kind, self.one("a", "b", "ab", "B", "", "c_"), bound)
        if kind == "flag":
            return Value(kind, self.one(True, False))
        if kind == "decimal":
            return Node(kind, f"CAST({self.random.randint(-99, 99) / 10} AS DECIMAL(9, 2))")
        return Value("date", str(datetime.date(2026, 1, 1) + datetime.timedelta(self.random.randint(0, 70))))

    def column(self, scope, kind):
        names = {"int": ["id", "a", "b"], "big": ["big"], "number": ["x", "y"], "text": ["s"], "date": ["d"], "flag": ["f"]}
        found = [f"{table}.{name}" for table, columns in scope for name in names.get(kind, []) if name in columns]
        return Node(kind, self.one(*found)) if found else self.value(kind)

    def term(self, scope, kind, depth=0):
        if depth > 2 or self.chance(0.45):
            return self.column(scope, kind) if kind != "decimal" and self.chance(0.8) else self.value(kind)
        deeper = lambda of=kind: self.term(scope, of, depth + 1)
        made = self.random.random()
        if made < 0.15:
            return Node(kind, "CASE WHEN ", self.test(scope, depth + 1), " THEN ", deeper(), self.one(" END", " ELSE NULL END"))
        if made < 0.25:
            return Node(kind, "coalesce(", deeper(), ", ", deeper(), ")")
        if made < 0.30:
            return Node(kind, "nullif(", deeper(), ", ", deeper(), ")")
        if made < 0.34 and kind != "flag":
            return Node(kind, self.one("greatest", "least"), "(", deeper(), ", ", deeper(), ")")
        if made < 0.40 and kind in ("int", "number", "text", "date") and depth < 2:
            return self.scalar(scope, kind)
        return getattr(self, f"{kind}_term")(scope, deeper)

    def int_term(self, scope, deeper):
        made = self.random.randint(0, 9)
        if made < 4:
            return Node("int", "(", deeper(), self.one(" + ", " - ", " * "), deeper(), ")")
        if made == 4:
            return Both("int", ["(", deeper(), " / ", deeper(), ")"], "({} // {})")
        if made == 5:
            return Node("int", "(", deeper(), " % ", deeper(), ")")
        if made == 6:
            return Node("int", self.one("abs(", "-("), deeper(), ")") if self.chance(0.6) else Node("int", "length(", deeper("text"), ")")
        if made == 7:
            return Node("int", "(", deeper("date"), " - ", deeper("date"), ")")
        if made == 8:
            return Node("int", "EXTRACT(", self.one("YEAR", "MONTH", "DAY"), " FROM ", deeper("date"), ")")
        return Node("int", "CAST(", deeper("number"), " AS BIGINT)")

    def big_term(self, scope, deeper):
        made = self.random.randint(0, 5)
        if made < 3:
            return Node("big", "(", deeper(), self.one(" + ", " - ", " * "), deeper("int"), ")")
        if made == 3:
            return Node("big", "abs(", deeper(), ")")
        if made == 4:
            return Both("big", ["(", deeper(), " / ", deeper("int"), ")"], "({} // {})")
        return Node("big", "CAST(", deeper("int"), " AS BIGINT)")

    def number_term(self, scope, deeper):
        made = self.random.randint(0, 7)
        if made < 3:
            return Node("number", "(", deeper(), self.one(" + ", " - ", " * "), deeper(), ")")
        if made == 3:
            return Node("number", "(", deeper(), " / ", deeper(), ")")
        if made == 4:
            return Node("number", "(", deeper(), " % ", deeper(), ")")
        if made == 5:
            return Node("number", self.one("abs(", "floor(", "ceil(", "round(", "trunc(", "-("), deeper(), ")")
        if made == 6:
            return Node("number", "CAST(", deeper("int"), " AS DOUBLE)")
        return Node("number", "(", deeper(), self.one(" + ", " * "), deeper("int"), ")")

    def decimal_term(self, scope, deeper):
        made = self.random.randint(0, 3)
        if made == 0:
            return Node("decimal", "CAST(", deeper("number"), " AS DECIMAL(12, 2))")
        if made == 1:
            return Node("decimal", "CAST(", deeper("int"), " AS DECIMAL(12, 2))")
        return Node("decimal", "(", deeper(), self.one(" + ", " - "), deeper(), ")")

    def text_term(self, scope, deeper):
        made = self.random.randint(0, 4)
        if made == 0:
            return Node("text", self.one("upper(", "lower(", "reverse(", "trim("), deeper(), ")")
        if made == 1:
            return Node("text", "substr(", deeper(), ", ", str(self.random.randint(1, 3)), ", ", str(self.random.randint(0, 2)), ")")
        if made == 2:
            return Node("text", "CAST(", deeper("int"), " AS VARCHAR)")
        if made == 3:
            return Node("text", "CAST(", deeper("date"), " AS VARCHAR)")
        return Node("text", "left(", deeper(), ", ", str(self.random.randint(0, 2)), ")")

    def date_term(self, scope, deeper):
        made = self.random.randint(0, 3)
        if made == 0:
            return Node("date", "(", deeper(), self.one(" + ", " - "), Value("int", self.random.randint(0, 40), self.chance(0.3)), ")")
        if made == 1:
            return Node("date", "CAST(", deeper(), self.one(" + ", " - "), "INTERVAL '", str(self.random.randint(0, 3)), self.one(" month", " day", " year"), "' AS DATE)")
        if made == 2:
            return Node("date", "CAST(date_trunc('", self.one("month", "year", "week"), "', ", deeper(), ") AS DATE)")
        return deeper()

    def flag_term(self, scope, deeper):
        return Node("flag", "(", self.test(scope, 2), ")")

    def scalar(self, scope, kind):
        source, inner = self.table()
        column = self.column([inner], kind)
        made = self.one("max(", "min(") if kind != "int" else self.one("max(", "min(", "sum(", "count(")
        return Node(kind, "(SELECT ", made, column, ") FROM ", source, self.linked(inner, scope), ")")

    def linked(self, inner, scope):
        """Returns a subquery's filter, which may refer to outer tables."""
        made = self.random.random()
        if made < 0.35:
            return Node("where", "")
        if made < 0.55:
            return Node("where", " WHERE ", self.test([inner], 2))
        kind = self.one("int", "text", "int")
        outer = self.column(scope, kind)
        equal = "=" if self.chance(0.75) else self.one("<", ">=", "<>")
        more = ("",) if self.chance(0.6) else (" AND ", self.test([inner], 2))
        return Node("where", " WHERE ", self.column([inner], kind), f" {equal} ", outer, *more)

    # Tests.

    def test(self, scope, depth=0):
        made = self.random.random()
        if depth < 2 and made < 0.22:
            test = Node("test", "(", self.test(scope, depth + 1), self.one(" AND ", " OR "), self.test(scope, depth + 1), ")")
            return Node("test", "NOT ", test) if self.chance(0.25) else test
        kind = self.one("int", "int", "number", "text", "date", "decimal", "flag", "big")
        left = self.term(scope, kind, 1)
        if 0.46 < made < 0.50:
            day = Value("date", self.value("date").value, True)
            return Node("test", self.column(scope, "date"), self.one(" = ", " < ", " >= ", " <> "), day)
        if made < 0.50:
            sign = self.one("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
            return Node("test", left, f" {sign} ", self.term(scope, kind, 1))
        if made < 0.60:
            return Node("test", left, self.one(" IS NULL", " IS NOT NULL"))
        if made < 0.67:
            return Node("test", left, self.one(" BETWEEN ", " NOT BETWEEN "), self.value(kind), " AND ", self.value(kind))
        if made < 0.74:
            return Node("test", left, self.one(" IN (", " NOT IN ("), self.value(kind), ", ", self.one(self.value(kind), Value(kind, None)), ")")
        if made < 0.79:
            return Node("test", self.term(scope, "text", 1), self.one(" LIKE ", " NOT LIKE ", " ILIKE "), f"'{self.one('a%', '%b', '%', '_', 'A_%', '')}'")
        if made < 0.82:
            return Node("test", self.term(scope, "flag", 1), self.one("", " IS TRUE", " IS NOT TRUE", " IS FALSE"))
        if depth > 1:
            return Node("test", left, " IS NOT NULL")
        source, inner = self.table()
        where = self.linked(inner, scope)
        if made < 0.92:
            kind = self.one("int", "int", "text", "date")
            return Node("test", self.term(scope, kind, 2), self.one(" IN ", " NOT IN "), "(SELECT ", self.column([inner], kind), " FROM ", source, where, ")")
        return Node("test", self.one("", "NOT "), "EXISTS (SELECT 1 FROM ", source, where, ")")

    # Tables.

    def table(self):
        """Returns a table or a part of one, and its columns."""
        name, alias = self.one("t", "t", "u", "u", "w", "none"), self.alias()
        columns = ["id", "a", "b", "big", "x", "y", "s", "d", "f"]
        if self.chance(0.15):
            some = ["id"] + self.random.sample(columns[1:], 4)
            inner = Node("source", "(SELECT ", ", ".join(some), f" FROM {name}", self.one("", self.where([(name, columns)])), f") AS {alias}")
            return inner, (alias, some)
        return Node("source", f"{name} AS {alias}"), (alias, columns)

    def where(self, scope):
        return Node("where", " WHERE ", self.test(scope))

    def tables(self):
        source, known = self.table()
        parts, scope = [source], [known]
        while self.chance(0.35) and len(scope) < 3:
            source, known = self.table()
            kind = self.one("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
            parts += [f" {kind} ", source]
            if kind != "CROSS JOIN":
                left, right = self.column(scope, "int"), self.column([known], "int")
                parts += [Node("on", " ON ", left, " = ", right, *(("",) if self.chance(0.7) else (" AND ", self.test([*scope, known], 2))))]
            scope.append(known)
        return Node("from", *parts), scope

    # SELECTs.

    def select(self):
        made = self.random.random()
        if made < 0.45:
            return self.plain()
        if made < 0.65:
            return self.grouped()
        if made < 0.80:
            return self.window()
        if made < 0.90:
            return self.together()
        if made < 0.92:
            return self.used()
        return self.ordered()

    def kinds(self, most):
        return [self.one("int", "int", "number", "text", "date", "flag", "big", "decimal") for _ in range(self.random.randint(1, most))]

    def columns(self, parts):
        listed = []
        for at, part in enumerate(parts):
            listed += [", " if at else "", part, f" AS c{at}"]
        return Node("columns", *listed)

    def plain(self):
        tables, scope = self.tables()
        columns = self.columns([self.term(scope, kind) for kind in self.kinds(3)])
        return Node("select", "SELECT ", Node("maybe", self.one("", "", "", "DISTINCT ")), columns, " FROM ", tables, self.where(scope))

    def aggregate(self, scope):
        kind = self.one("int", "int", "number", "text", "date")
        term = self.term(scope, kind, 1)
        several = Node("maybe", self.one("", "", "DISTINCT "))
        chosen = Node("maybe", "") if self.chance(0.8) else Node("maybe", " FILTER (WHERE ", self.test(scope, 2), ")")
        if kind in ("int", "number"):
            name = self.one("sum", "sum", "avg", "count", "min", "max", "median", "stddev_pop")
            several = several if name in ("sum", "count", "min", "max") else ""
            return Node("number", f"{name}(", several, term, ")", chosen)
        return Node("number", self.one("count(", "min(", "max("), several, term, ")", chosen)

    def grouped(self):
        tables, scope = self.tables()
        kind = self.one("int", "text", "date", "flag")
        key = self.term(scope, kind, 1)
        columns = self.columns([Node("key", key), "count(*)", self.aggregate(scope), self.aggregate(scope)])
        where = self.where(scope) if self.chance(0.5) else Node("where", "")
        having = Node("maybe", *(("",) if self.chance(0.6) else (" HAVING count(*) > ", self.value("int"))))
        return Node("select", "SELECT ", columns, " FROM ", tables, where, " GROUP BY 1", having)

    def window(self):
        tables, scope = self.tables()
        by, what = self.one("int", "date", "number", "big"), self.one("int", "number")
        term, order = self.term(scope, what, 2), self.column(scope, by)
        total = [part for table, _ in scope for part in (", ", f"{table}.id", " NULLS FIRST")]
        way = self.one(" ASC", " DESC") + self.one(" NULLS FIRST", " NULLS LAST")
        part = Node("maybe", *(("",) if self.chance(0.5) else ("PARTITION BY ", self.column(scope, "int"), " ")))
        made = self.random.random()
        if made < 0.3:
            name = self.one("row_number()", "ntile(2)", "lag(", "lead(", "first_value(", "last_value(", "nth_value(")
            inside = [] if name.endswith(")") else [term, ", 2)" if name == "nth_value(" else ")"]
            over = [name, *inside, " OVER (", part, "ORDER BY ", order, way, *total, ")"]
        elif made < 0.45:
            over = [self.one("rank()", "dense_rank()", "percent_rank()", "cume_dist()"), " OVER (", part, "ORDER BY ", order, way, ")"]
        else:
            name = self.one("sum(", "count(", "min(", "max(", "avg(")
            bound = lambda n, way, unit: f"UNBOUNDED {way}" if n is None else "CURRENT ROW" if n == 0 else f"{unit(n)} {way}"
            start, end = self.one((1, 1), (2, 0), (None, 0), (0, None), (3, 2), (None, None), (0, 1))
            if made < 0.75:
                frame = Node("maybe", f" ROWS BETWEEN {bound(start, 'PRECEDING', str)} AND {bound(end, 'FOLLOWING', str)}")
                over = [name, term, ") OVER (", part, "ORDER BY ", order, way, *total, frame, ")"]
            else:
                unit = (lambda n: f"{n * 7}") if order.kind == "date" else str
                words = " RANGE BETWEEN {} AND {}"
                ours = words.format(bound(start, "PRECEDING", unit), bound(end, "FOLLOWING", unit))
                days = (lambda n: f"INTERVAL {n * 7} DAY") if order.kind == "date" else str
                duck = words.format(bound(start, "PRECEDING", days), bound(end, "FOLLOWING", days))
                over = [name, term, ") OVER (", part, "ORDER BY ", order, way, Both("frame", [ours], duck), ")"]
        columns = self.columns([f"{scope[0][0]}.id", Node("over", *over)])
        return Node("select", "SELECT ", columns, " FROM ", tables, self.where(scope) if self.chance(0.4) else Node("where", ""))

    def together(self):
        kinds, parts = self.kinds(2), []
        for at in range(self.random.randint(2, 3)):
            tables, scope = self.tables()
            if at:
                parts.append(f" {self.one('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL')} ")
            columns = self.columns([self.column(scope, kind) if kind != "decimal" else self.value(kind) for kind in kinds])
            parts.append(Node("part", "SELECT ", columns, " FROM ", tables, self.where(scope) if self.chance(0.4) else Node("where", "")))
        # Parentheses, because the dialects differ in operator precedence.
        return Node("select", parts[0], parts[1], parts[2]) if len(parts) == 3 else Node("select", "SELECT * FROM (", *parts[:3], ") AS q", parts[3], parts[4])

    def used(self):
        """Returns joins by names of columns."""
        kind = self.one("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
        if self.chance(0.4):
            tables = Node("from", "(SELECT a, x FROM t) AS p NATURAL ", f"{kind} (SELECT a, s FROM u) AS q")
        else:
            tables = Node("from", f"(SELECT a, x FROM t) AS p {kind} (SELECT a, s FROM u) AS q USING (a)")
        where = self.where([("p", ["a", "x"]), ("q", ["a", "s"])]) if self.chance(0.5) else Node("where", "")
        return Node("select", "SELECT a AS c0, p.x AS c1, q.s AS c2 FROM ", tables, where)

    def ordered(self):
        tables, scope = self.tables()
        kind = self.one("int", "number", "text", "date", "big")
        key = self.column(scope, kind)
        total = [part for table, _ in scope for part in (", ", f"{table}.id", " NULLS LAST")]
        columns = self.columns([f"{table}.id" for table, _ in scope])
        limit = Node("limit", " LIMIT ", Value("limit", self.random.randint(0, 6), self.chance(0.5)))
        offset = Node("limit", self.one("", " OFFSET 1"))
        order = Node("order", " ORDER BY ", key, self.one(" ASC", " DESC"), self.one(" NULLS FIRST", " NULLS LAST"), *total)
        return Node("ordered", "SELECT ", columns, " FROM ", tables, self.where(scope) if self.chance(0.4) else Node("where", ""), order, limit, offset)


class Doors:
    """Parquote and DuckDB over the same rows."""

    def __init__(self, binary, demo, seed):
        self.folder = tempfile.TemporaryDirectory()
        work, made = Path(self.folder.name), random.Random(seed)
        subprocess.run(["cp", "-r", demo, work / "data"], check=True)
        self.duck = duckdb.connect()
        for setting in ("threads = 1", "ieee_floating_point_ops = false", "error_on_division_by_zero = false"):
            self.duck.execute(f"SET {setting}")
        for name, rows in (("t", 9), ("u", 7), ("w", 5), ("none", 0)):
            made_rows = rows_of(made, rows)
            pq.write_table(made_rows, work / "data" / "india" / f"{name}.parquet")
            self.duck.execute(f"CREATE TABLE {name} AS SELECT * FROM made_rows")
        state = work / "state.db"
        self.server = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", work / "data", "--state", state, "--queries", HERE / "queries",
             "--poll-ms", "100", "--quiet-ms", "200"],
            stdout=open(work / "server", "w"), stderr=open(work / "log", "w"))
        self.log = work / "log"
        found = None
        while not found:
            assert self.server.poll() is None, self.log.read_text()
            time.sleep(0.05)
            found = re.search(r" at http://([^ /]+)/v1", (work / "server").read_text())
        issue = [binary, "keys", "issue", "--state", state, "--tier", "api_max", "--owner", "judge", "--unmetered"]
        self.key = subprocess.run(issue, check=True, capture_output=True, text=True).stdout.strip()
        self.connection = http.client.HTTPConnection(found[1], timeout=60)
        self.wait()

    def wait(self):
        for _ in range(3_000):
            answer = self.get("SELECT count(*) AS n FROM t", [])
            if answer == (200, [{"n": 9}]):
                return
            time.sleep(0.1)
        raise AssertionError(f"{answer}: {self.log.read_text()[-4000:]}")

    def end(self):
        self.connection.close()
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()

    def get(self, sql, values):
        asked = {"sql": sql, "limit": "10000"}
        if values:
            asked["params"] = json.dumps(values)
        self.connection.request("GET", "/v1/query?" + urllib.parse.urlencode(asked), headers={"X-Api-Key": self.key})
        answer = self.connection.getresponse()
        body = json.loads(answer.read())
        return answer.status, body["data"] if answer.status == 200 else body["message"]

    def both(self, select):
        """Runs a SELECT in both; returns a word for the outcome, and its texts and rows."""
        try:
            expected = self.duck.execute(select.write("duck", [])).fetchall()
        except duckdb.Error as error:
            return "skipped", str(error)
        values = []
        sql = select.write("product", values)
        if len(sql) > 7_000:
            return "skipped", "long"
        status, found = self.get(sql, values)
        told = f"{sql}\n    with {json.dumps(values)}"
        if status == 503:
            return "slow", f"{told}\n    {found}"
        if status != 200:
            return "unclear" if status != 400 or UNCLEAR.search(found) else "refused", f"{told}\n    {status} {found}"
        found = [tuple(row.values()) for row in found]
        if same(found, expected, select.kind == "ordered"):
            return "same", told
        return "DIFFERENT", f"{told}\n    found    {found[:12]}\n    expected {expected[:12]}"


def rows_of(made, rows):
    """Returns random rows with a fifth of the values missing."""
    often = lambda value: None if made.random() < 0.2 else value()
    big = [2**63 - 1, -(2**63) + 1, 2**62, 2**53 + 1, 0, -1, 12]
    values = {
        "id": (pa.int64(), lambda at: at),
        "a": (pa.int64(), lambda at: often(lambda: made.randint(0, 4))),
        "b": (pa.int64(), lambda at: often(lambda: made.randint(-1, 4))),
        "big": (pa.int64(), lambda at: often(lambda: made.choice(big))),
        "x": (pa.float64(), lambda at: often(lambda: made.randint(-8, 8) / 4)),
        "y": (pa.float64(), lambda at: often(lambda: made.randint(0, 3) / 2)),
        "s": (pa.string(), lambda at: often(lambda: made.choice(["a", "b", "ab", "B", "", "a_b"]))),
        "d": (pa.date32(), lambda at: often(lambda: datetime.date(2026, 1, 1) + datetime.timedelta(made.randint(0, 70)))),
        "f": (pa.bool_(), lambda at: often(lambda: made.random() < 0.5)),
    }
    return pa.table({name: pa.array([value(at) for at in range(rows)], type) for name, (type, value) in values.items()})


def same(found, expected, ordered):
    plain = lambda value: str(value) if isinstance(value, datetime.date) else value if isinstance(value, (str, bool, type(None), int)) else float(value)
    found, expected = ([tuple(plain(value) for value in row) for row in rows] for rows in (found, expected))
    if not ordered:
        # Sums may differ in their last digits, integers may not.
        part = lambda value: float(f"{value:.9e}") if isinstance(value, float) else 0 if value is None else value
        order = lambda row: [(value is None, isinstance(value, str), part(value)) for value in row]
        found, expected = sorted(found, key=order), sorted(expected, key=order)
    return len(found) == len(expected) and all(equal(one, other) for row in zip(found, expected) for one, other in zip(*row))


def equal(one, other):
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        if not math.isfinite(other):
            return False
        whole = isinstance(one, int) and isinstance(other, int)
        return one == other if whole else math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return one == other


def shortened(select, doors):
    """Shortens a SELECT as long as the rows differ."""
    tries, again = 0, True
    while again:
        again = False
        for node in [select, *select.nodes()]:
            for at, part in enumerate(node.parts):
                if not isinstance(part, Node):
                    continue
                smaller = [inner for inner in part.nodes() if inner.kind == part.kind]
                smaller += [Node(part.kind, "")] if part.kind in ("maybe", "where", "limit") else [Node(part.kind, "TRUE")] if part.kind == "test" else []
                length = len(part.write("duck", []))
                for other in sorted(smaller, key=lambda other: len(other.write("duck", []))):
                    if len(other.write("duck", [])) >= length or tries > 3_000:
                        break
                    node.parts[at], tries = other, tries + 1
                    if doors.both(select)[0] == "DIFFERENT":
                        again = True
                        break
                    node.parts[at] = part
    return select


def main():
    binary, demo, selects, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    print(f"{selects} SELECTs of seed {seed}")
    counts, told, reasons, began = Counter(), [], Counter(), time.monotonic()
    for first in range(0, selects, ROUND):
        doors, maker = Doors(binary, demo, seed + first), Maker(random.Random(seed + first))
        try:
            for _ in range(min(ROUND, selects - first)):
                select = maker.select()
                came, words = doors.both(select)
                counts[came] += 1
                if came == "DIFFERENT" and counts[came] <= 10:
                    told.append(doors.both(shortened(select, doors))[1])
                    print(told[-1])
                elif came in ("unclear", "refused", "slow"):
                    reason = re.sub(r"\bq\d+\b|\d+|'[^']*'|`[^`]*`", "_", words.rsplit("\n    ", 1)[-1])[:90]
                    reasons[reason] += 1
                    if reasons[reason] == 1:
                        told.append(words)
            errors = [line for line in doors.log.read_text().splitlines() if "ERROR" in line or "panicked" in line]
        finally:
            doors.end()
        assert not errors, "\n".join(errors[:5])
        print(f"{time.monotonic() - began:.0f} s: {dict(counts)}")
    print("\n".join(told))
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason}")
    answered = sum(counts.values()) - counts["skipped"]
    refused = counts["refused"] + counts["unclear"] + counts["slow"]
    print(f"{time.monotonic() - began:.0f} s: {dict(counts)}; {100 * refused / max(answered, 1):.1f} % of {answered} are refused")
    sys.exit(counts["DIFFERENT"] > 0 or counts["unclear"] > 0 or counts["slow"] > 0 or refused * 20 > answered)


if __name__ == "__main__":
    main()
