/** What a memory is the value of, by its own words: `is allergic to peanuts` and `has a peanut allergy` say one thing. */

import type { KnownMemory } from '../extraction.ts';
import { slotOf } from '../judgement/slots.ts';
import { memoOf } from '../memo.ts';
import { NATIONALITIES } from '../words/adjectives.ts';
import { keyOf, keysOf, wordsOf } from './keys.ts';
import { toolAt } from './tools.ts';

type Reading = (found: RegExpExecArray) => string | undefined;
type Rule = readonly [said: RegExp, slot: string | Reading];

/** Labels that name the same. */
const LABELS: Readonly<Record<string, string>> = {
  city: 'home',
  location: 'home',
  'live in': 'home',
  based: 'home',
  'based in': 'home',
  lives: 'home',
  nickname: 'name',
  'first name': 'name',
  occupation: 'job',
  profession: 'job',
  role: 'job',
  work: 'job',
  company: 'employer',
  salary: 'income',
  income: 'income',
  pay: 'income',
  wage: 'income',
  'operating system': 'os',
  ide: 'editor',
  mobile: 'phone',
  tier: 'plan',
  subscription: 'plan',
  timezone: 'time zone',
  tz: 'time zone',
  'date of birth': 'birthday',
  dob: 'birthday',
  born: 'birthday',
  status: 'marital status',
  'relationship status': 'marital status',
  unit: 'units',
};
const PETS =
  'dog|puppy|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|budgie|horse|pony|tortoise|turtle|lizard|gecko|snake|ferret|rat|goat|donkey';
const USING =
  '(?:uses|is using|(?:has )?(?:switched|moved|migrated|changed|upgraded|updated|downgraded|gone|went)(?: over)?(?: back)? to|is (?:back )?on|runs|is running|prefers|has|got|bought|has got)';
const TIERS = 'free|basic|starter|standard|plus|pro|premium|team|business|enterprise|unlimited';

