import { expect, test } from 'vitest';
import { DAY } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';
import { type KnownMemory, knownAfter } from '../extraction.ts';
import type { Gate } from '../gate/candidate.ts';

/** What is kept is decided elsewhere. */
const keepAll: Gate = ({ finding }) => finding;

/** What is held after the messages, in the order in which it was said. */
function heldAfter(...messages: readonly string[]): string[] {
  let held: KnownMemory[] = [];
  for (const [i, content] of messages.entries())
    held = knownAfter(held, extractFromMessage({ id: `message-${i}`, content, createdAt: DAY }, held, keepAll));
  return held.map(({ content }) => content).reverse();
}

test.each([
  // Work and money
  ["I'm a nurse at St Mary's", 'I started at the clinic in Leeds as a nurse', 'User started at the clinic in Leeds as a nurse'],
  ["I'm a nurse", 'I work as a teacher now', 'User works as a teacher'],
  ['I work at Shell', 'got a new job: PM at Acme', 'User got a new job: PM at Acme'],
  ['I work at Shell', 'I got a new job at Acme', 'User got a new job at Acme'],
  ['I work as a baker', 'I quit, freelancing since May', 'User quit, freelancing since May 2026'],
  ["I'm an accountant", 'I retired last month', 'User retired in October 2026'],
  ["I'm unemployed", 'I started a new job as a driver', 'User started a new job as a driver'],
  ['my budget is 120', 'budget went up to 150', "User's budget is 150"],
  ['my budget is 120 euros', 'the budget is 150 now', "User's budget is 150 euros"],
  ['my rent is 900', 'rent went up to 980', "User's rent is 980"],
  ['I earn 40k a year', 'I earn 44k a year now', 'User earns 44k a year'],
  ['I work 40 hours a week', 'I now work 32 hours a week', 'User works 32 hours a week'],
  // People and home
  ["I'm single", 'my girlfriend is called Noor', "User's girlfriend is called Noor"],
  ["I'm engaged", 'married since June', 'User is married since June 2026'],
  ["I'm married", "I'm divorced", 'User is divorced'],
  ['my wife works at Shell', 'my wife works at BP now', "User's wife works at BP"],
  ['I live in Porto', 'moved to Ghent', 'User moved to Ghent'],
  ['I live in Porto', "I'm based in Porto", 'User is based in Porto'],
  ['city: Porto', 'I moved to Ghent', 'User moved to Ghent'],
  ['my boss is Karin', 'my new boss is Peter', "User's new boss is Peter"],
  ['my name is Katherine', 'call me Kit', 'User wants to be called Kit'],
  ['name: Katherine', 'call me Kit', 'User wants to be called Kit'],
  // How many, how old, how much
  ['I have two cats', 'we got a third cat', 'User has three cats'],
  ['I have two cats', 'now three cats', 'User has three cats'],
  ['I have a cat', 'we adopted another cat', 'User has two cats'],
  ['I keep 3 hives', 'one hive died, so 2', 'User keeps 2 hives'],
  ['I have two kids', 'we had a third child', 'User has three kids'],
  ['I have 4 chickens', "we're down to 3 chickens", 'User has 3 chickens'],
  ['hives: 3', 'lost one hive in February', "User's hives: 2"],
  ["I'm 34", 'I turned 35 yesterday', 'User turned 35 on 2026-11-12'],
  ['age: 34', "I'm 35", 'User is 35'],
  ['I weigh 82 kg', 'I weigh 79 kg now', 'User weighs 79 kg'],
  ['weight: 82kg', 'down to 79kg', "User's weight: 79kg"],
  ['my shoe size is 43', 'shoe size 44 now', "User's shoe size is 44"],
  ['sizes: top M, shoes 43', 'shoes 44 actually', "User's sizes: top M, shoes 44"],
  ["I'm on 50 mg sertraline", 'sertraline is 100 mg now', 'User is on 100 mg sertraline'],
  // Tools and settings
  ['editor: helix', 'switched to neovim', 'User switched to neovim'],
  ['my editor is vim', 'I use helix now', 'User uses helix'],
  ['I use VS Code', 'I switched to Zed', 'User switched to Zed'],
  ['I use tabs', 'two spaces please', 'User mentions: two spaces'],
  ['always answer in metric', 'use imperial units from now on', 'User wants the assistant to use imperial units from now on'],
  ['always answer in French', 'reply in English please', 'User wants the assistant to reply in English'],
  ['keep answers short', 'please give longer answers from now on', 'User wants the assistant to give longer answers from now on'],
  ['tone: formal', 'tone: change to warm, formal is too stiff', "User's tone: warm"],
  ['OS: NixOS', "I'm on Arch now", 'User is on Arch'],
  ['shell: fish', 'moved to zsh', 'User moved to zsh'],
  ['I have an iPhone 12', 'I got a Pixel 9', 'User got a Pixel 9'],
  ['I drive a Golf', 'I drive a Skoda now', 'User drives a Skoda'],
  ['I drive a Golf', 'I sold the Golf and bought a Skoda', 'User bought a Skoda'],
  ["I'm on the Free plan", 'upgraded to Pro', 'User upgraded to Pro'],
  ['I run Postgres 14', 'we upgraded to Postgres 16', 'User upgraded to Postgres 16'],
  ["we're on Postgres 14", 'hold on, we moved to 16 last week', 'User is on Postgres 16'],
  ['firmware: 16.4', 'firmware is 16.6 now, just updated', "User's firmware: 16.6"],
  ['spice: medium', 'spice → hot', "User's spice: hot"],
  ['etf: VWCE, 250/month', 'change: 250 -> 400 from now on', "User's etf: VWCE, 400/month"],
  ['timezone: CET', "I'm in EST now", 'User is in EST'],
  // Days of one event
  ['exam on 4 May', 'the exam was moved to 11 May', 'The exam was moved to 2027-05-11'],
  ['my exam is on 4 May', 'the exam was moved to 11 May', "User's exam is on 2027-05-11"],
  ['my dentist appointment is on Monday', 'the appointment got moved to Tuesday', "User's dentist appointment is on 2026-11-17"],
  // The same in other words
  ["I'm allergic to peanuts", 'I have a peanut allergy', 'User has a peanut allergy'],
  ['allergies: peanuts', "I'm severely allergic to peanuts", 'User is severely allergic to peanuts'],
  ["I'm allergic to peanuts", "I'm allergic to peanuts and latex", 'User is allergic to peanuts and latex'],
  ["I'm vegetarian", "I don't eat meat", 'User does not eat meat'],
  ["I'm vegan", 'I eat fish now', 'User eats fish'],
  ["I'm lactose intolerant", "I can't have lactose", 'User cannot have lactose'],
  ["I'm celiac", 'I have coeliac disease', 'User has coeliac disease'],
  ['I have a dog named Rex', 'my dog is called Rex', "User's dog is called Rex"],
  ['I have a dog named Rex', "I don't have a dog anymore", 'User does not have a dog anymore'],
  ['I speak a little Spanish', 'I speak fluent Spanish', 'User speaks fluent Spanish'],
  ["I'm allergic to cashews and pistachios", 'wait, not pistachios', 'User is allergic to cashews'],
])('%s … %s: one value', (before, now, held) => {
  expect(heldAfter(before, now)).toEqual([held]);
});

