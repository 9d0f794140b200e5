/** The image: built and run by a container engine, or by the Dockerfile's own steps in a bare root. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settings } from '../../packages/server/src/config.ts';
import { canUseDebianRoot } from '../../packages/server/test/debian-root.ts';
import { runCommand } from '../check/commands.ts';
import { imageSettings, readDockerfile, type Stage } from '../check/dockerfile.ts';
import { findEngine } from '../check/engine.ts';
import { deployFolder } from '../check/places.ts';

const canBuild = canUseDebianRoot() || (await findEngine()) !== undefined;
if (!canBuild && process.env.CI)
  throw new Error('Tests: nothing here can build the image: start a container engine, or run as root on Debian');
if (!canBuild) console.warn('Tests: no container engine answers, and the image is not built');

if (canBuild)
  test('it builds, serves read-only as its user, and stops when it is told to', async () => {
    const { code, stdout, stderr } = await runCommand([process.execPath, join(deployFolder, 'check/main.ts')]);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^a second container on the same volume: found what the first wrote$/m);
    console.log(stdout);
  });

test('its variables are settings of the service, its user is nobody else, and its commands need no shell', () => {
  const stages = readDockerfile(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8'));
  const image = imageSettings(stages.at(-1) as Stage);
  const names = settings.map(({ name }) => name as string);
  for (const name of Object.keys(image.environment).filter((each) => each.startsWith('COMMONPLACE_'))) expect(names).toContain(name);
  expect(image.user).toEqual({ uid: 65532, gid: 65532 });
  expect(image.volumes).toEqual([image.environment.COMMONPLACE_DATA_DIR]);
  expect(image.port).toBe(Number(image.environment.COMMONPLACE_PORT));
  expect(image.command.at(-1)).toBe('serve');
  expect(stages.at(-1)?.base).toBe('scratch');
});

test('a Dockerfile with what can’t be tried here is refused', () => {
  expect(() => readDockerfile('FROM debian\nADD x y')).toThrow('the instruction ADD');
  const [stage] = readDockerfile('FROM scratch\nWORKDIR /\nUSER root\nENTRYPOINT serve');
  expect(() => imageSettings(stage as Stage)).toThrow('USER root');
});
