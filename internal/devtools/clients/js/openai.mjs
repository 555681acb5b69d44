// Chat Completions and Responses through the official client: openai.mjs ORIGIN
import assert from 'node:assert/strict'
import OpenAI from 'openai'

const [origin] = process.argv.slice(2)
const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'sk-test-openai' })
const model = 'gpt-5.2'

const fn = {
  name: 'read_file',
  description: 'Reads a file',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
}
const text = 'A reply of more than one piece.'
const read = ({ path }) => `text of ${path}`

// checkPieces checks that a text came in pieces.
function checkPieces(pieces, want) {
  assert.ok(pieces.length > 1, `pieces are ${pieces}`)
  assert.equal(pieces.join(''), want)
}

const completions = {
  params: (messages) => ({ model, messages, tools: [{ type: 'function', function: fn }] }),
  ask: (options) => client.chat.completions.create(completions.params([user('hi')]), options),
  stream: () => client.chat.completions.stream({ ...completions.params([user('hi')]), stream_options: { include_usage: true } }),
  text: (completion) => completion.choices[0].message.content,

  async replies() {
    const check = ({ object, choices: [{ message, finish_reason }], usage }) => {
      assert.deepEqual([object, message.role, message.content, finish_reason], ['chat.completion', 'assistant', text, 'stop'])
      assert.deepEqual(usage, { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, prompt_tokens_details: { cached_tokens: 2 } })
    }
    check(await completions.ask())
    const pieces = []
    const stream = completions.stream().on('content', (piece) => pieces.push(piece))
    check(await stream.finalChatCompletion())
    checkPieces(pieces, text)
  },

  async calls() {
    const messages = [user('Read both.')]
    const asked = await client.chat.completions.stream(completions.params(messages)).finalMessage()
    assert.equal(asked.content, 'I look.')
    assert.deepEqual(asked.tool_calls.map((c) => [c.type, c.function.name, JSON.parse(c.function.arguments).path]),
      [['function', 'read_file', 'a.txt'], ['function', 'read_file', 'b.txt']])
    messages.push(asked)
    for (const call of asked.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: read(JSON.parse(call.function.arguments)) })
    }
    const whole = await client.chat.completions.create(completions.params(messages))
    assert.equal(completions.text(whole), 'Both were read.')

    const tool = { type: 'function', function: { ...fn, function: read, parse: JSON.parse } }
    const runner = client.chat.completions.runTools({ model, messages: [user('Read it.')], tools: [tool] })
    assert.equal(await runner.finalContent(), 'The client called it.')
  },

  async ends() {
    const short = (await completions.ask()).choices[0]
    assert.deepEqual([short.message.content, short.finish_reason], ['cut sho', 'length'])
    assert.equal((await completions.stream().finalChatCompletion()).choices[0].finish_reason, 'content_filter')
    await assert.rejects(completions.stream().finalChatCompletion(), OpenAI.OpenAIError)
  },
}

const responses = {
  params: (input) => ({ model, input, tools: [{ type: 'function', strict: true, ...fn }] }),
  ask: (options) => client.responses.create(responses.params('hi'), options),
  stream: () => client.responses.stream(responses.params('hi')),
  text: (response) => response.output_text,

  async replies() {
    const check = ({ object, status, error, output, output_text, usage }) => {
      assert.deepEqual([object, status, error, output.length, output_text], ['response', 'completed', null, 1, text])
      assert.deepEqual([usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens, usage.total_tokens], [7, 2, 3, 10])
    }
    check(await responses.ask())
    const pieces = []
    const stream = responses.stream().on('response.output_text.delta', ({ delta }) => pieces.push(delta))
    check(await stream.finalResponse())
    checkPieces(pieces, text)
  },

  async calls() {
    const input = [user('Read both.')]
    const asked = await client.responses.create(responses.params(input))
    assert.equal(asked.output_text, 'I look.')
    input.push(...asked.output, ...outputs(asked))
    assert.equal((await client.responses.create(responses.params(input))).output_text, 'Both were read.')

    const again = await client.responses.stream(responses.params(input)).finalResponse()
    input.push(...again.output, ...outputs(again))
    assert.equal((await client.responses.stream(responses.params(input)).finalResponse()).output_text, 'Both were read again.')
  },

  async ends() {
    const short = await responses.ask()
    assert.deepEqual([short.output_text, short.status, short.incomplete_details], ['cut sho', 'incomplete', { reason: 'max_output_tokens' }])
    assert.deepEqual((await responses.stream().finalResponse()).incomplete_details, { reason: 'content_filter' })
    const endless = await responses.stream().finalResponse()
    assert.deepEqual([endless.output_text, endless.status], ['A reply without an end.', 'in_progress'])
  },
}

function user(content) {
  return { role: 'user', content }
}

// outputs returns what the calls of a response gave.
function outputs(response) {
  const calls = response.output.filter(({ type }) => type === 'function_call')
  assert.deepEqual(calls.map((c) => [c.name, JSON.parse(c.arguments)]), [['read_file', { path: 'a.txt' }], ['read_file', { path: 'b.txt' }]])
  return calls.map((c) => ({ type: 'function_call_output', call_id: c.call_id, output: read(JSON.parse(c.arguments)) }))
}

async function faults(api) {
  const ask = () => api.ask({ maxRetries: 0 })
  await assert.rejects(ask(), (e) => e instanceof OpenAI.BadRequestError && e.status === 400 && e.error.message === 'scripted fault')
  await assert.rejects(ask(), OpenAI.AuthenticationError)
  const began = performance.now()
  assert.equal(api.text(await api.ask({ maxRetries: 1 })), 'The second attempt.')
  assert.ok(performance.now() - began > 1900, 'the client did not wait as it was told')
  await assert.rejects(ask(), OpenAI.InternalServerError)
  await assert.rejects(api.stream().done(), OpenAI.OpenAIError)
}

for (const api of [completions, responses]) {
  await api.replies()
  await api.calls()
  await api.ends()
  await faults(api)
}
const names = []
for await (const one of client.models.list()) names.push(one.id)
assert.deepEqual(names, ['script'])
assert.equal((await client.models.retrieve(model)).id, model)
