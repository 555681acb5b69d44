"""Chat Completions and Responses through the official client: openai.py ORIGIN"""

import json
import sys
import time

import httpx
import openai
from pydantic import BaseModel

MODEL = "gpt-5.2"
TEXT = "A reply of more than one piece."
client = openai.OpenAI(api_key="sk-test-openai", base_url=sys.argv[1] + "/v1", max_retries=0)
patient = client.with_options(max_retries=1)


class ReadFile(BaseModel):
    """Reads a file."""

    path: str


COMPLETIONS_TOOLS = [openai.pydantic_function_tool(ReadFile, name="read_file")]
RESPONSES_TOOLS = [{"type": "function", "strict": True, **COMPLETIONS_TOOLS[0]["function"]}]


def check(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def user(content):
    return {"role": "user", "content": content}


def read(arguments):
    return "text of " + json.loads(arguments)["path"]


def check_pieces(pieces):
    assert len(pieces) > 1, pieces
    check("".join(pieces), TEXT)


def complete(content="hi", client=client):
    return client.chat.completions.create(model=MODEL, messages=[user(content)], tools=COMPLETIONS_TOOLS)


def complete_streamed(messages=None):
    return client.chat.completions.stream(
        model=MODEL, messages=messages or [user("hi")], tools=COMPLETIONS_TOOLS, stream_options={"include_usage": True}
    )


def check_completion(completion):
    (choice,) = completion.choices
    check((completion.object, choice.message.content, choice.finish_reason), ("chat.completion", TEXT, "stop"))
    usage = completion.usage
    check((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (7, 3, 10))
    check(usage.prompt_tokens_details.cached_tokens, 2)


def completions():
    check_completion(complete())
    with complete_streamed() as stream:
        check_pieces([e.delta for e in stream if e.type == "content.delta"])
    check_completion(stream.get_final_completion())

    messages = [user("Read both.")]
    with complete_streamed(messages) as stream:
        asked = stream.get_final_completion().choices[0].message
    check(asked.content, "I look.")
    check([c.function.parsed_arguments for c in asked.tool_calls], [ReadFile(path="a.txt"), ReadFile(path="b.txt")])
    messages.append(asked.to_dict())
    messages += [{"role": "tool", "tool_call_id": c.id, "content": read(c.function.arguments)} for c in asked.tool_calls]
    with complete_streamed(messages) as stream:
        check(stream.get_final_completion().choices[0].message.content, "Both were read.")

    (call,) = complete("Read it.").choices[0].message.tool_calls
    check(complete(read(call.function.arguments)).choices[0].message.content, "The client called it.")

    (short,) = complete().choices
    check((short.message.content, short.finish_reason), ("cut sho", "length"))
    fails(finish_streamed, openai.ContentFilterFinishReasonError)
    (endless,) = complete().choices
    check((endless.message.content, endless.finish_reason), ("A reply without an end.", None))
    faults(complete, finish_streamed, lambda completion: completion.choices[0].message.content)


def finish_streamed():
    with complete_streamed() as stream:
        return stream.get_final_completion()


def respond(items="hi", client=client):
    return client.responses.create(model=MODEL, input=items, tools=RESPONSES_TOOLS)


def respond_streamed(items="hi"):
    with client.responses.stream(model=MODEL, input=items, tools=RESPONSES_TOOLS) as stream:
        events = list(stream)
    return events[-1].response, [e.delta for e in events if e.type == "response.output_text.delta"]


def check_response(response):
    check((response.object, response.status, response.error, response.output_text), ("response", "completed", None, TEXT))
    usage = response.usage
    check((usage.input_tokens, usage.output_tokens, usage.total_tokens), (7, 3, 10))
    check(usage.input_tokens_details.cached_tokens, 2)


def outputs(response):
    """Returns the items of a response that the next request has, and what its calls gave."""
    items = [item.to_dict(exclude_none=True) for item in response.output]
    for item in items:
        item.pop("parsed_arguments", None)
        for part in item.get("content", []):
            part.pop("parsed", None)
    calls = [item for item in response.output if item.type == "function_call"]
    check([(c.name, json.loads(c.arguments)) for c in calls], [("read_file", {"path": "a.txt"}), ("read_file", {"path": "b.txt"})])
    return items + [{"type": "function_call_output", "call_id": c.call_id, "output": read(c.arguments)} for c in calls]


def responses():
    check_response(respond())
    response, pieces = respond_streamed()
    check_response(response)
    check_pieces(pieces)

    items = [user("Read both.")]
    asked = respond(items)
    check(asked.output_text, "I look.")
    items += outputs(asked)
    check(respond(items).output_text, "Both were read.")
    again, _ = respond_streamed(items)
    items += outputs(again)
    check(respond_streamed(items)[0].output_text, "Both were read again.")

    short = respond()
    check((short.output_text, short.status, short.incomplete_details.reason), ("cut sho", "incomplete", "max_output_tokens"))
    check(respond_streamed()[0].incomplete_details.reason, "content_filter")
    endless = respond()
    check((endless.output_text, endless.status), ("A reply without an end.", "in_progress"))
    faults(respond, respond_streamed, lambda response: response.output_text)


def fails(ask, *kinds):
    """Checks that asking fails so, and returns the error."""
    try:
        got = ask()
    except kinds as e:
        return e
    raise AssertionError(f"got {got!r}, want {kinds}")


def faults(ask, stream, text):
    check(fails(ask, openai.BadRequestError).body["message"], "scripted fault")
    fails(ask, openai.AuthenticationError)
    began = time.monotonic()
    check(text(ask(client=patient)), "The second attempt.")
    assert time.monotonic() - began > 1.9, "the client did not wait as it was told"
    fails(ask, openai.InternalServerError)
    fails(stream, openai.APIConnectionError, httpx.RemoteProtocolError)


completions()
responses()
check([m.id for m in client.models.list()], ["script"])
check(client.models.retrieve(MODEL).id, MODEL)
