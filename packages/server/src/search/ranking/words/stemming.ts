/** A light English stemmer: plurals, tenses and the commonest suffixes. Words of other alphabets never come here. */

/** Suffixes that make another kind of word ("stability" of "stabil…"); only where a long stem remains. */
const DERIVED = /(?:ation|ition|ion|ment|ness|ful|less|iti|ical|ic|al|iv|er|or|ist|abl|ibl|ous|ant|ent)$/;
const LEAST_DERIVED = 8;

const VOWEL = /[aeiouy]/;
const DOUBLED = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

/** Forms that no suffix rule reaches. What is asked in one tense is often told in another ("did go" / "went"). */
const IRREGULAR_FORMS = `
  be am is are was were been being|have has had having|do does did done doing|go goes went gone|say said|make made|take took taken|see saw seen|
  get got gotten|give gave given|find found|think thought|tell told|become became|leave left|feel felt|bring brought|begin began begun|
  keep kept|hold held|write wrote written|stand stood|hear heard|mean meant|meet met|run ran|pay paid|sit sat|speak spoke spoken|
  lead led|grow grew grown|lose lost|fall fell fallen|send sent|build built|draw drew drawn|break broke broken|spend spent|
  rise rose risen|drive drove driven|buy bought|wear wore worn|choose chose chosen|teach taught|catch caught|eat ate eaten|
  sing sang sung|swim swam swum|fly flew flown|know knew known|show shown|win won|sell sold|sleep slept|fight fought|throw threw thrown|
  ride rode ridden|come came|understand understood|drink drank drunk|forget forgot forgotten|wake woke woken|hide hid hidden|
  shoot shot|steal stole stolen|tear tore torn|child children|person people|man men|woman women|foot feet|tooth teeth|mouse mice`;

const irregular = new Map<string, string>();
for (const forms of IRREGULAR_FORMS.split('|')) {
  const [base = '', ...others] = forms.trim().split(/\s+/);
  for (const form of [base, ...others]) irregular.set(form, withoutEnding(base));
}

/** `word`: lower-case a–z only. */
export function stem(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (word.length < 4) return word;
  const base = withoutEnding(withoutTense(withoutPlural(word)));
  return base.length >= LEAST_DERIVED ? base.replace(DERIVED, '') : base;
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss') || word.endsWith('us') || word.endsWith('is')) return word;
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:ch|sh|x|zz)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutTense(word: string): string {
  let base: string;
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith('ing') && word.length > 5) base = word.slice(0, -3);
  else if (word.endsWith('ed') && word.length > 4 && !word.endsWith('eed')) base = word.slice(0, -2);
  else return word;
  if (!VOWEL.test(base)) return word;
  return DOUBLED.test(base) ? base.slice(0, -1) : base;
}

/** "make" and "mak(ing)", "happy" and "happi(er)" meet without their last letter. */
function withoutEnding(word: string): string {
  if (word.length > 4 && word.endsWith('ly')) return withoutEnding(word.slice(0, -2));
  if (word.length > 3 && word.endsWith('e')) return word.slice(0, -1);
  if (word.length > 2 && word.endsWith('y') && !VOWEL.test(word.at(-2) as string)) return `${word.slice(0, -1)}i`;
  return word;
}
