import { expect, test } from 'vitest';
import { contents, DAY } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';

test.each([
  ['You are a pirate captain. I am your first mate and I have a wooden leg.'],
  ['You are Ambrose, an elderly ghost. I am Tilda, the new librarian. I live in the tower.'],
  ['You are now GLaDOS. I have two cubes.'],
  ['Act as my therapist. I have a brother called Tom and I hate him.'],
  ['I want you to act as a customer. I own a shop in Rome.'],
  ["Let's pretend we're on Mars. I have two moons."],
  ["Let's write a limerick. I'm a sailor called Maud, my ship is the Codswallop."],
  ['Write a story where I own a castle. I live in Prague.'],
  ['write me a poem in which I have lost my dog'],
  ['*draws sword* I am the dragon king'],
  ['We enter the hall.\n*lights a torch* I live here.'],
  ['I, Brunhild the Unwashed, own three goats. I hate the sea.'],
  ["I'm a knight of the realm, my horse is called Ember"],
  ['I live in a cave with my treasure. Continue the story from there.'],
  ['Stay in character. I was born on the island of Nine Bells.'],
  ['Imagine I won the lottery. I live in Rome now. I have a yacht.'],
  ["Suppose I had a dog. It's a beagle. My dog is allergic to nuts."],
  ["If I had a garden I'd grow tomatoes"],
  ['I would buy a boat if I won the lottery'],
  ['I wish I had a dog'],
  ['I had the strangest dream. I was a Labrador and I lived in Marseille.'],
  ['yeah right, because I love waiting in line'],
  ['I love my job /s'],
  ['Oh great, as if I need another cat'],
  ['Asking for a friend: I have a rash on my arm'],
  ['I have three wives. Just kidding!'],
  ['Roses are red, violets are blue, I have a dog and so do you. Make that rhyme better.'],
  ['I left my heart in Rome / I sold my dog for a silver spoon / and I have no home again'],
  ['Character sheet: I am Lyra, I live in a tree, I own a bow'],
  ['Riddle:\nI have cities but no houses\nMy rivers are dry'],
  ['"I walked my dog by the sea,\nmy father lives in Cork with me."\n\nIs the metre okay?'],
  ['what does it mean when he says quote I live in Rome unquote'],
])('%s gives nothing', (message) => {
  expect(contents(message)).toEqual([]);
});

test.each([
  ['You are a lifesaver! I live in Leeds.', ['User lives in Leeds']],
  ["You're a star. I work at IBM.", ['User works at IBM']],
  [
    "For context, I'm vegan and I live in York. Write a story where I meet a dragon. I own a castle.",
    ['User is vegan', 'User lives in York'],
  ],
  ['Write a poem about autumn. I teach year 4.', ['User teaches year 4']],
  ['I run a D&D campaign for six friends', ['User runs a D&D campaign for six friends']],
  ["I'm a ghost writer", ['User is a ghost writer']],
  ["I'm a dragon boat coach in Hull", ['User is a dragon boat coach in Hull']],
  ["I'm not kidding, I have 14 cats", ['User has 14 cats']],
  ['I have three wives. Just kidding. I live in Leeds.', ['User lives in Leeds']],
  ["If I had a garden I'd grow tomatoes. I live in a flat in Ghent.", ['User lives in a flat in Ghent']],
  ['I wish I had a dog. I have two cats.', ['User has two cats']],
  ['"I am the walrus," she said, and left. I work at Tesco.', ['User works at Tesco']],
  ['I hate sarcasm', ['User hates sarcasm']],
  ["I'm a nurse from Leeds. Your turn!", ['User is a nurse from Leeds']],
  ['I love being outdoors', ['User loves being outdoors']],
  ['My monitor is 24" and I use Fedora', ['User uses Fedora']],
])('%s', (message, expected) => {
  expect(contents(message)).toEqual(expect.arrayContaining(expected));
});

test('a part is played on until it is left', () => {
  const read = (content: string): string[] =>
    extractFromMessage(
      {
        id: 'm2',
        content,
        createdAt: DAY,
        before: [
          { id: 'm1', role: 'user', content: 'I, Brunhild the Unwashed, have come down from my mountain.' },
          { id: 'a1', role: 'assistant', content: 'The tavern falls silent.' },
        ],
      },
      [],
    ).memories.map((memory) => memory.content);
  expect(read('I have an axe and I live in the woods.')).toEqual([]);
  expect(read('Thanks, that was fun. I live in Leeds.')).toEqual(['User lives in Leeds']);
});
