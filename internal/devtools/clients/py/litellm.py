"""Every API through LiteLLM: litellm.py ORIGIN API"""

import json
import os
import sys
import time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks a network for one

import litellm

ORIGIN, API = sys.argv[1:]
TEXT = "A reply of more than one piece."
WHERE = {
    "chat": {"model": "openai/gpt-4.1", "api_base": ORIGIN + "/v1"},
    "responses": {"model": "openai/responses/gpt-4.1", "api_base": ORIGIN + "/v1"},
    "anthropic": {"model": "anthropic/claude-sonnet-4-5", "api_base": ORIGIN},
    "gemini": {"model": "gemini/gemini-2.5-flash", "api_base": ORIGIN + "/v1beta/models/gemini-2.5-flash"},
}[API]
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [{"type": "function", "function": {"name": "read_file", "description": "Reads a file", "parameters": PARAMETERS}}]

litellm.suppress_debug_info = True


def check(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def ask(messages=None, **more):
    messages = messages or [{"role": "user", "content": "hi"}]
    return litellm.completion(messages=messages, tools=TOOLS, api_key="sk-test-litellm", **{"max_retries": 0, **WHERE, **more})


def stream(messages=None):
    """Returns the completion that a stream becomes, and its pieces of text."""
    chunks = list(ask(messages, stream=True, stream_options={"include_usage": True}))
    choices = [choice for chunk in chunks for choice in chunk.choices]
    completion = litellm.stream_chunk_builder(chunks, messages=messages)
    # The builder knows no reason where a chunk with counts follows the one that has it.
    (completion.choices[0].finish_reason,) = [c.finish_reason for c in choices if c.finish_reason]
    return completion, [c.delta.content for c in choices if c.delta.content]


def check_reply(completion):
    (choice,) = completion.choices
    check((choice.message.content, choice.finish_reason), (TEXT, "stop"))
    usage = completion.usage
    check((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (7, 3, 10))
    check(usage.prompt_tokens_details.cached_tokens, 2)


def replies():
    check_reply(ask())
    completion, pieces = stream()
    check_reply(completion)
    assert len(pieces) > 1, pieces


def converse(ask):
    """Asks, makes the calls that the reply has, and asks again."""
    messages = [{"role": "user", "content": "Read both."}]
    choices = ask(messages).choices  # over Responses one for the text and one for the calls
    check(choices[-1].finish_reason, "tool_calls")
    messages += [choice.message for choice in choices]
    calls = choices[-1].message.tool_calls
    arguments = [json.loads(call.function.arguments) for call in calls]
    check([call.function.name for call in calls], ["read_file", "read_file"])
    check(arguments, [{"path": "a.txt"}, {"path": "b.txt"}])
    for call, a in zip(calls, arguments):
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "text of " + a["path"]})
    return choices[0].message.content, ask(messages).choices[0].message.content


def tools():
    check(converse(ask), ("I look.", "Both were read."))
    check(converse(lambda messages: stream(messages)[0])[1], "Both were read again.")


def fails(ask, kind):
    try:
        got = ask()
    except kind as e:
        return e
    raise AssertionError(f"got {got!r}, want {kind}")


def faults():
    assert "scripted fault" in str(fails(ask, litellm.BadRequestError))
    fails(ask, litellm.AuthenticationError)
    began = time.monotonic()
    check(ask(num_retries=1).choices[0].message.content, "The second attempt.")
    if API == "chat":  # of the other answers it does not read how long to wait
        assert time.monotonic() - began > 2.9, "the library did not wait as it was told"
    fails(ask, litellm.InternalServerError)
    fails(stream, litellm.exceptions.MidStreamFallbackError)


replies()
tools()
(short,) = ask().choices
# To it each message of Responses ends so.
check((short.message.content, short.finish_reason), ("cut sho", "stop" if API == "responses" else "length"))
faults()
