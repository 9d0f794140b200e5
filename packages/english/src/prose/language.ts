/** Whether a sentence is English: cheaply, by its script and its small words. */

import { wordSet } from '../words/sets.ts';

const ENGLISH =
  wordSet(`the a an and or but if so to of in on at by for with from as is am are was were be been i i'm im ive my me mine we our us you your he
  she it its it's they them this that these those not no don't dont do does did have has had will would can could should just also always never really very what
  how when where which who there here about because since than then now please thanks hi hey name love like live work over any all some one two three four five six out up down more most every each
  into after before only own too other still new old years year day days week time home good need want use get got make know think going back around until near off without`);
const OTHERS =
  wordSet(`der die das und ich bin ist nicht ein eine einen mein meine wir sie es mit für auf zu gegen bei von dem den habe haben heisse heiße wohne mag
  el la los las un una y yo soy estoy vivo en de mi mis que no tengo muy con para por es trabajo gusta pero
  le les des et je suis j'ai j'habite mon ma mes dans du au aux pas ne est une avec pour nous vous préfère
  il lo gli sono ho mio mia di che per non io abito mi chiamo piace due e
  eu sou tenho moro meu minha um uma não em no na gosto trabalho desde com
  ik ben een het niet van mijn bij woon heb werk wij maar ook
  jag är inte och en ett min mitt bor har gillar på som jeg er ikke og bor har minä olen en ja
  jestem mam nie mieszkam w z ja mój moja lubię jsem mám já bydlím v na ve ben benim bir ve var`);

const LATIN = /\p{Script=Latin}/u;
const LETTER = /\p{L}/u;

export function isEnglish(sentence: string): boolean {
  const sample = sentence.slice(0, 600);
  let latin = 0;
  let letters = 0;
  for (const character of sample) {
    if (!LETTER.test(character)) continue;
    letters++;
    if (LATIN.test(character)) latin++;
  }
  if (letters === 0 || latin / letters < 0.8) return false;
  const words = sample.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  let english = 0;
  let other = 0;
  let accented = 0;
  for (const word of words) {
    const plain = word.replace(/’/g, "'");
    if (ENGLISH.has(plain)) english++;
    if (OTHERS.has(plain)) other++;
    if (/[^a-z'’]/.test(plain) && !ENGLISH.has(plain)) accented++;
  }
  return english > 0 ? english >= other : other === 0 && accented === 0;
}
