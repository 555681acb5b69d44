// ajv 8 in strict mode; a warning ends it.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
const require = createRequire(import.meta.url);
const Ajv = require('ajv/dist/2020').default;
const formats = require('ajv-formats').default;
const stop = (...words) => { console.error(...words); process.exit(1); };
const ajv = formats(new Ajv({strict: true, logger: {log: stop, warn: stop, error: stop}}));
const [schema, lines] = process.argv.slice(2).map(name => readFileSync(name, 'utf8'));
const validate = ajv.compile(JSON.parse(schema));
for (const line of lines.trimEnd().split('\n')) console.log(validate(JSON.parse(line)));
