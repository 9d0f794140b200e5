/** The OpenAPI document as strangers use it: linted, made into clients in two languages, and every operation called through them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApi, type TestApi } from './api.ts';
import { runProgram } from './cached-folder.ts';
import { type PlannedCall, planCalls } from './openapi-clients/planned-calls.ts';
import { nodeTools, type PythonTools, pythonTools } from './openapi-clients/tools.ts';
import { typescriptProgram } from './openapi-clients/typescript-program.ts';

const TIME_LIMIT_MS = 600_000;

interface Outcome {
  readonly status: number;
  readonly hasData: boolean;
  readonly error?: unknown;
}

async function listen(): Promise<{ api: TestApi; url: string }> {
  const { api, close } = await openApi();
  onTestFinished(close);
  return { api, url: await api.app.server.listen({ port: 0, host: '127.0.0.1' }) };
}

async function writeDocument(api: TestApi, folder: string): Promise<string> {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, (await api.anonymous.get('/openapi.json')).text);
  return file;
}

/** The document in a file, and the calls to make through what is made from it. */
async function prepare(folder: string): Promise<{ document: string; calls: PlannedCall[] }> {
  const [{ api, url }, empty] = [await listen(), await listen()];
  return { document: await writeDocument(api, folder), calls: await planCalls(api, url, empty.url) };
}

function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'commonplace-openapi-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function expectSuccess(calls: readonly PlannedCall[], outcomes: Record<string, Outcome>): void {
  const surprises = calls.flatMap(({ operationId, status }) => {
    const outcome = outcomes[operationId];
    const isFine = outcome?.status === status && (status === 204 || outcome.hasData);
    return isFine ? [] : [`${operationId}: expected ${status}, got ${JSON.stringify(outcome)}`];
  });
  expect(surprises).toEqual([]);
  expect(Object.keys(outcomes)).toHaveLength(calls.length);
}

test('a strict linter has nothing to say', { timeout: TIME_LIMIT_MS }, async () => {
  const { run } = await nodeTools();
  const document = await writeDocument((await listen()).api, temporaryFolder());
  const said = await run('redocly', ['lint', '--extends', 'recommended-strict', document]);
  expect(said).toContain('valid');
  expect(said).not.toMatch(/warning:|\bwarnings?\b \d/i);
});

test('the types for TypeScript compile, and every operation works by them', { timeout: TIME_LIMIT_MS }, async () => {
  const tools = await nodeTools();
  const folder = temporaryFolder(tools.folder);
  const { document, calls } = await prepare(folder);
  await tools.run('openapi-typescript', [document, '-o', join(folder, 'api.d.ts')]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const program = join(folder, 'every-operation.ts');
  writeFileSync(program, typescriptProgram(calls));
  const strict = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom,dom.iterable',
  ];
  await tools.run('tsc', [...strict, program], folder);
  const said = await runProgram(process.execPath, [program], { cwd: folder });
  expectSuccess(calls, JSON.parse(said.slice(said.indexOf('{"'))));
});

describe('Python', () => {
  let tools: PythonTools | undefined;
  beforeAll(async () => {
    tools = await pythonTools();
    if (tools) return;
    const reason = 'no Python 3 with venv on this machine (Debian: apt-get install python3-venv)';
    if (process.env.CI) throw new Error(`Tests: ${reason}`);
    console.warn(`Tests: the client for Python is left out: ${reason}`);
  }, TIME_LIMIT_MS);

  test('the client for Python is generated whole and type checks, and every operation works', {
    timeout: TIME_LIMIT_MS,
  }, async (context) => {
    if (!tools) return context.skip();
    const folder = temporaryFolder();
    const { document, calls } = await prepare(folder);
    const client = join(folder, 'client');
    const settings = join(folder, 'settings.json');
    // Lines are bytes to a generator that does not know them.
    writeFileSync(settings, JSON.stringify({ content_type_overrides: { 'application/x-ndjson': 'application/octet-stream' } }));
    const options = ['--path', document, '--output-path', client, '--config', settings];
    const said = await tools.run('openapi_python_client', ['generate', ...options], folder);
    expect(said).not.toMatch(/warning|unable|skipping/i);
    await tools.run('mypy', ['--strict', 'commonplace_client'], client);
    const plan = join(folder, 'plan.json');
    writeFileSync(plan, JSON.stringify(calls));
    const program = join(import.meta.dirname, 'openapi-clients/every_operation.py');
    const outcomes = await tools.runFile(program, [plan], client);
    expectSuccess(calls, JSON.parse(outcomes.slice(outcomes.indexOf('{"'))));
  });
});
