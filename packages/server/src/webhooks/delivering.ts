/** The sender of webhooks on this node: takes those that something is due for, and sends for them as long as it holds their leases. */
import type { Event } from '@commonplace/contract/events';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { EVERYTHING } from '../db/listeners.ts';
import { runInLane, runInServiceLane } from '../lanes/current-lane.ts';
import { LaneLimiter } from '../lanes/lane-limiter.ts';
import type { Outbox } from '../outbox/distribution.ts';
import {
  anyActive,
  type ClaimedWebhook,
  claimWebhooks,
  endAllLeases,
  extendLeases,
  LeaseLost,
  releaseLease,
  wakeWebhooks,
} from './queue-store.ts';
import { webhookTimes } from './rules.ts';
import { type Sender, send } from './sending.ts';
import { WEBHOOKS_TOPIC } from './store.ts';
import { type RunServices, WebhookRun } from './webhook-run.ts';

/** Webhooks that this node sends for at a time, in all and of one workspace. */
const MOST_RUNS = 64;
const MOST_RUNS_OF_WORKSPACE = 8;
/** Requests on their way, likewise. */
const IN_FLIGHT = 256;
const IN_FLIGHT_OF_WORKSPACE = 32;
const POLL_MS = 500;
const WAKE_AFTER_MS = 50;
const WOKEN_AT_ONCE = 200;
const GRACE_MS = 2_000;

export interface DeliveringOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sender: Sender;
  readonly outbox: Outbox;
  readonly loadEvent: (workspaceId: string, seq: number) => Promise<Event | undefined>;
}

export class WebhookDelivering {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #outbox: Outbox;
  readonly #leaseMs: number;
  readonly #services: RunServices;
  readonly #runs = new Map<WebhookRun, Promise<void>>();
  readonly #published = new Set<string>();
  #waking: Promise<void> | undefined;
  #wakeTimer: NodeJS.Timeout | undefined;
  #beating: NodeJS.Timeout | undefined;
  #loop: Promise<void> | undefined;
  #isStopping = false;
  #wakeUp: (() => void) | undefined;

  constructor(options: DeliveringOptions) {
    const { db, clock, log, sender, outbox, loadEvent } = options;
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#outbox = outbox;
    outbox.onPublished((workspaceIds) => this.notePublished(workspaceIds));
    this.#leaseMs = webhookTimes.leaseMs;
    const limiter = new LaneLimiter({ inFlight: IN_FLIGHT, inFlightOfLane: IN_FLIGHT_OF_WORKSPACE });
    this.#services = {
      db,
      clock,
      loadEvent,
      retryDelaysMs: webhookTimes.retryDelaysMs,
      send: (workspaceId, prepare, signal) =>
        limiter.run(workspaceId, async () => {
          const sent = prepare();
          return sent && send(sender, sent, signal);
        }),
    };
    db.listen(WEBHOOKS_TOPIC, (webhookId) => {
      for (const run of this.#runs.keys()) if (webhookId === EVERYTHING || run.lease.webhookId === webhookId) run.stop();
      this.wake();
    });
  }

