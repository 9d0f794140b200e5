import { MOST_SLOTS } from './words/postings.ts';

/** More than slots have numbers for. */
export class ScopeFull extends Error {
  constructor() {
    super(`A search index holds ${MOST_SLOTS} items at most`);
    this.name = 'ScopeFull';
  }
}
