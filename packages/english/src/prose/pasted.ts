/** Text that the user hands over rather than says. */

import { ORDERS } from '../words/verbs.ts';

const WORK = `translate|proofread|proof-read|rewrite|rephrase|reword|paraphrase|summari[sz]e|summary|tl;?dr|edit|correct|fix|improve|polish|shorten|expand|simplify|reply|respond|answer|explain|analy[sz]e|review|critique|rate|check|grade|format|convert|continue|complete|describe|classify|extract|transcribe|spell-?check|make (?:this|it|the following)|turn (?:this|the following)|read (?:this|the following)|look at (?:this|the following)|what do you think of (?:this|the following)|how do (?:you|i) say|thoughts on (?:this|the following)|feedback on|given the (?:text|following)|use this|grammar`;
const HANDED_OVER = new RegExp(
  `\\b(?:${WORK}|following|below|here(?:'s| is| are) (?:the|my|an?|our|some) [a-z ]{0,30}(?:text|email|mail|message|letter|article|essay|draft|paragraph|bio|post|story|poem|transcript|log|logs|code|output|error|review|abstract|cv|resume|script|notes|conversation|chat|excerpt|passage|quote|prompt)|(?:system )?prompt|scenario|subject|story|novel|roleplay|role|poem|poems|lyrics|song|diary|sonnet|limerick|haiku|monologue|quiz|flashcards|caption|tweet|slogan|speech|sentence|phrase|begin|start with|starts with|starting with|chorus)\\b|\\b(?:says|said|wrote|reads|states|replied|asked)$`,
  'i',
);
const DRAFT =
  /^\s*(?:(?:my|the|a|our) )?(?:(?:first|rough|new) )?(?:draft|cover letter|letter|speech|eulogy|toast|personal statement)(?: so far)?\s*$/i;
const REFERS_TO_TEXT =
  /\b(?:this|these|the (?:following|above|below)|(?:text|email|article|message|letter|paragraph|conversation|chat) (?:below|above))\b/i;
/** Asks what a text is like, not what is so. */
const ABOUT_WORDING =
  /\b(?:flow|tone|paragraph|wording|phrasing|grammar|dialogue|draft|bio|letter|too (?:much|long|short|stiff|formal|blunt|pushy)|sound|natural|what (?:would|should|do|can) (?:you|i) (?:answer|reply|respond|say|write)|reply|respond|polite|rude)\b/i;
const TEXT_WORK = new RegExp(`\\b(?:${WORK})\\b`, 'i');

/** Asks about the sentence itself. */
const ON_SENTENCE =
  /\bis (?:this|that) (?:sentence|phrase|grammatical|(?:good|correct|proper) english)\b|\btranslate (?:that|this|it)\b|\b(?:put|rewrite) (?:that|this) in(?:to)? the\b/i;

const MOST_QUOTED_LINES = 30;

/** The lines without those that a colon or a request hands over. */
export function pastedFrom(lines: readonly string[]): string[] {
  const letter = lines.findIndex((line) => /^\s*(?:dear|to whom)\s+\S/i.test(line));
  if (letter !== -1) return lines.slice(0, letter);
  const ordered = lines.findIndex(
    (line, i) =>
      i < lines.length - 1 &&
      /^\s*(?:please |can you |could you )?[a-z]{3,12}(?: [a-z]{2,9}){0,3}:\s*$/i.test(line) &&
      ORDERS.has(firstWord(line)),
  );
  if (ordered !== -1) return lines.slice(0, ordered);
  const at = lines.findIndex((line) => handsOver(line) !== undefined);
  if (at !== -1) return [...lines.slice(0, at), handsOver(lines[at] as string) ?? ''];
  if (lines.some((line) => ON_SENTENCE.test(line.slice(0, 1000)))) return lines.filter((line) => !ON_SENTENCE.test(line.slice(0, 1000)));
  const paragraphs = paragraphsOf(lines);
  if (paragraphs.length < 2) return [...lines];
  const asks = paragraphs.findIndex((paragraph) => paragraph.length === 1 && asksForWorkOnText(paragraph[0] as string));
  return asks === -1 ? [...lines] : [];
}

