import { expect, test } from 'vitest';
import { tell } from './conversation-for-test.ts';
import { looksSecret } from './secrets.ts';

test.each([
  'my password is hunter2-not-real-123',
  'My wifi password is Tr0ub4dor-FAKE-99.',
  'the password: swordfish',
  'teh pasword for my wifi is Blubber99',
  'my passwrod is Blubber99',
  'remember my pin is 0000 for the bank card',
  "here's the api key: sk-FAKE1234567890abcdefFAKE1234567890",
  'export GITHUB_TOKEN=ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000',
  'I use AKIAIOSFODNN7EXAMPLE for uploads',
  'My card number is 4111 1111 1111 1111, exp 12/29',
  'my IBAN is DE89 3704 0044 0532 0130 00',
  'my SSN is 123-45-6789',
  'I use postgres://admin:fake-secret@db.example.com/prod',
  'I have a token a8f5f167f44f4964e6c998dee827110c',
  'I live in Rome and my door code is 4455#',
  '-----BEGIN PRIVATE KEY-----\nFAKEFAKEFAKE\n-----END PRIVATE KEY-----',
])('%s: is counted, and is no memory', (message) => {
  expect(tell(message)).toEqual({ held: [], secrets: 1 });
});

test('the rest of the message still counts', () => {
  const { held, secrets } = tell('I moved to Ghent in 2021. My password is fake-1234. I have a dog.');
  expect(held.map(({ content }) => content)).toEqual(['User has a dog', 'User moved to Ghent in 2021']);
  expect(secrets).toBe(1);
});

test.each([
  'My password manager is Bitwarden',
  'I forgot my password',
  'My wifi password is on the fridge',
  'I collect business cards from 1950 to 1980',
  'My phone number is 555 0134',
  'I prefer keyboard-navigation over the mouse',
  'my order number is 1234 5678 9012 3456',
  'I work at an internationalization-consultancy',
])('%s: is no secret', (message) => {
  expect(looksSecret(message)).toBe(false);
});
