import { expect, test } from 'vitest';
import { withMaskedPassword, withoutPassword } from '../../cli/masking.ts';
import { readHostList } from './host-list.ts';

test('one host stays as it is', () => {
  const url = 'postgres://ann:s%40crt@db.example:6432/books?sslmode=verify-full';
  expect(readHostList(url)).toEqual({ url, hosts: [], wanted: undefined });
  expect(readHostList('postgresql://db/books?target_session_attrs=read-write')).toEqual({
    url: 'postgresql://db/books',
    hosts: [],
    wanted: 'read-write',
  });
});

test('several hosts are read in their order, with the port that each has', () => {
  const list = readHostList('postgres://ann:pa,ss@one:6432,two,[2001:db8::7]:7/books?sslmode=require&target_session_attrs=primary');
  expect(list).toEqual({
    url: 'postgres://ann:pa,ss@one:6432/books?sslmode=require',
    hosts: [
      { name: 'one', port: 6432 },
      { name: 'two', port: 5432 },
      { name: '2001:db8::7', port: 7 },
    ],
    wanted: 'primary',
  });
});

test('what is no list of hosts is none', () => {
  for (const url of ['postgres://one:6432,two:port/books', 'postgres://one,,two/books', 'mysql://one,two/books', 'one,two'])
    expect(readHostList(url), url).toBeUndefined();
});

test('passwords are masked whatever the number of hosts', () => {
  const url = 'postgres://ann:secret@one:6432,two:6433/books?sslmode=require';
  expect(withMaskedPassword(url)).toBe('postgres://ann:***@one:6432,two:6433/books?sslmode=require');
  expect(withoutPassword(url)).toBe('postgres://ann@one:6432,two:6433/books?sslmode=require');
  expect(withMaskedPassword('postgres://one:1,two:2/books?password=secret')).toBe('postgres://one:1,two:2/books?password=***');
  const without = 'postgres://one:6432,two:6433/books';
  expect(withMaskedPassword(without)).toBe(without);
});
