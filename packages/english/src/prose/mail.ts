/** A message written as an e-mail or a letter: its greeting, its closing and signature, and what it quotes, are none of its prose. */

import { asksForWorkOnText } from './pasted.ts';
import { isNameLine, nameIn, type Signature, signatureOf } from './signatures.ts';

export interface Mail {
  /** What it says, without the rest. */
  readonly lines: readonly string[];
  /** Who wrote it, if that was the user. */
  readonly signature?: Signature | undefined;
}

const HAIL =
  'hi|hello|hey|hiya|hullo|howdy|dear|dearest|greetings|good (?:morning|afternoon|evening|day)|morning|afternoon|evening|hallo|bonjour|salut|moin|hej|hei|hola|ciao|olá|servus|guten (?:tag|morgen)|ahoj|cześć';
/** By itself on the line, `Hi June,`; or before the first sentence, `Dear assistant, …`. */
const GREETING_LINE = new RegExp(
  `^(?:${HAIL})(?:(?:[ ,]|/)+(?!(?:i|i'm|im|my|we|it|it's|this|can|how|what|here)\\b)[\\p{L}'’.&/-]+){0,5}\\s*[,!.:–-]*$`,
  'iu',
);
const GREETING_START = new RegExp(
  `^(?:${HAIL}) (?!(?:i|i'm|im|my|we|it|it's|this|from)\\b)(?:[\\p{L}'’-]+ ){0,3}(?!here\\b)[\\p{L}'’-]+[,!] +(?=\\S)`,
  'iu',
);

/** To whom one writes on paper, with the help of an assistant: such a letter is a draft. */
const CORRESPONDENT =
  /^dear\s.*\b(?:hiring|recruit\w*|landlord|landlady|council\w*|editor|committee|prof|professor|dr|mr|mrs|ms|miss|mx|customers?|clients?|parents|colleagues?|neighbou?rs?|principal|head ?teacher|admissions|judge|board|diary|santa|agony|residents|students|members|guests|manager|human resources|hr)\b/i;
const ASSISTANT = /\b(?:bot|assistant|ai|coach|tutor|machine|helper|gpt|chatbot)\b/i;
const STRANGER = /^(?:dear\s.*\b(?:sirs?|madam)\b|to whom)/i;
const ASKS = /\?|\b(?:please|pls|plz|could you|would you|can you|kindly)\b/i;

const CLOSING_WORD = `(?:with |my |many |all |lots of |much |very |kind |kindest |best |warm |warmest |warmly |yours |big |a |thank you|thanks|so |very |and |&)*(?:regards?|rgds|kr|wishes|thanks|thank you|thanks a (?:lot|million|bunch)|(?:thanks|thank you) (?:so|very) much|(?:thanks|thank you)(?: again| in advance| both)?|thx|tks|thks|tnx|tx|plz|thnx|ty|tia|ta|cheers|cheerio|best|all the best|sincerely|faithfully|truly|respectfully|cordially|love|hugs?|hugs and kisses|kiss(?:es)?|x{1,4}|x+o+(?:x+o*)*|warmly|fondly|yours|greetings|gratefully|br|lg|mfg|vg|vh|mvh|gruß|gruss|grüße|gruesse|groet|groetjes|salut|saludos|abrazos?|abraços?|hälsningar|hilsen|saluti|ciao|adieu|shalom|salaam|diolch|merci|gracias|obrigad[oa]|danke|tack|grazie|dank|beijinhos|beijos|bisous|affectueusement|amitiés|cordialement|pozdrawiam|pozdrowienia|take care|talk soon|see you(?: soon)?|speak soon|more soon|until soon|peace|tschüss|later)(?: so much| very much| again| in advance)?`;
const FROM_PLACE = `(?: from [\\p{L} .'-]{2,30})?`;
const CLOSING_LINE = new RegExp(`^${CLOSING_WORD}${FROM_PLACE}\\s*[,!.–-]*$`, 'iu');
/** `Thanks, Jonas`, `LG Maren`. */
const CLOSING_WITH_NAME = new RegExp(`^(?:${CLOSING_WORD})${FROM_PLACE}\\s*(?:[,!.–-]\\s*|\\s)(?<name>\\p{Lu}.{0,40})$`, 'iu');
const SENT_FROM = /^(?:sent (?:from|via|with|by) (?:my |the )?\S|get outlook for\b|envoyé de mon|von meinem \S+ gesendet)/i;
const DISCLAIMER =
  /\b(?:confidential(?:ity)?|intended (?:solely|only)|intended recipient|unsubscribe|disclaimer|registered (?:in|office|number)|consider the environment|virus[- ]free|privileged)\b/i;