/** Without quotations that run over several lines, a poem or a letter: from the line that opens one to the one that closes it. */
export function withoutLongQuotations(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = (lines[i] as string).trim();
    const opens = /^["“]/.test(line) && !/["”]/.test(line.slice(1));
    const length = opens ? lines.slice(i + 1, i + MOST_QUOTED_LINES).findIndex((next) => /["”]/.test(next)) : -1;
    const isClosed = length !== -1 && /["”][.!?,]?\s*$/.test(lines[i + 1 + length] as string);
    if (isClosed) i += length + 1;
    else kept.push(lines[i] as string);
  }
  return kept;
}

/** The lines up to an e-mail with its head. */
export function withoutMail(lines: readonly string[]): readonly string[] {
  const mail = lines.findIndex((line, i) => isMailHeader(line) && lines.slice(i + 1, i + 4).some(isMailHeader));
  return mail === -1 ? lines : lines.slice(0, mail);
}

function isMailHeader(line: string): boolean {
  return /^\s*(?:from|to|cc|subject|date|sent):\s/i.test(line);
}

function firstWord(line: string): string {
  return (
    line
      .toLowerCase()
      .replace(/^\s*(?:please |can you |could you )?/, '')
      .match(/^[a-z]+/)?.[0] ?? ''
  );
}

/** What stands before the text handed over in this line, if some is. */
function handsOver(line: string): string | undefined {
  if (/^\s*edit\s*:/i.test(line)) return undefined;
  const colon = line.slice(0, 300).search(/:(?:\s|$|["'“‘])/);
  if (colon === -1) return undefined;
  const before = line.slice(0, colon);
  const sentence = before.slice(Math.max(before.lastIndexOf('. '), before.lastIndexOf('? '), before.lastIndexOf('! ')) + 1);
  const names =
    /\b(?:this|these|following|below)\b/i.test(sentence) &&
    !/\b(?:remember|note|in mind|know|forget|save|store|keep|jot|down|one|one's|thing|things)\b/i.test(sentence);
  return names || HANDED_OVER.test(sentence) || DRAFT.test(sentence) ? before.slice(0, before.length - sentence.length) : undefined;
}

export function asksForWorkOnText(line: string): boolean {
  if (line.length < 120 && /\?\s*$/.test(line) && ABOUT_WORDING.test(line)) return true;
  return line.length < 200 && TEXT_WORK.test(line) && REFERS_TO_TEXT.test(line);
}

function paragraphsOf(lines: readonly string[]): string[][] {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** Headings under which a caller lists what it recalled. */
export function isRecalledHeading(line: string): boolean {
  return (
    line.length < 120 &&
    /^\W*(?:relevant |recalled |stored |known |user |saved |long[- ]term )*(?:memories|memory|facts about (?:the |this )?user|what (?:i|we|you) know about (?:the |this )?user|about the user|context from (?:memory|earlier sessions)|user (?:profile|facts|context))\b[^.?!]{0,60}:?\W*$/i.test(
      line,
    )
  );
}

const SPEECH = /\b(?:i|i'm|im|i've|i'll|you|we|me|my|your|yes|no|ok|okay|hi|hello|thanks|cool|great|haha|lol)\b|[?!]/i;

/** People or programs who talk: `Car: …` and `Mileage: …` do not. */
export function isTranscript(lines: readonly string[]): boolean {
  if (lines.some((line) => /^\s*(?:user|human|assistant|ai|bot|system|chatgpt|claude)\s*:/i.test(line)))
    return (
      lines.filter(isTranscriptLine).length >= 2 || lines.some((line) => /^\s*(?:assistant|ai|bot|system|chatgpt|claude)\s*:/i.test(line))
    );
  const spoken = lines.filter(isTranscriptLine).map((line) => line.trim());
  const speakers = spoken.map((line) => line.slice(0, line.indexOf(':')));
  const talking = spoken.filter((line) => SPEECH.test(line.slice(line.indexOf(':')))).length;
  return spoken.length >= 2 && (new Set(speakers).size < speakers.length || talking * 2 > spoken.length);
}

export function isTranscriptLine(line: string): boolean {
  return (
    /^\W{0,4}(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s*)?(?:user|assistant|ai|bot|human|system|agent|customer|me|you|chatgpt|claude|q|a|speaker ?\w{0,2}|[QA]|[A-Z][a-z]{1,20})\W{0,3}:\s/.test(
      line.slice(0, 80),
    ) || /^\W{0,4}(?:user|assistant|human|system)\W{0,3}:/i.test(line.slice(0, 40))
  );
}

const MACHINE: readonly RegExp[] = [
  /^\s*(?:inputs?|outputs?|expected|actual|got|given|when|then|test case[\w ]{0,10}|example[\w ]{0,10})\s*:/i,
  /^\s*\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/,
  /^\s*\[?\d{2}:\d{2}:\d{2}/,
  /^\s*at\s+\S.{0,200}[:(]\d*/,
  /^\s*File ".{1,300}", line \d+/,
  /^\s*(?:FAILED|PASSED|SKIPPED|FAIL|PASS|not ok|ok \d)\s/,
  /^\s*(?:Traceback|Caused by:|Exception in)/,
  /^\s*(?:\w+\.)*\w*(?:Error|Exception|Warning)\b\s*(?:\[\w+\])?:/,
  /^\s*\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b/,
  /^\s*(?:npm|yarn|pnpm) (?:ERR|WARN|error|warn)/,
  /^\s*(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+(?:\/|https?:)/i,
  /^\s*(?:[$#%]|PS\s\S*>|>>>)\s+\S/,
  /^\s*(?:export|set|SET)\s+[A-Z_][A-Z0-9_]*=/,
  /^\s*[A-Z][A-Z0-9_]{3,}=\S/,
  /^\s*(?:import|from|const|let|var|def|class|function|return|public|private|#include|package|SELECT|INSERT|UPDATE|DELETE|CREATE)\b.{0,200}[;{}()=]/,
  /^\s*(?:diff --git|@@ |\+\+\+ |--- )/,
  /^\s*(?:\/\/|\/\*|--\s)/,
  /^\s*<\/?[a-z!][^>]{0,200}>/i,
];

/** All at once, as each is bound to the beginning of the line; by their flags. */
const STARTS_OF_MACHINES = [...Map.groupBy(MACHINE, ({ flags }) => flags)].map(
  ([flags, patterns]) => new RegExp(patterns.map(({ source }) => source).join('|'), flags),
);

/** A line that a program wrote, or that is written for one. */
export function machineLine(line: string): boolean {
  const start = line.slice(0, 400);
  return STARTS_OF_MACHINES.some((pattern) => pattern.test(start)) || /[{};]\s*$/.test(start);
}
