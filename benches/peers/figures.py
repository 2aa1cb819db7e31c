"""The price figures of a whole market: Parquote beside Polars and DuckDB, one after the other in one run.

    pip install -r benches/peers/requirements.txt
    target/debug/parquote demo --size full --market india --companies 6400 --data /tmp/full
    python benches/peers/figures.py --data /tmp/full --parquote target/debug/parquote

All start from the bars of a set (`daily_prices`, Parquet; the peers read them as `parquote export` writes them) and write 17
figures a bar as Parquet with zstd: six simple and three exponential averages, RSI, the 52-week range, relative volume, four
rates of change, and the relative-strength rank of each session. DuckDB has no recursive average in a window, so it is spared the exponential ones and RSI. Parquote makes the
tables that hold those figures, `indicators` and `rs_history`, and what lies between them; it leaves quotients, which zstd
hardly packs, as they are. They run in turn, three rounds; printed are the medians of seconds, processor time and peak memory,
and the ratios.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SMAS = (10, 20, 40, 50, 150, 200)
EMAS = (10, 21, 50)
ROCS = (63, 126, 189, 252)
WEIGHTS = {63: 0.4, 126: 0.2, 189: 0.2, 252: 0.2}


def with_polars(bars: pathlib.Path, out: pathlib.Path) -> None:
    import polars as pl

    close, segment = pl.col("close"), ["symbol", "price_segment"]
    read = (
        pl.scan_parquet(bars / "*.parquet")
        .select(
            "symbol",
            "session",
            "price_segment",
            (close * pl.col("cumulative_split_factor")).alias("close"),
            (pl.col("high") * pl.col("cumulative_split_factor")).alias("high"),
            (pl.col("low") * pl.col("cumulative_split_factor")).alias("low"),
            (pl.col("volume") / pl.col("cumulative_split_factor")).alias("volume"),
        )
        .sort("symbol", "session")
        .collect()
    )
    gain = close.diff().clip(lower_bound=0)
    loss = (-close.diff()).clip(lower_bound=0)
    wilder = {"alpha": 1 / 14, "adjust": False, "min_samples": 14}
    figures = read.with_columns(
        *[close.rolling_mean(n).over(segment).alias(f"sma_{n}") for n in SMAS],
        *[close.ewm_mean(span=n, adjust=False, min_samples=n).over(segment).alias(f"ema_{n}") for n in EMAS],
        (100 - 100 / (1 + gain.ewm_mean(**wilder) / loss.ewm_mean(**wilder))).over(segment).alias("rsi_14"),
        pl.col("high").rolling_max(252, min_samples=1).over(segment).alias("wk52_high"),
        pl.col("low").rolling_min(252, min_samples=1).over(segment).alias("wk52_low"),
        (pl.col("volume") / pl.col("volume").shift(1).rolling_mean(20)).over(segment).alias("rvol_20"),
        *[(100 * (close / close.shift(n) - 1)).over(segment).alias(f"roc_{n}") for n in ROCS],
    )
    score = sum(weight * pl.col(f"roc_{n}") for n, weight in WEIGHTS.items())
    ranked = figures.with_columns(score.alias("rs_score")).with_columns(
        pl.col("rs_score").rank("average").over("session").alias("rs_rank")
    )
    ranked.write_parquet(out / "figures.parquet", compression="zstd")


def with_duckdb(bars: pathlib.Path, out: pathlib.Path) -> None:
    import duckdb

    smas = ", ".join(
        f"CASE WHEN count(c) OVER (bars ROWS {n - 1} PRECEDING) = {n} THEN avg(c) OVER (bars ROWS {n - 1} PRECEDING) END AS sma_{n}"
        for n in SMAS
    )
    rocs = ", ".join(f"100 * (c / lag(c, {n}) OVER bars - 1) AS roc_{n}" for n in ROCS)
    score = " + ".join(f"{weight} * roc_{n}" for n, weight in WEIGHTS.items())
    con = duckdb.connect()
    con.execute(f"SET temp_directory = '{out}'")
    con.execute(
        f"""
        COPY (
            WITH b AS (
                SELECT symbol, session, price_segment, close * cumulative_split_factor AS c, high * cumulative_split_factor AS h,
                       low * cumulative_split_factor AS l, volume / cumulative_split_factor AS v
                FROM read_parquet('{bars}/*.parquet')
            ),
            f AS (
                SELECT symbol, session, {smas}, {rocs},
                       max(h) OVER (bars ROWS 251 PRECEDING) AS wk52_high,
                       min(l) OVER (bars ROWS 251 PRECEDING) AS wk52_low,
                       v / avg(v) OVER (bars ROWS BETWEEN 20 PRECEDING AND 1 PRECEDING) AS rvol_20
                FROM b WINDOW bars AS (PARTITION BY symbol, price_segment ORDER BY session)
            )
            SELECT *, rank() OVER (PARTITION BY session ORDER BY {score}) AS rs_rank FROM f
        ) TO '{out}/figures.parquet' (FORMAT parquet, COMPRESSION zstd)
        """
    )


def measured(name: str, command: list[str]) -> tuple[float, float, float]:
    """Runs a command to its end; returns its seconds, its processor seconds and its peak memory in GiB."""
    # Otherwise data left unwritten by earlier commands would be written in this one's time.
    os.sync()
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        took = time.monotonic() - began
        if status != 0:
            said.seek(0)
            sys.exit(f"{name} failed: {' '.join(command)}\n{said.read().decode(errors='replace')}")
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="a folder of published tables")
    parser.add_argument("--parquote", default="target/debug/parquote", help="the binary")
    parser.add_argument("--market", default="india", choices=("india", "us"))
    parser.add_argument("--rounds", type=int, default=3, help="how often each runs, in turn; medians are printed")
    parser.add_argument("--only", choices=("polars", "duckdb"), help=argparse.SUPPRESS)
    parser.add_argument("--out", type=pathlib.Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        {"polars": with_polars, "duckdb": with_duckdb}[given.only](given.data, given.out)
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "data"
        shutil.copytree(given.data / given.market, copy / given.market)
        of_peers = pathlib.Path(scratch) / "bars"
        export = [given.parquote, "export", "--data", str(copy), "--market", given.market, "--out", str(of_peers)]
        subprocess.run([*export, "daily_prices"], check=True, stdout=subprocess.DEVNULL)
        ours = [given.parquote, "derive", "--figures-only", "--full", "--only", "indicators,rs_history"]
        commands = {"Parquote": [*ours, "--data", str(copy), "--market", given.market]}
        for peer in ("polars", "duckdb"):
            out = pathlib.Path(scratch) / peer
            out.mkdir()
            command = [sys.executable, __file__, "--data", str(of_peers / "daily_prices")]
            commands[peer] = [*command, "--only", peer, "--out", str(out)]
        runs = {name: [] for name in commands}
        for _ in range(given.rounds):
            for name, command in commands.items():
                runs[name].append(measured(name, command))
    medians = {name: [statistics.median(figures) for figures in zip(*runs[name])] for name in runs}
    first = medians["Parquote"]
    print(f"{'':<10} {'seconds':>8} {'ratio':>6} {'processor s':>12} {'ratio':>6} {'peak GiB':>9} {'ratio':>6}")
    for name, figures in medians.items():
        widths = zip(figures, first, (8, 12, 9), (1, 1, 2))
        cells = [f"{figure:>{width}.{places}f} {figure / of_first:>6.2f}" for figure, of_first, width, places in widths]
        print(f"{name:<10} {' '.join(cells)}")


if __name__ == "__main__":
    main()
