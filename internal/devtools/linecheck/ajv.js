// Judges a stream of JSON lines with the published schema as ajv compiles it:
//   node ajv.js compile SCHEMA OUT.js   writes the validator as code of its own
//   node ajv.js check OUT.js STREAM     has it judge every line
'use strict'
const fs = require('node:fs')
const path = require('node:path')

const [mode, from, to] = process.argv.slice(2)
if (mode === 'compile') {
  const Ajv = require('ajv/dist/2020').default
  const standalone = require('ajv/dist/standalone').default
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, code: { source: true } })
  require('ajv-formats').default(ajv)
  fs.writeFileSync(to, standalone(ajv, ajv.compile(JSON.parse(fs.readFileSync(from)))))
} else {
  const validate = require(path.resolve(from))
  const text = fs.readFileSync(to)
  let lines = 0, refused = 0
  for (let at = 0; at < text.length; lines++) {
    let end = text.indexOf(10, at)
    if (end < 0) end = text.length
    if (!validate(JSON.parse(text.toString('utf8', at, end)))) refused++
    at = end + 1
  }
  console.log(`${lines} lines, ${refused} refused`)
}
