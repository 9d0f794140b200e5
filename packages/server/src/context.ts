/** What a request or a job may reach. Made once by app.ts and passed as an argument. */
import type { RenderedPrompt } from '@commonplace/contract/prompts';
import type { Receipt } from '@commonplace/contract/receipts';
import type { User } from '@commonplace/contract/users';
import type { Logger } from 'pino';
import type { Actor, Callers } from './auth/callers.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database, Queryable } from './db/database.ts';
import type { EventStreams } from './http/event-streams.ts';
import type { UsageCounter } from './http/usage.ts';
import type { DeferredJobs } from './jobs/deferred-jobs.ts';
import type { Quotas } from './quotas/quotas.ts';
import type { Searcher } from './search/searcher.ts';

export interface ForgottenSubject {
  readonly workspaceId: string;
  /** Of one agent, or of all. */
  readonly agentId: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Context {
  readonly config: Config;
  readonly db: Database;
  readonly callers: Callers;
  readonly usage: UsageCounter;
  /** What each workspace may store and ask. */
  readonly quotas: Quotas;
  readonly searcher: Searcher;
  readonly deferredJobs: DeferredJobs;
  /** Who is told of events as they happen. */
  readonly streams: EventStreams;
  /** Which agents extract memories. Asked of `db` where it is not known: who is in a transaction has a connection already. */
  readonly pipelines: { isOn(agent: { workspaceId: string; agentId: string }, db: Queryable): boolean | Promise<boolean> };
  /** Fills in a version of a prompt: the latest one unless another is named, and nothing where it has none in use. */
  readonly prompts: {
    render(
      db: Queryable,
      place: { workspaceId: string; promptId: string },
      version: string | undefined,
      values: Readonly<Record<string, string | number | boolean>>,
    ): Promise<RenderedPrompt | undefined>;
  };
  /** Wrong passwords, for the audit log of the account. */
  readonly failedSignIns: { note(user: User, origin: { address: string; requestId: string }): void };
  /** Takes everything of a subject away. */
  readonly forgetter: { forgetSubject(subject: ForgottenSubject, by: Actor): Promise<Receipt> };
  readonly clock: Clock;
  readonly log: Logger;
}
