"""Runs Google's SDK with the MCP server's tools.

The model is a local server (MODEL_URL) that decides which tools to call. MCP_URL and API_KEY belong to the MCP server.
"""

import asyncio
import os

from google import genai
from google.genai import types
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
    async with create_mcp_http_client(headers=headers) as http:
        async with streamable_http_client(os.environ["MCP_URL"], http_client=http) as (read, write, *_):
            async with ClientSession(read, write) as session:
                await session.initialize()
                options = types.HttpOptions(base_url=os.environ["MODEL_URL"])
                model = genai.Client(api_key="none", http_options=options).aio.models
                response = await model.generate_content(
                    model="any", contents="Use the tools.", config={"tools": [session]}
                )
                print(response.text)


asyncio.run(main())
