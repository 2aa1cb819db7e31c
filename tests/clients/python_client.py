"""The official Python client: lists and calls in each revision, with the key as a bearer and in the query.

Usage: python_client.py URL KEY TOOLS, TOOLS being the number of tools.
"""

import asyncio
import sys

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

URL, KEY, TOOLS = sys.argv[1], sys.argv[2], int(sys.argv[3])


async def exercise(name, client):
    async with client:
        tools = (await client.list_tools()).tools
        assert len(tools) == TOOLS, f"{name}: {len(tools)} tools"
        answer = await client.call_tool("get_market_breadth", {"days": 3})
        assert not answer.is_error and len(answer.structured_content["data"]) == 3, answer
        columns = await client.call_tool("get_market_momentum", {"limit": 2, "format": "columns", "fields": ["symbol"]})
        assert columns.structured_content["data"]["columns"][0]["name"] == "symbol", columns
        refused = await client.call_tool("get_market_breadth", {"days": 99})
        assert refused.is_error and "`days`" in refused.content[0].text, refused
        try:
            await client.call_tool("get_nothing", {})
            raise AssertionError(f"{name}: a tool that there is not was called")
        except MCPError as error:
            assert error.error.code == -32602, error
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt(prompts[0].name, {})
        assert "get_market_breadth" in prompt.messages[0].content.text
        resources = (await client.list_resources()).resources
        read = await client.read_resource(resources[0].uri)
        assert read.contents[0].text.startswith("#")
    print(f"python {name}: ok")


async def main():
    for mode in ("auto", "legacy", "2026-07-28"):
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"})
        await exercise(f"{mode}, bearer", Client(streamable_http_client(URL, http_client=http), mode=mode))
        await exercise(f"{mode}, query", Client(f"{URL}?apiKey={KEY}", mode=mode))
    try:
        async with Client(URL) as client:
            await client.list_tools()
        raise AssertionError("nobody was let in without a key")
    except Exception as error:  # How it is wrapped is the client's.
        assert "key" in str(error) or "401" in repr(error), repr(error)
    print("python without a key: refused")


asyncio.run(main())
