/** What is not said in earnest of the real world: stories, role play, prompts, songs, jokes, irony and castles in the air. */

const PRAISE =
  '(?:\\w+ ){0,2}(?:best|star|legend|life-?saver|genius|gem|angel|hero|champ|champion|godsend|treasure|sweetheart|dear|pal|friend|sport|bot|robot|machine|ai|llm|program|computer|chatbot|help|joy|delight|rock|mind reader|touch|person|fan|pleasure|wonder|boss|goat|mvp|queen|king|blessing|miracle|wizard|star|one)(?=\\s*(?:[,.!?)]|$|for\\b|at\\b|and\\b|to me|of\\b))|bit|little|tad|lot|reason|only|first|best|worst|one\\b';
const TEXT =
  'story|stories|poem|limerick|haiku|sonnet|song|lyrics|rap|scene|script|screenplay|novel|tale|fairy ?tale|adventure|game|campaign|role-?play|rp|sketch|dialogue|monologue|play|fanfic|fan fiction|ballad|verse|diary|letter|joke|myth|legend|chapter|blurb|bio|biography|backstory|profile|speech|post|caption|review';
const LETS = "(?:let's|lets|let us|shall we|we could|we'll|we will)";
const FANTASY =
  'dragon|wizard|knight|pirate|elf|orc|vampire|ghost|goblin|sorcer(?:er|ess)|necromancer|mage|warlock|troll|zombie|werewolf|samurai|ninja|viking|gladiator|space marine|dungeon|emperor|empress|pharaoh|demon|fairy|mermaid|unicorn|time travell?er|superhero';
/** What may follow where that is what one plays: not `ghost writer`, `dragon boat coach`. */
const PLAYS_ON = '(?=\\s*(?:[,.!?;:)]|$|(?:and|who|of|from|called|named|king|queen|lord|slayer|in|on|with|boss|keeper|master)\\b))';
const BEFORE =
  '(?:(?:ok|okay|so|hey|hi|hello|now|please|right|alright|um|and|then|from now on|for this|today|listen|gpt|claude|can you|could you|would you|will you)[, ]+)*';

