/** Lines of an export, made by hand. */
import { createHash } from 'node:crypto';
import { newId, newIdAt } from '../src/db/ids.ts';

export const LINES = { 'content-type': 'application/x-ndjson' };

/** With a footer that fits them. */
export function streamOf(lines: readonly (object | string)[]): string {
  const body = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const checksum = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  return `${body}${JSON.stringify({ type: 'footer', counts: {}, checksum })}\n`;
}

export const header = (workspaceId = newId()) => ({
  type: 'header',
  version: 1,
  workspace: { id: workspaceId, name: 'Elsewhere', handle: 'elsewhere' },
  exportedAt: '2026-01-01T00:00:00.000Z',
  counts: {},
});

const BEGIN_MS = Date.parse('2026-01-01T00:00:00.000Z');
const times = { createdAt: new Date(BEGIN_MS).toISOString(), updatedAt: new Date(BEGIN_MS).toISOString() };

export function agentLine(id = newId(), more: object = {}) {
  const data = {
    id,
    name: 'Guide',
    handle: 'guide',
    description: '',
    status: 'active',
    configs: {},
    promptId: null,
    kbLabels: {},
    ...times,
    ...more,
  };
  return { type: 'agent', data };
}

export function sessionLine(agentId: string, id = newId(), more: object = {}) {
  const own = {
    id,
    agentId,
    externalId: id,
    named: true,
    title: '',
    status: 'active',
    labels: {},
    meta: {},
    lastActivityAt: times.createdAt,
  };
  return { type: 'session', data: { ...own, ...times, ...more } };
}

export function messageLine(sessionId: string, content: string, more: object = {}) {
  return { type: 'message', data: { id: newIdAt(BEGIN_MS), sessionId, role: 'user', content, meta: {}, ...times, ...more } };
}

export function memoryLine(sessionId: string, content: string, more: object = {}) {
  const ends = { expiresAt: null, supersededAt: null, supersededBy: null };
  const own = { id: newId(), sessionId, kind: 'fact', content, meta: {}, source: 'written', slot: null, fingerprint: null, ...ends };
  return { type: 'memory', data: { ...own, ...times, ...more } };
}

export const endLine = (of: string, id: string, lines: number, more: object = {}) => ({ type: 'end', data: { of, id, lines, ...more } });
