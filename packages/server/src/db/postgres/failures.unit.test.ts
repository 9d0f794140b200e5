import { describe, expect, test } from 'vitest';
import { DatabaseUnavailable, ReferenceViolation, UniqueViolation, WorkerUnavailable } from '../errors.ts';
import { breaksConnection, lostConnection, repeating, translate } from './failures.ts';

const failure = (fields: object, message = 'as the driver said it') => Object.assign(new Error(message), fields);

describe('unique violations', () => {
  test.each([
    ['Key (id)=(1) already exists.', ['id']],
    ['Key (workspace_id, name)=(w, a, b) already exists.', ['workspace_id', 'name']],
    ['Key ("order", name)=(1, 2) already exists.', ['order', 'name']],
    ['Key (workspace_id, lower(name))=(w, x) already exists.', ['workspace_id', 'lower(name)']],
    [undefined, ['things_name_key']],
  ])('%s names %j', (detail, columns) => {
    const translated = translate(failure({ code: '23505', table: 'things', constraint: 'things_name_key', detail }));
    expect(translated).toBeInstanceOf(UniqueViolation);
    expect(translated).toMatchObject({ table: 'things', columns });
  });
});

describe('the database is unavailable', () => {
  test.each(['57014', '53300', '53100', '55P03', '57P01', '57P03', '08006', '40P01', '25006', 'ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND'])(
    'for %s',
    (code) => {
      const cause = failure({ code });
      expect(translate(cause)).toBeInstanceOf(DatabaseUnavailable);
      expect(translate(cause)).toMatchObject({ cause });
    },
  );

  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Query read timeout',
  ])('for “%s”', (message) => {
    expect(translate(new Error(message))).toBeInstanceOf(DatabaseUnavailable);
  });
});

describe('a worker of Citus', () => {
  const duplicate = 'duplicate key value violates unique constraint';
  test.each([
    [{ table: 'users_102008' }, `${duplicate} "users_email_key_102008"`, 'users'],
    [{}, `${duplicate} "agents_by_handle_102016"`, 'agents'],
    [{}, `${duplicate} "prompt_versions_pkey_102120"`, 'prompt_versions'],
    [{}, `${duplicate} "sessions_unnamed_102100"`, 'sessions'],
  ])('has a table that is known by its shard: %j, %s', (fields, message, table) => {
    const detail = 'Key (workspace_id, handle)=(w, a) already exists.';
    expect(translate(failure({ code: '23505', detail, ...fields }, message))).toMatchObject({ table, columns: ['workspace_id', 'handle'] });
  });

  test.each([
    ['08006', 'connection to the remote node postgres@10.0.0.2:5432 failed with the following error: Connection refused'],
    ['XX000', 'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally'],
    ['XX000', 'SSL SYSCALL error: EOF detected'],
    ['XX000', 'could not commit transaction for shard 102160 on at least one active node'],
  ])('that is gone makes the database unavailable, and leaves the connection to the coordinator: %s, %s', (code, message) => {
    const error = failure({ code, severity: 'ERROR' }, message);
    expect(translate(error)).toBeInstanceOf(WorkerUnavailable);
    expect(translate(failure({ code }, message))).not.toBeInstanceOf(WorkerUnavailable);
    expect(lostConnection(error)).toBe(true);
    expect(breaksConnection(error)).toBe(false);
    expect(breaksConnection(failure({ code: '57P01', severity: 'FATAL' }))).toBe(true);
  });
});

test('a row that points nowhere is a reference violation', () => {
  expect(translate(failure({ code: '23503' }))).toBeInstanceOf(ReferenceViolation);
});

test('other errors stay what they are', () => {
  for (const other of [new Error('mine'), failure({ code: '42P01' }), failure({ code: 'not_found' })]) {
    expect(translate(other)).toBe(other);
  }
});

test('a connection that was never made is not one that was lost', () => {
  expect(lostConnection(failure({ code: 'ECONNRESET' }))).toBe(true);
  expect(lostConnection(failure({ code: 'ECONNREFUSED' }))).toBe(false);
  expect(lostConnection(new Error('timeout exceeded when trying to connect'))).toBe(false);
});

describe('repeating', () => {
  const failing = (times: number, error: Error) => {
    let runs = 0;
    const work = async () => {
      if (++runs <= times) throw error;
      return runs;
    };
    return { work, runs: () => runs };
  };

  test('gives the answer of the run that works', async () => {
    const { work } = failing(2, failure({ code: '40001' }));
    expect(await repeating(3, () => true, work)).toBe(3);
  });

  test('stops at the last attempt with the translated error', async () => {
    const { work, runs } = failing(9, failure({ code: '40001' }));
    await expect(repeating(3, () => true, work)).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(runs()).toBe(3);
  });

  test('does not repeat what must not be', async () => {
    const { work, runs } = failing(1, new Error('mine'));
    await expect(repeating(3, () => false, work)).rejects.toThrow('mine');
    expect(runs()).toBe(1);
  });
});
