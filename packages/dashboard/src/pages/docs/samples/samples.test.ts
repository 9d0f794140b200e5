/** What the reference prints for people to copy: each line as the language wants it. */
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { operations } from '../../../../../client/test/operations.ts';
import { type OpenApiDocument, readDocument } from '../document.ts';
import { exampleCall } from './call.ts';
import { clientMethods } from './client-methods.ts';
import { curlSample } from './curl.ts';
import { pythonLiteral, typescriptLiteral } from './literals.ts';
import { pythonSample } from './python.ts';
import { typescriptSample } from './typescript.ts';

const ids = [
  { name: 'workspaceId', in: 'path', required: true, schema: { type: 'string' } },
  { name: 'agentId', in: 'path', required: true, schema: { type: 'string' } },
] as const;
const answer = { description: 'Success.', content: { 'application/json': { schema: { type: 'object' } } } };
const about = { tags: ['Sessions'], summary: 'Do it', security: [{ ApiKey: [] }, { AccessKey: [] }], parameters: ids };
const path = '/api/v1/workspaces/{workspaceId}/agents/{agentId}/sessions';
const body = { name: "Holt's", labels: { 'a-b': '1' }, live: true, none: null };

const reference = readDocument({
  info: { title: 'API', version: '1' },
  tags: [{ name: 'Sessions' }],
  components: {
    schemas: {},
    securitySchemes: { ApiKey: { in: 'header', name: 'X-API-Key' }, AccessKey: { in: 'header', name: 'X-Access-Key' } },
  },
  paths: {
    [path]: {
      get: { ...about, operationId: 'listSessions', responses: { 200: answer } },
      post: {
        ...about,
        operationId: 'createSession',
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' }, example: body } } },
        responses: { 201: answer },
      },
    },
    [`${path}/by-labels`]: {
      delete: {
        ...about,
        operationId: 'deleteSessionByLabels',
        parameters: [...ids, { name: 'id', in: 'query', schema: { type: 'string' } }],
        responses: { 204: { description: 'Gone.' } },
      },
    },
  },
} as OpenApiDocument);

function callOf(id: string) {
  const operation = reference.operations.find((each) => each.id === id);
  if (!operation) throw new Error(id);
  return exampleCall(operation, reference, 'http://service.example', undefined);
}

test('the reference knows the method of every operation that the client has', () => {
  for (const [id, call] of Object.entries(operations)) expect(String(call)).toContain(`c.${clientMethods[id]}(`);
  expect(Object.keys(clientMethods).sort()).toEqual(Object.keys(operations).sort());
});

test('curl: variables of the shell for what is not known, and quotes that hold', () => {
  expect(curlSample(callOf('createSession'))).toBe(
    [
      'curl -X POST \\',
      '  "http://service.example/api/v1/workspaces/$COMMONPLACE_WORKSPACE_ID/agents/$AGENT_ID/sessions" \\',
      '  -H "X-Access-Key: $COMMONPLACE_ACCESS_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
    ].join('\n'),
  );
});

test('TypeScript: by the client, with a loop over what is a list', () => {
  const created = typescriptSample(callOf('createSession'));
  expect(created).toContain("import { Commonplace } from '@commonplace/client';");
  expect(created).toContain("const agentId = 'AGENT_ID';");
  expect(created).toContain("const answer = await commonplace.sessions.create(agentId, {\n  name: 'Holt\\'s',");
  expect(typescriptSample(callOf('listSessions'))).toContain('for await (const each of commonplace.sessions.list(agentId)) {');
  expect(typescriptSample(callOf('deleteSessionByLabels'))).toContain(
    "\nawait commonplace.sessions.deleteByLabels(agentId, { id: 'chat-17' });",
  );
});

test('Python: its own words for true, false and nothing', () => {
  const created = pythonSample(callOf('createSession'));
  expect(created).toContain('agent_id = "AGENT_ID"');
  expect(created).toContain('f"http://service.example/api/v1/workspaces/{workspace_id}/agents/{agent_id}/sessions"');
  expect(created).toContain('"live": True');
  expect(created).toContain('"none": None');
  expect(pythonSample(callOf('deleteSessionByLabels'))).toContain('params={"id": "chat-17"}');
});

test.each(['plain', 'it’s', "it's", 'say "x"', 'back\\slash', 'two\nlines', '', '\u2028'])('%j survives as a literal', (text) => {
  // Read back by the language itself.
  expect(runInNewContext(typescriptLiteral(text))).toBe(text);
  expect(JSON.parse(pythonLiteral(text))).toBe(text);
});