  start(): void {
    if (this.#loop || this.#isStopping) return;
    this.#beating = setInterval(() => void this.heartbeat(), this.#leaseMs / 3).unref();
    this.#loop = runInServiceLane(() => this.#work());
  }

  /** Something may be due. */
  wake(): void {
    this.#wakeUp?.();
  }

  /** Events of these workspaces were committed: their webhooks are due, in a moment, together with those that others publish. */
  notePublished(workspaceIds: Iterable<string>): void {
    for (const workspaceId of workspaceIds) this.#published.add(workspaceId);
    if (this.#published.size === 0 || this.#isStopping) return;
    for (const run of this.#runs.keys()) if (this.#published.has(run.lease.workspaceId)) run.wake();
    this.#wakeTimer ??= runInServiceLane(() => setTimeout(() => void this.#wakeLater(), WAKE_AFTER_MS).unref());
  }

  /** Sends all that is due until nothing is left, without waiting for time to pass. */
  async drain(): Promise<void> {
    await this.#outbox.distribute();
    for (;;) {
      await this.#waking;
      await this.#wakePublished();
      if ((await this.#takeUp()) === 0 && this.#runs.size === 0) return;
      await Promise.all(this.#runs.values());
    }
  }

  /** Sends nothing more, lets what is on its way arrive for a moment, and leaves the rest to whoever comes next. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#wakeTimer);
    this.#wakeUp?.();
    for (const run of this.#runs.keys()) run.stop();
    const grace = setTimeout(() => {
      for (const run of this.#runs.keys()) run.abort();
    }, GRACE_MS);
    await this.#loop;
    await this.#waking;
    await Promise.all(this.#runs.values());
    clearTimeout(grace);
    clearInterval(this.#beating);
  }

  /** Renews the leases, and gives up what was lost. Done by a timer once started. */
  async heartbeat(): Promise<void> {
    const held = [...this.#runs.keys()];
    if (held.length === 0) return;
    const startMs = this.#clock.monotonicMs();
    try {
      const leases = held.map(({ lease }) => lease);
      const kept = await extendLeases(this.#db, leases, this.#leaseMs, this.#clock.nowMs());
      for (const run of held) {
        if (kept.has(run.lease.owner)) run.leaseUntilMs = startMs + this.#leaseMs;
        else run.abort();
      }
    } catch (error) {
      this.#log.warn({ err: error, webhooks: held.length }, 'the leases of webhooks could not be renewed');
      for (const run of held) if (run.leaseUntilMs <= this.#clock.monotonicMs()) run.abort();
    }
  }

  async #work(): Promise<void> {
    let isFirst = this.#db.engine === 'sqlite';
    while (!this.#isStopping) {
      try {
        if (isFirst) await endAllLeases(this.#db);
        isFirst = false;
        // Others distribute as well, though not while they are busy.
        if (await anyActive(this.#db)) await this.#outbox.distribute();
        // As long as there is room and something is due.
        while (!this.#isStopping && (await this.#takeUp()) > 0);
      } catch (error) {
        this.#log.warn({ err: error }, 'webhooks that are due could not be taken up');
      }
      if (!this.#isStopping) await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS).unref();
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  async #takeUp(): Promise<number> {
    const limit = MOST_RUNS - this.#runs.size;
    if (limit < 1) return 0;
    const heldOf = new Map<string, number>();
    for (const { lease } of this.#runs.keys()) heldOf.set(lease.workspaceId, (heldOf.get(lease.workspaceId) ?? 0) + 1);
    const startMs = this.#clock.monotonicMs();
    const claimed = await claimWebhooks(this.#db, {
      limit,
      limitOfWorkspace: MOST_RUNS_OF_WORKSPACE,
      heldOf,
      leaseMs: this.#leaseMs,
      nowMs: this.#clock.nowMs(),
    });
    for (const one of claimed) this.#run(one, startMs + this.#leaseMs);
    return claimed.length;
  }

  #run(claimed: ClaimedWebhook, leaseUntilMs: number): void {
    const run = new WebhookRun(claimed, this.#services, leaseUntilMs);
    if (this.#isStopping) run.stop();
    const { workspaceId, webhookId } = run.lease;
    const ended = runInLane(`job:${workspaceId}`, () => this.#runToItsEnd(run), 'webhook')
      .catch((error: unknown) => {
        if (error instanceof LeaseLost)
          this.#log.info({ workspaceId, webhookId }, 'the lease of a webhook was lost; another node sends for it');
        else this.#log.warn({ err: error, workspaceId, webhookId }, 'sending for a webhook failed; it goes on when its lease has run out');
      })
      .finally(() => {
        this.#runs.delete(run);
        this.wake();
      });
    this.#runs.set(run, ended);
  }

  async #runToItsEnd(run: WebhookRun): Promise<void> {
    await run.run();
    await releaseLease(this.#db, run.lease, this.#clock.nowMs());
  }

  async #wakeLater(): Promise<void> {
    this.#wakeTimer = undefined;
    this.#waking = this.#wakePublished().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'webhooks could not be told of events; they are found later');
    });
    await this.#waking;
  }

  async #wakePublished(): Promise<void> {
    const workspaceIds = [...this.#published];
    this.#published.clear();
    for (let start = 0; start < workspaceIds.length; start += WOKEN_AT_ONCE) {
      await wakeWebhooks(this.#db, workspaceIds.slice(start, start + WOKEN_AT_ONCE), this.#clock.nowMs());
    }
    if (workspaceIds.length > 0) this.wake();
  }
}
