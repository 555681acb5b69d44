// Every API through LangChain: langchain.mjs ORIGIN API
import assert from 'node:assert/strict'
import { ChatAnthropic } from '@langchain/anthropic'
import { tool } from '@langchain/core/tools'
import { HumanMessage } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'

const [origin, api] = process.argv.slice(2)
const apiKey = 'sk-test-langchain'
const openai = (more) => new ChatOpenAI({ model: 'gpt-5.2', apiKey, configuration: { baseURL: `${origin}/v1` }, ...more })
const connect = {
  chat: openai,
  responses: (more) => openai({ useResponsesApi: true, ...more }),
  anthropic: (more) => new ChatAnthropic({ model: 'claude-opus-4-5', apiKey, anthropicApiUrl: origin, ...more }),
  gemini: (more) => new ChatGoogleGenerativeAI({ model: 'gemini-2.5-flash', apiKey, baseUrl: origin, ...more }),
}[api]
const model = connect({ maxRetries: 0 })

const readFile = tool(async ({ path }) => `text of ${path}`, {
  name: 'read_file',
  description: 'Reads a file',
  schema: z.object({ path: z.string() }),
})

// collect returns the message of a stream, and its pieces of text.
async function collect(stream) {
  const chunks = await Array.fromAsync(stream)
  return { message: chunks.reduce((all, chunk) => all.concat(chunk)), pieces: chunks.map(({ text }) => text).filter(Boolean) }
}

async function replies() {
  const text = 'A reply of more than one piece.'
  const check = (message, output = 3) => {
    assert.equal(message.text, text)
    const { input_tokens, input_token_details, output_tokens, total_tokens } = message.usage_metadata
    assert.deepEqual([input_tokens, output_tokens, total_tokens], [7, output, 7 + output])
      assert.equal(input_token_details.cache_read, 2)
  }
  check(await model.invoke('hi'))
  const { message, pieces } = await collect(await model.stream('hi'))
  // It adds the count of the first event of Anthropic's streams, 1, to that of the last.
  check(message, api === 'anthropic' ? 4 : 3)
  assert.ok(pieces.length > 1, `pieces are ${pieces}`)
}

// converse asks, makes the calls that the reply has, and asks again.
async function converse(ask) {
  const messages = [new HumanMessage('Read both.')]
  const asked = await ask(messages)
  assert.deepEqual(asked.tool_calls.map(({ name, args }) => [name, args]), [['read_file', { path: 'a.txt' }], ['read_file', { path: 'b.txt' }]])
  messages.push(asked)
  for (const call of asked.tool_calls) messages.push(await readFile.invoke(call))
  return [asked.text, (await ask(messages)).text]
}

async function tools() {
  const bound = model.bindTools([readFile])
  assert.deepEqual(await converse((messages) => bound.invoke(messages)), ['I look.', 'Both were read.'])
  const streamed = async (messages) => (await collect(await bound.stream(messages))).message
  assert.deepEqual(await converse(streamed), ['', 'Both were read again.'])
}

async function faults() {
  const refused = (status) => (e) => e.status === status && /scripted fault/.test(e.message)
  await assert.rejects(model.invoke('hi'), refused(400))
  await assert.rejects(model.invoke('hi'), refused(401))
  const patient = connect({ maxRetries: 1 })
  // Google's client below it drops the headers of errors, and without it does not retry.
  if (api === 'gemini') await assert.rejects(patient.invoke('hi'), refused(429))
  assert.equal((await patient.invoke('hi')).text, 'The second attempt.')
  await assert.rejects(model.invoke('hi'), refused(500))
  // Google's client below it rejects a promise besides, which nobody waits for.
  process.once('unhandledRejection', (e) => assert.match(e.message, /Error reading from the stream/))
  await assert.rejects(async () => collect(await model.stream('hi')), /terminated|Error reading from the stream/)
}

await replies()
await tools()
const short = await model.invoke('hi')
assert.equal(short.text, 'cut sho')
assert.match(JSON.stringify(short.response_metadata), /"(length|max_output_tokens|max_tokens|MAX_TOKENS)"/)
await faults()
