"""Clients of Postgres against the door of a server: psql, psycopg, SQLAlchemy and ADBC.

Usage: postgres.py HOST:PORT KEY. What is not installed is said and left out.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

address, key = sys.argv[1:]
host, port = address.rsplit(":", 1)
uri = f"postgresql://anyone:{key}@{host}:{port}/india"
SQL = "SELECT symbol, price_cmp, rs_rating, session FROM stocks WHERE rs_rating > 50 ORDER BY symbol LIMIT 5"


def there(name):
    found = importlib.util.find_spec(name) is not None
    if not found:
        print(f"{name} is not there: it is not run")
    return found


def psql(command, database="india"):
    words = ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-h", host, "-p", port, "-U", "anyone", "-d", database, "-c", command]
    done = subprocess.run(words, env={**os.environ, "PGPASSWORD": key}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "ERROR" not in done.stderr, (command, done.stdout, done.stderr)
    return done.stdout


if shutil.which("psql"):
    assert "| stocks " in psql(r"\dt") and "stocks" in psql(r"\d")
    described = psql(r"\d stocks")
    assert " symbol " in described and "double precision" in described and "not null" in described, described
    assert "india" in psql(r"\l") and "us" in psql(r"\dn") and "| stocks " in psql(r"\dt us.*")
    for command in [r"\d+ stocks", r"\dt+", r"\df", r"\du", r"\di", r"\dv", r"\ds", r"\dT", r"\conninfo"]:
        psql(command)
    assert psql(SQL).count("|") == 3 * 6, psql(SQL)
    assert len(psql(f"COPY ({SQL}) TO STDOUT (FORMAT csv)").splitlines()) == 5
    assert "(1 row)" in psql("BEGIN; SELECT version(); COMMIT")
    print("psql: ok")
else:
    print("psql is not there: it is not run")

if there("psycopg"):
    import psycopg

    with psycopg.connect(uri) as connection:
        plain = connection.execute(SQL).fetchall()
        assert len(plain) == 5 and plain[0][3].year > 2000, plain
        for binary in [False, True]:
            rows = connection.execute(SQL.replace("50", "%s"), [50], binary=binary).fetchall()
            assert rows == plain, (rows, plain)
        none = connection.execute("SELECT symbol FROM stocks WHERE symbol = %s", ["x' OR 1=1 --"]).fetchall()
        assert none == []
        one = connection.execute("SELECT close FROM daily_prices WHERE session <= %s LIMIT 1", [plain[0][3]]).fetchone()
        assert one[0] > 0
        with connection.cursor() as cursor, cursor.copy(f"COPY ({SQL}) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["text", "float8", "int8", "date"])
            assert list(copy.rows()) == plain
        try:
            connection.execute("DELETE FROM stocks")
            raise SystemExit("a DELETE was taken")
        except psycopg.errors.ReadOnlySqlTransaction:
            connection.rollback()
        assert connection.info.server_version >= 140000
    print("psycopg: ok")

if there("sqlalchemy") and there("psycopg"):
    import sqlalchemy

    engine = sqlalchemy.create_engine(uri.replace("postgresql://", "postgresql+psycopg://"))
    inspector = sqlalchemy.inspect(engine)
    assert "stocks" in inspector.get_table_names(), inspector.get_table_names()
    columns = {column["name"]: column for column in inspector.get_columns("stocks")}
    assert isinstance(columns["price_cmp"]["type"], sqlalchemy.types.Float) and not columns["symbol"]["nullable"]
    assert {"india", "us"} <= set(inspector.get_schema_names())
    with engine.connect() as connection:
        assert len(connection.execute(sqlalchemy.text(SQL)).all()) == 5
    print("sqlalchemy: ok")

if there("adbc_driver_postgresql") and there("pyarrow"):
    import adbc_driver_postgresql.dbapi

    with adbc_driver_postgresql.dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(SQL)
        table = cursor.fetch_arrow_table()
        assert table.num_rows == 5 and [str(field.type) for field in table.schema] == ["string", "double", "int64", "date32[day]"], table.schema
        cursor.execute(SQL.replace("50", "$1"), [50])
        assert cursor.fetch_arrow_table().equals(table)
        objects = connection.adbc_get_objects(depth="tables", catalog_filter="india", db_schema_filter="us").read_all().to_pylist()
        names = [found["table_name"] for found in objects[0]["catalog_db_schemas"][0]["db_schema_tables"]]
        assert "stocks" in names, names
    print("adbc: ok")
