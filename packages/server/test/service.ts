/** The service as a process that tests may kill, and talk to with an API key. */
import { expect } from 'vitest';
import { serve } from '../src/cli/spawn-for-test.ts';

const KEY = 'the-key-of-a-service-under-test';

export interface Service {
  /** `path` is below /api/v1; an answer that is not 2xx fails the test. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  ask(method: string, path: string, body?: FormData | object): Promise<any>;
  /** The exit code; null where the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export async function startService(dataDir: string, settings: Readonly<Record<string, string>>): Promise<Service> {
  const { url, stop } = await serve({ COMMONPLACE_DATA_DIR: dataDir, COMMONPLACE_ADMIN_API_KEY: KEY, ...settings });
  return {
    ask: async (method, path, body) => {
      const isForm = body instanceof FormData;
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { 'x-api-key': KEY, ...(body && !isForm && { 'content-type': 'application/json' }) },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      });
      expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
      return answer.status === 204 ? undefined : answer.json();
    },
    kill: async (signal) => (await stop(signal)).code,
  };
}
