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

export function readStrings(pages: readonly Page[]): string[] {
  const strings: string[] = [];
  for (const page of pages) for (const reader = new ByteReader(openPage(page)); !reader.isAtEnd; ) strings.push(reader.string());
  return strings;
}
