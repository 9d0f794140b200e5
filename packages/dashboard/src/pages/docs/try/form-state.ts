/** What was filled in to try an operation, and the request that it makes. */
import { useState } from 'react';
import { rememberedWorkspace } from '../../../shell/last-workspace.ts';
import type { Operation, Parameter, Reference } from '../document.ts';
import { pathIds } from '../samples/call.ts';
import type { Filled } from './send.ts';
import type { TypedKeys } from './typed-keys.ts';

export const COOKIE = 'Cookie';

export interface FormState {
  /** The name of a scheme, or empty for nobody. */
  readonly caller: string;
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  readonly file: File | undefined;
}

/** The sign-in of this browser where it is allowed: nothing has to be typed. */
export function firstState({ schemes, body }: Operation): FormState {
  const caller = schemes.includes(COOKIE) ? COOKIE : (schemes[0] ?? '');
  const workspaceId = rememberedWorkspace();
  return {
    caller,
    values: workspaceId ? { 'path workspaceId': workspaceId } : {},
    body: body?.example === undefined ? '' : JSON.stringify(body.example, null, 2),
    file: undefined,
  };
}

export function useFormState(operation: Operation) {
  const [state, setState] = useState(() => firstState(operation));
  return {
    state,
    change: (changes: Partial<FormState>) => setState((before) => ({ ...before, ...changes })),
    setValue: (key: string, value: string) => setState((before) => ({ ...before, values: { ...before.values, [key]: value } })),
  };
}

export const valueKey = (parameter: Parameter): string => `${parameter.in} ${parameter.name}`;

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function pairOf(part: string): [string, string] {
  const [key = '', value = ''] = part.split(/=(.*)/s, 2);
  return [key, value];
}

/** A map gives its own keys: `team=support, user=42`. A list repeats its name. */
function pairsOf({ name, schema }: Parameter, text: string): [string, string][] {
  if (!text.trim()) return [];
  const parts = partsOf(text);
  if (schema.type === 'object') return parts.map(pairOf);
  return schema.type === 'array' ? parts.map((part) => [name, part]) : [[name, text.trim()]];
}

/** What is wrong with what was typed. What is missing, the form says when it is sent. */
export function findProblem(operation: Operation, { values, body }: FormState): string | undefined {
  for (const parameter of operation.parameters.filter(({ schema }) => schema.type === 'object')) {
    const alone = partsOf(values[valueKey(parameter)] ?? '').find((part) => !part.includes('='));
    if (alone) return `${parameter.name}: ${alone} has no value. Write ${alone}=value.`;
  }
  if (!operation.body || operation.body.type === 'multipart/form-data' || !body.trim()) return undefined;
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return `The body is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export function fillCall(operation: Operation, reference: Reference, state: FormState, typedKeys: TypedKeys): Filled {
  const { parameters, body } = operation;
  const typedFor = (parameter: Parameter) => state.values[valueKey(parameter)] ?? '';
  const header = reference.schemes[state.caller]?.in === 'header' ? reference.schemes[state.caller]?.name : undefined;
  const key = typedKeys.of(state.caller).trim();
  return {
    operation,
    ids: Object.fromEntries(pathIds(operation).map((name) => [name, state.values[`path ${name}`] ?? ''])),
    query: parameters.filter((each) => each.in === 'query').flatMap((each) => pairsOf(each, typedFor(each))),
    headers: parameters
      .filter((each) => each.in === 'header' && typedFor(each).trim())
      .map((each) => [each.name, typedFor(each).trim()] as const),
    key: header && key ? [header, key] : undefined,
    asSignedIn: state.caller === COOKIE,
    body:
      body?.type === 'multipart/form-data'
        ? formData(operation, state)
        : body && state.body.trim()
          ? { type: body.type, text: state.body }
          : undefined,
  };
}

function formData({ body }: Operation, { values, file }: FormState): FormData {
  const data = new FormData();
  for (const [name, schema] of Object.entries(body?.schema.properties ?? {})) {
    const value = values[`form ${name}`]?.trim();
    if (schema.format === 'binary' && file) data.append(name, file);
    else if (value) data.append(name, value);
  }
  return data;
}
