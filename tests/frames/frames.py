"""Tables written by pandas, Polars and DuckDB and copied into the folder of a running server: lossless casts to the declared types
are served, lossy ones are refused with the line of code that fixes them, and dependent tables are made again."""

import json
import os
import sys
import time
import urllib.request
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl

folder, admin = Path(sys.argv[1]) / "india", sys.argv[2]
first = json.loads((folder / "sets" / "1.json").read_text())


def table(name):
    """Returns the file of a table of the first set."""
    return folder / "files" / name / (first["tables"][name]["files"][0]["hash"] + ".parquet")


def ready():
    try:
        with urllib.request.urlopen(admin + "/readyz") as answer:
            return json.load(answer)["markets"]["india"]
    except urllib.error.HTTPError as error:
        return json.load(error)["markets"]["india"]


def drop(name, write):
    """Writes a file under a temporary name, moves it into place, and waits until the server serves or refuses it."""
    before = ready()
    aside = folder / f".{name}.parquet"
    write(str(aside))
    began = time.monotonic()
    os.replace(aside, folder / f"{name}.parquet")
    while True:
        now = ready()
        if (now["set"], now["refusals"]) != (before["set"], before["refusals"]):
            return now, time.monotonic() - began
        assert time.monotonic() - began < 600, f"{name}: neither served nor refused: {now}"
        time.sleep(0.05)


def served(what, name, write, words=""):
    now, seconds = drop(name, write)
    assert not now.get("refused"), f"{what}: {json.dumps(now['refused'], indent=1)}"
    notes = json.dumps(now.get("warnings", []))
    assert words in notes, f"{what}: no note has {words!r}: {notes}"
    print(f"{seconds:5.1f} s  served   {what}")


def refused(what, name, write, *words):
    now, seconds = drop(name, write)
    found = json.dumps(now["refused"], ensure_ascii=False).replace('\\"', '"')
    for word in words:
        assert word in found, f"{what}: the refusal lacks {word!r}: {found}"
    print(f"{seconds:5.1f} s  refused  {what}")


def answer(name, sql):
    """Queries the newest set's files of a table."""
    newest = max((folder / "sets").glob("[0-9]*.json"), key=lambda path: int(path.stem) if path.stem.isdigit() else 0)
    files = json.loads(newest.read_text())["tables"][name]["files"]
    path = folder / "files" / name / (files[0]["hash"] + ".parquet")
    return duckdb.sql(sql.replace("$table", f"'{path}'")).fetchall()


stocks = pd.read_parquet(table("stocks"))
named = lambda name: stocks.assign(company_name=stocks["company_name"].where(stocks.index > 0, name))

# Integers with nulls become floats in pandas by default.
served("pandas: numbers that became floats", "stocks", lambda to: named("One").to_parquet(to, index=False), "Float64 where int")
assert answer("stocks", "SELECT typeof(rs_rating), company_name FROM $table LIMIT 1") == [("BIGINT", "One")]
served("pandas: its own index, dates as text", "stocks",
       lambda to: named("Two").assign(session=stocks["session"].astype("string")).to_parquet(to), "where date")
served("pandas: nullable types", "stocks", lambda to: named("Three").convert_dtypes().to_parquet(to))
served("pandas: names in capitals", "stocks", lambda to: named("Four").rename(columns=str.upper).to_parquet(to, index=False), "`SYMBOL` as `symbol`, and")
# Figures in single precision, for half the memory.
floats = stocks.select_dtypes("float64").columns
served("pandas: float32", "stocks", lambda to: named("Five").astype({name: "float32" for name in floats}).to_parquet(to, index=False), "7 digits")
refused("pandas: a number that is not whole", "stocks",
        lambda to: named("Six").assign(rs_rating=stocks["rs_rating"].astype("float64") + 0.5).to_parquet(to, index=False),
        "`rs_rating`", "Float64", "int", 'df["rs_rating"] = df["rs_rating"].astype("Int64")', "pl.Int64", "BIGINT")
refused("pandas: a row twice", "stocks", lambda to: pd.concat([stocks, stocks.head(1)]).to_parquet(to, index=False), stocks["symbol"][0])
# The line of code in the refusal fixes it.
served("pandas: the line of the refusal", "stocks",
       lambda to: named("Seven").assign(rs_rating=stocks["rs_rating"].astype("Int64")).to_parquet(to, index=False))

frame = pl.read_parquet(table("stocks"))
eighth = lambda name: frame.with_columns(pl.lit(name).alias("company_name"))
served("Polars: as it is", "stocks", lambda to: eighth("Eight").write_parquet(to))
served("Polars: dates as their numbers", "stocks", lambda to: eighth("Nine").with_columns(pl.col("session").to_physical()).write_parquet(to), "Int32 where date")
served("Polars: floats for ints", "stocks", lambda to: eighth("Ten").with_columns(pl.col("volume", "rs_rating").cast(pl.Float64)).write_parquet(to), "where int")

source = f"'{table('stocks')}'"
duck = lambda select: lambda to: duckdb.sql(f"COPY (SELECT * REPLACE ({select}) FROM {source}) TO '{to}' (FORMAT parquet)")
served("DuckDB: as it is", "stocks", duck("'Eleven' AS company_name"))
served("DuckDB: HUGEINT", "stocks", duck("'Twelve' AS company_name, volume::HUGEINT AS volume"), "where int")
served("DuckDB: decimals without a fraction", "stocks", duck("'Thirteen' AS company_name, volume::DECIMAL(38, 0) AS volume"), "where int")
served("DuckDB: flags as 0 and 1", "stocks", duck("'Fourteen' AS company_name, is_tradable::INT AS is_tradable"), "where bool")

# A single source table: dependent tables are made again.
pledges = pd.read_parquet(table("pledges"))
row = pledges["period_end"].idxmax()
symbol = pledges["symbol"][row]
served("pledges with a new figure", "pledges",
       lambda to: pledges.assign(pledge_pct=pledges["pledge_pct"].mask(pledges.index == row, 12.25)).to_parquet(to, index=False))
assert answer("latest_pledges", f"SELECT pledge_pct FROM $table WHERE symbol = '{symbol}'") == [(12.25,)]
wins = pd.read_parquet(table("order_wins"))
served("order wins with a row more", "order_wins",
       lambda to: pd.concat([wins, wins.head(1).assign(title="A bridge")]).to_parquet(to, index=False))
statements = pd.read_parquet(table("statements"))
newest = statements[statements["period_type"] == "quarterly"].sort_values("period_end").groupby("symbol").tail(1).index[0]
symbol = statements["symbol"][newest]
before = answer("fundamentals", f"SELECT pat_ttm FROM $table WHERE symbol = '{symbol}'")
served("statements with a newer profit", "statements",
       lambda to: statements.assign(pat=statements["pat"].mask(statements.index == newest, statements["pat"] * 2)).to_parquet(to, index=False))
assert answer("fundamentals", f"SELECT pat_ttm FROM $table WHERE symbol = '{symbol}'") != before
refused("a price without its bar", "stocks", lambda to: stocks.assign(price_cmp=stocks["price_cmp"] * 2).to_parquet(to, index=False),
        "stocks_have_their_bar", "parquote derive --raw raw")
