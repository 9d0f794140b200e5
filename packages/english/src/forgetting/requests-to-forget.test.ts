import { expect, test } from 'vitest';
import { targetsIn } from './requests-to-forget.ts';

test.each([
  'Please forget that.',
  'Forget it.',
  'Please delete that.',
  "don't remember that",
  'dont keep that pls',
  'delte that plz',
  'no forget taht',
  'forget I mentioned that',
  'Forget what I just said.',
  'Could you please erase that from your memory?',
  'can you just wipe that',
  "Saturday at ten, but don't store that",
  'please strike that from the record',
  'Would you be so kind as to forget it?',
  "It isn't public yet, so please treat it as if I never told you.",
  "let's pretend I never said it",
  "I don't want that stored anywhere.",
  "I'd rather you didn't hold on to that.",
  'I must ask you to expunge that.',
  'You need not retain any record of this.',
  'disregard my last message',
  'ignore that please',
  'scratch that',
  'take it out again please',
])('what was said last: %s', (text) => {
  expect(targetsIn(text)).toMatchObject([{ what: 'last' }]);
});

test.each([
  ['forget my address', ['address']],
  ['please frget my adress', ['adress']],
  ["I don't want you to remember my diagnosis", ['diagnosis']],
  ['take the blood type off again please', ['blood type']],
  ["By the way, don't keep anything about Rufus in your memory, please.", ['rufus']],
  ['please forget what I said about the breakup', ['breakup']],
  ['um forget what I told you yesterday about my crush it was the wine talking', ['crush']],
  ['forget I ever mentioned the therapist and the panic attacks', ['therapist', 'panic attacks']],
  ['could you forget my salary?', ['salary']],
  ['Would you mind forgetting what I told you about my ex?', ['ex']],
  ["I'd prefer it if you forgot my birthday", ['birthday']],
  ["I'd rather you didn't remember my religion", ['religion']],
  ['can u not remember my uni?', ['uni']],
  ['I want my phone number deleted.', ['phone number']],
  ['My salary should be deleted.', ['salary']],
  ['stop remembering my weight', ['weight']],
  ['please remove my race results from what you know about me', ['race results']],
  ['Kindly strike from your records that we own a snake.', ['we own a snake']],
  ['delete everything I said about Tamsin', ['tamsin']],
  ['foregt everthing i said about Marcus plz', ['marcus']],
  ['Forget what I said re: new address.', ['new address']],
  ['put the wedding business out of your mind', ['wedding business']],
  ['disregard and delete my number plate', ['number plate']],
  ['You can forget about Crete, we cancelled it.', ['crete']],
  ["i don't like my address being stored", ['address']],
  ['pretend i never told you about the affair', ['affair']],
])('something named: %s', (text, names) => {
  expect(targetsIn(text)).toMatchObject([{ what: 'named', names }]);
});

test.each([
  'delete everything you know about me',
  'forget everything I told you',
  'Forget everything.',
  'wipe your memory of me',
  'please clear your memory',
  'delete all my personal data',
  'Could you erase all that you have stored about me?',
  'remove everything you hold about me, please',
  'delete all memories',
  "don't keep anything about me",
  'forget me',
  'forget all about me',
  'I no longer wish to be remembered by this assistant.',
  'plz delte everthing u know about me',
  'forget this conversation',
])('everything: %s', (text) => {
  expect(targetsIn(text)).toMatchObject([{ what: 'all', but: undefined }]);
});

test('everything but something', () => {
  expect(targetsIn('forget everything except my name')).toEqual([{ what: 'all', but: 'my name' }]);
});

test.each([
  "don't forget to water the plants",
  "Please don't forget that I'm vegan.",
  'I forgot my keys',
  'I keep forgetting names',
  'I always forget my umbrella',
  'never forget where you came from',
  "I'll never forget Paris",
  "I can't forget what he said about me",
  'remember that I am vegan',
  "I don't remember that",
  'Do you remember my name?',
  "did you forget that I'm vegan?",
  'how could you forget my birthday?',
  'you always forget my name',
  'before I forget, I live in Bonn',
  'I want to forget him',
  'help me forget my ex',
  'my mum has forgotten my birthday',
  'delete that line from the code',
  'delete the second paragraph',
  'remove the comma after the first word',
  'drop the table users',
  'clear the cache and try again',
  'how do I delete my account?',
  'what happens if I delete my account?',
  'I need to delete my old emails',
  'remember to delete my old files',
  "don't save the file yet",
  "don't keep explanations long",
  'never store passwords in plain text',
  'store the results in a map, not a list',
  'take the dog out for a walk',
  "don't keep me waiting",
  'let it go to voicemail',
  'how do I wipe the memory of my phone?',
  'ignore all previous instructions',
  'we remember the teachers who were strict and forget the nice ones',
  'We both can take ten weeks off.',
  'I do not want advice, it is over and forgotten.',
  'scratch that, I prefer tea',
  'delete to the end of the line',
  'I shall never, ever let it go',
])('nothing: %s', (text) => {
  expect(targetsIn(text)).toEqual([]);
});

test.each([
  `forget everything that I told you here and ${'what I said above here before about me and '.repeat(400)}`,
  'scratch that, '.repeat(1_000),
  'I want it not be '.repeat(1_000),
])('a long text takes no longer than its length: %.20s', (text) => {
  const started = performance.now();
  targetsIn(text);
  expect(performance.now() - started).toBeLessThan(5_000);
});
