/** Who may import whom, as rules of the linter. `npm run fix` writes them to biome.layers.json; a test holds that they are written. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folders of the server that know no slice and that every slice knows. */
const kernel = ['http', 'auth', 'db', 'jobs', 'lanes', 'outbox', 'quotas', 'remote', 'roll-ups', 'search', 'threads'];
/** Folders that know every slice, as app.ts and main.ts do. */
const knowAll = ['cli', 'mcp'];
/** What a slice may know of another. */
const open = ['store.ts', 'store/**', 'search.ts'];

const server = 'packages/server/src';

/** Files of one depth, seen from which `up` is the folder of the server. */
interface Layer {
  readonly files: readonly string[];
  readonly group: readonly string[];
  readonly message: string;
}

const inKernel = (up: string) => kernel.map((folder) => `!${up}${folder}/**`);
const exceptTop = (up: string) => [`!${up}*.ts`, `${up}app.ts`, `${up}main.ts`];

function kernelLayer(depth: string, up: string): Layer {
  return {
    files: kernel.map((folder) => `${server}/${folder}/${depth}`),
    group: [`${up}**`, ...inKernel(up), ...exceptTop(up)],
    message: `The kernel (${kernel.join(', ')}) knows no slice, nor app.ts or main.ts: take what you need as an argument, or move it to the slice.`,
  };
}

function sliceLayer(depth: string, up: string): Layer {
  return {
    files: [`${server}/${depth}`, ...[...kernel, ...knowAll].map((folder) => `!${server}/${folder}/**`)],
    group: [`${up}**`, ...open.map((name) => `!${up}*/${name}`), ...inKernel(up), ...exceptTop(up)],
    message: "A slice imports the kernel and another slice's store.ts (or what is in its store/) or search.ts only.",
  };
}

/** A published package that connects the client and what it is for. */
function integrationLayer(name: string, connected: readonly string[]): Layer {
  return {
    files: [`packages/${name}/src/**/*.ts`],
    group: ['**', '!@commonplace/client', '!@commonplace/client/**', ...connected.map((module) => `!${module}`), '!./**'],
    message: `The package depends on ${['the client', ...connected, 'itself'].join(', ')}, nothing else.`,
  };
}

const dashboard = 'packages/dashboard/src';
const dashboardModules = ['react', 'react-dom/**', '@tanstack/**', '@base-ui/react/**', '@codemirror/**', '@commonplace/client'];

/** Design knows nothing but itself; what is asked of the API knows design and no page. */
function dashboardLayer(files: readonly string[], known: readonly string[], message: string): Layer {
  return {
    files: files.map((path) => `${dashboard}/${path}`),
    group: ['**', ...dashboardModules.map((module) => `!${module}`), '!./**', ...known.map((folder) => `!../${folder}/**`)],
    message,
  };
}

const layers: readonly Layer[] = [
  dashboardLayer(['design/*.{ts,tsx}'], [], 'The design system knows nothing of the app.'),
  dashboardLayer(['api/*.ts'], ['design'], 'What is asked of the API knows design, and no page.'),
  {
    files: [`${dashboard}/**/*.{ts,tsx}`, `!${dashboard}/{design,api}/*.{ts,tsx}`],
    group: ['**', ...dashboardModules.map((module) => `!${module}`), '!./**', '!../**', '../../../../**'],
    message: `The dashboard reaches the service by the client alone: it depends on ${dashboardModules.join(', ')} and itself.`,
  },
  {
    files: ['packages/contract/src/**/*.ts'],
    group: ['**', '!zod', '!zod/**', '!./**'],
    message: 'The contract depends on zod and on itself, nothing else.',
  },
  {
    files: ['packages/client/src/**/*.ts'],
    group: ['**', '!./**', '!../**', '../../**'],
    message: 'The client depends on nothing but itself.',
  },
  integrationLayer('langchain', ['@langchain/core/**', 'langchain']),
  integrationLayer('openai-agents', ['@openai/agents']),
  integrationLayer('ai-sdk', ['@ai-sdk/provider']),
  integrationLayer('mastra', []),
  {
    files: ['packages/english/src/**/*.ts'],
    group: ['**', '!wink-nlp', '!wink-eng-lite-web-model', '!./**', '!../**', '../../**'],
    message: 'The reading of English depends on wink and on itself, nothing else.',
  },
  {
    files: [`${server}/*.ts`, `!${server}/app.ts`, `!${server}/main.ts`],
    group: ['./*/**', ...inKernel('./'), './app.ts', './main.ts'],
    message: `Only app.ts, main.ts, ${knowAll.map((folder) => `${folder}/`).join(' and ')} know the slices.`,
  },
  kernelLayer('*.ts', '../'),
  kernelLayer('*/*.ts', '../../'),
  kernelLayer('*/*/*.ts', '../../../'),
  kernelLayer('*/*/*/**/*.ts', '../../../../'),
  sliceLayer('*/*.ts', '../'),
  sliceLayer('*/*/*.ts', '../../'),
  sliceLayer('*/*/*/**/*.ts', '../../../'),
];

export const layersFile = fileURLToPath(new URL('../biome.layers.json', import.meta.url));

/** The text of the file. */
export function lintLayers(): string {
  const overrides = layers.map(({ files, group, message }) => ({
    includes: [...files, '!**/*.test.ts'],
    linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns: [{ group, message }] } } } } },
  }));
  return `${JSON.stringify({ overrides }, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(layersFile, lintLayers());
