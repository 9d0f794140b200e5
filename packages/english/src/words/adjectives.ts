/** What someone may be. */

import { wordSet } from './sets.ts';

export const LASTING_STATES =
  wordSet(`allergic vegetarian vegan pescatarian lactose lactose-intolerant gluten-free gluten intolerant intolerent diabetic asthmatic epileptic autistic dyslexic celiac coeliac anaemic anemic married single divorced
  widowed engaged separated retired unemployed self-employed freelance freelancing deaf blind colour-blind color-blind colourblind colorblind left-handed right-handed ambidextrous bilingual trilingual multilingual
  dyspraxic hypothyroid immunocompromised kosher halal muslim jewish christian hindu buddhist catholic atheist agnostic sikh protestant orthodox mormon gay lesbian bisexual straight queer trans transgender nonbinary non-binary
  asexual hypertensive short-sighted nearsighted near-sighted farsighted disabled paraplegic nocturnal introverted extroverted teetotal sober childfree child-free childless adopted born named called originally based
  employed bipolar neurodivergent polyamorous tall sensitive dairy-free nut-free keto paleo colour color claustrophobic arachnophobic night-blind tone-deaf religious conservative liberal arachnophobic insulin-dependent half part native`);
/** Of those, what says too little by itself, or something else at the start of a sentence. */
export const NEVER_ALONE = wordSet(
  `half part native single straight called named colour color tall gluten sensitive liberal conservative orthodox based originally born lactose`,
);
/** How one is or feels for the moment, and what one thinks of something. */
export const MOMENTARY =
  wordSet(`tired hungry bored busy sad happy angry mad upset annoyed confused lost stuck ready sure back here there done fine ok okay good great well late early curious glad sorry excited nervous stressed
  worried overwhelmed exhausted drunk hungover cold hot wet asleep awake sleepy thirsty starving dying kidding joking serious right wrong able unable aware unsure certain impressed surprised shocked amazed
  grateful thankful speechless hopeful doubtful sceptical skeptical convinced confident positive clueless hopeless useless desperate frustrated disappointed jealous proud lucky unlucky broke free available
  alone close open gone over up down out welcome fair true false stupid dumb silly crazy insane weird funny nice bad awful terrible horrible amazing awesome perfect brilliant cool interesting important useful helpful
  annoying boring broken dead slow fast weak loud quiet empty full messy dirty clean clear unclear different same similar better worse best worst new old possible impossible likely unlikely
  safe stable necessary enough whole real complete incomplete finished perplexed stumped baffled flabbergasted guilty embarrassed ashamed homesick sick ill due overdue anxious calm relaxed content meh bummed toast shook
  game down afraid mistaken correct incorrect wondering concerned furious livid thrilled delighted ecstatic pleased satisfied offended insulted hurt numb dizzy nauseous restless online offline present absent
  high low short big small huge tiny hard easy difficult tough simple complicated expensive cheap pricey wild worth ugly pretty beautiful cute lovely gorgeous delicious tasty gross nasty sweet`);
/** True for some weeks or months. */
export const PASSING_CONDITIONS = wordSet(
  `pregnant injured sick ill recovering off away abroad travelling traveling grounded quarantined overdue due`,
);
export const LASTING_INTERESTS = wordSet(
  `into fond passionate allergic hopeless rubbish decent comfortable familiar obsessed addicted interested picky fussy hooked nuts mad scared afraid terrified keen partial crazy enthusiastic bad good terrible great fluent proficient experienced responsible certified licensed trained qualified skilled`,
);

export const NATIONALITIES =
  wordSet(`american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss austrian swedish norwegian danish finnish icelandic polish czech slovak slovenian slovene croatian
  serbian bosnian macedonian albanian greek bulgarian romanian hungarian ukrainian russian belarusian lithuanian latvian estonian turkish cypriot maltese israeli palestinian lebanese syrian jordanian iraqi iranian persian
  saudi emirati egyptian moroccan algerian tunisian libyan sudanese ethiopian kenyan ugandan tanzanian rwandan nigerian ghanaian senegalese ivorian cameroonian congolese angolan mozambican zimbabwean zambian namibian
  african indian pakistani bangladeshi nepali nepalese tibetan chinese taiwanese japanese korean vietnamese thai cambodian laotian burmese malaysian singaporean indonesian filipino filipina australian kiwi canadian
  mexican guatemalan honduran salvadoran nicaraguan panamanian cuban jamaican haitian dominican colombian venezuelan ecuadorian peruvian bolivian chilean argentinian argentine uruguayan paraguayan brazilian
  georgian armenian azerbaijani kazakh uzbek mongolian afghan european asian catalan basque flemish bavarian sicilian punjabi bengali tamil kurdish scandinavian luxembourgish malagasy mauritian moldovan somali yemeni qatari kuwaiti sri`);
