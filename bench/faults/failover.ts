/** Nodes whose PostgreSQL is killed under load, or vanishes without a word, and whose standby takes over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from '../../packages/server/test/cluster.ts';
import { startReplicatedPair } from '../../packages/server/test/standby.ts';
import { TcpProxy } from '../../packages/server/test/tcp-proxy.ts';
import { startEmbeddings } from '../soak/embeddings.ts';
import { Nodes } from './nodes.ts';
import { type FaultReport, runFaults } from './run.ts';

export interface FailoverOptions {
  /** `killed`: its connections are reset. `vanished`: they stay open and say nothing more, as when a machine loses power. */
  readonly failure: 'killed' | 'vanished';
  readonly binaries: Binaries;
  readonly nodes: number;
  /** Before the primary is killed, and after the standby was promoted. */
  readonly seconds: number;
  /** From the kill to the promotion: whoever watches servers takes some time to be sure. */
  readonly noticedAfterMs: number;
  readonly pauseMs: number;
  readonly seed: number;
  /** Of both servers. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly beforeJudging?: (databaseUrl: string) => Promise<void>;
}

export interface FailoverReport extends FaultReport {
  /** How long the promotion itself took. */
  readonly promotedMs: number;
}

export async function runFailover(options: FailoverOptions): Promise<FailoverReport> {
  const { failure, binaries, seconds, noticedAfterMs, settings, beforeJudging, ...rest } = options;
  await using embeddings = await startEmbeddings();
  await using pair = await startReplicatedPair(binaries, settings);
  const { primary, standby, promote } = pair;
  await using proxy = await TcpProxy.start([primary.port]);
  const url = `postgres://postgres@127.0.0.1:${proxy.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`;
  await using nodes = await Nodes.start(options.nodes, { COMMONPLACE_DATABASE_URL: url, COMMONPLACE_EMBEDDINGS_URL: embeddings.url });
  let promotedMs = 0;
  const meanwhile = async () => {
    await sleep(seconds * 1000);
    if (failure === 'killed') primary.kill();
    else proxy.silence();
    await sleep(noticedAfterMs);
    const startMs = performance.now();
    await promote();
    promotedMs = performance.now() - startMs;
    await sleep(seconds * 1000);
  };
  const report = await runFaults({
    ...rest,
    nodes,
    meanwhile,
    ...(beforeJudging && { beforeJudging: () => beforeJudging(standby.url) }),
  });
  return { ...report, promotedMs };
}
