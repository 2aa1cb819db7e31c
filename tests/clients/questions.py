"""Users' questions, each sent as one call of a chat tool by the official Python client.

Usage: questions.py URL KEY BINARY DATA. An answer has at most 6,000 characters, some 1,500 tokens. Figures are compared with the
question's SELECT over the same tables: each of its rows must be in the part that `some` names, or (`find`) the rows must be equal.
"""

import asyncio
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

from mcp.client import Client

URL, KEY, BINARY, DATA = sys.argv[1:5]
MOST = 6_000


def selected(question):
    """Returns the rows of the question's SELECT: the first and the second column."""
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.csv"
        command = [BINARY, "query", question["sql"], "--out", str(rows), "--data", DATA, "--market", question.get("market", "india")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [tuple(row[:2]) for row in list(csv.reader(io.StringIO(rows.read_text())))[1:]]


def pairs_of(part, key, figure):
    """Returns the pairs of key and figure in a part of an answer."""
    same = part.get("in_all_rows", {})
    rows = [dict(zip(part["columns"], row)) | same for row in part["rows"]]
    return [(row[key], row[figure]) for row in rows]


def alike(one, other):
    if one in ("", None) or other in ("", None):
        return one in ("", None) and other in ("", None)
    try:
        return abs(float(one) - float(other)) <= 0.011 * max(1, abs(float(other)) / 100)
    except ValueError:
        return str(one).lower() == str(other).lower()


def check(question, answer, text):
    if "says" in question:
        assert question["says"] in text, f"does not say {question['says']}: {text[:400]}"
        return
    name, key, figure = question.get("some") or question["find"]
    pairs = pairs_of(answer[name], key, figure)
    expected = selected(question)
    for wanted in expected:
        assert any(str(row[0]) == wanted[0] and alike(row[1], wanted[1]) for row in pairs), f"lacks {wanted}: {text[:400]}"
    if "find" in question:
        assert len(pairs) == len(expected), (len(pairs), len(expected))


async def left_today(client):
    return (await client.call_tool("status", {})).structured_content["status"]["requests"]["left_today"]


async def main():
    questions = json.loads((pathlib.Path(__file__).parent / "questions.json").read_text())
    failed, longest = [], 0
    async with Client(f"{URL}/chat?apiKey={KEY}") as client:
        tools = (await client.list_tools()).tools
        # A call of several parts counts as one request; the status call is the other.
        left = [await left_today(client), (await client.call_tool("market_now", {})).is_error, await left_today(client)]
        assert left[0] - left[2] == 2 and not left[1], left
        for question in questions:
            name, arguments = question["call"]
            try:
                result = await client.call_tool(name, arguments)
                text = result.content[0].text
                longest = max(longest, len(text))
                assert not result.is_error, text
                assert len(text) <= MOST, f"{len(text)} characters"
                check(question, result.structured_content, text)
            except Exception as error:  # All failures are reported together.
                failed.append(f"{question['ask']} {name} {json.dumps(arguments)}: {error!r}")
    assert not failed, f"{len(failed)} of {len(questions)}:\n" + "\n".join(failed)
    print(f"python questions: {len(questions)} answered by {len(tools)} tools, the longest answer {longest} characters")


asyncio.run(main())
