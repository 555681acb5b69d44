// Anthropic Messages through the official client: anthropic.mjs ORIGIN
import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'

const [baseURL] = process.argv.slice(2)
const client = new Anthropic({ baseURL, apiKey: 'sk-test-anthropic' })
const model = 'claude-opus-4-5'

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = [{ name: 'read_file', description: 'Reads a file', input_schema: schema }]

// params returns those of a request that says this.
const params = (content, messages = []) => ({ model, max_tokens: 100, tools, messages: [...messages, { role: 'user', content }] })

const text = 'A reply of more than one piece.'

// checkReply checks the message of the first turns.
function checkReply(message) {
  assert.deepEqual(message.content.map(({ type, text }) => [type, text]), [['text', text]])
  assert.deepEqual([message.model, message.role, message.stop_reason, message.stop_sequence], [model, 'assistant', 'end_turn', null])
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = message.usage
  assert.deepEqual([input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens], [5, 0, 2, 3])
}

async function replies() {
  checkReply(await client.messages.create(params('hi')))

  const pieces = []
  const stream = client.messages.stream(params('hi')).on('text', (piece) => pieces.push(piece))
  checkReply(await stream.finalMessage())
  assert.ok(pieces.length > 1, `pieces are ${pieces}`)
  assert.equal(pieces.join(''), text)
}

// results returns what two calls gave.
function results(message, ...contents) {
  assert.equal(message.stop_reason, 'tool_use')
  const calls = message.content.filter(({ type }) => type === 'tool_use')
  assert.deepEqual(calls.map(({ name, input }) => [name, input]), [['read_file', { path: 'a.txt' }], ['read_file', { path: 'b.txt' }]])
  return calls.map(({ id }, i) => ({ type: 'tool_result', tool_use_id: id, ...contents[i] }))
}

async function calls() {
  const asked = await client.messages.create(params('Read both.'))
  assert.equal(asked.content[0].text, 'I look.')
  const talk = [...params('Read both.').messages, { role: 'assistant', content: asked.content }]
  const parts = results(asked, { content: 'text of a.txt' }, { content: [{ type: 'text', text: 'text of b.txt' }] })
  const reminded = [...parts, { type: 'text', text: 'A reminder.' }]
  assert.equal((await client.messages.create(params(reminded, talk))).content[0].text, 'Both were read.')

  const again = await client.messages.stream(params('Again.')).finalMessage()
  talk.push({ role: 'assistant', content: again.content })
  const failed = results(again, { content: 'text of a.txt' }, { content: 'no such file', is_error: true })
  assert.equal(await client.messages.stream(params(failed, talk)).finalText(), 'Both were read again.')
}

async function calledByTheClient() {
  const readFile = betaTool({ name: 'read_file', description: 'Reads a file', inputSchema: schema, run: ({ path }) => `text of ${path}` })
  const message = await client.beta.messages.toolRunner({ ...params('Read it.'), tools: [readFile] })
  assert.equal(message.content[0].text, 'The client called it.')
}

async function ends() {
  const short = await client.messages.create(params('hi'))
  assert.deepEqual([short.content[0].text, short.stop_reason], ['cut sho', 'max_tokens'])
  assert.equal((await client.messages.stream(params('hi')).finalMessage()).stop_reason, 'refusal')

  let partial = ''
  for await (const event of await client.messages.create({ ...params('hi'), stream: true })) {
    if (event.delta?.type === 'input_json_delta') partial += event.delta.partial_json
  }
  assert.equal(partial, '{"path": "a.t')
  await assert.rejects(client.messages.stream(params('hi')).finalMessage(), Anthropic.AnthropicError)
}

async function faults() {
  const ask = (options) => client.messages.create(params('hi'), { maxRetries: 0, ...options })
  const failure = (status, type) => ({ status, type, error: { type: 'error', error: { type, message: 'scripted fault' }, request_id: 'req_script' } })
  await assert.rejects(ask(), failure(400, 'invalid_request_error'))
  await assert.rejects(ask(), failure(401, 'authentication_error'))
  const began = performance.now()
  assert.equal((await ask({ maxRetries: 1 })).content[0].text, 'The second attempt.')
  assert.ok(performance.now() - began > 900, 'the client did not wait as it was told')
  await assert.rejects(ask(), failure(529, 'overloaded_error'))
  await assert.rejects(client.messages.stream(params('hi')).finalMessage(), Anthropic.AnthropicError)
}

async function besides() {
  assert.ok((await client.messages.countTokens({ model, messages: params('hi').messages })).input_tokens > 0)
  const names = []
  for await (const one of client.models.list()) names.push(one.id)
  assert.deepEqual(names, ['script'])
  assert.equal((await client.models.retrieve(model)).display_name, model)
}

for (const part of [replies, calls, calledByTheClient, ends, faults, besides]) await part()
