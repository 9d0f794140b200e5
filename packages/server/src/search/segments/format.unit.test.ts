import { expect, test } from 'vitest';
import { SPEAKER } from '../ranking/judging/names.ts';
import { traitsOf } from '../ranking/judging/traits.ts';
import { profiles } from '../ranking/profiles.ts';
import { countTerms } from '../ranking/words/term-counts.ts';
import { termsOf, vocabulary } from '../ranking/words/tokens.ts';
import { SEGMENT_FORMAT } from './pages.ts';

const TEXT = `Ann's zebras weren't running to Zürich's 日本語 school; C++ costs $3.50, e-mail bob@example.com (naïve cafés)
  2023-05-08 THE_CONST fooBar v1.2.3 Straße ﬁnally`;
const IN_OTHER_LANGUAGES = [
  'Die Rechnungen für die Versicherungskarten sind noch nicht bezahlt.',
  '¿Cuándo llegarán las reservaciones de los clientes?',
  'Nous avons réservé les bijoux pour les mariages.',
  'Não temos as inscrições dos alunos.',
  'Gli inviti sono arrivati con le valigie.',
  'De rekeningen van de advocaten zijn nog niet betaald.',
  'Jag har inte fått fakturorna från läkaren.',
  'Jeg har ikke fået regningerne fra lægen.',
  'Jeg har ikke fått regningene av legen.',
  'Minulla ei ole laskuja, mutta hän maksaa ne.',
  'Nem kaptam meg a számlákat, mert nincsenek.',
  'Nu am primit facturile pentru că sunt la bancă.',
  'Faturaları henüz ödemedim çünkü bu çok pahalı.',
  'Мы подписали договоры. Οι άνθρωποι της πόλης. حجزت الطاولات في المطعم. लड़कियों की किताबें',
].join('\n\n');

/** By the number of the format. Where this fails, terms are made otherwise than those that are stored: give the format another number. */
const TERMS: Readonly<Record<number, string>> = {
  3: `05 08 2 2023:2 2023-05-08 3:2 3.50 50 8 ann bar bob c c++ caf com const cost e exampl example.com final foo foobar mail may naiv run
    school strass t the the_const to user v1 v1.2.3 weren zebra zurich 日 日本 本 本語 語`,
};
/** The stems of each of the other texts. */
const STEMS: Readonly<Record<number, string>> = {
  3: `~rechnung ~versicherungskart ~versicher ~kart ~bezahlt | ~lleg ~reserv ~client | ~reserv ~bijou ~mariag | ~inscrica ~alun |
    ~invit ~arriv ~valig | ~reken ~advocat ~betaald | ~fatt ~faktur ~lak | ~faet ~regning ~laeg ~faet ~regningern ~laeg |
    ~fatt ~regning ~leg ~fat ~regning ~leg | ~lasku ~maks | ~kapt ~szamla ~nincs | ~primit ~factur ~banc |
    ~fatura ~he ~odemedi ~pahal | мы подписа договор οι ανθρωπ τ πολ حجزت طاول في مطعم लड़क क किताब`,
};

test('terms that are made in another way have another number of the format', () => {
  const { terms: counted, weights, length } = countTerms({ prefix: 'user', text: TEXT, time: Date.UTC(2023, 4, 8) }, profiles.messages);
  const terms = Array.from(counted, (term) => [vocabulary.textOf(term), weights[term]] as const)
    .map(([text, weight]) => (weight === 1 ? text : `${text}:${weight}`))
    .sort();
  expect(terms).toEqual(TERMS[SEGMENT_FORMAT]?.split(/\s+/).sort());
  expect(length).toBe(47);
});

test('so have stems that are made in another way', () => {
  const stems = IN_OTHER_LANGUAGES.split('\n\n').map((text) => {
    const terms = termsOf(text);
    return terms.some((term) => term.startsWith('~')) ? terms.filter((term) => term.startsWith('~')) : terms;
  });
  expect(stems.map((each) => each.join(' ')).join('|')).toBe(STEMS[SEGMENT_FORMAT]?.replaceAll(/\s+/g, ' ').replaceAll(' | ', '|'));
});

const TRAITS_OF = [
  'Ann: is it yours? [shares a picture]',
  'Ben: that may be, I have one',
  'in May',
  'the other day I had two',
  'Really?! 😀',
  '5pm',
  'this spring',
  'on second thoughts',
];
const SPEAKERS_OF = ['Ann: hi', 'Dr. Müller: hi', 'Jan van der Berg: hi', 'A note: hi'];
const TRAITS: Readonly<Record<number, string>> = { 3: '9 8 10 14 9 14 10 8' };
const SPEAKERS: Readonly<Record<number, string>> = { 3: 'Ann|Dr. Müller|Jan van der Berg|' };

test('so have traits, and the names of those who speak, that are told in another way', () => {
  expect(TRAITS_OF.map((text) => traitsOf(text, ['role:user'])).join(' ')).toBe(TRAITS[SEGMENT_FORMAT]);
  expect(SPEAKERS_OF.map((text) => SPEAKER.exec(text)?.[1] ?? '').join('|')).toBe(SPEAKERS[SEGMENT_FORMAT]);
});
