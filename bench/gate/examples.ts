/** Candidates of labelled messages, each with whether it is to be kept and as what. */
import { extractFromMessage } from '@commonplace/english/extract';
import { featuresOf } from '@commonplace/english/gate/features';
import { type Case, type Expected, hasWord, saysIt, saysPart, userMessagesOf } from '../labelled.ts';

export interface Example {
  readonly case: Case;
  readonly form: string;
  readonly content: string;
  readonly features: readonly string[];
  readonly isWorth: boolean;
  /** What it may be kept as; none where it is not to be kept. */
  readonly kinds: readonly string[];
}

export function examplesOf(one: Case): Example[] {
  const examples: Example[] = [];
  const messages = userMessagesOf(one);
  for (const message of messages) {
    const isLast = message === messages.at(-1);
    extractFromMessage(message, [], (candidate, place) => {
      const { content } = candidate.finding;
      const said = one.expect.filter((expected: Expected) => saysIt(content, expected) || saysPart(content, expected));
      // It was right when it was said: something later took it back, or took its place.
      const isOver = said.length === 0 && (isTakenBack(one, content) || (!isLast && candidate.ruled));
      if (!isOver)
        examples.push({
          case: one,
          form: candidate.form,
          content,
          features: [...new Set(featuresOf(candidate, place))],
          isWorth: said.length > 0,
          kinds: said.flatMap(({ kinds }) => kinds),
        });
      return undefined;
    });
  }
  return examples;
}

function isTakenBack({ absent = [] }: Case, content: string): boolean {
  return absent.some((words) => hasWord(content, words));
}
