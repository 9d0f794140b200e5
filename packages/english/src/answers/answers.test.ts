import { expect, test } from 'vitest';
import { DAY } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';
import type { Turn } from '../extraction.ts';

/** What is kept of the answer; `said` is what the user said before the question. */
function answered(question: string, answer: string, said?: string) {
  const before: Turn[] = [
    ...(said === undefined ? [] : [{ id: 'said', role: 'user', content: said } as const]),
    { id: 'question', role: 'assistant', content: question },
  ];
  return extractFromMessage({ id: 'answer', content: answer, createdAt: DAY, before }, []).memories;
}

const contentsOf = (...args: Parameters<typeof answered>) => answered(...args).map(({ content }) => content);

test.each([
  ['Any allergies?', 'yes, latex', 'User is allergic to latex'],
  ['Thanks. Any allergies I should know about?', 'latex.', 'User is allergic to latex'],
  ['What are you allergic to?', 'penicillin', 'User is allergic to penicillin'],
  ['Which plan are you on?', 'Pro', 'User is on the Pro plan'],
  ['What are you studying, and where?', 'second year psych at Leeds!!', 'User is studying second year psych at Leeds'],
  ['Do you have kids?', 'two, 5 and 8', 'User has two kids, 5 and 8'],
  ['Do you have any pets?', 'yes, two cats and a dog', 'User has two cats and a dog'],
  ['Where do you live?', 'Porto', 'User lives in Porto'],
  ['Where do you live?', 'São Paulo', 'User lives in São Paulo'],
  ['In which state do you live?', 'Oregon', 'User lives in Oregon'],
  ['Where are you based?', 'near Lisbon', 'User is based near Lisbon'],
  ['Where are you from?', 'Ghana', 'User is from Ghana'],
  ['Where did you grow up?', 'Leeds', 'User grew up in Leeds'],
  ["What's your budget?", 'max 120 euro', "User's budget is max 120 euro"],
  ['Do you have a budget?', '500 euros', "User's budget is 500 euros"],
  ['What budget?', '700 max, second-hand is fine.', "User's budget is 700 max"],
  ['What size do you wear?', 'EU 43 wide', 'User wears size EU 43 wide'],
  ['Are you vegetarian?', 'yep', 'User is vegetarian'],
  ['Are you vegetarian?', 'no', 'User is not vegetarian'],
  ['Are you vegetarian?', 'no, vegan', 'User is vegan'],
  ['So you live in Leeds now?', 'yes', 'User lives in Leeds'],
  ['Do you live in Porto?', 'no, Lisbon', 'User lives in Lisbon'],
  ['Do you live in Spain?', 'yes, Alicante, since 2020', 'User lives in Spain, Alicante, since 2020'],
  ['Do you smoke?', 'nope', 'User does not smoke'],
  ['Do you own your home?', 'I do, outright.', 'User owns their home, outright'],
  ['Do you have a garden?', 'yes', 'User has a garden'],
  ['Can you swim?', 'no', 'User cannot swim'],
  ['What do you do for a living?', 'marine engineer', 'User is a marine engineer'],
  ['What do you do?', 'in marketing', 'User works in marketing'],
  ['Could you tell me what your role is?', 'product owner', "User's role is product owner"],
  ['How old are you?', '41', 'User is 41 years old'],
  ['How many kids do you have?', 'three', 'User has three kids'],
  ['How many people do you cook for?', 'four', 'User cooks for four people'],
  ['How long have you lived in Spain?', 'six years', 'User has lived in Spain for six years'],
  ['How often do you train?', 'twice a week', 'User trains twice a week'],
  ['How tall are you?', '182 cm', 'User is 182 cm tall'],
  ['How do you get to work?', 'by bike', 'User gets to work by bike'],
  ['When is your birthday?', '3 June', "User's birthday is on 3 June"],
  ['What year were you born?', '1984', 'User was born in 1984'],
  ['Which languages do you speak?', 'German and Polish', 'User speaks German and Polish'],
  ['What do you drive?', 'A 1978 Volvo 245. Only on Sundays!', 'User drives a 1978 Volvo 245'],
  ['Which platform do you play on?', 'On the Nintendo Switch, exclusively.', 'User plays on the Nintendo Switch, exclusively'],
  ['What are you building?', 'booking tool for a climbing gym', 'User is building a booking tool for a climbing gym'],
  ['Do you use simplified expenses or actual costs?', 'Simplified.', 'User uses simplified expenses'],
  ['Are you left- or right-handed?', 'left', 'User is left-handed'],
  ['Do you take any medication?', 'yes, metformin', 'User takes metformin'],
  ['Do you have any injuries?', 'yes, slipped disc', 'User has slipped disc'],
  ['Do you work weekends too?', 'no not weekends', 'User does not work weekends'],
  ["What's the dog called?", 'Murphy', "User's dog is called Murphy"],
  ['Is your dog vaccinated?', 'yes', "User's dog is vaccinated"],
  ["What's your stack?", 'Laravel 11 + MySQL', "User's stack is Laravel 11 and MySQL"],
])('an answer is told with its question: %s %s', (question, answer, expected) => {
  expect(contentsOf(question, answer)).toEqual([expected]);
});

