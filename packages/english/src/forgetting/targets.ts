/** What a request to forget is about, by the words after its verb. */

/** Verbs that differ in what may be their object. */
export type RequestSort = 'forget' | 'remove' | 'ignore' | 'keep' | 'remember';

export type Target =
  /** What was said last. `isFirm`: no doubt that memory is meant, not a text at hand. */
  | { readonly what: 'last'; readonly isFirm: boolean }
  /** Each of these, told by words. */
  | { readonly what: 'named'; readonly names: readonly string[]; readonly isWide: boolean }
  /** All that was ever said, but for what these words tell. */
  | { readonly what: 'all'; readonly but: string | undefined };

export interface ReadTarget {
  readonly target: Target;
  /** How much of the words it takes. */
  readonly length: number;
}

const STOP = '(?= ?(?:$|[,.;:!?()–—&…]|- ))';
/** Where it is kept. */
const MEMORY =
  '(?:memor(?:y|ies)|notes?|records?|mind|head|brain|files?|data|database|storage|system|logs?|history|profile|knowledge|end|side|account notes|ticket notes)';
const KNOWN =
  '(?: (?:from|out of|of) (?:what|everything|all|anything)(?: that)? you (?:know|have|hold|remember|keep|stored)(?: (?:about|of|on) (?:me|us))?)';
const PLACE = `(?: (?:from|in|out of|off|on|of|to|into) (?:(?:your|the|any|my|its|all) )*(?:[\\w-]+ )?${MEMORY}| on (?:record|file)| down| anywhere| anymore| any ?more| any longer| at all| forever| for good)`;
const TAIL = `(?: (?:again|too|as well|then|from here|for me|right away|if you (?:can|could|would|do not mind)|will you|would you|can you|could you|thank you|right|cheers|asap|from now on|after this(?: chat)?|off|out|away|back|go|up)|${KNOWN}|${PLACE})*`;
const END = `${TAIL}${STOP}`;
/** A new clause needs no comma. */
const CLAUSE =
  "(?= (?:i|it|its|it's|he|she|they|we|my|because|cause|cos|since|as|and|but|so|or|if|before|what|how|can|could|do|not|let|tell|give|make|different|next|that is|this is|there|before|until|while)\\b)";
/** `… because it is private`. */
const REASON = '(?= (?:because|cause|cos|since|as|and|but|so|or|if|before|it is|it was|its|that is|this is|that was)\\b)';

const YOU_HOLD =
  '(?:you|we|u) (?:(?:have|had|may|might|ever|already|currently|still|do|did|could|can|also|all) )*(?:know|knew|have|hold|held|keep|kept|got|get|store|stored|save|saved|remember|remembered|learn|learned|learnt|record|recorded|retain|retained|note|noted|gathered|collected|picked up|think you know)';
const I_SAID =
  '(?:i|we) (?:(?:have|had|just|once|already|recently|only|previously|accidentally|might have|may have|did) )*(?:said|say|told|tell|wrote|written|write|mention|mentioned|shared|share|gave|given|sent|typed|posted|pasted|asked|brought up|let slip|revealed|confessed|confided|put|included|talked|spoke|spoken|discussed|disclosed|stated)\\b';
const TO_YOU = '(?: (?:to|with) you| you| u| here| above| below)';
const WHEN =
  '(?: (?:so far|before|earlier|yesterday|just now|until now|up to now|today|tonight|recently|previously|(?:a |some )?(?:moment|minute|while|second|day|week|month)s? ago|(?:the |an? )?(?:last|other|earlier|previous) (?:night|week|time|month|day|message|messages|one|sentence|year|session|chat)|this (?:morning|evening|afternoon|week)|in (?:this|the|my|our|that|any) (?:\\w+ )?(?:chat|conversation|session|message|messages|thread|email|mail|note)s?|in confidence|by (?:mistake|accident)|from (?:yesterday|before|earlier|last (?:night|week|time))))';
