"""Questions in people's words, answered by the calls that a model chooses from the listed tools alone, judged by SQL over the files.

Usage: asked.py URL KEY DATA [--held-back]. `asked.json` has the questions: the calls, which must fit the listed schemas, and a SELECT of
DuckDB over the Parquet files of DATA, or the words that an answer `says`. Each row of the SELECT must be in one row of the answers, and with
`all` they must be all rows of a part. `--held-back` asks those of `held_back.json` instead. Tokens are characters / 4.
"""

import asyncio
import datetime
import json
import pathlib
import re
import statistics
import sys

import duckdb
import jsonschema
from mcp.client import Client

URL, KEY, DATA = sys.argv[1:4]
FILE = "held_back.json" if "--held-back" in sys.argv else "asked.json"
LIST_CHARACTERS, CALLS, TOKENS, QUERIES, RIGHT = 14_000, 2, 350, 0.15, 0.95
# Calls with which a list that did not fit into one answer is continued.
MOST_PAGES = 3


def opened():
    """Returns a database with the tables of both markets as schemas."""
    database = duckdb.connect()
    for market in ("india", "us"):
        database.execute(f"CREATE SCHEMA {market}")
        for table in sorted((pathlib.Path(DATA) / market / "files").iterdir()):
            database.execute(f"CREATE VIEW {market}.{table.name} AS SELECT * FROM read_parquet('{table}/*.parquet')")
    return database


def parts(answer, symbols):
    """Returns the rows of each part of an answer; a ticker that was asked for alone is not in them."""
    if isinstance(answer, list):
        return [part for item in answer for part in parts(item, symbols)]
    if not isinstance(answer, dict):
        return []
    found = [part for value in answer.values() for part in parts(value, symbols)]
    alone = symbols if len(symbols) == 1 else []
    if "columns" in answer and "rows" in answer:
        same = list(answer.get("in_all_rows", {}).values()) + alone
        found.append([row + same for row in answer["rows"]])
    found.append([[value for value in answer.values() if not isinstance(value, (dict, list))] + alone])
    return found


def alike(wanted, shown):
    """Compares a value of the SELECT with a cell: figures as they are rounded, and within texts."""
    if wanted is None or shown is None:
        return wanted is shown
    if isinstance(wanted, datetime.date):
        return str(shown)[:10] == str(wanted)[:10]
    if isinstance(wanted, str) or isinstance(shown, bool):
        return str(wanted).lower() in str(shown).lower()
    if isinstance(shown, str):
        figures = [] if re.match(r"\d{4}-\d\d-\d\d", shown) else re.findall(r"\d+(?:\.\d+)?", shown)
    else:
        figures = [str(shown)]
    within = [max(0.011 if len(text.partition(".")[2]) > 1 else 0.051, 0.003 * abs(wanted)) for text in figures]
    return any(abs(abs(float(text)) - abs(wanted)) <= most for text, most in zip(figures, within))


def judge(question, answered, text, database):
    """Returns right, partial or wrong, and what is lacking."""
    if "says" in question:
        return ("right", "") if question["says"] in text.lower() else ("wrong", f"does not say {question['says']}")
    expected = database.execute(question["sql"]).fetchall()
    assert expected, f"the SELECT has no rows: {question['ask']}"
    has = lambda row, wanted: all(any(alike(value, shown) for shown in row) for value in wanted)
    lacking = [wanted for wanted in expected if not any(has(row, wanted) for part in answered for row in part)]
    if lacking:
        return ("partial" if len(lacking) < len(expected) else "wrong"), f"lacks {len(lacking)} of {len(expected)}: {lacking[:2]}"
    counts = [sum(any(has(row, wanted) for wanted in expected) for row in part) for part in answered]
    counts = [(len(part), count) for part, count in zip(answered, counts) if count]
    # A list that is continued has the rows of all its pages.
    if question.get("all") and sum(length for length, _ in counts) != len(expected):
        return "partial", f"{counts} rows in place of {len(expected)}"
    return "right", ""


async def main():
    questions = json.loads((pathlib.Path(__file__).parent / FILE).read_text())
    database = opened()
    verdicts, missed, calls, tokens, queries = [], [], [], [], 0
    async with Client(f"{URL}/chat?apiKey={KEY}") as client:
        tools = (await client.list_tools()).tools
        listed = sum(len(json.dumps(tool.model_dump(by_alias=True, exclude_none=True, mode="json"), separators=(",", ":"))) for tool in tools)
        schemas = {tool.name: tool.input_schema for tool in tools}
        for question in questions:
            answered, texts = [], []
            pending = list(question["calls"])
            while pending:
                name, arguments = pending.pop(0)
                jsonschema.validate(arguments, schemas[name])
                result = await client.call_tool(name, arguments)
                texts.append(result.content[0].text)
                queries += name == "query"
                answer = result.structured_content or {}
                answered += parts(answer, arguments.get("symbols", []))
                left = [part["cursor"] for part in answer.get("left_out", []) if part.get("cursor")]
                if question.get("all") and left and len(texts) < MOST_PAGES:
                    pending.append([name, {**arguments, "cursor": left[0]}])
            verdict, why = judge(question, answered, "\n".join(texts), database)
            verdicts.append(verdict)
            calls.append(len(texts))
            tokens.append(sum(map(len, texts)) / 4)
            if verdict != "right":
                missed.append(f"{verdict}: {question['ask']} {json.dumps(question['calls'])}: {why}; {' '.join(texts)[:300]}")
    right = verdicts.count("right")
    print("\n".join(missed))
    print(
        f"{FILE}: {right} of {len(questions)} right, {verdicts.count('partial')} partial, {verdicts.count('wrong')} wrong; "
        f"calls a question {statistics.median(calls)}; tokens of answers {statistics.median(tokens):.0f} in the median, "
        f"{sorted(tokens)[len(tokens) * 9 // 10]:.0f} at 90 %; query used {queries} times; {len(tools)} tools of {listed} characters"
    )
    assert right >= RIGHT * len(questions) and queries <= QUERIES * len(questions), (right, queries)
    assert statistics.median(calls) <= CALLS and statistics.median(tokens) <= TOKENS and listed <= LIST_CHARACTERS


asyncio.run(main())
