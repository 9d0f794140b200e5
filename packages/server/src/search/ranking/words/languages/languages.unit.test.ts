import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { item } from '../../index-for-test.ts';
import { queryTerms } from '../../queries.ts';
import { ScopeIndex } from '../../scope-index.ts';
import { languagesOfRead, questionTerms, readTerms, termsOf, vocabulary } from '../tokens.ts';
import { STEM_MARK } from '../word-terms.ts';
import { FUNCTION_WORDS, LANGUAGES, type Language } from './function-words.ts';
import { STEMMED_LANGUAGES, stemByScript, stemIn } from './stemmers.ts';

const ROOT = new URL('../../../../../../..', import.meta.url);

function languagesOf(text: string): readonly Language[] {
  vocabulary.forgetIfFull();
  readTerms(text);
  return languagesOfRead(text);
}

function found(texts: readonly string[], query: string): string[] {
  const index = new ScopeIndex('memories');
  for (const _ of index.upsert(texts.map((text) => item(text))));
  for (const _ of index.prepare({ text: query }));
  return index.searcher.search({ text: query, limit: 10 }).map(({ id }) => id);
}

test.for([
  ['spanish', 'Ayer firmamos el contrato con los proveedores de la imprenta.'],
  ['german', 'Gestern haben wir den Vertrag mit der Druckerei unterschrieben.'],
  ['french', 'Hier nous avons signé le contrat avec les fournisseurs.'],
  ['portuguese', 'Ontem não assinámos o contrato com os fornecedores.'],
  ['italian', 'Ieri abbiamo firmato il contratto con i fornitori della tipografia.'],
  ['dutch', 'Gisteren hebben we het contract met de drukkerij getekend.'],
  ['swedish', 'Igår skrev vi inte på avtalet med tryckeriet, och jag är trött.'],
  ['finnish', 'Eilen me emme tehneet sopimusta, koska hän ei ollut siellä.'],
  ['hungarian', 'Tegnap nem írtuk alá a szerződést, mert már késő volt.'],
  ['romanian', 'Ieri am semnat contractul cu furnizorii, dar nu a fost ușor.'],
  ['turkish', 'Dün sözleşmeyi imzaladık ama bu çok zor oldu.'],
] as const)('a text in %s is told', ([language, text]) => {
  expect(languagesOf(text)).toEqual([language]);
});

test('a text is the same whether its accents are signs of their own or not', () => {
  for (const text of ['Reunión aplazada, mañana', 'Jag är här', 'Größere Schäden', 'Tôi thích ăn phở']) {
    expect(languagesOf(text.normalize('NFD'))).toEqual(languagesOf(text));
    expect(termsOf(text.normalize('NFD'))).toEqual(termsOf(text));
    expect(queryTerms(text.normalize('NFD'))).toEqual(queryTerms(text));
  }
  expect(languagesOf('Größere Schäden')).toEqual(['german']);
  expect(termsOf(`x${'\u0301'.repeat(1_000)}`)).toEqual(['x']);
});

test('one of two languages that are written alike has the stems of both', () => {
  expect(languagesOf('Jeg har to børn og en kat')).toEqual(['danish', 'norwegian']);
});

test.for([
  'The meeting with the suppliers was put off until Tuesday.',
  'Flight to Los Angeles via Las Vegas',
  'Vincent van Gogh',
  'Maria, Sofia, Barcelona, California, pizza',
  'data info schema video photo demo repo todo',
  'Deploy failed',
  'ok',
  'im lactose intolerent fyi',
  'die hard, war and peace, comment below',
  'The café in Zürich serves crème brûlée and jalapeño poppers to tourists.',
  'const { size } = new Map(); for (const one of sizes) if (one > 0) return one;',
  'en, es, de, fr, it, pt, nl',
  '2024-05-01 10:30 #42 v1.2.3 foo_bar getHTTPServer C++',
  '今天我去了超市买牛奶',
  '',
])('no other language is seen in %j', (text) => {
  expect(languagesOf(text)).toEqual([]);
  expect(termsOf(text).filter((term) => term.startsWith(STEM_MARK))).toEqual([]);
});

test('English documents and messages are hardly ever taken for another language', () => {
  const paragraphs = globSync(['docs/**/*.md', '*.md'], { cwd: ROOT })
    .flatMap((name) => readFileSync(new URL(name, ROOT), 'utf8').split(/\n+/))
    .filter((paragraph) => paragraph.trim() !== '');
  expect(paragraphs.length).toBeGreaterThan(1_000);
  expect(paragraphs.filter((paragraph) => languagesOf(paragraph).length > 0).length).toBeLessThan(paragraphs.length / 1_000);
});

test('an English question has the terms that it has in any language, and none beside them', () => {
  for (const question of ['when does a tyre have to be changed?', 'Who is the owner of the van?', 'what did she say in May?']) {
    const { content, minor } = queryTerms(question);
    expect(questionTerms(question, 100).languages).toEqual(['english']);
    expect(new Set([...content, ...minor])).toEqual(new Set(termsOf(question)));
  }
});

test('a question whose language can’t be told has stems as minor terms, which no English text has', () => {
  const { content, minor } = queryTerms('kettle whistles');
  expect(content).toEqual(termsOf('kettle whistles'));
  expect(minor.length).toBeGreaterThan(0);
  expect(minor.every((term) => term.startsWith(STEM_MARK))).toBe(true);
  expect(minor.length).toBeLessThan(20);
  // A page of code is no question in all languages.
  expect(queryTerms('kettle whistle copper spout steam boil '.repeat(10)).minor).toEqual([]);
});

