/** Numbers as people read them. */

const plain = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 21,907 */
export const formatCount = (count: number): string => plain.format(count);

/** 21.9K, for the axes of charts. */
export const formatCompact = (count: number): string => compact.format(count);

/** "1 message", "3 messages" */
export const plural = (count: number, one: string, many = `${one}s`): string => `${plain.format(count)} ${count === 1 ? one : many}`;

const units = ['B', 'kB', 'MB', 'GB'] as const;

export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}

export function formatMs(ms: number): string {
  if (ms < 1) return '<1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
