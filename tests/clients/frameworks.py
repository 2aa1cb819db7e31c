"""Frameworks for agents: LangChain and the SDK of OpenAI, each with the tools of the contract and of chats, over HTTP and over stdio. No model is
called: tools are listed, converted to the strict schemas that a model gets, and three are called.

Usage: frameworks.py URL KEY BINARY DATA TOOLS, TOOLS being the number of tools of the contract.
"""

import asyncio
import json
import sys

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.mcp.util import MCPUtil
from agents.strict_schema import ensure_strict_json_schema
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

URL, KEY, BINARY, DATA, TOOLS = sys.argv[1:5] + [int(sys.argv[5])]
BEARER = {"Authorization": f"Bearer {KEY}"}
CHATS = 18
CONTRACT_CALLS = [
    ("get_market_breadth", {"days": 3}, "as_of"),
    ("us_get_company_profile", {"symbol": "GEQOLI"}, "GEQOLI"),
    ("get_market_breadth", {"days": 99}, "`days`"),
]
CHAT_CALLS = [
    ("companies", {"symbols": ["GEQOLI", "POZOHIELEC"]}, "us.companies"),
    ("query", {"sql": "SELECT symbol FROM us.stocks WHERE symbol = $1", "params": ["GEQOLI"]}, "GEQOLI"),
    ("levels", {"symbols": ["NOSUCHTICKER"]}, "ticker of neither market"),
]
# Each set by its address, by the arguments of the program, its number of tools, and three calls with a part of their answers.
SETS = [
    ("contract", URL, ["mcp", "--data", DATA, "--toolsets", "all", "--exclude-tools", "get_chart"], TOOLS, CONTRACT_CALLS),
    ("chats", f"{URL}/chat", ["mcp", "--data", DATA, "--toolsets", "chat"], CHATS, CHAT_CALLS),
]


def filled(schema, given):
    """Returns the arguments as a strict model sends them: every one, blank or empty where it has nothing to say."""
    blank = {"string": "", "array": []}
    properties = schema.get("properties", {})
    return {name: given.get(name, blank.get(inner.get("type"))) for name, inner in properties.items()}


def text_of(content):
    """Returns the text of an answer."""
    blocks = content if isinstance(content, list) else [content]
    return "".join(block if isinstance(block, str) else block.get("text", "") for block in blocks)


async def langchain(name, connection, count, calls):
    client = MultiServerMCPClient({"parquote": connection})
    async with client.session("parquote") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        assert count is None or len(tools) == count, f"{name}: {len(tools)} tools"
        for tool in tools.values():
            strict = convert_to_openai_tool(tool, strict=True)["function"]
            assert strict["strict"] and strict["parameters"]["type"] == "object", tool.name
        for tool, given, part in calls:
            try:
                text = text_of(await tools[tool].ainvoke(given))
            except Exception as error:  # A refusal may be raised, by the version of the adapter.
                text = str(error)
            assert part in text, f"{name} {tool}: {text[:400]}"
    print(f"langchain {name}: ok, {len(tools)} tools")


async def openai(name, server, count, calls):
    async with server:
        listed = {tool.name: tool for tool in await server.list_tools()}
        assert count is None or len(listed) == count, f"{name}: {len(listed)} tools"
        agent = Agent(name="test")
        functions = await MCPUtil.get_function_tools(server, True, RunContextWrapper(context=None), agent)
        lenient = [function.name for function in functions if not function.strict_json_schema]
        assert not lenient, f"{name}: no strict schema of {lenient}"
        for tool, given, part in calls:
            schema = ensure_strict_json_schema(json.loads(json.dumps(listed[tool].inputSchema)))
            answer = await server.call_tool(tool, filled(schema, given))
            text = "".join(block.text for block in answer.content)
            assert part in text, f"{name} {tool}: {text[:400]}"
    print(f"openai-agents {name}: ok, {len(listed)} tools")


async def main():
    for name, url, arguments, count, calls in SETS:
        stdio = {"command": BINARY, "args": arguments}
        http = {"transport": "streamable_http", "url": url, "headers": BEARER}
        # Over stdio the list also has the tools that are added to those of the contract: their number is not checked.
        of_stdio = count if name == "chats" else None
        await langchain(f"{name} over http", http, count, calls)
        await langchain(f"{name} over stdio", {"transport": "stdio", **stdio}, of_stdio, calls)
        server = MCPServerStreamableHttp(params={"url": url, "headers": BEARER}, client_session_timeout_seconds=60)
        await openai(f"{name} over http", server, count, calls)
        server = MCPServerStdio(params=stdio, client_session_timeout_seconds=60)
        await openai(f"{name} over stdio", server, of_stdio, calls)


asyncio.run(main())