const SAID = `${I_SAID}(?:${TO_YOU}|${WHEN})*`;
const ABOUT = '(?:about|regarding|concerning|on|re|of|around|with|related to|to do with|relating to)';
const ALL =
  '(?:absolutely )?(?:everything|anything|all|whatever|every(?: single)? thing|every bit|any of (?:what|the things)|all of (?:what|the things)|what|the things|any and all|every(?: last)? detail)';
const ME =
  '(?:me|myself|us|my (?:life|self|person))(?! and (?!i\\b|start|then|do|never|let|we\\b|keep|that|everything|all\\b|it\\b|what|delete|erase|forget|wipe))';
const MINE =
  '(?:personal |private |own |stored |saved |user |whole |entire )*(?:data|info|information|details|memories|memory|profile|records?|history)';
const BUT = '(?: ?,? (?:except|but not|apart from|other than|besides|save|but)(?: for| that)? (?<but>[^.;!?]{2,80}))?';

const everything = [
  `${ALL}(?: of it| my data| there is| that| which| the| data| info| information| stuff| things| details| memories| records?| facts| knowledge)*(?: ${YOU_HOLD}| ${SAID})?(?: stored| saved| on file| on record)* ${ABOUT} ${ME}`,
  `${ALL}(?: that| of it| which)? (?:${YOU_HOLD})(?: stored| saved| on file| on record)*`,
  `(?:everything|all|anything|whatever|every word|every single thing|all of it|any of what|all the (?:things|stuff))(?: that| which)? (?:${SAID})`,
  `(?:everything|every single thing|all of everything|all(?= ?(?:$|[.;!])))`,
  `(?:all (?:of )?)?your (?:whole |entire |own |long-term |stored |saved )*(?:memor(?:y|ies)|notes|records?|knowledge|data|files?)(?: ${ABOUT} ${ME})?`,
  `(?:all|any|every|the)(?: of)?(?: the| your| those)? (?:stored |saved |whole |entire )*(?:memor(?:y|ies)|records?|notes|data|info|information|details|facts|knowledge|traces?)(?: that| which)?(?: ${YOU_HOLD})? ${ABOUT} ${ME}`,
  `(?:all|any|every)(?: of)?(?: the| your| those)? (?:stored |saved )*memor(?:y|ies)`,
  `(?:all|any|every)(?: of)? my ${MINE}`,
  `my (?:personal |private |whole |entire |stored |saved )*(?:data|memories|profile|personal (?:details|info|information))`,
  `(?:all )?(?:about )?(?:me|myself)`,
  `(?:that )?(?:i|we) (?:exist|existed|(?:have )?(?:met|spoke|talked|spoken|chatted|were here|was here))(?: with you| to you| before)*`,
  `(?:who i am|me and (?:everything|all)[^,.;!?]{0,60})`,
  `(?:(?:all|any|everything)(?: of| in| from| about)* )?(?:this|our|the|that) (?:whole |entire |current )?(?:conversation|chat|session|talk|discussion|thread)s?`,
].map((pattern) => new RegExp(`^(?:${pattern})${TAIL}${BUT}(?:${STOP}|${REASON}|(?<=\\b(?:me|myself|us))${CLAUSE})`));

const PRONOUN =
  '(?:about )?(?:that|this|it|those|these|them|him|her|all (?:of )?(?:that|this|it|those|these)|it all|that all|any of (?:that|this|it|these|those)|both(?: of (?:them|those|these))?|the above|the lot|that one|this one|those two|(?:that|this|the) (?:(?:very )?last|previous|whole|entire|private|personal|earlier)? ?(?:bit|part|thing|info|information|detail|details|message|statement|sentence|stuff|fact|answer|remark|comment|one|request|drama))';
