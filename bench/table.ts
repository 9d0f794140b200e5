/** What a run prints: Markdown, so that it can go into the documentation as it is. */
import { availableParallelism, cpus, totalmem, type } from 'node:os';

export function machineLine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${memory}, ${type()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}

export function heading(title: string, columns: readonly string[]): void {
  console.log(`\n${title}\n`);
  row(columns);
  console.log(`|---|${'---:|'.repeat(columns.length - 1)}`);
}

export function row(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}
