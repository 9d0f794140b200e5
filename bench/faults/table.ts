/** What came of a run, as a table for each kind of request and one line for each number. */
import { heading, row } from '../table.ts';
import type { FaultReport } from './run.ts';

export function printReport(title: string, report: FaultReport): void {
  const { acknowledged, unknown, lost, doubled, disordered, notFound, unanswered, drainedMs, gaps, seconds, problems } = report;
  heading(`${title}, ${Math.round(seconds)} s of load`, ['Written', 'items']);
  row(['acknowledged', String(acknowledged)]);
  row(['… and lost', String(lost.length)]);
  row(['… and there twice', String(doubled.length)]);
  row(['… and out of order', String(disordered.length)]);
  row(['… and not found by their words', String(notFound.length)]);
  row(['sent without a key, and what became of them is unknown', String(unknown)]);
  row(['requests without an answer, or with 503', String(unanswered)]);
  row(['seconds until all queues were empty', (drainedMs / 1000).toFixed(1)]);
  heading('Answers', ['Kind', 'answers', 'longest gap']);
  for (const [kind, { answers, longestGapMs }] of gaps) row([kind, String(answers), `${(longestGapMs / 1000).toFixed(2)} s`]);
  for (const problem of problems.slice(0, 20)) console.error(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  console.log(problems.length > 0 ? `\n${problems.length} problems.` : '\nAll is well.');
}