test.each([
  ['I play the cello', 'I play tennis'],
  ['I use Figma', 'I use Postgres'],
  ['I use VS Code', 'I use Firefox'],
  ['I use Windows at work', 'I use Linux at home'],
  ['I have two cats', 'I have a dog'],
  ['I have a cat named Miso', 'I have a cat named Tofu'],
  ['I have a son', 'I have a daughter'],
  ['my friend Ana lives in Rome', 'my friend Ben lives in Paris'],
  ['I like coffee', 'I like tea'],
  ['I speak Spanish', 'I speak Italian'],
  ["I'm allergic to peanuts", "I'm allergic to latex"],
  ["I'm allergic to peanuts", 'I have a birch pollen allergy'],
  ['my sister is a vet', 'my brother is a baker'],
  ['I know Python', 'I know Rust'],
  ['my maths exam is on 4 May', 'my physics exam is on 11 May'],
  ['my flight to Oslo is on 4 May', 'my flight to Rome is on 11 May'],
  ['I live in Porto', 'my parents live in Ghent'],
  ['I live in Porto', 'I work in Ghent'],
  ['I work at Shell', 'I volunteer at the Red Cross'],
  ["I'm a nurse", "I'm a mother"],
  ["I'm a nurse", "I'm a keen gardener"],
  ["I'm a nurse", 'I work at Leeds General'],
  ["I'm vegetarian", "I'm allergic to nuts"],
  ['editor: helix', 'shell: fish'],
  ['I take metformin', 'I take lisinopril'],
  ['my budget is 120', 'my rent is 900'],
  ['always use metric units', 'always answer in English'],
  ['my son is 4', 'my daughter is 7'],
  ["I don't eat pork", "I don't eat shellfish"],
  ['I drive a Golf', 'my wife drives a Skoda'],
  ['I moved to Ghent', 'we moved the launch to May'],
  ['I have asthma', 'I have a bad knee'],
  ['I was born in Leeds', 'I live in Bath'],
  ['I live in Porto', "I'm in Lisbon for two weeks"],
  ['I have two cats', 'my neighbour got a third cat'],
])('%s … %s: both stand', (before, now) => {
  expect(heldAfter(before, now)).toEqual([...heldAfter(before), ...heldAfter(now)]);
  expect(heldAfter(before, now)).toHaveLength(2);
});
