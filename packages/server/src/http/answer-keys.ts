/**
 * Answers as JSON by `JSON.stringify`, which nothing compiled is as fast as. Nothing leaves that the contract does not name: the keys
 * of an answer are looked at first, and one with others goes through the compiled serializer, which leaves them out.
 */
import type { JsonSchema } from './json-schema.ts';

type Check = (value: unknown) => boolean;

/** Whether a value has the keys of its schema and no others; undefined where there is nothing to look at. */
export function keysCheck(schema: JsonSchema): Check | undefined {
  const check = checkOf(schema);
  return check && schema.nullable === true ? (value) => value === null || check(value) : check;
}

function checkOf(schema: JsonSchema): Check | undefined {
  if (schema.anyOf) return choiceCheck((schema.anyOf as JsonSchema[]).map(keysCheck));
  if (schema.properties) return objectCheck(schema.properties as JsonSchema, new Set((schema.required as string[] | undefined) ?? []));
  if (schema.items) return arrayCheck(keysCheck(schema.items as JsonSchema));
  if (typeof schema.additionalProperties === 'object') return valuesCheck(keysCheck(schema.additionalProperties as JsonSchema));
  return undefined;
}

/** A choice among plain values and objects is left to the compiled serializer. */
function choiceCheck(choices: readonly (Check | undefined)[]): Check | undefined {
  return choices.every((choice) => choice === undefined) ? undefined : () => false;
}

function objectCheck(properties: JsonSchema, required: ReadonlySet<string>): Check {
  const known = new Map<string, { isRequired: boolean; check: Check | undefined }>();
  for (const [name, schema] of Object.entries(properties))
    known.set(name, { isRequired: required.has(name), check: keysCheck(schema as JsonSchema) });
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    let missing = required.size;
    for (const name in value) {
      const property = known.get(name);
      if (property === undefined) return false;
      const held = (value as Record<string, unknown>)[name];
      if (held === undefined) continue;
      if (property.isRequired) missing--;
      if (property.check !== undefined && !property.check(held)) return false;
    }
    return missing === 0;
  };
}

function arrayCheck(check: Check | undefined): Check | undefined {
  return check && ((value) => Array.isArray(value) && value.every(check));
}

function valuesCheck(check: Check | undefined): Check | undefined {
  return check && ((value) => typeof value === 'object' && value !== null && Object.values(value).every(check));
}
