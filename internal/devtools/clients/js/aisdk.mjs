// Every API through Vercel's AI SDK: aisdk.mjs ORIGIN API
import assert from 'node:assert/strict'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'

const [origin, api] = process.argv.slice(2)
const apiKey = 'sk-test-aisdk'
const openai = createOpenAI({ baseURL: `${origin}/v1`, apiKey })
const model = {
  chat: () => openai.chat('gpt-5.2'),
  responses: () => openai.responses('gpt-5.2'),
  anthropic: () => createAnthropic({ baseURL: `${origin}/v1`, apiKey })('claude-opus-4-5'),
  gemini: () => createGoogle({ baseURL: `${origin}/v1beta`, apiKey })('gemini-2.5-flash'),
}[api]()

const tools = {
  read_file: tool({
    description: 'Reads a file',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => `text of ${path}`,
  }),
}
const params = (more) => ({ model, prompt: 'hi', maxRetries: 0, ...more })
const looped = params({ tools, stopWhen: isStepCount(3) })

function stream(params) {
  return streamText({ ...params, onError: () => {} })
}

async function replies() {
  const text = 'A reply of more than one piece.'
  const check = (reply, finishReason, { inputTokens, inputTokenDetails, outputTokens, totalTokens }) => {
    assert.deepEqual([reply, finishReason], [text, 'stop'])
    assert.deepEqual([inputTokens, inputTokenDetails.cacheReadTokens, outputTokens, totalTokens], [7, 2, 3, 10])
  }
  const whole = await generateText(params())
  check(whole.text, whole.finishReason, whole.usage)
  const streamed = stream(params())
  const pieces = await Array.fromAsync(streamed.textStream)
  assert.ok(pieces.length > 1, `pieces are ${pieces}`)
  check(pieces.join(''), await streamed.finishReason, await streamed.usage)
}

async function calledByTheLibrary() {
  const check = (text, want, steps) => {
    assert.equal(text, want)
    assert.deepEqual(steps[0].toolResults.map(({ output }) => output), ['text of a.txt', 'text of b.txt'])
    assert.equal(steps[0].finishReason, 'tool-calls')
  }
  const whole = await generateText(looped)
  assert.equal(whole.steps[0].text, 'I look.')
  check(whole.text, 'Both were read.', whole.steps)
  const streamed = stream(looped)
  check(await streamed.text, 'Both were read again.', await streamed.steps)
}

async function faults() {
  const refused = (statusCode) => (e) => APICallError.isInstance(e) && e.statusCode === statusCode && e.message === 'scripted fault'
  await assert.rejects(generateText(params()), refused(400))
  await assert.rejects(generateText(params()), refused(401))
  const began = performance.now()
  assert.equal((await generateText(params({ maxRetries: 1 }))).text, 'The second attempt.')
  assert.ok(performance.now() - began > 2900, 'the library did not wait as it was told')
  await assert.rejects(generateText(params()), refused(500))
  await assert.rejects(async () => {
    for await (const { type, error } of stream(params()).fullStream) if (type === 'error') throw error
  }, /terminated|successful response/)
}

await replies()
await calledByTheLibrary()
const short = await generateText(params())
assert.deepEqual([short.text, short.finishReason], ['cut sho', 'length'])
await faults()
