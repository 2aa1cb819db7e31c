"""The official Python client obtains access by OAuth: discovery, registration, consent, tokens, refresh.

Usage: python_oauth.py URL LINK: URL of the MCP endpoint, LINK that signs a browser in.
"""

import asyncio
import html
import re
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

URL, LINK = sys.argv[1], sys.argv[2]
SERVER = URL.removesuffix("/mcp")
BACK = "http://127.0.0.1:6274/callback"


class Storage:
    """Stores the client's registration and tokens in memory."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """A user with a browser: signs in by the link, and consents to every app."""

    def __init__(self):
        self.http = httpx2.AsyncClient(headers={"Sec-Fetch-Site": "same-origin"}, follow_redirects=True)
        self.led_to = None

    async def sign_in(self):
        page = await self.http.post(f"{SERVER}/login", data={"code": urlsplit(LINK).fragment})
        assert page.status_code == 200 and page.url.path == "/india", page.text

    async def consent(self, address):
        page = await self.http.get(address)
        assert page.status_code == 200 and "Official client" in page.text, page.text
        hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page.text)
        form = {html.unescape(name): html.unescape(value) for name, value in hidden}
        answer = await self.http.post(f"{SERVER}/authorize", data={**form, "tier": "api_pro", "decision": "allow"})
        self.led_to = answer.headers["refresh"].removeprefix("0;url=")

    async def told(self):
        told = {name: values[0] for name, values in parse_qs(urlsplit(self.led_to).query).items()}
        return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))


async def main():
    browser, storage = Browser(), Storage()
    await browser.sign_in()
    metadata = OAuthClientMetadata(redirect_uris=[BACK], client_name="Official client")
    auth = OAuthClientProvider(URL, metadata, storage, browser.consent, browser.told)
    async with Client(streamable_http_client(URL, http_client=httpx2.AsyncClient(auth=auth))) as client:
        answer = await client.call_tool("get_market_breadth", {"days": 3})
        assert not answer.is_error and len(answer.structured_content["data"]) == 3, answer
    print("python by oauth: let in")
    first = storage.tokens
    # An expired access token is refreshed without the user.
    auth.context.token_expiry_time = 1
    auth.context.redirect_handler = None
    async with Client(streamable_http_client(URL, http_client=httpx2.AsyncClient(auth=auth))) as client:
        assert (await client.list_tools()).tools
    assert storage.tokens.access_token != first.access_token
    assert storage.tokens.refresh_token != first.refresh_token
    print("python by oauth: renewed")


asyncio.run(main())
