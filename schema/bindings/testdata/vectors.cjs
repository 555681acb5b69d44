// Prints what the reader gets wrong of the vectors: vectors.cjs READER KIT SCHEMA
const { readFileSync } = require("node:fs");

const [reader, kit, schema] = process.argv.slice(2);
const { compile, read } = require(reader);
const matches = compile(JSON.parse(readFileSync(schema, "utf8")));
const vectors = JSON.parse(readFileSync(`${kit}/vectors.json`, "utf8"));
for (const vector of vectors) {
  let accepted = true;
  try {
    read(readFileSync(`${kit}/${vector.file}`), matches, vector.strict);
  } catch {
    accepted = false;
  }
  if (accepted !== vector.valid) console.log("reader:", vector.file, accepted ? "accepted" : "refused", vector.why);
}
console.log(vectors.length, "vectors");
