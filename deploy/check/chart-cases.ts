/** The chart, the values it is tried with, and what Helm made of them. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { deployFolder } from './places.ts';

export const chartFolder = join(deployFolder, 'helm/commonplace');
const casesFolder = join(deployFolder, 'helm/cases');

export interface ChartCase {
  readonly name: string;
  readonly valuesFile: string;
  /** Kept in the repository, so that a change of the chart shows what it changes in a cluster. */
  readonly renderedFile: string;
}

export const chartCases: readonly ChartCase[] = globSync('*.yaml', { cwd: casesFolder })
  .sort()
  .map((file) => ({
    name: basename(file, '.yaml'),
    valuesFile: join(casesFolder, file),
    renderedFile: join(deployFolder, 'helm/rendered', file),
  }));

/** The first line of a rendered file: of which chart and values it was made. */
export function renderedHeader({ valuesFile }: ChartCase): string {
  const hash = createHash('sha256');
  const files = globSync('**/*', { cwd: chartFolder, exclude: ['**/*.tgz'] })
    .filter((file) => statSync(join(chartFolder, file)).isFile())
    .sort();
  for (const file of files) hash.update(file).update(readFileSync(join(chartFolder, file)));
  hash.update(readFileSync(valuesFile));
  return `# By helm, from the chart and values with SHA-256 ${hash.digest('hex')}: npm run check:deploy -- --write`;
}
