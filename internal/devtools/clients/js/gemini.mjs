// The Gemini API through the official client: gemini.mjs ORIGIN
import assert from 'node:assert/strict'
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai'

const [origin] = process.argv.slice(2)
const model = 'gemini-2.5-flash'
const options = { apiKey: 'sk-test-google', httpOptions: { baseUrl: origin } }
const { models, chats } = new GoogleGenAI(options)

const declaration = {
  name: 'read_file',
  description: 'Reads a file',
  parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const config = { systemInstruction: 'Be brief.', tools: [{ functionDeclarations: [declaration] }] }

// collect returns the text, the calls and the last chunk of a stream.
async function collect(stream) {
  const all = { pieces: [], calls: [] }
  for await (const chunk of stream) {
    if (chunk.text) all.pieces.push(chunk.text)
    all.calls.push(...(chunk.functionCalls ?? []))
    all.last = chunk
  }
  return all
}

// results returns what two calls gave, each in its own form.
function results(calls) {
  assert.deepEqual(calls.map(({ name, args }) => [name, args.path]), [['read_file', 'a.txt'], ['read_file', 'b.txt']])
  return calls.map(({ id, name }) => ({ functionResponse: { id, name } }))
}

const text = 'A reply of more than one piece.'
const counts = { promptTokenCount: 7, cachedContentTokenCount: 2, candidatesTokenCount: 3, totalTokenCount: 10 }

async function replies() {
  const whole = await models.generateContent({ model, contents: 'hi', config })
  assert.equal(whole.text, text)
  assert.equal(whole.candidates[0].finishReason, 'STOP')
  assert.equal(whole.modelVersion, model)
  assert.deepEqual({ ...whole.usageMetadata }, counts)

  const { pieces, last } = await collect(await models.generateContentStream({ model, contents: 'hi', config }))
  assert.ok(pieces.length > 1, `pieces are ${pieces}`)
  assert.equal(pieces.join(''), text)
  assert.equal(last.candidates[0].finishReason, 'STOP')
  assert.deepEqual({ ...last.usageMetadata }, counts)
}

async function tools() {
  const chat = chats.create({ model, config })
  const asked = await chat.sendMessage({ message: 'Read both.' })
  assert.equal(asked.candidates[0].content.parts[0].text, 'I look.')
  const parts = results(asked.functionCalls)
  parts[0].functionResponse.response = { output: 'text of a.txt' }
  parts[1].functionResponse.response = { output: 'text of b.txt' }
  assert.equal((await chat.sendMessage({ message: parts })).text, 'Both were read.')

  const { calls } = await collect(await chat.sendMessageStream({ message: 'Again.' }))
  const again = results(calls)
  again[0].functionResponse.response = { error: 'no such file' }
  again[1].functionResponse.response = { lines: 2, more: false }
  const { pieces } = await collect(await chat.sendMessageStream({ message: again }))
  assert.equal(pieces.join(''), 'Both were read again.')
}

async function calledByTheClient() {
  const tool = {
    tool: async () => ({ functionDeclarations: [declaration] }),
    callTool: async (calls) => calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: `text of ${args.path}` } } })),
  }
  const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } }
  const reply = await models.generateContent({ model, contents: 'Read it.', config: { tools: [tool], toolConfig } })
  assert.equal(reply.text, 'The client called it.')
}

async function ends() {
  const short = await models.generateContent({ model, contents: 'hi' })
  assert.deepEqual([short.text, short.candidates[0].finishReason], ['cut sho', 'MAX_TOKENS'])
  const { last } = await collect(await models.generateContentStream({ model, contents: 'hi' }))
  assert.equal(last.candidates[0].finishReason, 'SAFETY')
}

async function vertex() {
  const cloud = new GoogleGenAI({ ...options, vertexai: true })
  const { pieces } = await collect(await cloud.models.generateContentStream({ model, contents: 'hi' }))
  assert.equal(pieces.join(''), 'By another path.')
}

async function faults() {
  const ask = (more) => models.generateContent({ model, contents: 'hi', config: more })
  await assert.rejects(ask(), { name: 'ApiError', status: 400, message: /"status":"INVALID_ARGUMENT"/ })
  await assert.rejects(ask(), { name: 'ApiError', status: 401, message: /"status":"UNAUTHENTICATED"/ })
  const again = await ask({ httpOptions: { retryOptions: { attempts: 2 } } })
  assert.equal(again.text, 'The second attempt.')
  await assert.rejects(ask(), { name: 'ApiError', status: 503, message: /"status":"UNAVAILABLE"/ })
  await assert.rejects(async () => collect(await models.generateContentStream({ model, contents: 'hi' })), /terminated|aborted|Incomplete/)
}

async function besides() {
  assert.ok((await models.countTokens({ model, contents: 'hi' })).totalTokens > 0)
  const names = []
  for await (const one of await models.list()) names.push(one.name)
  assert.deepEqual(names, ['models/script'])
  assert.equal((await models.get({ model })).name, `models/${model}`)
}

for (const part of [replies, tools, calledByTheClient, ends, vertex, faults, besides]) await part()