test.for([
  ['Rechnungen', 'Die Rechnung ist noch nicht bezahlt.', 'Das Konzert war nicht schlecht.'],
  ['Welcher Entwickler?', 'Wir stellen zwei Entwicklerinnen für das Team ein.', 'Wir haben noch keinen Termin.'],
  ['Wo ist die Karte der Krankenversicherung?', 'Die Krankenversicherungskarte liegt im Flur.', 'Wo ist die Tür?'],
  ['renovación de pasaportes', 'Hay que renovar el pasaporte antes de junio.', 'Hay que llamar a la imprenta de junio.'],
  ['reservacion', 'Confirmaron las reservaciones de los clientes.', 'Confirmaron el contrato de los clientes.'],
  ['vaccination', 'Le vétérinaire l’a vacciné contre la rage.', 'Le chien s’est échappé dans la rue.'],
  ['inscrição', 'As inscrições para o ginásio abrem em junho.', 'As férias são em junho, não em maio.'],
  ['valigia', 'Ho perso le valigie all’aeroporto della città.', 'Ho perso il treno della mattina.'],
  ['koffer', 'Mijn koffers zijn op de luchthaven verdwenen.', 'Mijn fiets staat op het station.'],
  ['потерянный чемодан', 'Мои чемоданы потеряли', 'Мои сёстры уехали'],
  ['فاتورة الكهرباء', 'دفعت فاتورتي أمس', 'وصلت الملصقات أمس'],
  ['किताब', 'मेरी किताबें मेज पर हैं', 'मेरी बहन घर पर है'],
] as const)('%s: what has another form of the word is found first', ([query, text, other]) => {
  expect(found([other, text, 'An English sentence between them.'], query)[0]).toBe(text);
});

test('function words go by the language of the question', () => {
  expect(queryTerms('Wo war die Rechnung?').minor).toEqual(['wo', 'war', 'die']);
  expect(queryTerms('the war on die casting').content).toEqual(expect.arrayContaining(['war', 'die']));
  expect(queryTerms('¿Cómo se llama su hijo?').minor).toEqual(expect.arrayContaining(['como', 'se', 'su']));
  expect(queryTerms('какой у нас договор').minor).toEqual(expect.arrayContaining(['у', 'нас']));
  // Where there is nothing else they are what is looked for.
  expect(queryTerms('para que').content).toEqual(['para', 'que']);
});

test('pairs of signs that only function words have are minor', () => {
  const chinese = queryTerms('合同是什么时候签的');
  expect(chinese.content).toEqual(expect.arrayContaining(['合同', '签']));
  expect(chinese.minor).toEqual(expect.arrayContaining(['什么', '时候', '的']));
  const japanese = queryTerms('家賃はどのくらい下がったのですか');
  expect(japanese.content).toEqual(expect.arrayContaining(['家賃']));
  expect(japanese.minor).toEqual(expect.arrayContaining(['です', 'すか']));
  const thai = queryTerms('ต้องเปลี่ยนยางเมื่อไหร่');
  expect(thai.minor.length).toBeGreaterThan(0);
  for (const [question, { content, minor }] of Object.entries({ 合同是什么时候签的: chinese, 家賃はどのくらい下がったのですか: japanese }))
    expect(new Set([...content, ...minor])).toEqual(new Set(termsOf(question)));
});

test('function words are in lower case, and each language has enough of them to be told by', () => {
  for (const language of LANGUAGES) {
    const words = FUNCTION_WORDS[language].split(/\s+/);
    expect(words.length, language).toBeGreaterThan(80);
    expect(
      words.filter((word) => word !== word.toLowerCase() || /[^\p{L}]/u.test(word)),
      language,
    ).toEqual([]);
  }
});

const anyWord = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 20 }), fc.string());

test('a stemmer takes anything, and gives the same each time', () => {
  fc.assert(
    fc.property(anyWord, fc.constantFrom(...STEMMED_LANGUAGES), (word, language) => {
      expect(stemIn(language, word)).toBe(stemIn(language, word));
      expect(stemByScript(word)).toBe(stemByScript(word));
      expect(stemByScript(word) === '').toBe(word === '');
    }),
  );
});

const words = Object.values(FUNCTION_WORDS).flatMap((all) => all.split(/\s+/));
const anySentence = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), anyWord), { maxLength: 20 })
  .map((all) => all.join(' '));

test('what is asked for as it stands in a text is found in it', () => {
  fc.assert(
    fc.property(anySentence, (text) => {
      const inText = new Set(termsOf(text));
      const { content, minor } = queryTerms(text);
      // The same text has terms in common with itself, of each kind.
      expect([...content, ...minor].filter((term) => !term.startsWith(STEM_MARK) && !inText.has(term))).toEqual([]);
      if (languagesOf(text).length > 0) {
        const stems = [...inText].filter((term) => term.startsWith(STEM_MARK));
        const asked = content.filter((term) => term.startsWith(STEM_MARK));
        if (stems.length > 0 && asked.length > 0) expect(asked.some((term) => inText.has(term))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test('what is read before does not change the languages and terms of a text', () => {
  fc.assert(
    fc.property(anySentence, anySentence, (before, text) => {
      const alone = [termsOf(text), queryTerms(text)];
      termsOf(before);
      queryTerms(before);
      expect([termsOf(text), queryTerms(text)]).toEqual(alone);
    }),
    { numRuns: 300 },
  );
  const german = 'Die Rechnung ist noch nicht bezahlt.';
  const known = termsOf(german);
  // So many words that those of the memory are forgotten, some more than it knew signs of.
  for (let start = 0; start < 120_000; start += 40_000) {
    termsOf(Array.from({ length: 40_000 }, (_, index) => `w${(start + index).toString(36)}`).join(' '));
    expect(termsOf(german)).toEqual(known);
  }
});
