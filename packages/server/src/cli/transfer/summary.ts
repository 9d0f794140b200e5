/** What an import did, in a sentence. */
import type { ImportResult } from '@commonplace/client';

export function summaryOf({ counts, skipped, errors }: ImportResult): string {
  const made = Object.entries(counts).filter(([, count]) => count > 0);
  const texts = made.map(([kind, count]) => `${count} ${kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`);
  return `Imported ${texts.join(', ') || 'nothing'}; ${skipped} there already, ${errors.length} errors.`;
}
