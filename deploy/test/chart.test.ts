/** The Helm chart by what Helm made of it, which is kept in helm/rendered: no Helm is needed here. `npm run check:deploy` runs Helm itself. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commands } from '../../packages/server/src/cli/commands.ts';
import { settings } from '../../packages/server/src/config.ts';
import { chartCases, chartFolder, renderedHeader } from '../check/chart-cases.ts';
import { imageSettings, readDockerfile, type Stage } from '../check/dockerfile.ts';
import { deployFolder, repository } from '../check/places.ts';
import { type Manifest, readKubernetesSchemas } from './kubernetes-schemas.ts';

const read = (file: string) => readFileSync(join(chartFolder, file), 'utf8');
const values = parse(read('values.yaml')) as Record<string, unknown>;
const schema = JSON.parse(read('values.schema.json')) as Schema;
const templates = globSync('templates/*', { cwd: chartFolder }).map(read).join('\n');
const rendered = new Map(
  chartCases.map(({ name, renderedFile }) => [
    name,
    parseAllDocuments(readFileSync(renderedFile, 'utf8')).map((each) => each.toJS() as Manifest),
  ]),
);
const all = [...rendered.values()].flat();
const kindsOf = (name: string) =>
  rendered
    .get(name)
    ?.map(({ kind }) => kind)
    .sort();
const one = (name: string, kind: string) => rendered.get(name)?.find((each) => each.kind === kind) as Manifest;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

test('what is kept was made of the chart and the values as they are', () => {
  for (const each of chartCases) {
    const [header] = readFileSync(each.renderedFile, 'utf8').split('\n');
    expect(header, `${each.name}: run npm run check:deploy -- --write`).toBe(renderedHeader(each));
  }
});

test('Kubernetes has all of its fields, and would tell of others', async () => {
  const problemsOf = await readKubernetesSchemas();
  for (const manifest of all) expect(await problemsOf(manifest), manifest.metadata.name).toEqual([]);
  const service = one('sqlite', 'Service');
  expect(await problemsOf({ ...service, spec: { ...service.spec, prots: [] } })).toEqual(['Service: /spec/prots is no field']);
  expect(await problemsOf({ ...service, spec: { ports: [{ port: 'eighty' }] } })).toEqual([expect.stringContaining('port')]);
});

test('with SQLite there is one node that keeps its disk; with PostgreSQL there are several, and what they need', () => {
  expect(kindsOf('sqlite')).toEqual(['Service', 'ServiceAccount', 'StatefulSet']);
  expect(one('sqlite', 'StatefulSet').spec).toMatchObject({ replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' } }] });
  expect(kindsOf('postgres')).toEqual(['Deployment', 'Job', 'PodDisruptionBudget', 'Service', 'ServiceAccount']);
  expect(one('postgres', 'Deployment').spec.replicas).toBe(3);
  expect(kindsOf('everything')).toEqual([
    ...['Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'NetworkPolicy'],
    ...['PodDisruptionBudget', 'Secret', 'Service', 'ServiceAccount', 'ServiceMonitor'],
  ]);
  // Two that say how many there are would fight.
  expect(one('everything', 'Deployment').spec).not.toHaveProperty('replicas');
});

test('migrations run before the nodes, after the Secret that they need, by a command that is there', () => {
  const { metadata, spec } = one('everything', 'Job');
  const weight = (manifest: Manifest) => Number(manifest.metadata.annotations?.['helm.sh/hook-weight']);
  expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  expect(weight(one('everything', 'Secret'))).toBeLessThan(weight(one('everything', 'Job')));
  expect(commands.map(({ name }) => name)).toContain(spec.template.spec.containers[0].args[0]);
});

test('containers are those of the image: its user, port and volume, the root file system read-only', () => {
  const image = imageSettings(readDockerfile(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8')).at(-1) as Stage);
  const pods = all.flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []));
  expect(pods).toHaveLength(5);
  for (const { securityContext, containers, volumes } of pods) {
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: image.user.uid,
      runAsGroup: image.user.gid,
      fsGroup: image.user.gid,
    });
    const [container] = containers;
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    if (container.name === 'migrate') continue;
    expect(container.ports).toEqual([{ name: 'http', containerPort: image.port }]);
    expect(container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toEqual([
      ...image.volumes,
      '/tmp',
      ...extraMounts(container),
    ]);
    expect(volumes.map(({ name }: { name: string }) => name)).toContain('tmp');
  }
});

/** Those of values, where there are any. */
function extraMounts({
  volumeMounts,
}: {
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}): string[] {
  return volumeMounts.filter(({ name }) => name === 'authority').map(({ mountPath }) => mountPath);
}

