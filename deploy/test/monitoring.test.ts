/** The dashboard and the alert rules, held against what a service exports on both engines. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { serve, temporaryFolder } from '../../packages/server/src/cli/spawn-for-test.ts';
import { createTestDatabase } from '../../packages/server/test/database.ts';
import { deployFolder } from '../check/places.ts';
import { type Query, readQuery, wantedValues } from './promql.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity?: string };
  readonly annotations: { readonly summary?: string; readonly description?: string };
}

interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { groups } = parse(readFileSync(join(deployFolder, 'prometheus/alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(deployFolder, 'grafana/commonplace.json'), 'utf8')) as { panels: Panel[] };
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);

/** What the chart scales by, as a query. */
const chart = parseAllDocuments(readFileSync(join(deployFolder, 'helm/rendered/everything.yaml'), 'utf8')).map((each) => each.toJS());
const scaledBy = chart
  .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
  .flatMap(({ spec }) => spec.metrics)
  .filter(({ type }) => type === 'External')
  .map(({ external: { metric } }) => ({
    expr: `${metric.name}{${Object.entries(metric.selector.matchLabels).map(([label, value]) => `${label}="${value}"`)}}`,
  }));

/** Whatever in here names a path of the service that is asked by programs. */
const askedPaths = new Set(
  ['healthcheck.mjs', 'haproxy.cfg', 'helm/rendered/*.yaml'].flatMap((pattern) =>
    globSync(pattern, { cwd: deployFolder }).flatMap((file) =>
      [...readFileSync(join(deployFolder, file), 'utf8').matchAll(/\/api\/v1\/_\w+|(?<=path:? )\/metrics/g)].map(([path]) => path),
    ),
  ),
);

/** Grafana fills in the range. */
const queries: readonly Query[] = [...rules, ...targets, ...scaledBy].map(({ expr }) =>
  readQuery(expr.replaceAll('$__rate_interval', '5m')),
);

/** Given by Prometheus, not by the service. */
const GIVEN_LABELS = ['job', 'instance'];
/** Values of these come with what is asked of the service. */
const OPEN_LABELS = ['status'];

interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

let exported: readonly Series[];

async function readMetrics(settings: Record<string, string>): Promise<Series[]> {
  const { url, stop } = await serve({ COMMONPLACE_DATA_DIR: temporaryFolder(), ...settings });
  for (const path of askedPaths) expect((await fetch(url + path)).status, path).toBe(200);
  const read = async () => (await fetch(`${url}/metrics`)).text();
  // The thread of the backup reports for the first time after a second.
  if (settings.COMMONPLACE_BACKUP_URL) await expect.poll(read, { timeout: 60_000 }).toContain('backup_generations_total');
  const text = await read();
  await stop();
  return [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)].map(([, metric, labels]) => ({
    metric: metric as string,
    labels: Object.fromEntries([...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
  }));
}

test('every path answers, and every metric, label and value that is asked for is exported', async () => {
  expect([...askedPaths].sort()).toEqual(['/api/v1/_health', '/api/v1/_ready', '/metrics']);
  expect(scaledBy).toHaveLength(1);
  exported = await readMetrics({ COMMONPLACE_BACKUP_URL: pathToFileURL(temporaryFolder()).href });
  if (inject('postgres')) {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    exported = [...exported, ...(await readMetrics({ COMMONPLACE_DATABASE_URL: database.url }))];
  }
  expect(
    missing({ selectors: [{ metric: 'commonplace_jobs', matchers: [{ label: 'what', operator: '=', value: 'dew' }] }], grouping: [] }),
  ).toEqual(['commonplace_jobs{what="dew"}']);
  expect(queries.flatMap(missing)).toEqual([]);
});

function missing({ selectors, grouping }: Query): string[] {
  const ours = selectors.filter(({ metric }) => metric !== 'up');
  const absent = ours.flatMap(({ metric, matchers }) => {
    const series = exported.filter((each) => each.metric === metric);
    if (series.length === 0) return [metric];
    const own = matchers.filter(({ label }) => !GIVEN_LABELS.includes(label));
    return own.flatMap((matcher) => {
      const { label } = matcher;
      if (OPEN_LABELS.includes(label)) return series.some(({ labels }) => label in labels) ? [] : [`${metric}{${label}}`];
      const values = wantedValues(matcher).filter((value) => !series.some(({ labels }) => labels[label] === value));
      // What another engine has is not there where PostgreSQL is left out.
      return values.map((value) => `${metric}{${label}="${value}"}`);
    });
  });
  const labels = new Set([...GIVEN_LABELS, ...exported.flatMap((each) => Object.keys(each.labels))]);
  return [...absent, ...grouping.filter((label) => !labels.has(label)).map((label) => `by (${label})`)];
}

test('every alert says what is wrong, what to do and how urgent it is', () => {
  expect(rules.length).toBeGreaterThan(10);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, labels, annotations } of rules) {
    expect(['critical', 'warning'], alert).toContain(labels.severity);
    expect(annotations.summary?.length, alert).toBeGreaterThan(10);
    expect(annotations.description?.length, alert).toBeGreaterThan(60);
  }
});

test('a summary names only labels that its query leaves', () => {
  for (const { alert, expr, annotations } of rules) {
    const { grouping } = readQuery(expr);
    const named = [...`${annotations.summary}${annotations.description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label as string);
    if (grouping.length > 0) expect(grouping, alert).toEqual(expect.arrayContaining(named));
  }
});

test('every panel has a title, a description and a place of its own', () => {
  const panels = dashboard.panels.filter(({ targets: own }) => own);
  for (const { title, description } of panels)
    expect([title, description]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(cells.every((cell) => Number.parseInt(cell, 10) < 24)).toBe(true);
});
