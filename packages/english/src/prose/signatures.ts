/** Who signs a mail: the name, and what they are by profession where that stands below it. */

import type { Finding } from '../corrections/corrections.ts';
import type { KnownMemory } from '../extraction.ts';
import { isOccupation } from '../sentences/people.ts';
import { wordSet } from '../words/sets.ts';
import { ENGLISH } from './function-words.ts';

export interface Signature {
  readonly name: string;
  /** `Head of Procurement`, and where. */
  readonly title?: string | undefined;
  readonly employer?: string | undefined;
}

const PARTICLE = '(?:de|da|do|dos|das|di|del|della|van|von|der|den|ter|la|le|el|al|bin|ibn|ben|mac|mc|zu|af|y|e)';
const PROPER = "(?:\\p{Lu}[\\p{L}\\p{M}'’]*(?:-\\p{L}[\\p{L}'’]*)*\\.?)";
const NAME = new RegExp(`^(?:(?:mr|mrs|ms|miss|mx|dr|prof|fr|rev)\\.? )?${PROPER}(?: (?:${PARTICLE} ){0,2}${PROPER}){0,3}$`, 'u');
/** What stands in the place of a name and is none. */
const NO_NAME =
  wordSet(`team support ltd inc gmbh llc plc corp company department dept customer service services bot assistant ai family club committee staff office sales admin help
  desk group everyone student reader user anon anonymous me yes no ok okay thanks please urgent asap ideas edit update yours best sincerely monday tuesday wednesday thursday friday saturday sunday january
  february march april june july august september october november december christmas you your friend fan sir lord lady captain king queen aunty auntie aunt uncle mum mom mummy dad daddy gran grandma
  granny nan grandpa grandad familie famille confused tks bye mate again folks guys lads dear man dude pal bro folks xoxo xx xxx there`);
const LONGEST_NAME = 40;

export function isNameLine(line: string): boolean {
  return nameIn(line) !== undefined || /^\p{Lu}\.?$/u.test(line.trim());
}

/** The name that a line is; a letter alone is none. */
export function nameIn(line: string): string | undefined {
  if (line.length > 2 * LONGEST_NAME) return undefined;
  const name = line
    .trim()
    .replace(/^[-–—/]\s?/, '')
    .replace(/\s*[(:;]?[-)xX]*$/u, (end) => (/^\s+x+$/i.test(end) ? '' : end))
    .replace(/[,!]$/, '');
  if (name.length > LONGEST_NAME || !NAME.test(name.replace(/^\p{Ll}{2,4}\.? /u, (title) => title.toLowerCase()))) return undefined;
  const words = name.toLowerCase().match(/[\p{L}'’-]+/gu) ?? [];
  if (words.every((word) => word.length < 2) || words.some((word) => NO_NAME.has(word))) return undefined;
  if (words.some((word) => ENGLISH.has(word))) return undefined;
  return name;
}

export function signatureOf(lines: readonly string[]): Signature | undefined {
  const [first, second] = lines;
  if (first === undefined) return undefined;
  const [person, ...beside] = first.split(/,\s|\s[|–—-]\s/);
  const name = nameIn(person as string) ?? smallName(first);
  if (name === undefined) return undefined;
  const job = beside.length > 0 ? beside.join(', ') : second;
  return { name, ...(job === undefined ? {} : positionIn(job)) };
}

/** `mick`, below a closing. */
function smallName(line: string): string | undefined {
  const isName = /^\p{Ll}{2,12}$/u.test(line) && !ENGLISH.has(line) && !NO_NAME.has(line);
  return isName ? line.charAt(0).toUpperCase() + line.slice(1) : undefined;
}

/** `Head of Procurement, Acme Ltd`: only where it is clear which is which. */
function positionIn(line: string): Pick<Signature, 'title' | 'employer'> {
  const match =
    /^(?<title>[\p{L}&/ -]{3,40}?)(?:,\s|\s[|@–—-]\s|\sat\s)(?<employer>\p{Lu}[\p{L}\p{N}&.' -]{1,40}?)(?:\s[|].{0,60})?$/u.exec(line);
  const title = match?.groups?.title ?? line;
  if (!/^\p{Lu}[\p{L}&/ -]{2,40}$/u.test(title)) return {};
  const head =
    title
      .toLowerCase()
      .split(/ (?:of|for|in) /)[0]
      ?.split(/[\s-]/)
      .at(-1) ?? '';
  return isOccupation(head) || head === 'manager' || head === 'director' ? { title, employer: match?.groups?.employer } : {};
}

/** The user wants no name kept. */
const UNWANTED =
  /\b(?:forget|erase|delete|remove|wipe|purge|clear|scrap|scrub|drop|not (?:store|keep|save|remember))\b[^.?!]{0,60}\b(?:(?:all|everything|anything|whatever|every trace)\b[^.?!]{0,40}\b(?:about|of|on) me|my name|who i am|all my (?:data|details)|anonymous)\b/i;

/** What a signature tells of the user. It never takes the place of a name that was told; the same one in more words does. */
export function findingsOf({ name, title, employer }: Signature, content: string, held: readonly KnownMemory[]): Finding[] {
  if (UNWANTED.test(content)) return [];
  const known = held.find(({ slot }) => slot === 'name');
  const findings: Finding[] = [];
  const isNew = known === undefined || includesWords(name, nameKnown(known.content));
  if (isNew) findings.push({ kind: 'long_lived', content: `User's name is ${name}`, slot: 'name' });
  if (title !== undefined && isNew && !held.some(({ slot }) => slot === 'job'))
    findings.push({
      kind: 'long_lived',
      content: `User is ${employer === undefined ? withArticle(title) : `${title} at ${employer}`}`,
      slot: 'job',
    });
  return findings;
}

function withArticle(title: string): string {
  return / (?:of|for) /.test(title) ? title : `${/^[aeiou]/i.test(title) ? 'an' : 'a'} ${title.toLowerCase()}`;
}

function nameKnown(content: string): string {
  return content.replace(/^User(?:'s (?:first |full )?name is| is(?: called)?| wants to be called)\s+/, '');
}

function includesWords(whole: string, part: string): boolean {
  const words = whole.toLowerCase().split(/\s+/);
  return part
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}
