/** Three nodes on one PostgreSQL, one of which is killed every so often under a mixed load through a TCP proxy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddings } from '../soak/embeddings.ts';
import { Nodes } from './nodes.ts';
import { type FaultReport, runFaults } from './run.ts';

const NODES = 3;

export interface NodeKillOptions {
  /** Of a database that is empty, or of this program; it may be a Citus coordinator's. */
  readonly databaseUrl: string;
  readonly seconds: number;
  /** Between two kills. */
  readonly everySeconds: number;
  readonly pauseMs: number;
  readonly seed: number;
  readonly beforeJudging?: () => Promise<void>;
  readonly onKill?: (kills: number) => void;
}

export interface NodeKillReport extends FaultReport {
  readonly kills: number;
}

export async function runNodeKills(options: NodeKillOptions): Promise<NodeKillReport> {
  const { databaseUrl, seconds, everySeconds, onKill, ...rest } = options;
  await using embeddings = await startEmbeddings();
  await using nodes = await Nodes.start(NODES, { COMMONPLACE_DATABASE_URL: databaseUrl, COMMONPLACE_EMBEDDINGS_URL: embeddings.url });
  let kills = 0;
  const meanwhile = async () => {
    const startMs = performance.now();
    const until = (second: number) => sleep(Math.max(0, startMs + second * 1000 - performance.now()));
    for (let second = everySeconds; second <= seconds; second += everySeconds) {
      await until(second);
      await nodes.replace(kills++);
      onKill?.(kills);
    }
    await until(seconds);
  };
  return { ...(await runFaults({ nodes, meanwhile, ...rest })), kills };
}
