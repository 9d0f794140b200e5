/** Lists of strings: the names of threads and of speakers, and ids and orders that are no numbers. */
import { ByteReader, ByteWriter } from './byte-writer.ts';
import { openPage, type Page, type PageKind, sealPage, TERM_PAGE_BYTES } from './pages.ts';

export function stringPages(kind: PageKind, strings: readonly string[]): Page[] {
  const pages: Page[] = [];
  const writer = new ByteWriter();
  for (const [index, text] of strings.entries()) {
    writer.string(text);
    if (writer.size >= TERM_PAGE_BYTES || index === strings.length - 1) pages.push(sealPage(kind, pages.length, writer.take()));
  }
  return pages;
}

/** The pages that change when those strings are left empty that are not used; each string keeps its place. */
export function blankStrings(pages: readonly Page[], used: Uint8Array): Page[] {
  const changed: Page[] = [];
  let place = 0;
  for (const page of pages) {
    const writer = new ByteWriter();
    let isChanged = false;
    for (const text of readStrings([page])) {
      const left = used[place++] === 1 ? text : '';
      isChanged ||= left !== text;
      writer.string(left);
    }
    if (isChanged) changed.push(sealPage(page.kind, page.number, writer.take()));
  }
  return changed;
}

export function readStrings(pages: readonly Page[]): string[] {
  const strings: string[] = [];
  for (const page of pages) for (const reader = new ByteReader(openPage(page)); !reader.isAtEnd; ) strings.push(reader.string());
  return strings;
}
