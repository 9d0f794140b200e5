/** A real service for the tests of the client: a process of its own, on each engine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grantablePermissions } from '@commonplace/contract/permissions';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { createTestDatabase } from '../../server/test/database.ts';
import { Commonplace } from '../src/commonplace.ts';

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const API_KEY = 'the-key-of-a-service-under-test';

export interface TestService {
  readonly url: string;
  readonly workspaceId: string;
  readonly accessKey: string;
  /** With an API key. */
  readonly admin: Commonplace;
}

export interface StartedService {
  readonly service: TestService;
  end(): Promise<void>;
}

type Engine = 'sqlite' | 'postgres';
const engines: Engine[] = inject('postgres') ? ['sqlite', 'postgres'] : ['sqlite'];

/** The same tests on each engine; `service()` is there when they run. */
export function describeOnEachEngine(tests: (service: () => TestService) => void): void {
  describe.each(engines)('on %s', (engine) => {
    let started: StartedService | undefined;
    beforeAll(async () => {
      started = await startService(engine);
    });
    afterAll(() => started?.end());
    tests(() => {
      if (!started) throw new Error('The service has not started');
      return started.service;
    });
  });
}

export async function startService(engine: Engine, settings: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'commonplace-client-'));
  const database = engine === 'postgres' ? await createTestDatabase() : undefined;
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      COMMONPLACE_PORT: '0',
      COMMONPLACE_DATA_DIR: dataDir,
      COMMONPLACE_ADMIN_API_KEY: API_KEY,
      ...settings,
      ...(database && { COMMONPLACE_DATABASE_URL: database.url, COMMONPLACE_DATABASE_POOL_SIZE: '8' }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 100_000) said += text;
      const found = /listening at (http:\/\/[^"\s]+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    ended.then(() => reject(new Error(`The service ended before it listened: ${said}`)), reject);
  });
  const admin = new Commonplace({ baseUrl: url, apiKey: API_KEY });
  const workspace = await admin.workspaces.create({ name: 'Tests of the client' });
  const key = await admin
    .workspace(workspace.id)
    .accessKeys.create({ name: 'Everything', permissions: [...grantablePermissions] as never });
  return {
    service: { url, workspaceId: workspace.id, accessKey: key.key, admin },
    end: async () => {
      child.kill('SIGTERM');
      await ended;
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A client of the service, as a program in its workspace has it. */
export function clientOf({ url, accessKey, workspaceId }: TestService): Commonplace {
  return new Commonplace({ baseUrl: url, accessKey, workspaceId });
}
