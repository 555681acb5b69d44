// hyperjump, which knows formats by a package of its own.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';
const require = createRequire(import.meta.url);
const load = name => import(pathToFileURL(require.resolve(name)));
const {registerSchema, validate, setShouldValidateFormat} = await load('@hyperjump/json-schema/draft-2020-12');
await load('@hyperjump/json-schema/formats');
setShouldValidateFormat(true);
const [schema, lines] = process.argv.slice(2).map(name => readFileSync(name, 'utf8'));
registerSchema(JSON.parse(schema));
const valid = await validate(JSON.parse(schema).$id);
for (const line of lines.trimEnd().split('\n')) console.log(valid(JSON.parse(line)).valid);
