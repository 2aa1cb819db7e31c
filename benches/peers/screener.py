"""One screener question, many times: Parquote over HTTP beside ROAPI over HTTP, and DuckDB, Polars and SQLite in process.

    pip install -r benches/peers/requirements.txt
    target/debug/parquote demo --size full --market india --companies 6400 --sessions 300 --data /tmp/full
    python benches/peers/screener.py --data /tmp/full --parquote target/debug/parquote

The question: stocks whose rating, price and RSI pass three bounds, the strongest fifty first, twelve columns. Bounds change
from call to call so that nobody answers from a cache. The peers read `stocks` as `parquote export` writes it. Every answer is
brought to rows of plain values; all must be equal.
Printed are the median and the 99th percentile in microseconds, and the ratio of medians to Parquote's.
"""

import argparse
import http.client
import json
import pathlib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

COLUMNS = (
    "symbol, company_name, sector, price_cmp, market_cap_cr, rs_rating, rs_rank, ema_10, ema_21, rsi_14, wk52_high, "
    "pct_from_high"
)
WHERE = "rs_rating >= {rs} AND price_cmp >= {price} AND rsi_14 <= {rsi}"
ORDER = "rs_rating DESC, symbol LIMIT 50"
OPERATION = f"""-- Screener of the comparison.
--
-- tool:   compare_screener
-- tier:   free
-- group:  Core
-- answer: list
-- param:  rs    int    "Smallest rating."  e.g. 1
-- param:  price number "Smallest price."   e.g. 1
-- param:  rsi   number "Largest RSI."      e.g. 100
-- param:  limit int = 50 in 1..50 "Rows."
SELECT {COLUMNS}
FROM   stocks
WHERE  rs_rating >= $rs AND price_cmp >= $price AND rsi_14 <= $rsi
ORDER  BY rs_rating DESC, symbol
LIMIT  $limit
"""


def bounds(call: int) -> dict:
    return {"rs": 40 + call % 40, "price": 20.0 + call * 0.01, "rsi": 75.0 - (call % 100) * 0.05}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def served(command: list[str], port: int) -> subprocess.Popen:
    """Starts a server and waits until its port answers."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return server
        except OSError:
            time.sleep(0.1)
    server.kill()
    sys.exit(f"{command[0]} did not start")


def ready(port: int, key: str) -> None:
    """Waits until the tables are loaded."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(600):
        connection.request("GET", "/v1/market/sectors", None, {"x-api-key": key})
        response = connection.getresponse()
        response.read()
        if response.status == 200:
            return
        time.sleep(0.1)
    sys.exit("no tables were loaded")


