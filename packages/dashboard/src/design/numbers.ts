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

/** "1.4 kB", "2 MB". Rounded down: a file that is allowed never reads as more than the limit, which is 2 MB and a little. */
export function formatBytes(bytes: number): string {
  let step = 1;
  let unit = 0;
  while (bytes >= step * 1000 && unit < units.length - 1) {
    step *= 1000;
    unit++;
  }
  const size = unit > 0 && bytes < step * 10 ? Math.floor((bytes * 10) / step) / 10 : Math.floor(bytes / step);
  return `${size} ${units[unit]}`;
}

export function formatMs(ms: number): string {
  if (ms < 1) return '<1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
