/** What the thread of the built-in extractor runs: reading English is work that requests should not wait for. */
import { extractFromMessages as extract } from '@commonplace/english/extract';
import { type EndedStatement, type SpokenMessage, type Summary, summaryOf } from '@commonplace/english/summary';
import { queryTerms } from '../../../search/ranking/queries.ts';

export const extractFromMessages = extract;

export function summarize(messages: readonly SpokenMessage[], ended: readonly EndedStatement[]): Summary | undefined {
  return summaryOf(messages, ended, (text) => queryTerms(text).content);
}
