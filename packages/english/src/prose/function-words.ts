/** Small words by language: what tells one from another in a few words. */

import { wordSet } from '../words/sets.ts';

/** Those of English that no other language has here. */
export const ENGLISH =
  wordSet(`the and or but if to of in at by for with from as is am are was were be been being i'm im ive i've i'll i'd my mine we our us you your you're he's
  she it its it's they them their this that that's these those not don't dont didn't doesn't isn't wasn't can't cant won't do does did have has had will would can could should may might just also always
  never really very what what's how when where which who why there here about because since than then now please thanks thank hi hey name love like live work over any all some one two three four five
  six out up down more most every each into after before only own too other still new old years year months day days week time home good need want use get got make made know think going back around
  until near off without my self myself his her him she's we're we've they're let let's yes please sorry wife husband kids son's daughter dog cat house job school name's age old born years allergic
  called named means say says said called version model phone account update error works working lives living moved started stopped prefer favourite favorite hate budget email size my
  yesterday today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday again much many little big small first last next same both few lot bit`);

/** Written alike in English and elsewhere: neither speaks for one or the other. */
export const SHARED =
  wordSet(`a an i no me in he so is on do am was hat had to of we die war man as over want son don come more has can us as fin dos hat one home
  son sin real general normal total actual final hotel`);

/** Pronouns, verbs, negations and conjunctions: a clause with one of these is in its language. */
export const TELLING = wordSet(
  // Spanish
  `yo soy eres somos estoy está están estamos estaba vivo vives vive vivimos tengo tienes tiene tenemos tenía quiero quiere queremos puedo puede hago hace voy vamos trabajo gusta gustan encanta
  muy pero porque cuando también aunque desde hasta ahora siempre nunca hoy ayer mañana este eso usted ustedes nosotros ellos ella mi mis tu tus su sus nuestro nuestra hola gracias
  necesito mudamos prefiero llamo hablo años año hermano hermana hijo hija hijos mujer marido perro gato según como qué cómo dónde es fue era ser hay sí y ya todo todos mucho mucha`,
  // Portuguese
  `eu sou é qual és estou estão moro tenho tem temos não você vocês meu minha meus minhas seu sua gosto trabalho mas também então quando porque sempre hoje ontem amanhã obrigado obrigada
  quero preciso posso faço isso isto ele ela nós estava tinha são muito muita filho filha irmão irmã cão anos desde olá aqui agora depois ainda`,
  // Italian
  `io vorrei sono sei siamo ho hai abbiamo hanno abito vivo lavoro piace piacciono voglio posso devo faccio mio mia miei mie tuo tua nostro che perché anche quando sempre oggi ieri domani
  questo questa quello molto anni marito moglie figlio figlia fratello sorella cane gatto chiamo è non più cosa così grazie ciao della nel nella sul gli e`,
  // French
  `je j'ai j'habite j'aime j'étais tu il elle nous vous ils elles suis êtes sommes sont était étais avons avez ont mon ma mes ton ta tes ses notre votre mais parce quand aussi toujours jamais
  très pas ne n'ai n'est c'est c'était qu'il qu'elle que qui cette ce ces habite travaille veux peux préfère aime depuis aujourd'hui hier demain ans mari femme fils fille frère sœur soeur chien
  merci bonjour avec dans pour chez et est peu plus où`,
  // German
  `ich bin bist ist sind seid war waren habe hast hab haben hatte wir ihr sie er es mein meine meinen meiner meinem dein deine unser unsere nicht kein keine und oder aber weil wenn dass daß als
  auch noch schon sehr immer nie heute gestern morgen seit jetzt wohne arbeite heiße heisse mag möchte will kann muss müssen werden wird wurde gerne leider danke hallo bitte vom zum zur
  beim kommt geht beim für über jahre jahren mann frau sohn tochter bruder schwester hund katze geboren mir mich dir dich uns ziehen wie was wo`,
  // Dutch
  `ik ben bent zijn wij jij hij zij jullie mijn jouw onze ons heb hebt heeft hebben had woon werk niet geen maar want omdat ook nog altijd nooit vandaag gisteren morgen graag sinds nu wil kan
  moet wordt werd dat dit deze een het naar voor jaar jaren vrouw zoon dochter broer zus hond kat bedankt hallo dank houd vind er wel heel als uit hoe laat`,
  // Polish
  `ja jestem jesteś jest jesteśmy są byłem byłam był była mam masz ma mamy mają mieszkam pracuję lubię wolę chcę mogę muszę nie tak ale że żeby bo ponieważ kiedy gdy też także zawsze nigdy
  dziś dzisiaj wczoraj jutro teraz mój moja moje mojego mojej moją nasz nasza swój się mnie mi tobie od lat lata rok mąż żona syn córka brat siostra pies kot dziękuję cześć proszę dla przez który
  która bardzo dwa dwie trzy psa kota koty już jeszcze`,
  // Swedish, Danish, Norwegian, Finnish, Czech, Turkish
  `jag är inte och ett mitt mina bor gillar arbetar jeg er ikke og har mit minä olen asun mutta ja jsem mám já bydlím jsme benim bir ve yaşıyorum değil çok för också är från hos med men`,
);

/** Articles and prepositions, which come with names and dishes, too. */
export const SMALL =
  wordSet(`el la los las lo un una unos unas de del al en con para por sin sobre entre le les du des au aux à sur sous par der das den dem des ein eine einen einer mit auf zu bei
  von nach aus am im um an vor da das dos na no nas nos em um uma com ao à pela pelo il i gli uno di da per con tra fra alla allo ai dei degli delle nei van ter ten op met aan bij te om in w z ze na do po
  za przy pod nad u och på av som en et`);

/** Of the telling ones, those that an English sentence may have by chance, as a name or a loan word. */
export const DOUBTFUL =
  wordSet(`eu mon ho es tu es su sus ma mi me sei e y ha ja er men med kan had hat war will want bin ton ta tes son sie ser era fue hay et est ne que qui plus ben ons vive vivo hola ciao gracias
  merci danke hallo bonjour todo perro gato cane hond kat man mann frau was wo wie als dit dat er mam ma tak bo lat rok brat pies kot syn mag kann wird werk nu moet woon mir elle il io sono peu pas ce pour comes pero
  as que como este real uit hoy es nie tem mas ale har bor hast hier demain pas jag bir ve og morgen amigo heel wel zus ya sí`);
