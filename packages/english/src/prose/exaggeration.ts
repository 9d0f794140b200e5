/** Figures of speech: what is not to be taken by the word, and what is said only to say something. */

const NEXT = '(?=\\s*(?:[,.!?;:…)]|$|\\b(?:and|but|so|lol|right now|today|tonight|now|rn|already|honestly|because)\\b))';
const ME = "(?:i|we)(?: am|'m|’m|m| are|'re|’re| was|'ve been| have been)?";
const VERY =
  '(?:(?:so|literally|actually|just|absolutely|totally|officially|basically|completely|already|honestly|lowkey|still|really|now) )*';

const FIGURES = [
  // Of how one feels.
  `${ME} ${VERY}(?:dead|dying|deceased|done|toast|screwed|doomed|starving|famished|freezing|melting|boiling|exploding|screaming|crying|sobbing|shook|speechless|all ears|in stitches|over the moon|on cloud nine|beyond excited|at my wits'? end|at the end of my tether|dead on my feet|running on fumes|on fire|a mess|a wreck|a genius|an idiot|a moron|a dinosaur|a potato|a zombie)${NEXT}`,
  `${ME} ${VERY}(?:dying (?:of|to|for|over|here)|crying with|losing (?:my|it|the)|going (?:crazy|insane|mad|nuts|bananas)|drowning in|swimming in|pulling my hair)[^.,;!?]*`,
  `(?:i|we) (?:can't|cannot|can not|cant|could(?:n't| not)) (?:even${NEXT}|(?:even )?(?:deal|cope|believe (?:it|this|my)|wait|complain|stop (?:laughing|crying|smiling)|win|brain|adult)\\b[^.,;!?]*)`,
  `(?:i|we) (?:can|could)(?:n't|'t| not|not)? literally (?:not |barely )?\\w+[^.,;!?]*`,
  `(?:i|we) (?:literally|physically) (?:can't|cannot|cant|can barely|could not)[^.,;!?]*`,
  `(?:i|we|one) could (?:${VERY})(?:eat|kill|murder|sleep for|cry|scream|die|use a (?:drink|nap|hug|holiday|vacation)|do with a)[^.,;!?]*`,
  `(?:i|we)(?:'ve| have|'d)? (?:had|having) (?:quite (?:a|the)|such a|one hell of a|a hell of a|a heck of a|one of those|a bit of a|a long|a rough|a crazy|a) (?:day|week|morning|night|month|time|days)(?= *(?:[,.!?;]|$|lol|today))`,
  `(?:i|we)(?:'ve| have) had (?:it\\b(?: up to here| with)?|enough\\b|one (?:\\w+ ){0,3}too many)[^.,;!?]*`,
  `[^.,;!?]{0,80}\\bso \\w+ (?:that )?(?:i|we) (?:could|can't|cannot|cant|nearly|almost|might)\\b[^.;!?]*`,
  `(?:i|we) (?:almost|nearly|basically|practically|literally) (?:died|cried|choked|fainted|passed out|exploded|screamed|wept|peed|had a heart attack|fell (?:off|over))[^.,;!?]*`,
  // Of things.
  `(?:my|the|this|that|it|these|those) ?(?:\\w+ ){0,2}(?:is|are|'s|was|were|has|have) (?:been )?${VERY}(?:killing me|driving me (?:\\w+ )?(?:crazy|mad|nuts|insane|bananas|up the wall)|the death of me|the bane of my|doing my head in|a nightmare|a (?:total |complete )?(?:disaster|joke|zoo|horror movie|horror show|waterfall|circus|dumpster fire|mess|train wreck)|fried|mush|spinning|on strike|dead|toast|jelly)${NEXT}`,
  `kill me now|shoot me now|send help|wish me luck|fingers crossed|(?:i(?:'ve| have) (?:had|got) )?my fingers crossed|i ate my weight in[^.,;!?]*|knock on wood|touch wood|fml|(?:i )?rest my case|i give up|i stand corrected|(?:i )?bow to [^.,;!?]*|no rest for the wicked|story of my life|living the dream|been there,? done that|am i right|my bad|my pleasure|my compliments[^.;!?]*|my (?:mistake|apologies|fault|goodness|god|word)${NEXT}`,
  `(?:not )?in a million years|(?:a|like a) million times|a ton of bricks`,
];
const CHAT = [
  // Of how long it has been.
  `(?:it(?:'s|’s| has| is)|its|has)? ?(?<!(?:i|we|i've|we've|have|she's|he's|they've|'ve|has|had|not) )been (?:(?:such|quite|way|far) )?(?:(?:a|too) (?:long |good |hot )?(?:while|time|minute|long|hot minute|day|week|month)|ages|forever|long|yonks|too long)\\b(?: since (?:we|i|you) (?:last )?\\w+[^.,;!?]*)?`,
  `since (?:we|i|you) (?:last )?(?:talked|spoke|chatted|wrote|messaged|met|caught up)(?: last)?(?: time)?`,
  `since (?:our|my|your) last (?:chat|talk|conversation|message|session|call|mail|email)`,
  `long time no (?:see|talk|speak|chat)`,
];
/** Orders of good company, not standing ones. */
const COMPANY =
  /(^|[.!?;]\s+|,\s+(?:and |so |but )?)(?:please |just |so |and |do |oh |then )*(?:let me know|lemme know|keep me posted|tell me (?:everything|more|all about)|(?:write|text|call|ring|message|ping|email|mail|phone)(?: me)?(?: back)? (?:when(?:ever)?|if|once|as soon as) you|(?:come|drop|pop|stop) (?:over|by|round|in)?\b ?(?:when|if)(?:ever)? you)\b(?![^.?!]*\b(?:always|every time|in (?:the )?future|from now on|whenever(?! you (?:can|get|have|find)))\b)[^.!?;]*/giu;

const START = "(?<![\\p{L}\\p{N}'’-])";
/** Where a clause begins: not in the middle of what else is said. */
const CLAUSE_START =
  "(?<=(?:^|[.,;:!?…(–—-]|\\p{Extended_Pictographic}|\\b(?:and|but|so|because|cause|cos|cuz|yeah|oh|ok|okay|ugh|well|honestly|now|anyway|today|also|tbh|man|dude|wow|point|god))\\s*)(?<![\\p{L}\\p{N}'’])";
const FIGURE = new RegExp(`${CLAUSE_START}(?:${FIGURES.join('|')})`, 'giu');
const PHRASE = new RegExp(`${START}(?:${CHAT.join('|')})(?![\\p{L}\\p{N}])`, 'giu');

/** The line without them; what stands around one is told apart. */
export function withoutExaggeration(line: string): string {
  const text = line.replace(COMPANY, '$1').replace(PHRASE, '').replace(FIGURE, '. ');
  if (text === line) return line;
  return text
    .replace(/\s+([,.!?;])/g, '$1')
    .replace(/([.!?])(?:\s*[,.;])+/g, '$1')
    .replace(/,\s*([.!?])/g, '$1')
    .replace(/^[\s,.;!?]+/, '')
    .replace(/(?:,|\b(?:and|but|so|because))\s*$/i, '')
    .replace(/\b(?:and|but|so|because|that)(?=[.!?])/gi, '')
    .replace(/\s{2,}/g, ' ')
    .trim();
}
