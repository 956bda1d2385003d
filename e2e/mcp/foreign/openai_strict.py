"""Runs an agent of OpenAI's SDK with the MCP server's tools, with their schemas converted to strict mode.

MCP_URL and API_KEY belong to the MCP server. CALLS lists the calls that the model makes: [["get_me", {}], …]. Prints a
JSON object with the tools as the model receives them and the output of each call.
"""

import asyncio
import json
import os

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class ScriptedModel(Model):
    """Makes the given calls, then replies "done"."""

    def __init__(self, calls):
        self.calls = calls
        self.tools = []
        self.outputs = []

    async def get_response(self, system_instructions, input, model_settings, tools, *args, **kwargs):
        self.tools = [
            {"name": tool.name, "strict": tool.strict_json_schema, "schema": tool.params_json_schema} for tool in tools
        ]
        outputs = [item["output"] for item in input if item.get("type") == "function_call_output"]
        if len(outputs) == len(self.calls):
            self.outputs = outputs
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        else:
            name, arguments = self.calls[len(outputs)]
            output = ResponseFunctionToolCall(
                call_id=f"c{len(outputs)}", name=name, arguments=json.dumps(arguments), type="function_call"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def main() -> None:
    set_tracing_disabled(True)
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
    model = ScriptedModel(json.loads(os.environ["CALLS"]))
    async with MCPServerStreamableHttp({"url": os.environ["MCP_URL"], "headers": headers}) as server:
        agent = Agent(
            "test", model=model, mcp_servers=[server], mcp_config={"convert_schemas_to_strict": True}
        )
        await Runner.run(agent, "Use the tools.", max_turns=len(model.calls) + 1)
    print(json.dumps({"tools": model.tools, "outputs": model.outputs}))


asyncio.run(main())
