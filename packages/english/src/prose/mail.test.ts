import { expect, test } from 'vitest';
import { contents, tell } from '../conversation-for-test.ts';

const NAME = (name: string): string => `User's name is ${name}`;

test.each([
  // Greeting, closing and signature are no prose; the name below an unquoted closing is the writer's.
  ['Hello,\n\nI live in Cardiff.\n\nKind regards,\nOwen Pritchard', ['User lives in Cardiff', NAME('Owen Pritchard')]],
  ['Hi,\n\nI work at a bakery in Gdynia.\n\nBest,\nMarta', ['User works at a bakery in Gdynia', NAME('Marta')]],
  ['How do I prune roses?\n\nThanks, Jonas', [NAME('Jonas')]],
  ['Hi there\n\nI am allergic to latex.\n\nThx, Danielle', ['User is allergic to latex', NAME('Danielle')]],
  ['Hello,\n\nI have two alpacas.\n\nGreetings from Hobart,\nJess', ['User has two alpacas', NAME('Jess')]],
  ['hi\n\nI live in Leeds.\n\nta,\nBex', ['User lives in Leeds', NAME('Bex')]],
  ['Hi,\n\nI live in Tallinn.\n\nKadri', ['User lives in Tallinn', NAME('Kadri')]],
  ['Hello,\n\nI live in York.\n\n– Kirsty', ['User lives in York', NAME('Kirsty')]],
  ['Hi again,\n\nI live in Aarhus.\n\n/Freja', ['User lives in Aarhus', NAME('Freja')]],
  ['Hi,\n\nI use GitLab 17.\n\n--\nIvo', ['User uses GitLab 17', NAME('Ivo')]],
  ['Dear Lotte,\n\nI live in Ghent.\n\nCome and see,\nFenna', ['User lives in Ghent', NAME('Fenna')]],
  ['Hello,\n\nI live in Leiden.\n\nThanks, Piet de Vries', ['User lives in Leiden', NAME('Piet de Vries')]],
  [
    'Hi,\n\nI live in Bergen.\n\nBest,\nIngrid Solheim\nProcurement Lead, Nordvik Shipping\n+47 55 00 00 00\nwww.nordvik.example',
    ['User lives in Bergen', NAME('Ingrid Solheim'), 'User is Procurement Lead at Nordvik Shipping'],
  ],
  // A letter to the assistant.
  ['Dear assistant,\n\nI live in Porto.\n\nSincerely,\nRosa Lima', ['User lives in Porto', NAME('Rosa Lima')]],
  ['Dear Fi,\nI live in Hull.\nLove,\nArthur', ['User lives in Hull', NAME('Arthur')]],
  ['Hello coach, I have two kids.', ['User has two kids']],
  ['To: support\nSubject: Ticket 88\n\nHi team, I use a Pixel 7a.\n\nRgds\nLwazi', ['User uses a Pixel 7a', NAME('Lwazi')]],
  // What is quoted is not the writer's.
  ['I live in Rome.\n\nOn Tue, Sam wrote:\n> I live in Paris\n> Best,\n> Sam', ['User lives in Rome']],
  ['I live in Rome.\n\n-----Original Message-----\nFrom: Sam\nI live in Paris.', ['User lives in Rome']],
  ['I live in Rome.\n\nFrom: Sam\nSent: Monday\nSubject: hi\n\nI live in Paris.', ['User lives in Rome']],
  ['Hello,\n\nwhat do they mean?\n\nThanks\nJo\n\n> Dear Ms Okafor,\n> I live in Bonn.\n> Kind regards, Stefano', [NAME('Jo')]],
  // Nobody's name.
  ['Hi,\n\nI live in Graz.\n\nSent from my iPhone', ['User lives in Graz']],
  ['Hi,\n\nI live in Graz.\n\nBest,\nThe Acme Support Team', ['User lives in Graz']],
  ['Hi,\n\nI live in Graz.\n\nThanks,\na reader', ['User lives in Graz']],
  ['Hi,\n\nI live in Graz.\n\nYours,\nB.', ['User lives in Graz']],
  ['Hi Petra,\n\nI live in Graz.\n\nThanks, Petra', ['User lives in Graz']],
  // A letter to work on is nobody's own.
  ["Please reply to this email for me:\n\nHi team,\n\nI'm Laura from Contoso. I prefer calls.\n\nBest,\nLaura", []],
  ['Dear hiring manager,\n\nI am a nurse and I live in Bonn.\n\nKind regards,\nJane Doe', []],
  ['Dear Mr Smith,\n\nI live in Bonn.\n\nKind regards,\nJane Doe', []],
  ['Hello,\n\nI live in Bonn and I saw the ad.\n\nBest\nGiulio\n\n(please turn this into polite German)', []],
  ['Dear Sir or Madam,\n\nI live in Bonn.\n\nSincerely\n\n-- is this ok to send or too short?', []],
  [
    'Hi,\n\nI live in Graz.\n\nBest,\nVerena\n\nThis e-mail is confidential and intended only for the recipient.\nIf I am wrong, my company is not liable.',
    ['User lives in Graz', NAME('Verena')],
  ],
  ['Hi,\n\nI live in Graz.\n\nWarmly,\nHarriet\n\nPS I have two cats.', ['User lives in Graz', 'User has two cats', NAME('Harriet')]],
])('%j', (message, expected) => {
  expect(contents(message)).toEqual(expected);
});

test('a signature does not take the place of a name that was told, but adds to it', () => {
  const told = (...messages: string[]): string[] => contents(...messages).filter((content) => content.includes('name'));
  expect(told('My name is Owen Pritchard.', 'Hi,\n\nhow are you?\n\nBest,\nOwen')).toEqual([NAME('Owen Pritchard')]);
  expect(told('My name is Owen.', 'Hi,\n\nhow are you?\n\nBest,\nOwen Pritchard')).toEqual([NAME('Owen Pritchard')]);
  expect(told('My name is Owen.', 'Hi,\n\nhow are you?\n\nBest,\nMarta')).toEqual([NAME('Owen')]);
  expect(told('Hi,\n\nplease delete everything you hold about me.\n\nRegards\nC. Delacroix')).toEqual([]);
  expect(tell('Hi,\n\nhow are you?\n\nBest,\nMarta').held[0]).toMatchObject({ kind: 'long_lived', slot: 'name' });
});
