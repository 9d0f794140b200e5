/** The suite `compare`: the same work for this service and for others that are installed, in interleaved rounds of one run. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgresServer, type Postgres } from '../postgres.ts';
import type { Effort } from '../rounds.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commonplace } from './commonplace.ts';
import { environments, whyNotInstalled } from './environments.ts';
import { hindsight } from './hindsight.ts';
import { installPeers } from './install.ts';
import { libraries } from './libraries.ts';
import type { LeftOut, Peer, Place, Texts } from './peer.ts';
import { Findings, reportFindings } from './report.ts';
import { readTexts } from './texts.ts';
import { fillForSearches, measureEmpty, measureSearches } from './turns.ts';

/** What can't be had from a registry. */
const notPublished: readonly LeftOut[] = [
  { name: 'Honcho', reason: 'its server is on no registry: what PyPI and npm have are its clients' },
  {
    name: 'Mem0 server',
    reason: 'its server is on no registry: what PyPI and npm have are libraries and clients; the libraries are measured',
  },
];

export interface CompareOptions extends Effort {
  /** Makes the environments first. */
  readonly install: boolean;
}

export async function runCompare({ rounds, seconds, install }: CompareOptions): Promise<void> {
  if (install) await installPeers();
  await using folder = await temporaryFolder();
  // The one peer that needs it.
  await using postgres = whyNotInstalled(environments.hindsight) === undefined ? await openPostgresServer() : undefined;
  const peers = [commonplace, ...libraries, hindsight(postgres !== undefined)];
  const present = peers.filter((peer) => peer.missing() === undefined);
  const leftOut = [...peers.map((peer) => ({ name: peer.name, reason: peer.missing() })), ...notPublished];
  const texts = await readTexts();
  const textsFile = join(folder.path, 'texts.json');
  await writeFile(textsFile, JSON.stringify(texts));
  const newPlace = placesIn(folder.path, { textsFile, texts, postgres });

  const findings = new Findings(rounds);
  const filled = new Map<Peer, Place>();
  const failed = new Map<Peer, string>();
  const inTurn = async (name: string, turn: (peer: Peer) => Promise<void>) => {
    for (const peer of present.filter((one) => !failed.has(one))) {
      console.error(`compare, ${name}: ${peer.name}`);
      await turn(peer).catch((error) => failed.set(peer, `failed in ${name}: ${lastLine(error)}`));
    }
  };
  await inTurn('filling', async (peer) => {
    filled.set(peer, await newPlace());
    await fillForSearches(peer, filled.get(peer) as Place, findings);
  });
  for (let round = 1; round <= rounds; round++) {
    await inTurn(`round ${round} of ${rounds}`, async (peer) => {
      const place = await newPlace();
      await measureEmpty(peer, place, seconds, findings);
      await rm(place.folder, { recursive: true, force: true });
      await measureSearches(peer, filled.get(peer) as Place, seconds, findings);
    });
  }
  for (const peer of present) findings.installed(peer, await peer.installedBytes());
  const left = [...leftOut, ...[...failed].map(([{ name }, reason]) => ({ name, reason }))];
  reportFindings(
    findings,
    present,
    left.filter((one): one is LeftOut => one.reason !== undefined),
    { rounds, seconds },
  );
}

interface Shared {
  readonly textsFile: string;
  readonly texts: Texts;
  readonly postgres: Postgres | undefined;
}

/** A new folder for each, and a new database for who asks for one. */
function placesIn(root: string, { postgres, ...shared }: Shared): () => Promise<Place> {
  let count = 0;
  return async () => {
    const folder = join(root, String(count++));
    await mkdir(folder);
    let database: Promise<string> | undefined;
    const databaseUrl = () => {
      if (!postgres) throw new Error('There is no PostgreSQL');
      database ??= postgres.newDatabase();
      return database;
    };
    return { ...shared, folder, databaseUrl };
  };
}

/** Those of Python are many lines long, and the last says what it was. */
export function lastLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n').at(-1)?.trim() ?? '';
}
