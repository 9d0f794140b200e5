/** JSON Schema from the contract: plain for the documentation, bare for the compiled serializers. */
import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** For fast-json-stringify: only what decides how a value is written. */
export function serializerSchema(schema: z.ZodType): JsonSchema {
  return bare(z.toJSONSchema(schema, { io: 'output', reused: 'inline', unrepresentable: 'any' }) as JsonSchema, {});
}

function bare(schema: JsonSchema, outerDefs: JsonSchema): JsonSchema {
  const defs = (schema.$defs as JsonSchema | undefined) ?? outerDefs;
  if (typeof schema.$ref === 'string') return bare(defs[schema.$ref.replace('#/$defs/', '')] as JsonSchema, defs);
  const kept: JsonSchema = {};
  if (schema.anyOf) {
    const choices = (schema.anyOf as JsonSchema[]).map((choice) => bare(choice, defs));
    const [first, ...others] = choices.filter((choice) => choice.type !== 'null');
    // One type or null, the usual case, is written without trying the choices one by one.
    if (first && others.length === 0 && first.type) return { ...first, nullable: true };
    return { anyOf: choices };
  }
  if (schema.type) kept.type = schema.type;
  if (schema.properties) {
    kept.properties = Object.fromEntries(
      Object.entries(schema.properties as JsonSchema).map(([name, inner]) => [name, bare(inner as JsonSchema, defs)]),
    );
    if (schema.required) kept.required = schema.required;
  }
  if (schema.items) kept.items = bare(schema.items as JsonSchema, defs);
  if (typeof schema.additionalProperties === 'object') kept.additionalProperties = bare(schema.additionalProperties as JsonSchema, defs);
  return kept;
}
