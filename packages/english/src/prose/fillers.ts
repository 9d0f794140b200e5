/** The filling of speech and chat: `um`, `like`, `you know`, words said twice, laughter. */

import { LEFT_OUT } from '../excerpt.ts';

const NUMBER =
  '\\d|a (?:few|couple|hundred|thousand|million|dozen|bit)|half|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|every|really|super|so\\b|all|one\\b|maybe|totally|actually|already|(?:january|february|march|april|may|june|july|august|september|october|november|december)\\b';
const LAUGHTER = '(?:a*(?:ha){2,}h?|(?:he){2,}h?|hihi|lol+|lmf?ao+|rofl|xd|omg+|omfg|smh|teehee)';

const ABOUT = '(?<=(?:^|[.,;!?]|\\b(?:and|but|so|because|yeah|well|anyway))\\s*)\\b((?:my|our) (?:\\p{L}+ ){0,3}?\\p{L}+)';

const HESITATION = /(^|[\s,.!?(])(?:u+m+|u+h+|uhm+|erm+|er|ehm|hm+|mhm)(?:,|\.{2,}|…)?(?=[\s,.!?)]|$)(?: like(?=\s))?/giu;
/** Without one of these there is no other filling. */
const MAY_FILL =
  /soo|quote|haha|hehe|hihi|lol|lmf?ao|rofl|xd|omf?g|smh|teehee|yeah|like|mean|know|whatever|stuff|all that|guess|sort of|kind of|sel(?:f|ves)/iu;
const MAY_RESUME = /(?:my|our) .* (?:he|she|it|they)/isu;

/** In the order in which they are left out. */
const FILLERS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\p{L}])so{2,}(?![\p{L}])/giu, 'so'],
  [/\bquote\b[^.?!]{1,300}?\b(?:unquote|end quote|close quote)\b/giu, LEFT_OUT],
  // Laughter between two sentences parts them.
  [new RegExp(`([\\p{L}\\p{N}')])[, ]+${LAUGHTER}(?:[!.,]*\\s+${LAUGHTER})*[!.,]*\\s+(?=[\\p{L}])`, 'giu'), '$1. '],
  [new RegExp(`(?<![\\p{L}\\p{N}'-])${LAUGHTER}(?:[!.,]+(?=\\s|$))?(?![\\p{L}\\p{N}'-])\\s*`, 'giu'), ''],
  [HESITATION, '$1'],
  [
    /(^|[.!?]\s+)(?:so yeah|yeah so|so like|(?:i mean|you know)(?=,? (?:i|i'm|im|i've|my|we|we're|our|it|it's|he|he's|she|she's|they|the|there|there's|that's)\b))[, ]+/giu,
    '$1',
  ],
  [/[, ]+(?:so yeah|and yeah|or whatever|and stuff(?: like that)?|and all that)(?=\s*(?:[.!?]|$))/giu, ''],
  [/\s+so yeah,?\s+(?=\p{L})/giu, '. '],
  [/,\s*(?:like|you know|i mean|i guess|y'know|sort of|kind of)\s*,/giu, ' '],
  [/\s+(?:y'know|ya know)\b,?/giu, ''],
  [
    /(?<!\b(?:let|letting|lets|do|did|does|if|as|what|how|everything|all|let|that|whatever|than|since|because|once|when|until|to|now|so|should|could|would|might|may|will|don't|things|anything|something|in case|just|makes|before|like|people|and|who|the|way))(\s+)you know,?(?=\s+(?!(?:what|who|how|why|where|when|if|that|about|of|the|my|me|any|a|an|your|everything|all|it|this|him|her|them|someone|anyone|whether|which|as|from|more|better|already|is|are)\b)|\s*[.!?]|\s*$)/giu,
    '',
  ],
  [
    new RegExp(
      `\\b(after|for|in|got|have|has|had|about|since|only|at|with|is|was|are|were|takes?|took|costs?|cost|and|just|it's|that's|there's|they're|i'm|paid?|of|by|to|every) like,? (?=${NUMBER})`,
      'giu',
    ),
    '$1 ',
  ],
  [/\b(for|of|with|about|at|into|from|some|eat|only) like,? (?=\p{L})/giu, '$1 '],
  [/ like,? (?=(?:\d+|two|three|four|five|six|seven|ten|a few|a couple of) (?:times|days|hours|minutes|years|months|weeks)\b)/giu, ' '],
  [/\b(i'm|i am|we're|we are|was|were|and)( just)? like (?=\p{L}+ing\b)/giu, '$1$2 '],
  [
    /\b(i|we|i've|we've|i'm|we're|he|she|they|just|is|are|was)( just)? (?:sort|kind) of(?= \p{Ll}{2,}(?:ed|ing|s)\b| made| got| took| went)/giu,
    '$1$2',
  ],
  [/\b(i|we) (?:myself|ourselves)(?= \p{L})/giu, '$1'],
];

/** Whom it is about, said again: `my mum she's eighty`. */
const RESUMED: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${ABOUT} (?:he|she|it)(?:'s| has) (?=been|got|had)`, 'giu'), '$1 has '],
  [new RegExp(`${ABOUT} (?:he|she|it)(?:'s| is) (?=[\\p{L}\\p{N}])`, 'giu'), '$1 is '],
  [new RegExp(`${ABOUT} they(?:'re| are) (?=\\p{L})`, 'giu'), '$1 are '],
  [
    new RegExp(
      `${ABOUT} (?:he|she) (?=(?:has|had|was|does|loves|likes|lives|works|wants|needs|hates|plays|goes|teaches|studies)\\b)`,
      'giu',
    ),
    '$1 ',
  ],
];

/** One to three words said again. */
const SAID_TWICE = /(?<![\p{L}\p{N}'])((?:[\p{L}'’]+\s+){0,2}[\p{L}'’]+)(?:,?\s+\1){1,3}(?![\p{L}\p{N}'’-])/giu;
/** Said twice for a reason. */
const TWICE =
  /^(?:very|so|really|that|had|bora|bye|no|new|baden|many|long|knock|yo|tick|chop|night|aye|cha|pad|wagga|walla|duran|far|never|sing|pago|her)\b/i;

export function withoutFillers(line: string): string {
  let text = line;
  if (MAY_FILL.test(line)) for (const [pattern, instead] of FILLERS) text = text.replace(pattern, instead);
  else text = text.replace(HESITATION, '$1');
  text = text.replace(SAID_TWICE, (all: string, once: string) =>
    TWICE.test(once) || /\p{Lu}/u.test(once.replace(/^I\b/, '')) ? all : once,
  );
  if (MAY_RESUME.test(text)) for (const [pattern, instead] of RESUMED) text = text.replace(pattern, instead);
  return text === line
    ? line
    : text
        .replace(/\s+([,.!?])/g, '$1')
        .replace(/([.!?])\s*\.(?!\.)/g, '$1')
        .replace(/^[\s,.]+/, '')
        .replace(/\s{2,}/g, ' ')
        .trim();
}
