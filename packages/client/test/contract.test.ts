/** The client against the service’s own description of itself: nothing forgotten, nothing sent elsewhere. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ApiOperation, readApiDocument, type Schema } from '../../../scripts/api-document.ts';
import { clientTypes, clientTypesFile } from '../../../scripts/client-types.ts';
import { Commonplace } from '../src/commonplace.ts';
import { VERSION } from '../src/version.ts';
import { type Calls, operations } from './operations.ts';
import { json, stubFetch } from './stub-fetch.ts';

const document = await readApiDocument();
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    takesKey: operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
    listKey: listKeyOf(operation),
  })),
);

/** What the answer calls the list that is all of it but its page. */
function listKeyOf({ responses }: ApiOperation): string | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = success?.content?.['application/json']?.schema;
  const named = typeof schema?.$ref === 'string' ? document.components.schemas[schema.$ref.split('/').at(-1) as string] : schema;
  const fields = Object.entries((named?.properties ?? {}) as Record<string, Schema>).filter(([name]) => name !== '_meta');
  const [only] = fields;
  return only && fields.length === 1 && only[1].type === 'array' ? only[0] : undefined;
}

const served = new Set(described.map(({ operationId }) => operationId));

test('the types of the client are those of the contract; npm run fix writes them', () => {
  expect(readFileSync(clientTypesFile, 'utf8')).toBe(clientTypes(document));
});

test('the client says its version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});

test('every operation of the API is in the client', () => {
  expect(described.filter(({ operationId }) => !Object.hasOwn(operations, operationId))).toEqual([]);
});

describe.each(described)('$operationId', ({ operationId, method, path, takesKey, listKey }) => {
  test('goes where the API has it, with a key if it changes something, and gives the list that it answers', async () => {
    const { fetch, sent } = stubFetch(json({ ...(listKey && { [listKey]: ['item'] }), _meta: { limit: 1, offset: 0, total: 1 } }));
    const client = new Commonplace({ baseUrl: 'http://service.test', apiKey: 'key', workspaceId: '{workspaceId}', fetch });
    const result = await (operations as Calls)[operationId]?.(client);
    if (listKey) expect((result as { data?: unknown }).data ?? result).toEqual(['item']);
    const [request] = sent;
    expect([request?.method, decodeURIComponent(request?.url.pathname ?? '')]).toEqual([method, path]);
    expect(request?.headers['idempotency-key'] !== undefined).toBe(takesKey);
  });
});

test('the client asks for nothing that the API has not', () => {
  expect(Object.keys(operations).filter((name) => !served.has(name))).toEqual([]);
});
