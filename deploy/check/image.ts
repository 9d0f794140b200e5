/** What must hold of a container of the image. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltImage, RunningImage } from './running-image.ts';

const KEY = 'a-key-for-the-check-of-the-image';
const MOST_BYTES = 250e6;
const TRIES = 1_200;
const PAUSE_MS = 100;

/** Lines for people; the first thing that does not hold is thrown. */
export async function checkImage(image: BuiltImage, say: (line: string) => void): Promise<void> {
  assert.ok(image.sizeBytes < MOST_BYTES, `${image.sizeBytes} bytes are more than ${MOST_BYTES}`);
  say(`size: ${(image.sizeBytes / 1e6).toFixed(0)} MB`);
  const startMs = performance.now();
  const container = await image.start({ COMMONPLACE_ADMIN_API_KEY: KEY });
  await waitUntilItAnswers(container);
  say(`answers: after ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  await checkAnswers(container);
  say('health, readiness, a write and the dashboard: fine');
  await checkInside(container);
  say('health check, user, read-only root, no shell, the model: fine');
  const { code, stdout } = await container.stop();
  assert.equal(code, 0, `It ended with ${code} at its stop signal:\n${stdout}`);
  assert.match(stdout, /"msg":"stopped"/);
  say('stop signal: ended with 0');
  // What it wrote is in the volume, and a second container finds it.
  const again = await image.start({});
  await waitUntilItAnswers(again);
  assert.match(await ask(again, '/api/v1/workspaces'), /"name":"Checked"/);
  assert.equal((await again.stop()).code, 0);
  say('a second container on the same volume: found what the first wrote');
}

async function waitUntilItAnswers({ url, run }: RunningImage): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await fetch(`${url}/api/v1/_ready`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(PAUSE_MS);
  }
  const { stderr } = await run(['node', '--version']).catch((error: unknown) => ({ stderr: String(error) }));
  throw new Error(`It does not answer. ${stderr}`);
}

async function ask({ url }: RunningImage, path: string, body?: object): Promise<string> {
  const answer = await fetch(url + path, {
    headers: { 'x-api-key': KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.text();
}

async function checkAnswers(container: RunningImage): Promise<void> {
  await ask(container, '/api/v1/_ready');
  await ask(container, '/api/v1/workspaces', { name: 'Checked' });
  const page = await fetch(`${container.url}/`);
  assert.match(await page.text(), /<div id="root">/);
}

async function checkInside({ run }: RunningImage): Promise<void> {
  const evaluate = async (code: string) => (await run(['node', '--print', code])).stdout.trim();
  const health = await run(['node', '/opt/commonplace/healthcheck.mjs']);
  assert.equal(health.code, 0, health.stderr);
  assert.equal(await evaluate('[process.getuid(), process.getgid(), ...process.getgroups()].join()'), '65532,65532,65532');
  const writing = `['/opt/commonplace/file', '/etc/file', '/data/file', '/tmp/file'].map((name) => {
    try { fs.writeFileSync(name, ''); fs.rmSync(name); return 'written' } catch ({ code }) { return code }
  }).join()`;
  assert.equal(await evaluate(writing), 'EROFS,EROFS,written,written');
  const programs =
    "['/bin/sh', '/usr/bin/sh', '/bin/bash', '/usr/bin/apt-get', '/usr/bin/dpkg'].filter((name) => fs.existsSync(name)).join()";
  assert.equal(await evaluate(programs), '');
  const doctor = await run(['node', '/opt/commonplace/bin/commonplace.js', 'doctor']);
  assert.match(doctor.stdout, /The model \S+ answers/);
}
