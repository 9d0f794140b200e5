import { expect, test } from 'vitest';
import { newSecret } from './auth/secrets.ts';
import { ConfigError, readConfig, settings } from './config.ts';

const withKey = (key: string) => () => readConfig({ COMMONPLACE_ADMIN_API_KEY: key });

test('a mistyped key of ours is refused for its checksum, and a short one for its length', () => {
  const key = newSecret('apiKey');
  expect(withKey(key)().admin?.apiKey).toBe(key);
  expect(withKey('one-of-my-own-choosing')().admin?.apiKey).toBe('one-of-my-own-choosing');
  for (const mistyped of [key.slice(0, -1), `${key}x`, key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]) {
    expect(withKey(mistyped)).toThrow(ConfigError);
    expect(withKey(mistyped)).toThrow(
      /^COMMONPLACE_ADMIN_API_KEY is cpu_… with a checksum that does not fit; allowed: .*as a Commonplace made it\.$/,
    );
    try {
      withKey(mistyped)();
    } catch (error) {
      expect((error as Error).message).not.toContain(mistyped.slice(4, 20));
    }
  }
  expect(withKey('short')).toThrow('COMMONPLACE_ADMIN_API_KEY is a value of 5 characters; allowed: 20 to 200 printable ASCII characters');
});

test.each(settings.filter(({ name }) => /_URL$|_ENDPOINT$/.test(name) && name !== 'COMMONPLACE_PUBLIC_URL').map(({ name }) => name))(
  'a %s that can not be used is not shown: it may hold a password',
  (name) => {
    for (const address of ['postgres://ann:se#cr/et@database:5432/books', 'htps://ann:se#cr/et@models:x/v1']) {
      const read = () => readConfig({ COMMONPLACE_DATA_DIR: './data', [name]: address });
      expect(read).toThrow(`${name} is a value of ${address.length} characters; allowed: `);
      expect(read).not.toThrow('cr/et');
    }
  },
);

test('private networks for webhooks are networks or addresses, and none unless told', () => {
  expect(readConfig({}).webhooksAllow).toEqual([]);
  const allowed = readConfig({ COMMONPLACE_WEBHOOKS_ALLOW: '10.1.0.0/16, fd00::/8,127.0.0.1' }).webhooksAllow;
  expect(allowed).toEqual(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);
  for (const text of ['10.1.0.0/33', 'fd00::/129', 'localhost', '10.1', '10.1.0.0/x']) {
    expect(() => readConfig({ COMMONPLACE_WEBHOOKS_ALLOW: text }), text).toThrow(/COMMONPLACE_WEBHOOKS_ALLOW is/);
  }
});
