"""Every API through pydantic-ai: pydanticai.py ORIGIN API"""

import asyncio
import sys
import time

from google.genai.types import HttpRetryOptions
from openai import AsyncOpenAI
from anthropic import AsyncAnthropic
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

ORIGIN, API = sys.argv[1:]
KEY = "sk-test-pydantic-ai"
TEXT = "A reply of more than one piece."


def openai(retries):
    return OpenAIProvider(openai_client=AsyncOpenAI(api_key=KEY, base_url=ORIGIN + "/v1", max_retries=retries))


def anthropic(retries):
    return AnthropicProvider(anthropic_client=AsyncAnthropic(api_key=KEY, base_url=ORIGIN, max_retries=retries))


def google(retries):
    return GoogleProvider(api_key=KEY, base_url=ORIGIN, retry_options=HttpRetryOptions(attempts=retries + 1))


CONNECT = {
    "chat": lambda retries: OpenAIChatModel("gpt-5.2", provider=openai(retries)),
    "responses": lambda retries: OpenAIResponsesModel("gpt-5.2", provider=openai(retries)),
    "anthropic": lambda retries: AnthropicModel("claude-opus-4-5", provider=anthropic(retries)),
    "gemini": lambda retries: GoogleModel("gemini-2.5-flash", provider=google(retries)),
}[API]


def read_file(path: str) -> str:
    """Reads a file."""
    return f"text of {path}"


plain, patient = Agent(CONNECT(0)), Agent(CONNECT(1))
with_tools = Agent(CONNECT(0), tools=[read_file])


def check(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


async def stream(agent):
    """Returns the text of a streamed run, its pieces, and the run."""
    async with agent.run_stream("hi") as run:
        pieces = [piece async for piece in run.stream_text(delta=True, debounce_by=None)]
    return "".join(pieces), pieces, run


def check_usage(usage):
    check((usage.input_tokens, usage.output_tokens, usage.cache_read_tokens), (7, 3, 2))


async def replies():
    whole = await plain.run("hi")
    check((whole.output, whole.response.finish_reason), (TEXT, "stop"))
    check_usage(whole.usage)
    text, pieces, run = await stream(plain)
    check((text, run.response.finish_reason), (TEXT, "stop"))
    assert len(pieces) > 1, pieces
    check_usage(run.usage)


def check_calls(messages):
    check([p.content for m in messages for p in m.parts if p.part_kind == "tool-return"], ["text of a.txt", "text of b.txt"])


async def called_by_the_library():
    whole = await with_tools.run("Read both.")
    check(whole.output, "Both were read.")
    check_calls(whole.all_messages())
    text, _, run = await stream(with_tools)
    check(text, "Both were read again.")
    check_calls(run.all_messages())


async def refused(status):
    try:
        await plain.run("hi")
    except ModelHTTPError as e:
        check(e.status_code, status)
        assert "scripted fault" in str(e), e
    else:
        raise AssertionError(f"no error, want {status}")


async def faults():
    await refused(400)
    await refused(401)
    began = time.monotonic()
    check((await patient.run("hi")).output, "The second attempt.")
    if API != "gemini":  # Google's client waits as long as it thinks fit
        assert time.monotonic() - began > 2.9, "the library did not wait as it was told"
    await refused(500)
    try:
        await stream(plain)
    except ModelAPIError:
        return
    raise AssertionError("a reply that was broken off is a whole one")


async def main():
    await replies()
    await called_by_the_library()
    short = await plain.run("hi")
    check((short.output, short.response.finish_reason), ("cut sho", "length"))
    await faults()


asyncio.run(main())
