// Evaluates expressions with GitHub's own package: reads {modules, names, expressions}, prints one JSON value or null for an error.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const asked = JSON.parse(readFileSync(0, "utf8"));
const entry = pathToFileURL(`${asked.modules}/@actions/expressions/dist/index.js`).href;
const { Lexer, Parser, Evaluator, data } = await import(entry);

function toData(value) {
  if (value === null) return new data.Null();
  if (typeof value === "boolean") return new data.BooleanData(value);
  if (typeof value === "number") return new data.NumberData(value);
  if (typeof value === "string") return new data.StringData(value);
  if (Array.isArray(value)) return new data.Array(...value.map(toData));
  return new data.Dictionary(...Object.entries(value).map(([key, inner]) => ({ key, value: toData(inner) })));
}

const contexts = toData(asked.names);
const answers = asked.expressions.map((source) => {
  try {
    const tree = new Parser(new Lexer(source).lex().tokens, Object.keys(asked.names), []).parse();
    return { value: JSON.parse(JSON.stringify(new Evaluator(tree, contexts).evaluate(), data.replacer)) };
  } catch (error) {
    return { error: String(error.message) };
  }
});
console.log(JSON.stringify(answers));
