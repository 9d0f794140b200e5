/** Every command of docs/guide, run as it stands against a real service. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { cursorDiffers, differences, type GuideStep, readGuide, scriptOf } from './guide.ts';

const run = promisify(execFile);
const folder = new URL('../../../docs/guide/', import.meta.url);
/** As the guide tells its reader to start the service. */
const SAID_URL = 'http://127.0.0.1:8080';
const SAID_SETTINGS = { COMMONPLACE_ADMIN_EMAIL: 'ada@example.com', COMMONPLACE_ADMIN_API_KEY: 'a-key-that-nobody-guesses' };

test('every command of the guide works in its order, and answers what the guide shows', async () => {
  const steps = await readGuide(folder);
  expect(steps.length).toBeGreaterThan(35);
  const start = readFileSync(new URL('README.md', folder), 'utf8');
  for (const [name, value] of Object.entries(SAID_SETTINGS)) expect(start).toContain(`${name}=${value}`);

  const { url } = await serve({ ...SAID_SETTINGS, COMMONPLACE_DATA_DIR: temporaryFolder() });
  const output = temporaryFolder();
  const script = join(output, 'guide.sh');
  writeFileSync(script, scriptOf(steps).replaceAll(SAID_URL, url));
  const env = { PATH: process.env.PATH, OUTPUT: output };
  await run('bash', ['-e', script], { cwd: temporaryFolder(), env, timeout: 240_000 }).catch(() => undefined);

  for (const [index, step] of steps.entries()) {
    const read = (end: string) =>
      existsSync(join(output, `${index}.${end}`)) ? readFileSync(join(output, `${index}.${end}`), 'utf8') : '';
    if (!existsSync(join(output, `${index}.done`))) {
      throw new Error(`docs/guide/${step.place} failed:\n${step.commands}\n\n${read('out')}\n${read('err')}`);
    }
    expect.soft(complaintsOf(step, read('out')), `docs/guide/${step.place}`).toEqual([]);
  }
});

function complaintsOf({ shown }: GuideStep, output: string): string[] {
  if (!shown) return [];
  if (shown.kind === 'text') return output.trimEnd() === shown.text.trimEnd() ? [] : [`It printed ${JSON.stringify(output)}`];
  const [said, answered] = [JSON.parse(shown.text), JSON.parse(output)];
  return [...differences(said, answered), ...(cursorDiffers(said, answered) ? ['._meta.cursor'] : [])];
}

test('the guide uses bash, curl and node, and shows every group of the API', async () => {
  const commands = (await readGuide(folder)).map((step) => step.commands).join('\n');
  expect(commands).not.toMatch(/\b(jq|python3?|wget|httpie)\b/);
  for (const part of [
    '/me',
    '/workspaces',
    '/keys',
    '/agents',
    '/sessions',
    'by-labels',
    '/messages',
    '/memories',
    '/fork',
    '/regenerate',
    '/documents',
    '/search',
    '/prompts',
    '/versions',
  ]) {
    expect(commands, part).toContain(part);
  }
  for (const part of [
    'promptsByName',
    '/render',
    '/diff/',
    '/members',
    '/invites',
    '/audits',
    '/stats',
    'Idempotency-Key',
    'If-None-Match',
    'cursor=',
  ]) {
    expect(commands, part).toContain(part);
  }
});

test.for([
  [{ a: 1 }, { a: 1, b: 2 }, []],
  [{ a: 1 }, {}, ['.a is missing']],
  [{ a: 1 }, { a: 2 }, ['.a is 2, not 1']],
  [{ a: '019a…' }, { a: 'x' }, ['.a is "x", not "019a…"']],
  [{ a: '019a…' }, { a: '019b0000-0000-7000-8000-000000000000' }, []],
  [{ a: 'support-team-…' }, { a: 'support-team-x7k2q9' }, []],
  [{ a: 'support-team-…' }, { a: 'other' }, ['.a is "other", not "support-team-…"']],
  [{ a: '2026-11-15T09:30:00.000Z' }, { a: '2027-01-01T00:00:00.000Z' }, []],
  [{ a: '2026-11-15T09:30:00.000Z' }, { a: null }, ['.a is null, not "2026-11-15T09:30:00.000Z"']],
  [[{ a: 1 }], [{ a: 1 }, { a: 2 }], [' has 2 items, not 1']],
  [{ a: {} }, { a: null }, ['.a is no object']],
] as const)('what is shown as %j and answered as %j', ([shown, answered, expected]) => {
  expect(differences(shown, answered)).toEqual(expected);
});
