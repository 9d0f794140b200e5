/** Verbs put into the third person singular. */

const IRREGULAR: Readonly<Record<string, string>> = { am: 'is', are: 'is', were: 'was', have: 'has', do: 'does', go: 'goes' };
const UNCHANGED = new Set('is was has does had did will would can could shall should may might must ought been being used'.split(' '));

/** `present` is the form used with `I`: `eat` gives `eats`. */
export function thirdPerson(present: string): string {
  const lower = present.toLowerCase();
  const irregular = Object.hasOwn(IRREGULAR, lower) ? IRREGULAR[lower] : undefined;
  if (irregular !== undefined) return irregular;
  if (UNCHANGED.has(lower)) return lower;
  if (/[^aeiou]y$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh|o)$/.test(lower)) return `${lower}es`;
  return `${lower}s`;
}

const IRREGULAR_PAST: Readonly<Record<string, string>> = Object.fromEntries(
  `was:be were:be had:have did:do went:go got:get bought:buy sold:sell broke:break began:begin left:leave lost:lose won:win met:meet
  took:take gave:give made:make came:come became:become grew:grow found:find told:tell said:say thought:think knew:know saw:see heard:hear
  felt:feel kept:keep held:hold wrote:write spoke:speak chose:choose drove:drive flew:fly rode:ride ran:run swam:swim sang:sing drank:drink
  ate:eat slept:sleep woke:wake taught:teach built:build spent:spend sent:send lent:lend paid:pay moved:move fell:fall fought:fight
  caught:catch brought:bring stood:stand understood:understand forgot:forget hid:hide threw:throw wore:wear stole:steal shot:shoot
  led:lead quit:quit fed:feed bred:breed signed:sign retired:retire dropped:drop`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
);

/** `moved` of `move`. */
export function pastForm(plain: string): string {
  const irregular = Object.entries(IRREGULAR_PAST).find(([past, lemma]) => lemma === plain && past !== 'was');
  if (irregular) return irregular[0];
  if (plain.endsWith('e')) return `${plain}d`;
  return /[^aeiou]y$/.test(plain) ? `${plain.slice(0, -1)}ied` : `${plain}ed`;
}

/** Past forms that are also present ones. */
const SAME_IN_PAST = new Set('put set cut hit read let cost hurt shut split bet spread'.split(' '));

/** The plain form of a word that stands where a finite verb stands, and whether it may be, or must be, past. */
export function plainForm(lower: string, lemma: string, tag = ''): { lemma: string; past: boolean | 'maybe' } {
  const irregular = Object.hasOwn(IRREGULAR_PAST, lower) ? IRREGULAR_PAST[lower] : undefined;
  if (irregular !== undefined) return { lemma: irregular, past: true };
  if (SAME_IN_PAST.has(lower)) return { lemma: lower, past: 'maybe' };
  if (lower.endsWith('ed') && lower.length > 4 && lower !== 'need' && lower !== 'feed' && lower !== 'breed') {
    return { lemma: lemma === lower ? lower.replace(/e?d$/, '') : lemma, past: true };
  }
  if (lower === 'lay') return { lemma: lower, past: false };
  if (tag === 'VERB' && lemma !== lower && !/(?:s|ing|ise|yse|our)$/.test(lower)) return { lemma, past: true };
  return { lemma: lower, past: false };
}
