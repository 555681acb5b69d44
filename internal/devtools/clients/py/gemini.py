"""The Gemini API through the official client: gemini.py ORIGIN"""

import asyncio
import sys

import httpx2
from google import genai
from google.genai import errors, types

MODEL = "gemini-2.5-flash"
TEXT = "A reply of more than one piece."
OPTIONS = types.HttpOptions(base_url=sys.argv[1])
client = genai.Client(api_key="sk-test-google", http_options=OPTIONS)


def read_file(path: str) -> str:
    """Reads a file."""
    return f"text of {path}"


DECLARATION = types.FunctionDeclaration(
    name="read_file",
    description="Reads a file.",
    parameters=types.Schema(type="OBJECT", properties={"path": types.Schema(type="STRING")}, required=["path"]),
)
DECLARED = types.GenerateContentConfig(
    system_instruction="Be brief.", tools=[types.Tool(function_declarations=[DECLARATION])]
)


def check(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def check_counts(usage):
    check(
        (usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count, usage.total_token_count),
        (7, 2, 3, 10),
    )


def results(calls, *responses):
    """Returns the parts that say what two calls gave."""
    check([(c.name, c.args) for c in calls], [("read_file", {"path": "a.txt"}), ("read_file", {"path": "b.txt"})])
    return [
        types.Part(function_response=types.FunctionResponse(id=c.id, name=c.name, response=r)) for c, r in zip(calls, responses)
    ]


def replies():
    whole = client.models.generate_content(model=MODEL, contents="hi", config=DECLARED)
    check(whole.text, TEXT)
    check(whole.candidates[0].finish_reason, types.FinishReason.STOP)
    check(whole.model_version, MODEL)
    check_counts(whole.usage_metadata)

    chunks = list(client.models.generate_content_stream(model=MODEL, contents="hi", config=DECLARED))
    assert len(chunks) > 1, chunks
    check("".join(c.text for c in chunks), TEXT)
    check(chunks[-1].candidates[0].finish_reason, types.FinishReason.STOP)
    check_counts(chunks[-1].usage_metadata)


async def tools():
    chat = client.aio.chats.create(model=MODEL, config=DECLARED)
    asked = await chat.send_message("Read both.")
    check(asked.candidates[0].content.parts[0].text, "I look.")
    reply = await chat.send_message(results(asked.function_calls, {"output": "text of a.txt"}, {"result": "text of b.txt"}))
    check(reply.text, "Both were read.")

    calls, pieces = [], []
    async for chunk in await chat.send_message_stream("Again."):
        calls += chunk.function_calls or []
    async for chunk in await chat.send_message_stream(results(calls, {"error": "no such file"}, {"lines": 2, "more": False})):
        pieces.append(chunk.text)
    check("".join(pieces), "Both were read again.")


def called_by_the_client():
    config = types.GenerateContentConfig(tools=[read_file])
    reply = client.models.generate_content(model=MODEL, contents="Read it.", config=config)
    check(reply.text, "The client called it.")


def ends():
    short = client.models.generate_content(model=MODEL, contents="hi")
    check((short.text, short.candidates[0].finish_reason), ("cut sho", types.FinishReason.MAX_TOKENS))
    *_, last = client.models.generate_content_stream(model=MODEL, contents="hi")
    check(last.candidates[0].finish_reason, types.FinishReason.SAFETY)


def vertex():
    cloud = genai.Client(vertexai=True, api_key="sk-test-google", http_options=OPTIONS)
    chunks = cloud.models.generate_content_stream(model=MODEL, contents="hi")
    check("".join(c.text for c in chunks), "By another path.")


def ask(**more):
    return client.models.generate_content(model=MODEL, contents="hi", config=types.GenerateContentConfig(**more))


def fails(kind, code, status):
    try:
        ask()
    except kind as e:
        check((e.code, e.status, e.message), (code, status, "scripted fault"))
    else:
        raise AssertionError(f"no error, want {status}")


def faults():
    fails(errors.ClientError, 400, "INVALID_ARGUMENT")
    fails(errors.ClientError, 401, "UNAUTHENTICATED")
    again = ask(http_options=types.HttpOptions(retry_options=types.HttpRetryOptions(attempts=2)))
    check(again.text, "The second attempt.")
    fails(errors.ServerError, 503, "UNAVAILABLE")
    try:
        list(client.models.generate_content_stream(model=MODEL, contents="hi"))
    except httpx2.RemoteProtocolError:
        return
    raise AssertionError("a reply that was broken off is a whole one")


def besides():
    assert client.models.count_tokens(model=MODEL, contents="hi").total_tokens > 0
    check([m.name for m in client.models.list()], ["models/script"])
    check(client.models.get(model=MODEL).name, "models/" + MODEL)


replies()
asyncio.run(tools())
called_by_the_client()
ends()
vertex()
faults()
besides()
