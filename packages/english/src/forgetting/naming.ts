/** Whether a text is about what somebody names: by its words, or by what such a thing is called. */

import { memoOfWords } from '../memo.ts';
import { wordSet } from '../words/sets.ts';
import { distance } from './words.ts';

/** They tell nothing of what is meant. */
const SMALL =
  wordSet(`the a an my our i that this those these about it to of in on for with is am are was were be been being user user's their his her its 's like now we have has had
  thing things stuff bit bits part parts one ones business news info information detail details matter story topic subject issue situation please from at by and or me you your he she they him them
  whole entire old former previous earlier last recent private personal embarrassing stupid silly little late new all any some every said told what where when who how which again too
  getting go goes going get got did do does not no more anymore never ever just really very so up out off down first second will would can could should own figure remark remarks concerning comment note notes`);

interface Concept {
  /** What people call it. */
  readonly called: RegExp;
  /** How a memory of it reads. */
  readonly reads: RegExp;
  readonly slots?: RegExp | undefined;
}

const CONCEPTS: readonly Concept[] = [
  {
    called: /^(?:address|adress|home|residence|hometown|location|city|postcode|zip)$/,
    reads: /\b(?:lives?|living|resides?|moved to|address|based in|home is|street|postcode|zip code)\b/i,
    slots: /^(?:home|address)\b/,
  },
  {
    called: /^(?:salary|income|pay|wage|wages|earnings)$/,
    reads: /\b(?:earns?|salary|income|paid|wages?)\b|\bmakes? (?:about |around |roughly )?[\d$€£]/i,
  },
  {
    called: /^(?:diagnosis|condition|illness|disease|disorder|health)$/,
    reads:
      /\b(?:diagnos\w+|suffers?|has (?:(?:type|stage) \d |chronic |mild |severe |a |an )*[\w-]*(?:diabetes|cancer|asthma|adhd|autism|depression|anxiety|bipolar|hiv|epilepsy|arthritis|itis|osis|emia|oma|syndrome|disease|disorder|hypertension|migraines?|ms|ptsd|ocd|lupus|blood pressure|condition|trait)|is (?:bipolar|autistic|diabetic|hiv|epileptic|asthmatic|depressed|celiac|coeliac)|disorder|disease|syndrome)\b/i,
    slots: /^(?:health|diagnosis|condition)\b/,
  },
  {
    called: /^(?:medication|medications|medicine|meds|drugs|pills|tablets|prescription|dose|dosage)$/,
    reads:
      /\b(?:takes? .*\b(?:mg|mcg|ml|daily|tablets?|pills?|for (?:blood|epilepsy|anxiety|depression))|\d ?(?:mg|mcg)|medications?|medicine|prescribed|insulin|on (?:\w+(?:ine|ol|il|am|pril|statin|zole|barbital)))\b|\btakes \w+(?:ine|ol|il|am|pril|statin|zole|ide|one|cin|lin|barbital)\b/i,
  },
  { called: /^(?:allergy|allergies|intolerance)$/, reads: /\b(?:allerg\w+|intoleran\w+|anaphyla\w+|epipen)\b/i },
  {
    called: /^(?:job|work|employer|workplace|occupation|profession|career|company|boss)$/,
    reads:
      /\b(?:works?|job|employ\w+|profession|career|company|boss|manager)\b|\bis an? [\w ]*(?:nurse|teacher|engineer|developer|lawyer|doctor|manager|designer|driver|chef)\b/i,
    slots: /^(?:job|work|employer|occupation)\b/,
  },
  {
    called: /^(?:age|birthday|birthdate|birth|dob)$/,
    reads: /\b(?:birthday|born|is \d{1,3}(?: years old)?$|years old|date of birth)\b/i,
    slots: /^(?:age|birthday)\b/,
  },
  {
    called: /^(?:name|surname|nickname)$/,
    reads: /^User(?:'s (?:\w+ )?(?:name|surname|nickname) is| is (?:called|named)| goes by|'s? wants? to be called)/i,
    slots: /^(?:name|surname|nickname)\b/,
  },
  { called: /^(?:weight)$/, reads: /\b(?:weigh\w*|\d ?(?:kg|kilos?|lbs?|pounds|stone))\b/i },
  { called: /^(?:height)$/, reads: /\b(?:tall|height|\d ?cm)\b/i },
  {
    called: /^(?:break-?up|split|splitting|separation|divorce|separating)$/,
    reads: /\b(?:br[eo]ke?n? up|break-?up|split|separat\w+|divorc\w+|single|ex-\w+|dumped|left (?:him|her|them))\b/i,
  },
  { called: /^(?:pregnancy|pregnant|baby|miscarriage)$/, reads: /\b(?:pregnan\w+|expecting|due (?:in|on)|baby|miscarr\w+)\b/i },
  { called: /^(?:surgery|operation|op)$/, reads: /\b(?:surger\w+|surgical|operat(?:ion|ed on)|having .* removed)\b/i },
  { called: /^(?:drinking|alcohol|sobriety|addiction)$/, reads: /\b(?:drink\w*|alcohol\w*|sober|rehab|addict\w*|aa)\b/i },
  {
    called: /^(?:partner|relationship|boyfriend|girlfriend|husband|wife|spouse|marriage|fiance|fiancee|ex|gf|bf)$/,
    reads:
      /\b(?:partner|boyfriend|girlfriend|husband|wife|spouse|married|marriage|engaged|fianc[eé]e?|dating|seeing|ex(?:-\w+)?|in love|gf|bf)\b/i,
  },
  {
    called: /^(?:religion|faith|beliefs?)$/,
    reads: /\b(?:religio\w+|christian|muslim|jewish|hindu|buddhist|catholic|atheist|faith|church|mosque|synagogue)\b/i,
  },
  { called: /^(?:politics|vote|party)$/, reads: /\b(?:politic\w*|votes?d?|party|conservative|liberal|labour|democrat|republican)\b/i },
  {
    called: /^(?:sexuality|orientation|gender)$/,
    reads: /\b(?:gay|lesbian|bi(?:sexual)?|queer|straight|trans(?:gender)?|non-?binary|pronouns)\b/i,
  },
  {
    called: /^(?:phone|number|mobile|cell|email|mail|e-mail|emial)$/,
    reads: /\b(?:phone|mobile|cell|number|e-?mail|@)\b/i,
    slots: /^(?:phone|email)\b/,
  },
  {
    called: /^(?:debts?|loans?|mortgage|finances|money|savings)$/,
    reads: /\b(?:owes?|debts?|loans?|mortgage|bankrupt\w*|savings?|saved|\d ?(?:k|euros?|dollars|pounds))\b|[$€£]\d/i,
  },
  { called: /^(?:diet|food|eating)$/, reads: /\b(?:vegan|vegetarian|diet|eats?|keto|gluten|calories|kosher|halal)\b/i, slots: /^diet\b/ },
  {
    called: /^(?:kids?|children|child|family)$/,
    reads: /\b(?:kids?|child(?:ren)?|sons?|daughters?|twins|baby|family|parents?|mother|father|brothers?|sisters?)\b/i,
  },
  { called: /^(?:pets?)$/, reads: /\b(?:pets?|dogs?|cats?|hamsters?|rabbits?|parrots?|fish|horses?|puppy|kitten)\b/i },
  {
    called: /^(?:school|uni|university|college|studies|degree)$/,
    reads: /\b(?:school|universit\w+|college|stud(?:y|ies|ying|ied)|degree|course|phd|masters?)\b/i,
  },
  { called: /^(?:car|vehicle|van|truck)$/, reads: /\b(?:cars?|drives?|vehicle|van|truck|camper)\b/i },
  { called: /^(?:trip|holiday|vacation|travel)$/, reads: /\b(?:trips?|holiday|vacation|travel\w*|fl(?:y|ies|ying|ight)|visit\w*)\b/i },
  { called: /^(?:therapy|therapist|counsell?ing)$/, reads: /\b(?:therap\w+|counsell?\w*|psycholog\w+|psychiatr\w+)\b/i },
  { called: /^(?:dad|father)$/, reads: /\b(?:dad|father)\b/i },
  { called: /^(?:mum|mom|mother)$/, reads: /\b(?:mum|mom|mother)\b/i },
];

