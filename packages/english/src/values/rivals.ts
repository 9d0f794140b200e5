/** Known memories that cannot stand beside a newer one, though its slot is not theirs. */

import type { KnownMemory } from '../extraction.ts';
import { singular } from '../judgement/slots.ts';
import { keyOf, wordsOf } from './keys.ts';
import { matterOf, matterOfKnown } from './matters.ts';

export interface Said {
  readonly content: string;
  readonly slot?: string | undefined;
  /** It tells of a change: `now`, `switched`, `new`. */
  readonly changes: boolean;
}

type Test = (said: Said, content: string, slot: string | undefined) => boolean;

const TESTS: readonly Test[] = [
  hasSameMatter,
  differsInNumber,
  listsMore,
  isFormerWork,
  isFormerPartner,
  isFormerDiet,
  isMovedEvent,
  isFormerPet,
];

export function rivalsOf(said: Said, held: readonly KnownMemory[]): string[] {
  return held
    .filter((memory) => {
      const { content, kind } = memory;
      if (kind === 'summary' || content === said.content) return false;
      const own = matterOfKnown(memory);
      return TESTS.some((test) => test(said, content, own)) || isSameOfOther(said, content);
    })
    .map(({ id }) => id);
}

/** `User's sister works at Shell`, `User's sister Ana is freelancing`: the same of somebody else. */
function isSameOfOther(said: Said, other: string): boolean {
  if (!said.content.startsWith("User's ") || !other.startsWith("User's ")) return false;
  const [own, others] = [said.content.split(' '), other.split(' ')];
  const shared = own.findIndex((word, i) => word !== others[i]);
  if (shared < 2) return false;
  const [content, before] = [own, others].map((words) => `User ${words.slice(shared - (isVerb(own[shared - 1]) ? 1 : 0)).join(' ')}`) as [
    string,
    string,
  ];
  const [slot, slotBefore] = [matterOf(content), matterOf(before)];
  return slot !== undefined && slot === slotBefore;
}

function isVerb(word: string | undefined): boolean {
  return /^(?:is|are|has|uses|drives|works|takes|earns|weighs|runs|got)$/.test(word ?? '');
}

function hasSameMatter({ slot }: Said, _content: string, other: string | undefined): boolean {
  return slot !== undefined && slot === other;
}

const DATE = /\d{4}-\d\d-\d\d/;

