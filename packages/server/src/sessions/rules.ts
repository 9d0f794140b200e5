import { hash } from 'node:crypto';
import { firstOf, labelComplaint, labelsOf } from '@commonplace/contract/labels';
import { isStorable, lengthOf } from '@commonplace/contract/lengths';
import type { NewSession } from '@commonplace/contract/sessions';
import { newId } from '../db/ids.ts';
import { invalid } from '../errors.ts';
import { textBytes } from '../quotas/rules.ts';

const LONGEST_EXTERNAL_ID = 255;
export const notLabels = ['id', 'limit', 'offset'];

/** What a session's query string says: every key but `id`, `limit` and `offset` is a label. */
export interface SessionSelector {
  readonly externalId: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** A repeated key takes its first value. */
export function selectorOf(query: unknown): SessionSelector {
  const sent = (query ?? {}) as Record<string, string | string[]>;
  const externalId = firstOf(sent.id) || undefined;
  if (externalId !== undefined) {
    if (lengthOf(externalId) > LONGEST_EXTERNAL_ID) throw invalid('id', `Id must not exceed ${LONGEST_EXTERNAL_ID} characters`);
    if (!isStorable(externalId)) throw invalid('id', 'Id must not contain NUL or unpaired surrogate characters');
  }
  const labels = labelsOf(sent, notLabels);
  const complaint = labelComplaint(labels);
  if (complaint) throw invalid('labels', complaint);
  return { externalId, labels };
}

/** Query and body of a creation say the same session together; where they contradict each other, nobody knows which was meant. */
export function mergeSelectors(query: SessionSelector, { id, labels }: Pick<NewSession, 'id' | 'labels'>): SessionSelector {
  if (query.externalId !== undefined && id != null && id !== query.externalId) throw invalid('id', 'Id must be the same in query and body');
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (Object.hasOwn(query.labels, key) && query.labels[key] !== value)
      throw invalid(`labels.${key}`, `Label ${key} must be the same in query and body`);
  }
  const merged = { ...query.labels, ...labels };
  const complaint = labelComplaint(merged);
  if (complaint) throw invalid('labels', complaint);
  return { externalId: query.externalId ?? id ?? undefined, labels: merged };
}

/** What the row of a session takes, beside its messages. */
export function sessionBytes({
  externalId,
  labels,
  title,
  meta,
}: SessionSelector & { readonly title?: unknown; readonly meta?: unknown }): number {
  return textBytes([externalId ?? newId(), title ?? '', JSON.stringify(labels), JSON.stringify(meta ?? {})]);
}

/** The same for the same set of labels, in whatever order they were given. */
export function labelsKey(labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify(sorted), 'base64url');
}

/** What a session that was made without an id may not share with another: its labels, where it has any. */
export function unnamedLabels(named: boolean, labels: Readonly<Record<string, string>>): string | null {
  return named || Object.keys(labels).length === 0 ? null : labelsKey(labels);
}