/** The word that it is called by, without those that tell it from others. */
export const NEARLY = 0.75;

/** Below this share of its words, something else is meant. */
export const LEAST_SHARE = 0.5;

export interface Named {
  /** Words that tell what is meant, without the small ones. */
  readonly words: readonly string[];
  /** Those of them that it is called by: the last, also before a preposition. */
  readonly heads: ReadonlySet<string>;
  /** All that has to do with it. */
  readonly isWide: boolean;
}

export function namedBy(name: string, isWide: boolean): Named {
  const heads = new Set(
    [name, name.split(/ (?:from|in|to|on|at|for|with|of|by|as|is|are|was|were|am)\b/)[0] ?? ''].flatMap((part) => wordsOf(part).slice(-1)),
  );
  return { words: wordsOf(name), heads, isWide };
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'.-]*/gu) ?? [];
  return [...new Set(words.map((word) => word.replace(/(?:'s|[.'-])$/, '')))].filter((word) => word !== '' && !SMALL.has(word));
}

/** How much of what is named a text has, from 0 to 1; a name that it is called by is enough. */
export function shareNamed({ words, heads, isWide }: Named, text: string, slot: string | null = null): number {
  const own = text.match(/[\p{L}\p{N}][\p{L}\p{N}'.-]*/gu) ?? [];
  let found = 0;
  let isHead = false;
  for (const word of words) {
    const same = own.find((each, i) => isSame(word, each, i));
    if (same === undefined && !isCalled(word, text, slot)) continue;
    found++;
    if (!heads.has(word)) continue;
    isHead = true;
    // `my dog Rufus`, but not `Rufus's pills`.
    if (same !== undefined && isName(same)) return 1;
  }
  if (found === 0) return 0;
  const share = found / words.length;
  if (isWide) return isHead ? Math.max(share, NEARLY) : share;
  return isHead || share > 0.5 ? Math.max(share, 0.5) : 0;
}

export function isNamedIn(named: Named, text: string): boolean {
  return shareNamed(named, text) >= LEAST_SHARE;
}

function isCalled(word: string, text: string, slot: string | null): boolean {
  return conceptsCalled(word).some(({ reads, slots }) => reads.test(text) || (slot !== null && slots?.test(slot) === true));
}

const conceptsCalled = memoOfWords((word) =>
  CONCEPTS.filter(({ called }) => called.test(word) || (word.length > 5 && calledNearly(called, word))),
);

/** `surgry`, `salery`. */
function calledNearly(called: RegExp, word: string): boolean {
  return called.source.split(/[^a-z]+/).some((each) => each.length > 5 && each[0] === word[0] && distance(word, each) === 1);
}

function isSame(word: string, said: string, place: number): boolean {
  const own = said.toLowerCase().replace(/(?:'s|[.'-])$/, '');
  if (word === own) return true;
  const isProper = place > 0 && isName(said);
  const [short, long] = word.length < own.length ? [word, own] : [own, word];
  if (isProper) return long === `${short}s` || (word.length > 6 && distance(word, own) === 1);
  if (stem(word) === stem(own)) return true;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared++;
  // `drinking` and `drink`, `inheritance` and `inherit`; misspelled by a letter.
  return (shared >= 5 && shared >= long.length * 0.6) || (word.length > 5 && word[0] === own[0] && distance(word, own) === 1);
}

function isName(word: string): boolean {
  return /^\p{Lu}/u.test(word) && !/^(?:User|The|A|An|My)\b/.test(word);
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:ying|ies|ied)$/, 'y').replace(/(?:ing|es|ed|s|e)$/, '') : word;
}
