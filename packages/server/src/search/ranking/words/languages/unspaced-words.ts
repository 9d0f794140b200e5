/**
 * Which terms of a question without spaces say little. Texts are cut into pairs of signs, which are the same wherever they are made; a question
 * alone is cut into words by the dictionaries of the runtime, so that they tell what its pairs are worth and nothing that is kept depends on them.
 */

import { foldedRuns, signsOf, termsOfSigns } from '../word-terms.ts';

/** Of a longer question the rest is taken as content. */
const MOST_CHARACTERS = 1_000;

const FUNCTION_WORDS = new Set(
  `的 了 是 在 我 你 您 他 她 它 我们 你们 他们 她们 这 那 这个 那个 这些 那些 这里 那里 哪 哪里 哪儿 哪个 哪些 哪家 什么 什么时候 时候 为什么 怎么 怎么样
  怎样 怎么办 多少 多久 几 几个 谁 吗 呢 吧 啊 呀 了吗 和 与 跟 同 或 或者 还是 也 都 就 才 又 再 还 很 太 不 没 没有 有 有没有 要 会 能 可以 能不能 可不可以 把
  被 给 对 对于 关于 从 到 向 往 于 以 以及 因为 所以 但 但是 如果 虽然 而 而且 着 过 得 地 之 个 一 一个 一下 些 上 下 里 中 吧 请 请问 是不是 是否 被 让 用 去 来
  我的 你的 他的 她的 事情 事 的话
  いつ どこ どれ どの どう どうして どんな どのくらい どれくらい なぜ なに なん だれ いくら いくつ これ それ あれ この その あの ここ そこ あそこ こと もの とき ところ
  ため よう そう ください ありません ました ましょう ません でした でしょう です ます ない なかった いる いた いない ある あった する した して している していた ください
  ている ていた ことが について による によると まで から より だけ ほど など ので のに けど けれど しかし また もう まだ とても 誰 何 何人 何月 何時 私 あなた 彼 彼女 人
  ที่ ใน และ ของ ไม่ ได้ ให้ เป็น มี จะ ว่า กับ จาก มา ไป ก็ แต่ หรือ อยู่ นี้ นั้น แล้ว ยัง ถึง ด้วย ต้อง คือ เมื่อ โดย เพื่อ ซึ่ง อะไร ไหน ใคร ทำไม อย่างไร ยังไง
  เมื่อไหร่ เมื่อไร เท่าไหร่ เท่าไร กี่ ไหม มั้ย หรือยัง หรือเปล่า เปล่า ฉัน ผม คุณ เรา เขา เธอ มัน ครับ ค่ะ คะ นะ เพราะ การ ความ คน วัน ถ้า แบบ อีก มาก เลย กัน ที่ไหน เพราะอะไร`.split(
    /\s+/,
  ),
);
const ONLY_HIRAGANA = /^\p{Script=Hiragana}{1,2}$/u;

let segmenter: Intl.Segmenter | undefined;

/** Those that stand only in function words, or where one of them meets another word. */
export function minorTermsOf(text: string): ReadonlySet<string> {
  const [minor, content] = [new Set<string>(), new Set<string>()];
  for (const run of foldedRuns(text.slice(0, MOST_CHARACTERS))) {
    segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
    const signs: string[] = [];
    const isFunction: boolean[] = [];
    for (const { segment } of segmenter.segment(run)) {
      const ofSegment = signsOf(segment);
      const says = !(FUNCTION_WORDS.has(segment) || ONLY_HIRAGANA.test(segment));
      signs.push(...ofSegment);
      isFunction.push(...ofSegment.map(() => !says));
    }
    for (const { term, first, last } of termsOfSigns(signs)) (isFunction[first] || isFunction[last] ? minor : content).add(term);
  }
  for (const term of content) minor.delete(term);
  return minor;
}
