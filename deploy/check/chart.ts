/**
 * `npm run check:deploy`: `helm lint` on the chart with each set of values, and what it renders held against the files in helm/rendered, which the
 * tests read. `-- --write` writes those anew. Helm is the program that HELM names, the one of this machine, or built once by Go.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cachedFolder } from '../../packages/server/test/cached-folder.ts';
import { findPrograms } from '../../packages/server/test/programs.ts';
import { chartCases, chartFolder, renderedHeader } from './chart-cases.ts';
import { mustRun, runCommand } from './commands.ts';

const HELM_VERSION = '4.3.1';

/** Values that must be refused, with a part of what is said then. */
const REFUSED: readonly (readonly [set: string, said: string])[] = [
  ['settings.COMMONPLACE_ADMIN_PASSWORD=not-in-a-secret', 'COMMONPLACE_ADMIN_PASSWORD'],
  ['settings.COMMONPLACE_DATABASE_DIRECT_URL=postgres://not-in-a-secret', 'COMMONPLACE_DATABASE_DIRECT_URL'],
  ['postgres.enabled=true', 'postgres.existingSecret'],
  ['autoscaling.enabled=true', 'postgres.enabled'],
  ['terminationGracePeriodSeconds=10', 'terminationGracePeriodSeconds'],
  ['replicas=3', 'replicas'],
];

async function findHelm(): Promise<string> {
  const [found] = [process.env.HELM, ...findPrograms('helm')].filter((path) => path !== undefined);
  if (found) return found;
  if (findPrograms('go').length === 0)
    throw new Error('There is neither Helm nor Go, which could build it: install Helm, or name it in HELM');
  const folder = await cachedFolder(
    `helm-${HELM_VERSION}`,
    (candidate) => existsSync(join(candidate, 'bin/helm')),
    async (unfinished) => {
      const environment = { ...process.env, GOBIN: join(unfinished, 'bin'), CGO_ENABLED: '0' };
      await mustRun(['go', 'install', `helm.sh/helm/v${HELM_VERSION.split('.')[0]}/cmd/helm@v${HELM_VERSION}`], environment);
    },
  );
  return join(folder, 'bin/helm');
}

const helm = await findHelm();
const isWriting = process.argv.includes('--write');
const differing: string[] = [];
for (const each of chartCases) {
  const { name, valuesFile, renderedFile } = each;
  await mustRun([helm, 'lint', '--strict', '--values', valuesFile, chartFolder]);
  const args = ['template', 'commonplace', chartFolder, '--namespace', 'commonplace', '--values', valuesFile] as const;
  const rendered = `${renderedHeader(each)}\n${await mustRun([helm, ...args])}`;
  mkdirSync(dirname(renderedFile), { recursive: true });
  if (isWriting) writeFileSync(renderedFile, rendered);
  else if (!existsSync(renderedFile) || readFileSync(renderedFile, 'utf8') !== rendered) differing.push(name);
  process.stdout.write(`${name}: helm lint accepts it${isWriting ? ', written' : ''}\n`);
}
for (const [set, said] of REFUSED) {
  const { code, stderr } = await runCommand([helm, 'template', chartFolder, '--set', set]);
  if (code === 0 || !stderr.includes(said)) throw new Error(`${set} is not refused as it should be: ${code} ${stderr}`);
  process.stdout.write(`${set}: refused\n`);
}
if (differing.length > 0)
  throw new Error(`helm/rendered is not what Helm makes of ${differing.join(', ')}: npm run check:deploy -- --write`);