const RULES: readonly Rule[] = [
  [/^User's (?:\w+ )?allerg(?:y|ies): (.+)$/i, allergy],
  [/^User (?:is|mentions:|has been)(?: \w+){0,2} allergic to (.+)$/i, allergy],
  [/^User (?:(?:has|suffers from|mentions:) )(?:an? )?(?:(?:bad|severe|mild|serious|deadly|strong) )?allergy to (.+)$/i, allergy],
  [/^User (?:(?:has|suffers from|mentions:) )(?:an? )?((?:[\p{L}-]+ ){1,3})allerg(?:y|ies)\b/iu, allergy],
  [/^User (?:is|has an?|mentions:) ([\p{L}-]+)[- ]intoleran(?:t|ce)\b/iu, intolerance],
  [
    /^User (?:is intolerant to|has an intolerance to|cannot (?:have|eat|digest|tolerate)|does not tolerate) (lactose|gluten|fructose|histamine)\b/i,
    intolerance,
  ],
  [/^User (?:is|has|mentions:)(?: an?)? co?eliac\b/i, 'coeliac'],
  [/^User (?:does not|no longer|never) eats? (?:any )?meat$|^User eats (?:meat|everything)(?: again)?$/i, 'diet'],
  [
    /^User(?: is|'s diet:?|'s diet is| has been| mentions:| went| has gone| is no longer| keeps| eats)(?: an?)?(?: mostly| fully| strictly)? (?:vegan|vegetarian|pescatarian|keto|paleo|kosher|halal)\b/i,
    'diet',
  ],
  [new RegExp(`^User (?:has|owns|got|adopted|keeps) an? (?:[\\p{L}-]+ ){0,3}?(${PETS}),? (?:named|called) (\\p{Lu}[\\p{L}'-]*)`, 'u'), pet],
  [new RegExp(`^User's (${PETS})(?:'s name is| is called| is named| is) (\\p{Lu}[\\p{L}'-]*)$`, 'u'), pet],
  [
    /^User (?:is|got|has been)(?: happily| now| newly)? (?:single|married|engaged|divorced|separated|widowed)(?: (?:again|now|since|to|in|for|on)\b|$|,)/i,
    'marital status',
  ],
  [/^User (?:has an?(?: new)? (?:girlfriend|boyfriend|partner|wife|husband|fiancée?)$|(?:broke|split) up\b)/i, 'marital status'],
  [/^User weighs /i, 'weight'],
  [/^User (?:earns|makes) (?:about |around |roughly )?\S*\d\S*(?: \w+)? (?:an?|per) (?:year|month|week|hour)\b/i, 'income'],
  [/^User's (?:salary|income|pay|wage) is /i, 'income'],
  [/^User pays (?:about |around )?\S*\d\S*(?: \w+)? (?:an? month |per month )?(?:in |for )?rent\b/i, 'rent'],
  [/^User works \S+ hours (?:an?|per) week\b/i, 'working hours'],
  [
    /^User (?:takes|is on|is taking) \d[\d.,]* ?(?:mg|mcg|µg|g|ml|iu)(?: of)? ([\p{L}-]+)/iu,
    (found) => slotOf('takes', keyOf(found[1] ?? '')),
  ],
  [/^User (?:was|is) born in (?:\d{4}|'\d\d)\b/, 'birth year'],
  [
    /^User retired\b|^User (?:was|got|has been) (?:fired|laid off|made redundant|sacked)\b|^User (?:is|works)(?: now)? (?:as an? )?(?:freelanc\w+|self-employed)|^User (?:has )?(?:quit|resigned|freelanced|went freelance)\b(?! (?:smoking|drinking|vaping|the gym|sugar|coffee|alcohol))/i,
    'job',
  ],
  [
    /^User (?:has )?(?:started|joined|begun|began)(?: working)?(?: an?(?: new)? (?:job|position|role))? (?:at|as|with|for) (.+)$/i,
    (found) => workSlot(found[0]),
  ],
  [
    /^User (?:got|has|landed|accepted)(?: an?)?(?: new)? (?:job|position|role)(?::| at| as| with| in)? (.+)$/i,
    (found) => workSlot(found[0]),
  ],
  [/^User (?:was|got|has been) (?:promoted|made)(?: to)? /i, 'job'],
  [/^User drives an? [^,]+$/i, 'car'],
  [
    /^User (?:speaks|knows) (?:(?:a (?:little|bit of)|some|fluent|basic|good|conversational|native) )?(\p{Lu}\p{L}+)(?: (?:now|well|fluently|badly|a little|natively))?$/u,
    spoken,
  ],
  [/^User is (?:in|on) (?:[A-Z]{1,3}[SD]?T|UTC|GMT)(?:[+-]\d+)?(?: now)?$/, 'time zone'],
  [/^User's (?:main |new |current )?[\p{L} ]{2,20} is (?:now )?(?:an? )?(.+)$/iu, tool],
  [/^User is on the (.+?) (?:plan|tier)(.*)$/i, (found) => `plan ${keyOf(found[2] ?? '')}`.trim()],
  [new RegExp(`^User ${USING} (?:the )?(?:${TIERS})(?: plan| tier)?$`, 'i'), 'plan'],
  [
    /^User (?:wants|prefers|uses|indents|mentions:) .*?\b(?:tabs|(?:\d|two|four|eight)[- ]spaces?)\b(?! open)(.*)$/i,
    (found) => unless(found, 'indentation'),
  ],
  [new RegExp(`^User ${USING} (?:an? |the |their )?(?:new )?(.+)$`, 'i'), (found) => tool(found)],
  [
    new RegExp(
      `^User ${USING} ((?:(?!(?:in|on|at|since|the|for|to) )[\\p{L}#+-][\\p{L}\\p{N}#+.-]* ){1,3})v?\\d+(?:\\.[\\dx]+)*(?: (?:now|in|on|since)\\b.*)?$`,
      'iu',
    ),
    (found) => slotOf('version', keyOf(found[1] ?? '')),
  ],
  [/^User (?:wants|prefers) (.+)$/i, (found) => setting(found[1] ?? '')],
  [/^User's ([\p{L}\p{N} /'-]{2,40}): /u, (found) => labelSlot(found[1] ?? '')],
];

/** Undefined where its words alone don't tell. The same memories are held against each sentence. */
export const matterOf = memoOf(readMatter, (content: string) => content, { most: 4_000, longest: 300 });

function readMatter(content: string): string | undefined {
  for (const [said, slot] of RULES) {
    const found = said.exec(content);
    const named = !found ? undefined : typeof slot === 'string' ? slot : slot(found);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** What a known memory is the value of. */
export function matterOfKnown({ content, slot }: KnownMemory): string | undefined {
  return matterOf(content) ?? slot ?? undefined;
}

function allergy(found: RegExpExecArray): string | undefined {
  const [things] = (found[1] ?? '').split(
    / (?:but|so|since|because|which|and (?:carries|has|is|are|uses|takes|needs|gets|cannot|does|avoids|eats))\b|[(;]/,
  );
  return slotOf('allergic', keysOf(things ?? '').join(', '));
}

function intolerance(found: RegExpExecArray): string | undefined {
  return slotOf('intolerant', keyOf(found[1] ?? ''));
}

function pet(found: RegExpExecArray): string {
  return `has ${found[1]} ${found[2]?.toLowerCase()}`;
}

function workSlot(content: string): string {
  return / as /.test(content) ? 'job' : 'employer';
}

function spoken(found: RegExpExecArray): string | undefined {
  const language = found[1]?.toLowerCase() ?? '';
  return NATIONALITIES.has(language) ? `speaks ${language}` : undefined;
}

/** `at work`, `for Java`, `on my laptop`: one of several. */
const QUALIFIED = /^ (?:at|for|on|in|when|with|as)\b/;
const TIMES =
  /^(?:[ ,]*(?:now|again|instead|too|these days|nowadays|currently|every day|daily|for everything|for most things|(?:in|on|since|from) (?:the week of )?(?:\d{4}|\w+ \d{4})[\d-]*|as (?:an?|their|the)(?: main| daily)? \w+))+$/i;

function tool({ input, 1: text = '' }: RegExpExecArray): string | undefined {
  const found = toolAt(text);
  if (!found || (/^User (?:has|got|bought) (?!switched|moved|changed|upgraded)/.test(input) && found.purpose !== 'phone')) return undefined;
  if (/^ ?(?:,|and\b|or\b|&)|\b(?:also|too|as well)$/.test(found.rest)) return undefined;
  if (found.rest === '' || TIMES.test(found.rest) || /^,? (?:instead|over|not|because|since)\b/.test(found.rest)) return found.purpose;
  return QUALIFIED.test(found.rest) ? slotOf(found.purpose, keyOf(found.rest)) : undefined;
}

/** Only where no case is named: `for Python`, `when I write in French`. */
function unless(found: RegExpExecArray, slot: string): string | undefined {
  return /\b(?:when|if|for|unless|in (?:my|their|the))\b/.test(found.input.replace(/ for now$| (?:from|for) .{0,9}now on/, ''))
    ? undefined
    : slot;
}

const SETTINGS: readonly Rule[] = [
  [/\b(?:british|american|uk|us|canadian|australian) (?:english|spelling)/i, 'spelling'],
  [/\b(?:metric|imperial)\b/i, 'units'],
  [/\b(?:celsius|fahrenheit)\b/i, 'temperature unit'],
  [/\b(?:24|12)[- ]?(?:h|hour|hr)\b/i, 'time format'],
  [/\b(?:answer|answers|reply|replies|respond|response|responses|write|talk|speak|communicate|chat)\b.* in (\w+)/i, language],
  [
    /\b(?:short|shorter|brief|briefer|concise|terse|long|longer|detailed)\b.*\b(?:answers|replies|responses|explanations|messages)\b|\b(?:answers?|replies|responses|explanations|it|things|be)\b.* (?:short|shorter|brief|concise|terse|long|longer|detailed|succinct)\b/i,
    'answer length',
  ],
  [/\b(?:formal|informal|casual|friendly|formally|informally|casually)\b(?: tone| language| style)?/i, 'tone'],
];

function setting(text: string): string | undefined {
  for (const [said, slot] of SETTINGS) {
    const found = said.exec(text);
    const named = !found ? undefined : typeof slot === 'string' ? unless(found, slot) : slot(found);
    if (named !== undefined) return named;
  }
  return undefined;
}

function language(found: RegExpExecArray): string | undefined {
  return NATIONALITIES.has(found[1]?.toLowerCase() ?? '') ? unless(found, 'answer language') : undefined;
}

function labelSlot(label: string): string | undefined {
  const own = label.toLowerCase().replace(/^(?:new|current|actual|updated|my) /, '');
  return LABELS[own] ?? slotOf('', wordsOf(own).length > 4 ? '' : keyOf(own));
}