test.each([
  ['Shall I shorten it?', 'yes'],
  ['Do you want me to rewrite it?', 'yes'],
  ['Does that help?', 'yes'],
  ['Would you like an example?', 'yes please'],
  ['Which of the two do you mean?', 'the first'],
  ['What would you like to cook tonight?', 'pasta'],
  ['Ready?', 'yes'],
  ['How are you today?', 'tired'],
  ['What error do you get?', 'E502'],
  ['Where do you live?', 'no idea'],
  ['Any allergies?', 'not sure'],
  ['Any allergies?', 'why do you ask?'],
  ["What's your budget?", 'skip'],
  ['Where do you live?', 'Where do you?'],
  ['Where do you live?', 'maybe Porto'],
  ['Do you live in Porto?', 'yes, forget that'],
  ['What does your boss like?', 'golf I think'],
  ['Have you tried restarting it?', 'yes'],
  ['Are you sure?', 'yes'],
  ['Anything else?', 'no'],
  ['What are you cooking?', 'pasta'],
  ['Do you know the answer?', 'no'],
  ['Are you tired?', 'yes'],
  ["What's the capital of Mongolia?", 'Ulaanbaatar'],
  ['Did you save the file?', 'yes'],
  ['What is your question?', 'eggs'],
  ['Is it plugged in?', 'yes'],
  ['How many words do you want?', '300'],
  ['What tone?', 'formal'],
  ['Which language?', 'php'],
  ['Do you have the letter?', 'yes'],
  ['Do you see the button?', 'no'],
  ['Can you paste the line?', 'yes'],
  ['How old is she?', 'seven'],
  ['Does he live with you?', 'yes'],
  ["What's your password?", 'hunter2!x'],
  ["What's your PIN?", '4821'],
  ['¿Dónde vives?', 'Porto'],
  ['Where do you live?', 'en una casa de mi abuela'],
])('what is of the moment, or left open, is not kept: %s %s', (question, answer) => {
  expect(contentsOf(question, answer)).toEqual([]);
});

test.each([
  [
    'My dishwasher stops and will not drain.',
    'Which model is it?',
    'A Bosch SMS46, roughly four years old',
    "User's dishwasher is a Bosch SMS46, roughly four years old",
  ],
  [
    'My cat Biscuit is picky.',
    'Is Biscuit on a prescription diet?',
    'Yes. Royal Canin Renal.',
    "User's cat Biscuit is on a prescription diet, Royal Canin Renal",
  ],
  ['I have two cats', 'Cute! What are their names?', 'Miso and Tofu', "User's cats are called Miso and Tofu"],
  ['our dog Juno is scared of fireworks', 'Poor thing. How old is she?', '2', "User's dog Juno is 2 years old"],
  ['My sister Paula is coming over.', 'What does Paula do?', 'vet', "User's sister Paula is a vet"],
])('who is asked about was named before: %s %s', (said, question, answer, expected) => {
  const [memory, ...others] = answered(question, answer, said);
  expect(others).toEqual([]);
  expect(memory).toMatchObject({ content: expected, heardIn: ['said', 'question'] });
});

test('what goes on about it rests on the same messages', () => {
  const memories = answered(
    'Which model is it?',
    'A Bosch SMS46. It has shown E15 three times.',
    'My dishwasher stops and will not drain.',
  );
  expect(memories.map(({ heardIn }) => heardIn)).toEqual([
    ['said', 'question'],
    ['said', 'question'],
  ]);
});

test('an answer rests on its question', () => {
  expect(answered('Any allergies?', 'latex', 'Hi!')[0]).toMatchObject({ content: 'User is allergic to latex', heardIn: ['question'] });
});

test('what stands by itself does not rest on the question, and goes on after the answer', () => {
  const [home, work] = answered('Where do you live?', 'Porto. I work at a bakery.');
  expect(home).toMatchObject({ content: 'User lives in Porto', heardIn: ['question'] });
  expect(work).toMatchObject({ content: 'User works at a bakery', heardIn: undefined });
  expect(answered('Where do you live?', 'I live in Porto.')[0]).toMatchObject({ content: 'User lives in Porto', heardIn: undefined });
});

test('several questions are answered in their order', () => {
  expect(contentsOf('What size do you wear? Do you have a budget?', 'EU 43. 120 euros')).toEqual([
    'User wears size EU 43',
    "User's budget is 120 euros",
  ]);
  expect(contentsOf('Where do you live? Are you vegetarian? Do you smoke?', 'yes')).toEqual([]);
});

test('a question is answered only right after it was asked', () => {
  const before: Turn[] = [
    { id: 'question', role: 'assistant', content: 'Any allergies?' },
    { id: 'said', role: 'user', content: 'One moment.' },
  ];
  expect(extractFromMessage({ id: 'answer', content: 'latex', createdAt: DAY, before }, []).memories).toEqual([]);
});