/** `earns 40k a year`, `earns 44k a year`: what holds now, in the same words. */
function differsInNumber({ content }: Said, other: string): boolean {
  if (content.slice(0, 8) !== other.slice(0, 8) || !/\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/.test(other)) return false;
  if (!/^User(?:'s .+?)? (?:\w+s|does not \w+)\b/.test(content) || DATE.test(content + other)) return false;
  const [a, b] = [withoutNumbers(content), withoutNumbers(other)];
  return a === b && a.includes('#');
}

function withoutNumbers(content: string): string {
  return content
    .toLowerCase()
    .replace(/(?: now| about| around| roughly| currently| already| only| almost)(?= |$)/g, '')
    .replace(/[$€£]?\d[\d.,:]*(?:k|kg|km|cm|mm|mb|gb|tb|%|€|h)?(?![\p{L}\p{N}])/gu, '#')
    .replace(/\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/g, '#')
    .replace(/(?<=# )[\p{L}-]+s?\b/gu, singular);
}

/** `allergic to peanuts and latex` says `allergic to peanuts` too. */
function listsMore({ slot }: Said, _content: string, other: string | undefined): boolean {
  if (!slot?.startsWith('allergic ') || !other?.startsWith('allergic ')) return false;
  const [own, others] = [slot, other].map((each) => each.slice('allergic '.length).split(', ')) as [string[], string[]];
  return own.length > others.length && others.every((each) => own.includes(each));
}

/** A new place of work ends the old one, a new trade the old one, and who quits has neither. */
function isFormerWork({ content, slot, changes }: Said, other: string, otherSlot: string | undefined): boolean {
  if ((slot !== 'job' && slot !== 'employer') || (otherSlot !== 'job' && otherSlot !== 'employer')) return false;
  if (slot === otherSlot) return true;
  const leaves =
    /^User (?:is|was|has|got)? ?(?:retired|quit|resigned|freelanc|laid off|fired|sacked|made redundant|unemployed|self-employed|left)/.test(
      content,
    );
  const starts = /^User (?:has )?(?:started|joined|got|began|landed|accepted)/.test(content);
  const placed = placeOf(content);
  const otherPlace = placeOf(other);
  if (placed !== undefined && otherPlace !== undefined) return placed !== otherPlace;
  return leaves || ((starts || changes) && otherPlace !== undefined);
}

function placeOf(content: string): string | undefined {
  const place = / (?:at|for) (?:the |an? )?(.+)$/.exec(content.replace(/ as an? .+$/, ''))?.[1];
  return place === undefined ? undefined : keyOf(place);
}

const PARTNERS = 'girlfriend|boyfriend|partner|fiancée?|wife|husband|spouse';
const OF_PARTNER = new RegExp(`^User's (?:${PARTNERS})\\b(?!'s)`, 'i');
const NAMED_PARTNER = new RegExp(`^(\\p{Lu}[\\p{L}-]+) is User's (?:${PARTNERS})\\b`, 'u');
const PARTED = /^User (?:is|got|has been) (?:\w+ )?(?:single|divorced|separated)\b|^User (?:broke|split) up\b/i;

/** Who has a girlfriend is not single, and who is single has none. */
function isFormerPartner({ content }: Said, other: string): boolean {
  if (OF_PARTNER.test(content) && !/^User's (?:ex|late|former)\b/.test(content)) return /^User is single\b/.test(other);
  if (PARTED.test(content)) return OF_PARTNER.test(other);
  const name = NAMED_PARTNER.exec(content)?.[1];
  return name !== undefined && OF_PARTNER.test(other) && new RegExp(`(?:is|called|named) ${name}$`).test(other);
}

/** Who eats fish now is no vegan. */
function isFormerDiet({ content, changes }: Said, other: string, otherSlot: string | undefined): boolean {
  const eats = /^User eats (?:\w+ )?(meat|chicken|beef|pork|fish|seafood|eggs|dairy|cheese|everything)\b/.exec(content)?.[1];
  if (eats === undefined || otherSlot !== 'diet' || !(changes || / again\b/.test(content))) return false;
  return /vegan/.test(other) || (/vegetarian|not eat meat/.test(other) && !/^(?:eggs|dairy|cheese)$/.test(eats));
}

const MOVED = /\b(?:moved|rescheduled|postponed|pushed|shifted|brought forward|delayed|now)\b/;

/** `the exam was moved to …` of `has an exam on …`. */
function isMovedEvent({ content, slot }: Said, other: string): boolean {
  if (!DATE.test(content) || !DATE.test(other) || !(MOVED.test(content) || /^The /.test(content))) return false;
  const event = eventIn(content) ?? slot;
  const before = eventIn(other);
  // `the appointment` is the one with the dentist.
  return event !== undefined && before !== undefined && (event === before || (/^The /.test(content) && before.endsWith(` ${event}`)));
}

function eventIn(content: string): string | undefined {
  const name =
    /^(?:User has |User's |The |User mentions: )?(?:an? |the |their )?(.+?) (?:now |is |was |are |got |has been |will be |moved |at |on )/.exec(
      content,
    )?.[1];
  return name === undefined ? undefined : keyOf(name) || undefined;
}

/** `does not have a dog` ends the dog named Rex; the cat named Miso is the cat that was known. */
function isFormerPet({ content, slot }: Said, other: string, otherSlot: string | undefined): boolean {
  if (!slot?.startsWith('has ') || !otherSlot?.startsWith('has ')) return false;
  if (/^User (?:does not have|no longer has|has no)\b/.test(content)) return otherSlot.startsWith(`${slot} `);
  return slot.startsWith(`${otherSlot} `) && /^User has an? /.test(other) && wordsOf(other).length <= wordsOf(slot).length + 1;
}
