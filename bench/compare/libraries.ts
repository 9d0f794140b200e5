/** The peers that are libraries, or whose client does a part of the work: each in a host, which is a process of its own. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Processes } from '../processes.ts';
import { freePort } from '../service.ts';
import { bytesBelow } from './disk-size.ts';
import { type Environment, environments, folderOf, pythonOf, whyNotInstalled } from './environments.ts';
import { Host } from './host.ts';
import { chromaHome } from './install.ts';
import { callersOf, type Peer, type Place, type RunningPeer } from './peer.ts';

const STAND_IN = 'embeddings from a stand-in on loopback with the built-in model of Commonplace';

export const libraries: readonly Peer[] = [
  chroma(false),
  chroma(true),
  {
    name: 'Mem0 (Python)',
    madeOf: `mem0ai ${environments.mem0.packages.mem0ai} from PyPI in one process, Qdrant in the process, infer=False, writers in turn, since that store fails with two at once; ${STAND_IN}`,
    missing: () => whyNotInstalled(environments.mem0),
    installedBytes: () => bytesBelow(folderOf(environments.mem0)),
    start: async (processes, place) => {
      const environment = { MEM0_TELEMETRY: 'False', MEM0_DIR: place.folder };
      return withStandIn(processes, place, { program: pythonOf(environments.mem0), file: 'store_in_mem0.py', environment });
    },
  },
  {
    name: 'Mem0 (npm)',
    madeOf: `mem0ai ${environments.mem0Npm.packages.mem0ai} from npm in one process, its store on better-sqlite3, infer: false; ${STAND_IN}`,
    missing: () =>
      whyNotInstalled(environments.mem0Npm) ?? (nodeForMem0() ? undefined : 'its better-sqlite3 was built for no Node that is here'),
    installedBytes: () => bytesBelow(folderOf(environments.mem0Npm)),
    start: async (processes, place) => {
      const environment = { MEM0_TELEMETRY: 'false', MEM0_DIR: place.folder };
      const modules = folderOf(environments.mem0Npm);
      return withStandIn(processes, place, {
        program: nodeForMem0() ?? 'node',
        file: 'store-in-mem0.mjs',
        environment,
        settings: { modules },
      });
    },
  },
  {
    name: 'Mastra memory',
    madeOf: `@mastra/memory ${environments.mastra.packages['@mastra/memory']} from npm in one process, on LibSQL, with semantic recall; ${STAND_IN}`,
    missing: () => whyNotInstalled(environments.mastra),
    installedBytes: () => bytesBelow(folderOf(environments.mastra)),
    start: async (processes, place) => {
      const environment = { MASTRA_TELEMETRY_DISABLED: '1' };
      const modules = folderOf(environments.mastra);
      return withStandIn(processes, place, { program: process.execPath, file: 'store-in-mastra.mjs', environment, settings: { modules } });
    },
  },
];

/** The server, and the Python client, which embeds. `keepsModel`: the caller makes the embedding function once and hands it over. */
function chroma(keepsModel: boolean): Peer {
  const { chroma: environment } = environments;
  const way = keepsModel ? 'its embedding function made once' : 'its default embedding function, which loads the model for each call';
  return {
    name: keepsModel ? 'Chroma, model kept' : 'Chroma',
    madeOf: `chromadb ${environment.packages.chromadb} from PyPI: its server, and its Python client, which embeds before it writes: ${way}, with the model file of Commonplace`,
    missing: () => whyNotInstalled(environment),
    installedBytes: () => bytesBelow(folderOf(environment), (name) => name === 'home'),
    start: async (processes, place) => {
      const port = await freePort();
      const variables = { ANONYMIZED_TELEMETRY: 'False', HOME: chromaHome(), OTEL_SDK_DISABLED: 'true' };
      const args = ['run', '--path', place.folder, '--host', '127.0.0.1', '--port', String(port)];
      const startMs = performance.now();
      const server = processes.start(join(folderOf(environment), 'bin/chroma'), args, {
        env: { ...process.env, ...variables },
        stdio: 'ignore',
        cwd: place.folder,
      });
      const host = await Host.start(processes, {
        program: pythonOf(environment),
        file: 'store_in_chroma.py',
        settings: { port, keepsModel, texts: place.textsFile },
        environment: variables,
      });
      return runningIn(host, startMs, [server.pid as number, host.pid], []);
    },
  };
}

interface HostedLibrary {
  readonly program: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly settings?: object;
}

async function withStandIn(
  processes: Processes,
  place: Place,
  { program, file, environment, settings }: HostedLibrary,
): Promise<RunningPeer> {
  const { url, pid } = await startEmbeddings(processes);
  const startMs = performance.now();
  const host = await Host.start(processes, {
    program,
    file,
    settings: { ...settings, folder: place.folder, texts: place.textsFile, embeddingsUrl: url },
    environment,
  });
  return runningIn(host, startMs, [host.pid], [pid]);
}

export async function startEmbeddings(processes: Processes): Promise<{ url: string; pid: number }> {
  const endpoint = await processes.helper<string, string>('compare/embedding-endpoint.ts');
  return { url: await endpoint.ask('url'), pid: endpoint.pid };
}

function runningIn(host: Host, startMs: number, pids: readonly number[], standInPids: readonly number[]): RunningPeer {
  return {
    startSeconds: (performance.now() - startMs) / 1000,
    pids,
    standInPids,
    fill: (scope, texts) => host.fill(scope, texts),
    // They embed before they answer.
    settle: async () => undefined,
    measure: (operation, scope, seconds) => host.measure(operation, scope, seconds, callersOf(operation)),
  };
}

/** What is built at installation fits one Node only, and npm's may be another than ours. */
function nodeForMem0(): string | undefined {
  const candidates = [process.execPath, process.env.npm_node_execpath, '/usr/bin/node', '/usr/local/bin/node'];
  return candidates.find((node) => node !== undefined && canLoad(node, environments.mem0Npm, 'better-sqlite3'));
}

function canLoad(node: string, environment: Environment, library: string): boolean {
  try {
    execFileSync(node, ['-e', `new (require('${library}'))(':memory:')`], { cwd: folderOf(environment), stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
