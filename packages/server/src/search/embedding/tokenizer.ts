/** WordPiece as BERT's uncased models were trained with: clean, lower case, no accents, split, longest known piece first. */

/** Longer words are one unknown token. */
const MAX_WORD_CHARACTERS = 100;

const ideographs =
  '\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b73f}\\u{2b740}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}';
const punctuation = '\\p{P}!-\\/:-@\\[-`\\{-~';
const stretch = /[^ \t\n\r\p{Z}]+/gu;
const plainAscii = /^[!-~]+$/;
const ignored = /[\ufffd\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const ideograph = new RegExp(`[${ideographs}]`, 'gu');
const accent = /\p{Mn}/gu;
const word = new RegExp(`[^\\s${punctuation}]+|[${punctuation}]`, 'gu');

interface TokenizerFile {
  readonly model: { readonly type: string; readonly vocab: Readonly<Record<string, number>> };
}

export interface EncodedText {
  readonly ids: number[];
  readonly words: string[];
  readonly starts: number[];
}

export class Tokenizer {
  readonly #starts = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  readonly #first: number;
  readonly #last: number;
  readonly #unknown: number;
  #longestPiece = 0;

  /** `json` is the text of a tokenizer.json. */
  constructor(json: string) {
    const { model } = JSON.parse(json) as TokenizerFile;
    if (model.type !== 'WordPiece') throw new Error(`The tokenizer is of type ${model.type}, not WordPiece`);
    for (const [piece, id] of Object.entries(model.vocab)) {
      if (piece.startsWith('##')) this.#continuations.set(piece.slice(2), id);
      else this.#starts.set(piece, id);
      this.#longestPiece = Math.max(this.#longestPiece, piece.length);
    }
    this.#first = this.#known('[CLS]');
    this.#last = this.#known('[SEP]');
    this.#unknown = this.#known('[UNK]');
  }

  /** At most `maxTokens`, the first and the last among them. What looks like a special token in a text is plain text. */
  encode(text: string, maxTokens: number): number[] {
    return this.encodeWords(text, maxTokens).ids;
  }

  /** As `encode`, with the words that the tokens are of: `words[i]` has the tokens from `starts[i]` on, up to the next word's. */
  encodeWords(text: string, maxTokens: number): EncodedText {
    const ids = [this.#first];
    const words: string[] = [];
    const starts: number[] = [];
    const limit = maxTokens - 1;
    // No stretch between spaces depends on another one, so the rest of a long text is never looked at.
    for (const [part] of text.matchAll(stretch)) {
      for (const found of splitWords(part)) {
        words.push(found);
        starts.push(ids.length);
        this.#addPieces(found, ids);
      }
      if (ids.length >= limit) break;
    }
    ids.length = Math.min(ids.length, limit);
    ids.push(this.#last);
    return { ids, words, starts };
  }

  #addPieces(text: string, ids: number[]): void {
    const before = ids.length;
    if (text.length > MAX_WORD_CHARACTERS && [...text].length > MAX_WORD_CHARACTERS) {
      ids.push(this.#unknown);
      return;
    }
    for (let start = 0; start < text.length; ) {
      const pieces = start === 0 ? this.#starts : this.#continuations;
      let end = Math.min(text.length, start + this.#longestPiece);
      let id: number | undefined;
      for (; end > start; end--) {
        id = pieces.get(text.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) {
        ids.length = before;
        ids.push(this.#unknown);
        return;
      }
      ids.push(id);
      start = end;
    }
  }

  #known(token: string): number {
    const id = this.#starts.get(token);
    if (id === undefined) throw new Error(`The tokenizer has no ${token}`);
    return id;
  }
}

function splitWords(part: string): readonly string[] {
  if (plainAscii.test(part)) return part.toLowerCase().match(word) ?? [];
  const cleaned = part.replace(ignored, '').replace(ideograph, ' $& ');
  return cleaned.toLowerCase().normalize('NFD').replace(accent, '').match(word) ?? [];
}
