import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Round } from '../rounds.ts';
import { bytesBelow } from './disk-size.ts';
import { lastLine } from './main.ts';
import type { Peer } from './peer.ts';
import { parseProcesses, treesOf } from './process-tree.ts';
import { Findings } from './report.ts';
import { pairsOf, readTexts } from './texts.ts';

const listed = `    1     0  11848
   20     1 100
   21    20 200
   22    21 300
   30     1 400
`;

test('processes are read from the lines of ps', () => {
  expect(parseProcesses(listed)[2]).toEqual({ pid: 21, parent: 20, residentBytes: 204_800 });
  expect(parseProcesses('PID PPID RSS\n\n')).toEqual([]);
});

test('a tree holds a process with its children to any depth, in whatever order they are listed', () => {
  const all = parseProcesses(listed).reverse();
  expect(treesOf(all, [20]).map(({ pid }) => pid)).toEqual([22, 21, 20]);
  expect(treesOf(all, [21, 22]).map(({ pid }) => pid)).toEqual([22, 21]);
  expect(treesOf(all, [99])).toEqual([]);
});

test('the size on disk counts files and follows no links', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'a/node_modules'), { recursive: true });
  await writeFile(join(folder, 'a/one'), '12345');
  await writeFile(join(folder, 'a/node_modules/two'), '123');
  await symlink(process.execPath, join(folder, 'python'));
  expect(await bytesBelow(folder)).toBe(8);
  expect(await bytesBelow(folder, (name) => name === 'node_modules')).toBe(5);
});

test('a peer that did not go through all rounds is in no table', () => {
  const peer = (name: string) => ({ name }) as Peer;
  const round: Round = { seconds: 1, perSecond: 10, p50Ms: 1, p99Ms: 2, cpuMicros: 5 };
  const findings = new Findings(2);
  findings.measured(peer('Commonplace'), 'read by id', round);
  findings.measured(peer('Other'), 'read by id', round);
  findings.measured(peer('Commonplace'), 'read by id', round);
  expect([...(findings.complete().get('read by id')?.keys() ?? [])]).toEqual(['Commonplace']);
});

test('no text and no question comes twice: what was embedded before may be remembered', async () => {
  expect(pairsOf(['a', 'b', 'c'], 6)).toEqual(['a b', 'b c', 'c a', 'a c', 'b a', 'c b']);
  const { texts, questions } = await readTexts();
  expect(new Set(texts).size).toBe(texts.length);
  expect(new Set(questions).size).toBe(questions.length);
});

test('of a failure the last line is told', () => {
  expect(lastLine(new Error('Traceback (most recent call last):\n  File "x", line 1\nValueError: no\n'))).toBe('ValueError: no');
  expect(lastLine('gone')).toBe('gone');
});