const WRITTEN_BEFORE =
  /^(?:>\s*)*(?:on|am|le|el|op|w dniu)\b.{0,120}\b(?:wrote|writes|schrieb|a écrit|escribió|schreef|napisał\(?a?\)?)\s*:?\s*$/i;
const FORWARDED =
  /^[-_=\s>]*(?:original message|forwarded message|begin forwarded message|forwarded by|ursprüngliche nachricht)\b.{0,60}$/i;
const HEADER = /^(?:\*\*)?(?:from|to|cc|bcc|subject|date|sent|reply-to)(?:\*\*)?:\s/i;

const MOST_SIGNATURE_LINES = 9;
/** No greeting and no closing is longer. */
const LONGEST_FORMULA = 60;
const LONGEST_ASKING = 200;

/** The parts of a message that may be a mail; one that is none is left as it is. */
export function readMail(message: readonly string[]): Mail {
  const lines = withoutQuoted(withoutOwnHeader(message)).filter((line) => !SENT_FROM.test(line.trim()));
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return { lines };
  const greeting = (lines[first] as string).trim();
  const isGreeted = isGreeting(greeting) && lines.length > first + 1;
  const opening = GREETING_START.exec(greeting.slice(0, LONGEST_FORMULA + 20))?.[0] ?? '';
  if (isDraft(greeting, lines.slice(first + 1))) return { lines };
  const body = isGreeted ? lines.slice(first + 1) : [...lines.slice(0, first), greeting.slice(opening.length), ...lines.slice(first + 1)];
  const end = closingOf(body, isGreeted || opening !== '');
  if (!end) return { lines: body };
  if (body.slice(end.to).some(isAboutIt)) return { lines: [] };
  const isOwn = !body.slice(0, end.from).some((line) => isGreeting(line.trim())) && (isGreeted || !handsOver(body.slice(0, end.from)));
  return isOwn
    ? {
        lines: [...body.slice(0, end.from), ...body.slice(end.to)],
        signature: end.signature && notAddressed(end.signature, isGreeted ? greeting : opening),
      }
    : { lines };
}

function isGreeting(line: string): boolean {
  return line.length <= LONGEST_FORMULA && GREETING_LINE.test(line);
}

/** `To:` and `Subject:` above one's own mail; one with a sender was written by someone. */
function withoutOwnHeader(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  let end = first;
  while (end !== -1 && HEADER.test(lines[end] ?? '')) end++;
  const header = lines.slice(Math.max(0, first), end);
  return header.length > 0 && header.every((line) => /^(?:to|cc|bcc|subject):/i.test(line)) ? lines.slice(end) : lines;
}

/** Without what was written before: all of it where it follows, line by line where it is marked. */
function withoutQuoted(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const [i, line] of lines.entries()) {
    const trimmed = line.trim();
    if (FORWARDED.test(trimmed)) break;
    if (WRITTEN_BEFORE.test(trimmed)) {
      const next = lines.slice(i + 1).find((each) => each.trim() !== '');
      if (next !== undefined && !next.trim().startsWith('>')) break;
      continue;
    }
    if (!trimmed.startsWith('>')) kept.push(line);
    else kept.push('');
  }
  return kept;
}

/** `is this ok to send?`, `(please turn this into polite German)`: what stands there is a draft. */
function isAboutIt(line: string): boolean {
  if (line.length > LONGEST_ASKING) return false;
  const asked = line
    .trim()
    .replace(/^[-–—(*\s]+/, '')
    .replace(/\)$/, '');
  return (
    /^(?:is|does|would|should) (?:this|that|it)\b.{0,60}\b(?:send|sound|polite|rude|formal|short|long)\b/i.test(asked) ||
    (asksForWorkOnText(asked) &&
      !/[:：]$/.test(asked) &&
      /^(?:please |can you |could you |now )?\w+ (?:this|that|the (?:above|letter))\b/i.test(asked))
  );
}

/** A letter to somebody whom one would not write to here, or to nobody in particular without asking for anything. */
function isDraft(greeting: string, rest: readonly string[]): boolean {
  return (CORRESPONDENT.test(greeting) && !ASSISTANT.test(greeting)) || (STRANGER.test(greeting) && !rest.some((line) => ASKS.test(line)));
}