const LAST = [
  `${PRONOUN}(?: (?:that )?${SAID})?(?:${END}|${TAIL}${CLAUSE})`,
  `(?:what|everything|anything|all|whatever|that)(?: that)? (?:i|we) (?:have )?just (?:said|told|wrote|mentioned|shared)(?:${TO_YOU}|${WHEN})*(?:${END}|${TAIL}${REASON})`,
  `(?:what|whatever|that|it)?(?: that)? ?${SAID}(?: (?:that|this|it|anything|something|those|these|so))?(?:${TO_YOU}|${WHEN})*(?:${END}|${TAIL}${REASON})`,
  `(?:everything|anything|all|what was)(?: (?:that )?${I_SAID})? (?:in|from) (?:my|the|that) (?:last|previous|earlier) (?:message|one|note)(?:${END}|${TAIL}${REASON})`,
  `my (?:last|previous|earlier|most recent|latest) (?:message|messages|note|statement|comment|remark|request|sentence|words|mail|email|answer)(?:${END}|${TAIL}${CLAUSE})`,
  `(?:any|a|the) (?:record|trace|memory|note|mention)s? of (?:this|that|it)(?:${END}|${TAIL}${CLAUSE})`,
].map((pattern) => new RegExp(`^(?:${pattern})`));
/** `forget that I like tea`, but not `forget that, I like tea`. */
const CONTENT =
  /^that (?:i|we|my|our|he|she|they|his|her|there|the|it|you|an?|this|\p{L}+ (?:is|are|was|were|has|have|had|does|did|lives?|works?))\b/u;

const NAMES_START = new RegExp(
  `^(?:(?:about|of|to|that|${ALL}|any|the|stuff|things?|bits?|parts?|part|fact|business|news|story|storie?s|info|information|details|idea|memory|memories|mention|record|records|note|notes|question|of|having|how|where|when|who|whether|why|which|topic|subject|whole|entire|${ABOUT}|${SAID}|${YOU_HOLD}|earlier|previous|old|former|outdated|my|our|your|from your ${MEMORY}|${WHEN.slice(3, -1)}) ?)+(?=$| |\\b)`,
);
/** Where the name of a thing ends. */
const NAMES_END = new RegExp(
  ` ?(?:$|[,.;:!?()–—&…]|- |(?:${TAIL})${STOP}|${PLACE}| (?:because|cause|cos|since|although|though|but|so|if|unless|until|before|after this|when|while|which|who|as it|as that|as i|it is|it was|its|it's|it has|it|that is|that was|this is|i|we|you|they|he|she|there is|not|anyway|and (?:i|we|you|it|then|that|tell|give|make|let|do|can|could|what|how|just|move|start|go|never|remember|keep))\\b)`,
);

/** `the code I gave you`. */
const AFTER_NAMES = new RegExp(`^(?: (?:which |that )?${SAID}(?: about)?| (?:i|we) \\w+(?:ed|[^aeioun\\W]d)\\b)?${TAIL}`);

/** Parts of a text at hand. */
const TEXT =
  /\b(?:paragraphs?|lines?|sentences?|words?|commas?|sections?|files?|folders?|director(?:y|ies)|columns?|rows?|tables?|functions?|methods?|class|classes|code|codebase|comments?|branch|branches|buttons?|slides?|pages?|chapters?|images?|photos?|pictures?|bullets?|points?|headings?|headers?|footers?|titles?|variables?|imports?|loops?|tests?|commits?|spaces?|whitespace|duplicates?|brackets?|quotes?|emojis?|hashtags?|semicolons?|characters?|letters?|steps?|items?|entr(?:y|ies)|cells?|fields?|index(?:es)?|keys? from|records? from|rows? from|greeting|intro|introduction|conclusion|ending|adjectives?|adverbs?|dash(?:es)?|hyphens?|apostrophes?|parameters?|arguments?|dependenc(?:y|ies)|packages?|containers?|cookies|cache|app|apps|browser|draft|essay|verse|stanza|second|third|fourth|sugar|salt|onions?)\b/;