const LONGEST_LOOK = 2000;
const STAGED = /^[ \t]*\*[a-z]+(?:s|ing) [^*\n]{1,80}\*(?!\*)/im;
const FORMAL = /^I, (?:the\b|a\b|an\b|\p{Lu}[\p{L}'-]+(?: \p{L}+)? (?:the|of)\b)/mu;
const FANTASTIC = new RegExp(
  `^${BEFORE}(?:i am|i'm|i’m|im) (?:the|a|an|your) (?:\\w+ ){0,3}(?:${FANTASY})${PLAYS_ON}(?![^.?!]*\\b(?:main|fan|player|collector|cosplay\\w*|costume|level|lvl|class|fancier|owner|nerd)\\b)`,
  'i',
);
const IN_CHARACTER = /\b(?:in|break|breaking) character\b|\bfourth wall\b/i;
const REFEREE =
  /\byou(?:'re|’re| are| be|'ll be| will be| play) (?:the |my |our )?(?:dm|gm|dungeon master|game master|narrator|heroes|villain)\b/i;

/** From a sentence like these on, all that follows belongs to it. */
const BEGINNINGS = [
  new RegExp(
    `^${BEFORE}(?:you(?:'re|’re| are)|u are|ur|u r) (?:now |going to be |playing |to be |to play )?(?:a|an|the|my|our) (?!${PRAISE})\\w`,
    'i',
  ),
  new RegExp(
    `^${BEFORE}(?:i want you to|i'd like you to|i would like you to|i need you to|you (?:will|should|must|shall|get to)|your (?:job|role|task) is to) (?:now )?(?:act|pretend|be (?:a|an|my|the)|play (?:a|an|the|my)|role-?play|imagine|assume|speak as|talk like|impersonate)\\b`,
    'i',
  ),
  new RegExp(
    `^${BEFORE}(?:act as|act like|pretend|imagine|make believe|role-?play|impersonate|play the (?:role|part) of|be my (?:\\w+ )?(?:dm|gm|narrator|opponent|villain|dungeon master)|picture this|picture me)\\b`,
    'i',
  ),
  new RegExp(
    `^${BEFORE}${LETS} (?:pretend|imagine|assume|suppose|say (?:i|we|my|that)|make believe|improvise|act out|role-?play|rp\\b|(?:play|do|start|begin|continue|write|make up|invent|create|tell|compose)\\b[^.?!]{0,40}\\b(?:${TEXT})\\b)`,
    'i',
  ),
  new RegExp(
    `\\b(?:write|tell|make|compose|draft|create|generate|give|continue|invent|draw up|do)\\b[^.?!]{0,60}\\b(?:${TEXT})\\b[^.?!]{0,60}\\b(?:where|in which|about how|starring|with me as|told by|narrated by|as if|(?:perspective|point of view|pov|voice) of|called me|in first person|first-person)\\b`,
    'i',
  ),
  /\b(?:for|in) (?:the|my|our|a|this) (?:play|sketch|panto|musical|skit|scene|film|movie|demo|improv)\b[^.?!]{0,20}\bi(?:'m| am|m)\b|\blet me set the scene:/i,
  /\b(?:had|having|dreamt|dreamed) (?:a|an|the|this|such a|another)\b[^.?!]{0,30}\b(?:dream|nightmare)\b|^(?:last night )?i (?:dreamt|dreamed)\b/i,
  /^(?:riddle|narrator|beat sheet|plot|synopsis|lyrics|verse|chorus|poem|joke|(?:question|exercise|problem|task) \d+)\b[^:.]{0,20}:/i,
  /^(?:fill in|here is|here's|use|take)\b[^.?!]{0,30}\b(?:dummy|sample|fake|placeholder|made-up|for the demo)\b/i,
  /^(?:character|persona|npc|oc)(?: (?:bio|biography|profile|sheet|description|name|backstory))?\s*:/i,
  /^(?:once upon a time|chapter \d|chapter one|prologue|act [iv\d]|(?:int|ext)\. |scene\s?(?:\d|:)|setting:|ic:|\[ic\]|in[- ]character|backstory:|my character's? (?:name|bio|backstory|background|story))/i,
  FORMAL,
  FANTASTIC,
  /\bfor (?:my|our|a|the) (?:d&d|dnd|rpg|larp|pathfinder)\b/i,
  /^(?:hypothetically|hypothetical(?: question)?\b|in a parallel universe|in an alternate|thought experiment|what would happen if (?:i|my|we))/i,
  /\b(?:backstory|biography|bio|profile|character sheet|personality) (?:of|for) (?:(?:my|a|an|the|this|our) )?(?:\w+ )?(?:character|oc|npc|persona|protagonist|hero|heroine|villain)\b/i,
];
const NAMED_ROLE =
  /^(?:[A-Z]\w*[, ]+)?(?:You are|You're|You’re|you are|you're) (?:now |playing )?(?!Right|Welcome|Awesome|Amazing|Great|AI|ChatGPT|Claude|GPT|OK)\p{Lu}[\p{L}]+(?![^.!?]*\?)/u;

/** With these anywhere, nothing in the message is meant. */
const NOTHING_MEANT = [
  /(?:^|[.!?,\n] ?|please |can you |could you |now )(?:continue|finish|carry on|go on with|keep going with|pick up) (?:with )?(?:the|this|my|our) (?:story|tale|scene|poem|adventure|song|verse|narrative|rhyme|role-?play|rp|dialogue)\b/i,
  IN_CHARACTER,
  REFEREE,
  /\bmake (?:that|this|it) (?:rhyme|scan|less terrible|less cheesy|more poetic)\b|\broses are red\b/i,
  /\b(?:turn|make|put|write|rewrite|set)\b (?:this|that|these)(?: line)?\b[^.?!\n]{0,20}\b(?:funnier|limerick|poem|haiku|joke|song|rap|stand-?up|sketch|story|verse|sonnet|ballad|meme|skit)\b/i,
  /\b(?:write|give|make|create|generate|invent)\b[^.?!\n]{0,40}\b(?:backstory|biography|bio|profile)\b[^.?!\n]{0,30}\b(?:npc|character|oc|hero|heroine|villain|persona)\b/i,
  /\bsarcasm (?:on|off|mode)\b|\(sarcas(?:m|tic)|<\/?sarcasm>|\(joke\)/i,
  /\b(?:asking for a friend|(?:a|my) friend is asking|sung to the tune of)\b/i,
];

/** What was said up to here was a joke. */
const JOKE =
  /(?<!\b(?:not|no|never|isn't|wasn't) )\b(?:(?:just|only|i'm|im|i am|totally|obviously) (?:kidding|joking|messing with you|pulling your leg)|kidding!|april fools?|jk|jks|j\/k)\b(?! rowling)/i;

/** A sentence that means the opposite, or nothing that is so. */
const NOT_SO = [
  /(?:^|\s)\/s(?:arc(?:asm)?)?\b[.!]?\s*$/i,
  /^(?:oh |ah |well |ha |um )*(?:yeah|yea|sure|right|great|wow|cool|fantastic|brilliant|lovely|wonderful|perfect|awesome|of course|oh joy)[,.! ]+(?:(?:right|sure|yeah|totally|ok|okay|great)[,.! ]+)?(?:just what i (?:need|want)ed|(?:because|cause|cos|cuz|'cause|as if) (?:i|i'm|im|we|my|who)\b)/i,
  /^(?:as if (?:i|my|we)|like i (?:need|want|have)(?:ed)? (?:another|more)|said no one|because (?:clearly|obviously|apparently) (?:i|my|we))\b/i,
  /\bi (?:just|simply|absolutely) (?:love|adore|enjoy) (?:it when|how|being|waiting|getting|sitting|standing|paying|having to|spending)\b/i,
  /\bmy (?:detective|protagonist|narrator|heroine|villain|antagonist)\b(?!'s? name)/i,
  /\b(?:if only|i wish) (?:i|we|my)\b/i,
  /\bif (?:i|we) (?:were|was|had|won|could|ever|ruled|owned|lived|inherited|got)\b.*\b(?:i|we|it|they|he|she)(?:'d|’d| would| could| might)\b/i,
  /\b(?:i|we)(?:'d|’d| would)\b[^.?!]*\bif (?:i|we) (?:were|was|had|won|could|ever|ruled|owned)\b/i,
  /[♪♫]/u,
];

/** Of one who plays a part. */
const PLAYED = [NAMED_ROLE, STAGED, FANTASTIC, FORMAL, IN_CHARACTER, REFEREE];
const LEAVES =
  /\b(?:ooc|out of character|stop|end (?:of )?(?:the )?(?:scene|game|story|role-?play)|thanks|thank you|btw|by the way|in real life|irl|for real|seriously)\b/i;

/** Whether these messages of the user, oldest first, have begun to play a part and not left it. */
export function isPlaying(messages: readonly string[]): boolean {
  let playing = false;
  for (const message of messages) {
    const text = message.slice(0, LONGEST_LOOK);
    playing = (playing && !LEAVES.test(text)) || PLAYED.some((pattern) => pattern.test(text));
  }
  return playing;
}

/** Lines without what is made up. */
export function withoutFiction(lines: readonly string[]): string[] {
  const whole = lines.join('\n');
  if (NOTHING_MEANT.some((pattern) => pattern.test(whole))) return [];
  const kept: string[] = [];
  for (const line of lines) {
    const said: string[] = [];
    for (const sentence of line.split(/(?<=[.!?…])\s+/)) {
      if (begins(sentence)) return said.length > 0 ? [...kept, said.join(' ')] : kept;
      const joke = JOKE.exec(sentence);
      if (joke) {
        kept.length = 0;
        said.length = 0;
        said.push(sentence.slice(joke.index + joke[0].length).replace(/^[\s,;:!.–—-]+/, ''));
      } else if (!isUntrue(sentence)) said.push(sentence);
    }
    if (said.some((sentence) => sentence !== '')) kept.push(said.join(' ').trim());
  }
  return kept;
}

function begins(sentence: string): boolean {
  return NAMED_ROLE.test(sentence) || BEGINNINGS.some((pattern) => pattern.test(sentence));
}

function isUntrue(sentence: string): boolean {
  return NOT_SO.some((pattern) => pattern.test(sentence)) || isVerse(sentence);
}

/** `I left my heart / in the miller's house / …`. */
function isVerse(sentence: string): boolean {
  const parts = sentence.split(' / ');
  return (
    parts.length >= 3 && parts.filter((part) => part.trim().split(/\s+/).length >= 3).length >= 2 && /\b(?:i|my|me|you)\b/i.test(sentence)
  );
}