/** Text to work on comes before. */
function handsOver(lines: readonly string[]): boolean {
  return lines.some(
    (line) =>
      /:\s*$/.test(line) ||
      /\b(?:draft|this|the following|below)\b.{0,40}\b(?:e-?mail|mail|letter|message|text|reply|note|post)\b/i.test(line),
  );
}

interface Closing {
  /** The lines from the closing to the end of the signature. */
  readonly from: number;
  readonly to: number;
  readonly signature?: Signature | undefined;
}

function closingOf(lines: readonly string[], isGreeted: boolean): Closing | undefined {
  const last = lastProse(lines);
  for (let at = last; at >= Math.max(0, last - MOST_SIGNATURE_LINES); at--) {
    const line = (lines[at] as string).trim();
    if (line === '' || line.length > LONGEST_FORMULA) continue;
    const sameLine = CLOSING_WITH_NAME.exec(line)?.groups?.name;
    if (sameLine !== undefined && isNameLine(sameLine))
      return { from: at, to: endOf(lines, at + 1), signature: signatureOf([sameLine, ...block(lines, at + 1)]) };
    if (CLOSING_LINE.test(line) && (at === last || block(lines, at + 1).length > 0 || isGreeted))
      return { from: at, to: endOf(lines, at + 1), signature: signatureOf(block(lines, at + 1)) };
    if (/^(?:--|—|–)$/.test(line)) return { from: at, to: endOf(lines, at + 1), signature: signatureOf(block(lines, at + 1)) };
  }
  return unannounced(lines, last, isGreeted);
}

/** `– Kirsty`, `/Freja`; after a greeting the name alone, or below a few words of one's own: `Come and see,`. */
function unannounced(lines: readonly string[], last: number, isGreeted: boolean): Closing | undefined {
  const line = (lines[last] ?? '').trim();
  const marked = /^(?:[-–—/]|--)\s?(?<name>\p{Lu}.{0,40})$/u.exec(line)?.groups?.name;
  const name = marked ?? line;
  if (last < 1 || !isNameLine(name) || nameIn(name)?.includes('.')) return undefined;
  const before = (lines[last - 1] ?? '').trim();
  const few = before.split(/\s+/).length <= 5;
  if (marked === undefined && !isGreeted) return undefined;
  if (marked !== undefined && before.startsWith(line.charAt(0))) return undefined;
  if (marked === undefined && before !== '' && !(few && /[,!]$/.test(before)) && !/[.?!)]$/.test(before)) return undefined;
  return { from: few && before.endsWith(',') ? last - 1 : last, to: last + 1, signature: signatureOf([name]) };
}

/** The last line that is neither empty nor small print. */
function lastProse(lines: readonly string[]): number {
  let last = lines.length - 1;
  const small = lines.findIndex((line, i) => i > 0 && DISCLAIMER.test(line) && lines[i - 1]?.trim() === '' && lines.length - i < 12);
  if (small > 0 && lines.slice(0, small).some((line) => line.length < LONGEST_FORMULA && CLOSING_LINE.test(line.trim()))) last = small - 1;
  while (last > 0 && ((lines[last] as string).trim() === '' || /^\(?(?:p\.?s\.?|pps)\b/i.test((lines[last] as string).trim()))) last--;
  return last;
}

/** The short lines of a signature, up to the first that says something. */
function block(lines: readonly string[], from: number): string[] {
  return lines
    .slice(from, endOf(lines, from))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function endOf(lines: readonly string[], from: number): number {
  let at = from;
  let isSmallPrint = false;
  for (; at < lines.length; at++) {
    const line = (lines[at] as string).trim();
    isSmallPrint ||= DISCLAIMER.test(line);
    if (/^(?:p\.?\s?s\.?|pps|\()/i.test(line)) return at;
    if (!isSmallPrint && (line.split(/\s+/).length > 9 || /[?]$|\b(?:i|i'm|my|we|our)\b/i.test(line))) return at;
  }
  return at;
}

/** Nobody writes to themselves. */
function notAddressed(signature: Signature, greeting: string): Signature | undefined {
  const words: readonly string[] = greeting.toLowerCase().match(/[\p{L}'-]+/gu) ?? [];
  return signature.name
    .toLowerCase()
    .split(' ')
    .some((word) => words.includes(word))
    ? undefined
    : signature;
}