const ELSEWHERE = new RegExp(
  ` (?:from|in|at|inside|within|out of|off) (?!(?:your|my|the|any)? ?(?:[\\w-]+ )?${MEMORY}\\b)(?:the|this|that|these|my|our|your|every|each|a|an) `,
);
const IN_MEMORY = new RegExp(
  `(?:from|in|out of|off|on|to) (?:(?:your|the|any|my|its|all) )*(?:[\\w-]+ )?${MEMORY}\\b|\\b(?:you (?:know|have|hold|remember)|on record|on file)\\b`,
);

/** `rest` are the words after the verb, with single spaces. Undefined where nothing known can be meant. */
export function targetOf(sort: RequestSort, rest: string): ReadTarget | undefined {
  const clause = /^[^.;!?()–—]*/.exec(rest)?.[0] ?? '';
  const content = (sort === 'forget' || sort === 'remember') && CONTENT.test(rest);
  const last = content ? undefined : LAST.map((pattern) => pattern.exec(rest)).find((found) => found);
  for (const pattern of content || /\bjust (?:said|told)|\b(?:last|previous) message/.test(last?.[0] ?? '') ? [] : everything) {
    const found = pattern.exec(rest);
    if (!found || (sort === 'ignore' && !/\b(?:said|told|wrote|me|mentioned|shared)\b/.test(found[0]))) continue;
    return { target: { what: 'all', but: found.groups?.but }, length: found[0].length };
  }
  if (last) {
    const isFirm =
      sort === 'forget' ? !/^(?:about )?it$/.test(last[0]) : sort !== 'ignore' && (sort === 'remember' || IN_MEMORY.test(clause));
    return { target: { what: 'last', isFirm }, length: last[0].length };
  }
  return namedIn(sort, rest, clause);
}

function namedIn(sort: RequestSort, rest: string, clause: string): ReadTarget | undefined {
  const start = NAMES_START.exec(rest)?.[0] ?? '';
  if (!mayName(sort, start, rest, clause)) return undefined;
  const from = rest.slice(start.length);
  const length =
    Math.max(0, NAMES_END.exec(from.startsWith('i ') ? from.slice(1) : from)?.index ?? from.length) + Number(from.startsWith('i '));
  const words = from.slice(0, length);
  const names = words.split(/ (?:and|or|&|plus|as well as) (?:(?:the|my|our|all|of|about|also) )*/).filter((name) => name.trim() !== '');
  if (names.length === 0) return undefined;
  const isWide = /\b(?:everything|anything|all|whatever|stuff|any of)\b/.test(start);
  const tail = AFTER_NAMES.exec(from.slice(length))?.[0].length ?? 0;
  return { target: { what: 'named', names, isWide }, length: start.length + length + tail };
}

const OWN = new RegExp(`^(?:my|our) (?:[\\w'-]+ ){0,3}[\\w'-]+${END}`);
const PART = new RegExp(`^(?:the|my|that) (?:[\\w'-]+ ){1,3}(?:bit|part|thing|stuff|business|number|idea|name)${END}`);

function mayName(sort: RequestSort, start: string, rest: string, clause: string): boolean {
  const told = /\b(?:said|told|wrote|mentioned|shared|gave|everything|anything|whatever|stuff|thing|bit|part|business)\b/.test(start);
  if (sort === 'forget') return !/^(?:to|how to|not)\b/.test(rest);
  if (sort === 'remember') return !/^(?:to|how)\b/.test(rest);
  if (IN_MEMORY.test(clause)) return true;
  if (sort === 'ignore')
    return (
      /\b(?:said|told|wrote|mentioned|shared|gave|earlier|previous)\b/.test(start) && !/\b(?:instructions?|prompts?|rules?)\b/.test(clause)
    );
  if (told) return !ELSEWHERE.test(clause) || /\b(?:said|told|mentioned)\b/.test(start);
  if (ELSEWHERE.test(clause) || TEXT.test(clause)) return false;
  if (sort === 'keep') return OWN.test(rest) || PART.test(rest);
  return /^(?:my|our|the|that|his|her|their)\b/.test(rest) || /^[\p{L}]+(?:'s)? ?(?:$|[,.;!?]|[\p{L}]+ ?(?:$|[,.;!?]))/u.test(rest);
}
