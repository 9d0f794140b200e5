import { expect, test } from 'vitest';
import { newSecret } from './auth/secrets.ts';
import { ConfigError, readConfig } from './config.ts';

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
