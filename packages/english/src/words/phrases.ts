/** Small words and set phrases around what is said. */

import { phraseList, wordSet } from './sets.ts';

/** Said before a statement without being part of it. */
export const OPENERS =
  phraseList(`hi | hey | hello | hiya | good morning | good evening | good afternoon | morning | evening | yo | ok | okay | k | oki | alright | right
well | so | yeah | yes | yep | yup | sure | oh | ah | aha | hm | hmm | um | uh | haha | hahaha | lol | btw | by the way | fyi | tbh | imo | to be honest | honestly
anyway | anyways | also | plus | and | but | then | ok so | oh and | first | firstly | second | secondly | finally | lastly | basically | actually | for context
some context | a bit of context | context | background | just so you know | so you know | as i said | as i mentioned | like i said | as you know | in case it helps | quick update
update | an update | small update | before i forget | just to add | one more thing | another thing | good to know | to clarify | for reference | for what it is worth
thanks | thank you | thx | ty | cheers | cool | great | perfect | nice | awesome | sounds good | got it | i see | interesting | please | sorry | oops | wait | no worries | no problem
it is final | it is official | it is settled | it is decided | final decision | correction | guess what | good news | bad news | sadly | unfortunately | luckily | fortunately | funnily enough | as it happens | as a side note | side note | on a side note
hope you are well | there | everyone | all | mate | dude | man | buddy | bro | nice to meet you | good to hear | fair enough | never mind | nevermind
about me | a little about me | a bit about me | little about me | some facts about me | important | heads up | just a heads up | ps | p.s. | p.s | in short | long story short
i should mention | i should mention that | i should add | i should add that | i should say | i should say that | i forgot to mention | i forgot to mention that | i forgot to say
i forgot to say that | did i mention | did i mention that | i might have mentioned | i must say | i have to say | i have to admit | i must admit | i mean | you should know | you should know that
it is worth knowing that | it might help to know that | it may help to know that | let me add that | i also want to mention that | i want to mention that | i will add that | i can tell you that
just letting you know | just letting you know that | letting you know | letting you know that | just to let you know | i wanted to let you know that | i wanted to mention | i wanted to mention that | thought you should know | first of all | you might want to know | you may want to know that | worth mentioning | worth noting | worth knowing | might be relevant | one thing to know | small detail | quick note | note to self | i guess i should say | also worth noting
the thing is | thing is | fact is | truth is | to be fair | in fact | of course | obviously | clearly | apparently | turns out | it turns out | it turns out that | turns out that`);

/** What follows is to be kept, whoever it is about. */
export const REMEMBER =
  phraseList(`remember that | remember | remember this | please remember | do not forget that | do not forget | never forget that | note that | note | please note that | take note that
for later | reminder | nb | n.b. | for the record | keep in mind that | keep in mind | bear in mind that | bear in mind | make a note that | make a note | just remember | always remember that | always remember | fyi
keep this | keep this somewhere | write this down | note this down | jot this down | save this | store this | memorize this | memorise this | memorize that | memorise that | for future reference | i want you to remember that | i want you to remember | can you remember that
can you remember | could you remember that | could you remember | you should remember that | i need you to remember that | please save that | save that | please store that | store that | write down that | jot down that`);

/** Said after a statement without being part of it. */
export const CLOSERS =
  phraseList(`btw | fyi | by the way | lol | haha | hahaha | lmao | xd | though | tho | please | thanks | thank you | thx | cheers | sorry | right | you know
just fyi | just so you know | for context | if that helps | if it helps | if that matters | in case it matters | in case that helps | if you must know | if you are wondering | by the by | i guess | i suppose
i think | i believe | actually | to be honest | tbh | too | as well | i am afraid | unfortunately | sadly | honestly | obviously | of course | apparently | haha ok`);

/** What follows is not said of the real world. */
export const HYPOTHETICAL =
  phraseList(`suppose | supposing | imagine | imagining | pretend | pretending | assume | assuming | let us say | let us pretend | let us imagine | let us assume | let us suppose
for a story | for my story | for my novel | for a novel | in my novel | in my story | in my book | in a story | in the movie | in the film | say i | say we | say my | what if | hypothetically | in theory | if i were | if i was | act as if | act like | act as | picture this | for example | for instance | e.g. | as an example | in this scenario
you be | you are going to be | you will be | let us play | i will be the | i am the player | in this story | in the story | in my dream | i dreamed | i dreamt | you play | in this game | in the game | my character | in character | once upon a time | consider`);

/** A word at the start of a question. */
export const QUESTION_WORDS = wordSet(`what how why which where when who whom whose whats any`);
export const QUESTION_VERBS = wordSet(`can could would will shall should is are was were am do does did has have had may might must`);

export const COORDINATORS = wordSet(`and but so plus or yet`);
export const REASONS = wordSet(`because since as cause given seeing considering`);
export const CONDITIONS = wordSet(`if unless whether suppose supposing assuming provided lest`);
/** Clauses with these stay with their main clause. */
export const ATTACHED = wordSet(
  `when whenever while until till before after once where wherever who whom whose that than though although even whereas`,
);

export const ADVERBS =
  wordSet(`also just really always never only usually mostly actually currently now still recently already often sometimes rarely seldom typically generally normally mainly
  definitely absolutely truly personally honestly finally basically officially regularly occasionally probably simply kinda primarily originally ever lately even soon ultimately totally
  completely strongly much particularly especially hardly barely quite then both all literally probably`);

export const NEGATIONS = wordSet(`not never no without neither nor none`);

export const THIRD_PERSON_PRONOUNS = wordSet(`it he she they him her them hers theirs itself himself herself themselves`);
export const DEMONSTRATIVES = wordSet(`this that these those such here there`);
export const SECOND_PERSON = wordSet(`you your yours yourself`);

/** For the standing wishes to the assistant. */
export const STANDING =
  phraseList(`always | never | ever | from now on | going forward | from here on | in future | in the future | every time | each time | by default | whenever | at all times
all future | future chats | future answers | in anything | anything you | everything you | whatever you | whatever code | code you write | all the time | in all your | in all your answers | in everything | in every answer | for all future | from today | henceforth | as a rule | in general | unless i say otherwise | unless i ask | when you | all my | for me in general`);
/** Of those, what leaves no doubt. */
export const FOR_GOOD = phraseList(
  `always | never | from now on | going forward | from here on | in future | in the future | by default | all future | future chats | future answers | henceforth | at all times`,
);
export const STYLE_WORDS =
  wordSet(`emoji emojis emoticons bullet bullets markdown jargon exclamation metric imperial celsius fahrenheit kilometres kilometers miles spelling units formal informal casual formality tone
  answers replies responses explanations pronouns abbreviations acronyms tables headings comments language english british american spanish french german italian portuguese dutch swedish polish russian
  japanese chinese korean arabic hindi turkish greek danish norwegian finnish czech ukrainian catalan 24-hour timezone currency euros dollars pounds`);
export const ANSWER_VERBS = wordSet(
  `answer reply respond write speak talk explain use keep give avoid stop address call refer be skip include add format round convert quote sign start begin end`,
);