def over_http(port: int, request, headers: dict | None = None):
    """Returns a function that sends requests over one persistent connection; `request` makes (method, path, body, rows of the answer)."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(call: int) -> list:
        method, path, body, rows = request(call)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {answer.decode(errors='replace')}")
        return rows(json.loads(answer))

    return ask


def parquote(given, scratch: pathlib.Path):
    queries = scratch / "queries" / "api" / "compare"
    queries.mkdir(parents=True)
    (queries / "screener.sql").write_text(OPERATION)
    state = ["--state", str(scratch / "state.db")]
    issue = [given.parquote, "keys", "issue", *state, "--tier", "api_max", "--owner", "peers", "--unmetered"]
    key = subprocess.run(issue, check=True, capture_output=True, text=True).stdout.strip()
    port = free_port()
    command = [given.parquote, "serve", *state, "--queries", str(scratch / "queries"), "--data", str(given.data)]
    server = served([*command, "--listen", f"127.0.0.1:{port}", "--log", "off"], port)
    ready(port, key)

    def request(call: int):
        of = bounds(call)
        path = f"/v1/compare/screener?rs={of['rs']}&price={of['price']}&rsi={of['rsi']}"
        return "GET", path, None, lambda answer: [row["symbol"] for row in answer["data"]]

    return server, over_http(port, request, {"x-api-key": key})


def roapi(given, _scratch: pathlib.Path):
    port, sql_port, flight = free_port(), free_port(), free_port()
    command = [str(pathlib.Path(sys.executable).with_name("roapi")), "--table", f"stocks={given.stocks}"]
    command += ["--addr-http", f"127.0.0.1:{port}", "--addr-postgres", f"127.0.0.1:{sql_port}"]
    command += ["--addr-flight-sql", f"127.0.0.1:{flight}"]
    server = served(command, port)

    def request(call: int):
        sql = f"SELECT {COLUMNS} FROM stocks WHERE {WHERE.format(**bounds(call))} ORDER BY {ORDER}"
        return "POST", "/api/sql", sql, lambda answer: [row["symbol"] for row in answer]

    return server, over_http(port, request)


def duckdb_ask(given, _scratch: pathlib.Path):
    import duckdb

    con = duckdb.connect()
    con.execute(f"CREATE TABLE stocks AS SELECT * FROM read_parquet('{given.stocks}')")
    sql = f"SELECT {COLUMNS} FROM stocks WHERE rs_rating >= ? AND price_cmp >= ? AND rsi_14 <= ? ORDER BY {ORDER}"
    return None, lambda call: [row[0] for row in con.execute(sql, list(bounds(call).values())).fetchall()]


def polars_ask(given, _scratch: pathlib.Path):
    import polars as pl

    stocks = pl.read_parquet(given.stocks)
    columns = [name.strip() for name in COLUMNS.split(",")]

    def ask(call: int) -> list:
        of = bounds(call)
        rows = (
            stocks.lazy()
            .filter((pl.col("rs_rating") >= of["rs"]) & (pl.col("price_cmp") >= of["price"]) & (pl.col("rsi_14") <= of["rsi"]))
            .sort(["rs_rating", "symbol"], descending=[True, False])
            .head(50)
            .select(columns)
            .collect()
        )
        return [row[0] for row in rows.rows()]

    return None, ask


def sqlite_ask(given, _scratch: pathlib.Path):
    import pyarrow.parquet as pq

    table = pq.read_table(given.stocks)
    con = sqlite3.connect(":memory:")
    names = table.column_names
    con.execute(f"CREATE TABLE stocks ({', '.join(names)})")
    rows = zip(*[column.cast("string").to_pylist() if "date" in str(column.type) else column.to_pylist() for column in table.columns])
    con.executemany(f"INSERT INTO stocks VALUES ({', '.join('?' * len(names))})", rows)
    con.execute("CREATE INDEX by_rating ON stocks (rs_rating DESC, symbol)")
    sql = f"SELECT {COLUMNS} FROM stocks WHERE rs_rating >= ? AND price_cmp >= ? AND rsi_14 <= ? ORDER BY {ORDER}"
    return None, lambda call: [row[0] for row in con.execute(sql, list(bounds(call).values())).fetchall()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a folder of published tables")
    parser.add_argument("--parquote", default="target/debug/parquote", help="the binary")
    parser.add_argument("--calls", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as exported:
        given.stocks = pathlib.Path(exported) / "stocks.parquet"
        export = [given.parquote, "export", "--data", str(given.data), "--out", str(given.stocks), "stocks"]
        subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
        compare(given)


def compare(given) -> None:
    ways = {
        "Parquote, HTTP": parquote,
        "ROAPI, HTTP": roapi,
        "DuckDB": duckdb_ask,
        "Polars": polars_ask,
        "SQLite, index": sqlite_ask,
    }
    print(f"{'':<16} {'p50 us':>9} {'p99 us':>9} {'ratio':>7}")
    first, wanted = None, None
    for name, make in ways.items():
        with tempfile.TemporaryDirectory() as scratch:
            server, ask = make(given, pathlib.Path(scratch))
            try:
                found = [ask(call) for call in range(20)]
                wanted = wanted or found
                if found != wanted:
                    sys.exit(f"{name} answers otherwise than the first: {found[0][:5]} for {wanted[0][:5]}")
                times = []
                for call in range(given.calls):
                    began = time.perf_counter()
                    ask(call + 1000)
                    times.append((time.perf_counter() - began) * 1e6)
            finally:
                if server:
                    server.kill()
        times.sort()
        median, slow = times[len(times) // 2], times[len(times) * 99 // 100]
        first = first or median
        print(f"{name:<16} {median:>9.0f} {slow:>9.0f} {median / first:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
