"""Anthropic Messages through the official client: anthropic.py ORIGIN"""

import sys
import time

import anthropic
import httpx2

MODEL = "claude-opus-4-5"
TEXT = "A reply of more than one piece."
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [{"name": "read_file", "description": "Reads a file", "input_schema": SCHEMA}]
client = anthropic.Anthropic(base_url=sys.argv[1], api_key="sk-test-anthropic")


def check(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def params(content, talk=()):
    """Returns the parameters of a request that says this."""
    return {"model": MODEL, "max_tokens": 100, "tools": TOOLS, "messages": [*talk, {"role": "user", "content": content}]}


def check_reply(message):
    check([(block.type, block.text) for block in message.content], [("text", TEXT)])
    check((message.model, message.role, message.stop_reason, message.stop_sequence), (MODEL, "assistant", "end_turn", None))
    u = message.usage
    check((u.input_tokens, u.cache_creation_input_tokens, u.cache_read_input_tokens, u.output_tokens), (5, 0, 2, 3))


def replies():
    check_reply(client.messages.create(**params("hi")))
    with client.messages.stream(**params("hi")) as stream:
        pieces = list(stream.text_stream)
        check_reply(stream.get_final_message())
    assert len(pieces) > 1, pieces
    check("".join(pieces), TEXT)


def final(content, talk=()):
    """Returns the message that a stream makes up."""
    with client.messages.stream(**params(content, talk)) as stream:
        return stream.get_final_message()


def results(message, *contents):
    """Returns the parts that say what two calls gave."""
    check(message.stop_reason, "tool_use")
    calls = [block for block in message.content if block.type == "tool_use"]
    check([(c.name, c.input) for c in calls], [("read_file", {"path": "a.txt"}), ("read_file", {"path": "b.txt"})])
    return [{"type": "tool_result", "tool_use_id": c.id, **r} for c, r in zip(calls, contents)]


def calls():
    asked = client.messages.create(**params("Read both."))
    check(asked.content[0].text, "I look.")
    talk = [*params("Read both.")["messages"], {"role": "assistant", "content": asked.content}]
    parts = results(asked, {"content": "text of a.txt"}, {"content": [{"type": "text", "text": "text of b.txt"}]})
    reminded = [*parts, {"type": "text", "text": "A reminder."}]
    check(client.messages.create(**params(reminded, talk)).content[0].text, "Both were read.")

    again = final("Again.")
    talk.append({"role": "assistant", "content": again.content})
    failed = results(again, {"content": "text of a.txt"}, {"content": "no such file", "is_error": True})
    check(final(failed, talk).content[0].text, "Both were read again.")


@anthropic.beta_tool
def read_file(path: str) -> str:
    """Reads a file."""
    return f"text of {path}"


def called_by_the_client():
    message = client.beta.messages.tool_runner(**{**params("Read it."), "tools": [read_file]}).until_done()
    check(message.content[0].text, "The client called it.")


def ends():
    short = client.messages.create(**params("hi"))
    check((short.content[0].text, short.stop_reason), ("cut sho", "max_tokens"))
    check(final("hi").stop_reason, "refusal")

    events = client.messages.create(**params("hi"), stream=True)
    deltas = [e.delta for e in events if e.type == "content_block_delta"]
    check("".join(d.partial_json for d in deltas), '{"path": "a.t')
    check(final("hi").stop_reason, None)


def refused(kind, status, name, ask):
    """Checks that a request is refused so."""
    try:
        ask()
    except kind as err:
        check(err.status_code, status)
        check(err.body, {"type": "error", "error": {"type": name, "message": "scripted fault"}, "request_id": "req_script"})
    else:
        raise AssertionError(f"no {kind.__name__}")


def faults():
    once = client.with_options(max_retries=0)
    ask = lambda: once.messages.create(**params("hi"))
    refused(anthropic.BadRequestError, 400, "invalid_request_error", ask)
    refused(anthropic.AuthenticationError, 401, "authentication_error", ask)
    began = time.monotonic()
    twice = client.with_options(max_retries=1)
    check(twice.messages.create(**params("hi")).content[0].text, "The second attempt.")
    assert time.monotonic() - began > 0.9, "the client did not wait as it was told"
    refused(anthropic.InternalServerError, 529, "overloaded_error", ask)
    try:
        final("hi")
    except (httpx2.RemoteProtocolError, anthropic.APIConnectionError):
        pass
    else:
        raise AssertionError("a reply that was broken off is whole")


def besides():
    assert client.messages.count_tokens(model=MODEL, messages=params("hi")["messages"]).input_tokens > 0
    check([m.id for m in client.models.list()], ["script"])
    check(client.models.retrieve(MODEL).display_name, MODEL)


for part in (replies, calls, called_by_the_client, ends, faults, besides):
    part()
