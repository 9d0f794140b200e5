import { JobKind } from '@commonplace/contract/jobs';
import { Id } from '@commonplace/contract/wire';
import { expect, test } from 'vitest';
import { newId } from '../db/ids.ts';
import { compare, cursorOf, type JobPosition, jobIdOf, placeOf, positionFrom } from './rules.ts';

test('the id of a job says what it is done for, and is no other id', () => {
  const subjectId = newId();
  const ids = JobKind.options.map((kind) => jobIdOf({ kind, subjectId }));
  expect(new Set([subjectId, ...ids]).size).toBe(5);
  for (const [index, kind] of JobKind.options.entries()) {
    expect(placeOf(ids[index] as string)).toEqual({ kind, subjectId });
    expect(Id.parse(ids[index])).toBe(ids[index]);
  }
  for (const id of [subjectId, `4${ids[0]?.slice(1)}`, 'nonsense', '', '\0'.repeat(36)]) expect(placeOf(id)).toBeUndefined();
});

test('a cursor leads back to its position', () => {
  const position: JobPosition = { status: 'running', kind: 'embed-texts', subjectId: newId() };
  expect(positionFrom(cursorOf(position))).toEqual(position);
});

test('what failed goes by its newest subject, what waits by its oldest, and the kinds of a subject in their order', () => {
  const [older, newer] = [newId(), newId()];
  const places = [older, newer].flatMap((subjectId) => (['embed-texts', 'index-document'] as const).map((kind) => ({ kind, subjectId })));
  const sorted = (status: JobPosition['status']) =>
    places
      .toSorted((one, other) => compare(status, one, other))
      .map(({ kind, subjectId }) => [subjectId === older ? 'older' : 'newer', kind]);
  const expected = (subject: string) => [
    [subject, 'index-document'],
    [subject, 'embed-texts'],
  ];
  expect(sorted('failed')).toEqual([...expected('newer'), ...expected('older')]);
  expect(sorted('waiting')).toEqual([...expected('older'), ...expected('newer')]);
});
