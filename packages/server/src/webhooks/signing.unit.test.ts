import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newSigningSecret, signaturesOf } from './signing.ts';

const id = '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c90';
const body = '{"id":"0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c90","data":{"text":"Grüße 😀"}}';

function headersFor(secrets: readonly string[]) {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf(secrets, { id, timestamp, body }),
  };
}

test('a secret is whsec_ and 24 to 64 random bytes in base64', () => {
  const secret = newSigningSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  expect(bytes.length).toBeGreaterThanOrEqual(24);
  expect(bytes.length).toBeLessThanOrEqual(64);
  expect(newSigningSecret()).not.toBe(secret);
});

test('the standardwebhooks package verifies the signature', () => {
  const secret = newSigningSecret();
  expect(new Webhook(secret).verify(body, headersFor([secret]))).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret).verify(`${body} `, headersFor([secret]))).toThrow();
  expect(() => new Webhook(newSigningSecret()).verify(body, headersFor([secret]))).toThrow();
});

test('with two secrets, who knows either of them can verify it', () => {
  const [newer, older] = [newSigningSecret(), newSigningSecret()];
  const headers = headersFor([newer, older]);
  expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  for (const secret of [newer, older]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
});