test('the job that migrates reaches the database as the nodes do: addresses, authority, variables, volumes', () => {
  const node = one('everything', 'Deployment').spec.template.spec;
  const job = one('everything', 'Job').spec.template.spec;
  const variable = ({ containers }: typeof job, name: string) =>
    containers[0].env.find((each: { readonly name: string }) => each.name === name);
  for (const name of ['COMMONPLACE_DATABASE_URL', 'COMMONPLACE_DATABASE_DIRECT_URL', 'NODE_EXTRA_CA_CERTS']) {
    expect(variable(job, name), name).toEqual(variable(node, name));
    expect(variable(job, name), name).toBeDefined();
  }
  expect(job.containers[0].envFrom).toEqual(node.containers[0].envFrom);
  expect(extraMounts(job.containers[0])).toEqual(['/etc/authority']);
  expect(job.volumes).toEqual(expect.arrayContaining([{ name: 'authority', configMap: { name: 'our-authority' } }]));
  expect(one('everything', 'Secret').stringData).toHaveProperty('database-direct-url');
});

test('a node that migrates is not ended: only readiness asks whether it is done', () => {
  for (const [name, kind] of [
    ['sqlite', 'StatefulSet'],
    ['postgres', 'Deployment'],
  ] as const) {
    const { startupProbe, livenessProbe, readinessProbe } = one(name, kind).spec.template.spec.containers[0];
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths, name).toEqual(['/api/v1/_health', '/api/v1/_health', '/api/v1/_ready']);
  }
});

test('a secret is refused among the settings', () => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
  for (const name of ['COMMONPLACE_DATABASE_URL', 'COMMONPLACE_DATABASE_DIRECT_URL', 'COMMONPLACE_ADMIN_PASSWORD'])
    expect(validate({ settings: { [name]: 'x' } }), name).toBe(false);
  expect(validate({ settings: { NODE_EXTRA_CA_CERTS: '/etc/authority/ca.crt' } })).toBe(true);
});

test('secrets are never values of a container, and every variable is a setting', () => {
  const names = new Set<string>([...settings.map(({ name }) => name), 'NODE_EXTRA_CA_CERTS']);
  for (const { spec } of all) {
    for (const { name, value } of spec?.template?.spec.containers[0].env ?? []) {
      expect(names, name).toContain(name);
      if (/DATABASE_(DIRECT_)?URL|PASSWORD|KEY/.test(name)) expect(value, name).toBeUndefined();
    }
  }
});

test('values, their schema and the templates name the same', () => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
  for (const file of [join(chartFolder, 'values.yaml'), ...chartCases.map(({ valuesFile }) => valuesFile)]) {
    validate(parse(readFileSync(file, 'utf8')) ?? {});
    expect(validate.errors, file).toBeNull();
  }
  const { global: _, ...described } = schema.properties ?? {};
  expect(schemaPaths({ properties: described }).sort()).toEqual(valuePaths(values, schema).sort());
  const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path as string));
  const paths = valuePaths(values, schema);
  expect([...used].filter((path) => !paths.includes(path))).toEqual([]);
  expect(paths.filter((path) => !used.has(path))).toEqual([]);
});

/** Each value that the schema names, `image.tag`; objects whose fields it leaves open are one. */
function schemaPaths({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([key, child]) =>
    child.properties ? schemaPaths(child).map((path) => `${key}.${path}`) : [key],
  );
}

function valuePaths(value: Record<string, unknown>, { properties }: Schema): string[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const described = properties?.[key] ?? {};
    return described.properties ? valuePaths(child as Record<string, unknown>, described).map((path) => `${key}.${path}`) : [key];
  });
}

test('the chart and the image have the version of the service', () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  const image = imageSettings(readDockerfile(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8')).at(-1) as Stage);
  expect(image.labels['org.opencontainers.image.version']).toBe(version);
});
