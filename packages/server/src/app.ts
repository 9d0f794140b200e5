/** Composition: config → context → routes. The one place that knows every slice. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { accessKeyRoutes } from './access-keys/routes.ts';
import { MemoryPipelines } from './agents/pipelines.ts';
import { agentRoutes } from './agents/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { auditRoutes } from './audits/routes.ts';
import { Callers } from './auth/callers.ts';
import { retryRemainingTexts } from './background-work/retrying.ts';
import { backgroundWorkRoutes } from './background-work/routes.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import type { Database } from './db/database.ts';
import { snakeCase } from './db/shape.ts';
import { embedDocumentsAnew, indexDocument, rescueDocuments } from './documents/indexing.ts';
import { documentRoutes } from './documents/routes.ts';
import { chunksSource } from './documents/search.ts';
import { countByStatus } from './documents/status-counts.ts';
import { EventFeed } from './events/feed.ts';
import { describeEvents } from './events/resources.ts';
import { eventRoutes } from './events/routes.ts';
import { dropOldEvents } from './events/store.ts';
import { Forgetter } from './forgetting/forgetting.ts';
import { forgetByAge } from './forgetting/retention.ts';
import { forgettingRoutes } from './forgetting/routes.ts';
import { Api } from './http/api.ts';
import { dashboardRoutes } from './http/dashboard.ts';
import { EventStreams } from './http/event-streams.ts';
import { healthRoutes } from './http/health.ts';
import { dropExpiredKeys } from './http/idempotency.ts';
import { acceptStreams } from './http/incoming-streams.ts';
import { Metrics } from './http/metrics.ts';
import { openApiRoutes } from './http/openapi-route.ts';
import { createServer } from './http/server.ts';
import { startTracing } from './http/tracing.ts';
import { acceptUploads } from './http/upload.ts';
import { UsageCounter } from './http/usage.ts';
import { Watchdog } from './http/watchdog.ts';
import { inviteRoutes } from './invites/routes.ts';
import { DeferredJobs } from './jobs/deferred-jobs.ts';
import { every } from './jobs/job-handler.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { dropFailedJobs } from './jobs/queue.ts';
import { mcpEndpoint } from './mcp/endpoint.ts';
import { memberRoutes } from './members/routes.ts';
import { createExtraction, type ExtractionService } from './memories/extraction/extraction.ts';
import { memoryRoutes } from './memories/routes.ts';
import { keptMemories, memoryItems } from './memories/search.ts';
import { queueForExtraction } from './memories/store/extraction-queue.ts';
import { messageRoutes } from './messages/routes.ts';
import { keptMessages, messageItems } from './messages/search.ts';
import { contextRoutes } from './model-context/routes.ts';
import { Outbox } from './outbox/distribution.ts';
import { createPromptComputing } from './prompts/computing.ts';
import { PromptRenderer } from './prompts/rendering.ts';
import { promptRoutes } from './prompts/routes.ts';
import { Quotas } from './quotas/quotas.ts';
import { dropOldRequestTotals } from './quotas/store.ts';
import { dropOldValues } from './roll-ups/hourly-values.ts';
import { countNewMessages } from './roll-ups/pending-counts.ts';
import { sampleWorkspaces } from './roll-ups/sampling.ts';
import { createEmbedder, createFormerEmbedder } from './search/embedding/create.ts';
import { heedForgottenSessions } from './search/forgotten-sessions.ts';
import { SearchIndexes } from './search/indexes.ts';
import { BackgroundIndexing } from './search/indexing.ts';
import { MODEL_SWITCH, modelSwitchJob, startModelSwitch } from './search/model-switch.ts';
import { Searcher } from './search/searcher.ts';
import { SegmentClearing } from './search/segments/clearing.ts';
import { Snapshots } from './search/segments/snapshots.ts';
import type { SnapshotFacts } from './search/segments/store.ts';
import { dropUnneededSnapshots } from './search/segments/unneeded.ts';
import { queueForEmbedding } from './search/vectors.ts';
import { WarmStart } from './search/warming/warm-start.ts';
import { purgeAgent, purgeSession } from './sessions/purging.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { HeapGrowth } from './threads/heap-growth.ts';
import { dropLeftovers } from './transfer/leftovers.ts';
import { transferRoutes } from './transfer/routes.ts';
import { FailedSignIns } from './users/failed-sign-ins.ts';
import { ensureFirstAccount } from './users/first-account.ts';
import { userRoutes } from './users/routes.ts';
import { dropExpiredDashboardSessions, dropOldKnownAddresses } from './users/store.ts';
import { WebhookDelivering } from './webhooks/delivering.ts';
import { loadingEvents } from './webhooks/event-log.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { createSender } from './webhooks/sending.ts';
import { dropOldDeliveries, purgeWebhook, wakeForgottenWebhooks } from './webhooks/sweeping.ts';
import { workspaceSearchRoutes } from './workspace-search/routes.ts';
import { purgeWorkspace } from './workspaces/purging.ts';
import { workspaceRoutes } from './workspaces/routes.ts';
import { StoredAmounts } from './workspaces/stored-amounts.ts';

const slices = [
  healthRoutes,
  userRoutes,
  apiKeyRoutes,
  workspaceRoutes,
  statisticsRoutes,
  memberRoutes,
  inviteRoutes,
  accessKeyRoutes,
  auditRoutes,
  agentRoutes,
  sessionRoutes,
  forgettingRoutes,
  messageRoutes,
  memoryRoutes,
  promptRoutes,
  documentRoutes,
  workspaceSearchRoutes,
  contextRoutes,
  backgroundWorkRoutes,
  transferRoutes,
] as const;

/** What gets a vector in the background; documents see to their chunks themselves. */
const embeddedItems = [messageItems, memoryItems];

const HOUR_MS = 60 * 60 * 1000;
const FAILED_JOBS_KEPT_MS = 30 * 24 * HOUR_MS;
const DELIVERIES_KEPT_AT_LEAST_MS = 24 * HOUR_MS;

export interface App {
  readonly server: FastifyInstance;
  readonly api: Api;
  readonly context: Context;
  readonly jobRunner: JobRunner;
  readonly indexing: BackgroundIndexing;
  readonly outbox: Outbox;
  readonly webhooks: WebhookDelivering;
  /** Begins the work in the background. */
  start(): void;
  /** Finishes what is in flight, then lets go of everything but the database, which belongs to whoever opened it. */
  close(): Promise<void>;
}

/** The whole service on a database that is open and migrated. */
export async function createApp(config: Config, opened: Database, log: Logger, clock: Clock = opened.clock): Promise<App> {
  const tracing = await startTracing(config, log);
  const db = tracing ? tracing.wrapDatabase(opened) : opened;
  const indexes = new SearchIndexes(log, { memoryBytes: config.searchMemoryBytes });
  const snapshots = new Snapshots(db, indexes, clock, log);
  const searcher = new Searcher(createEmbedder(config, log), indexes, log, snapshots, clock);
  const failedSignIns = new FailedSignIns(db, clock, log);
  const prompts = new PromptRenderer(createPromptComputing(log));
  const storedAmounts = new StoredAmounts(db, log);
  const countStored = storedAmounts.count.bind(storedAmounts);
  const keptSources = {
    message: (facts: SnapshotFacts) => keptMessages(db, facts),
    memory: (facts: SnapshotFacts) => keptMemories(db, facts),
    chunk: ({ workspaceId, model }: SnapshotFacts) => chunksSource(db, workspaceId, model),
  };
  const clearing = new SegmentClearing(db, clock, log, keptSources);
  const forgetter = new Forgetter(db, clock, clearing);
  heedForgottenSessions(db, searcher, log);
  const context: Context = {
    config,
    db,
    log,
    clock,
    searcher,
    callers: new Callers(db, clock, log),
    deferredJobs: new DeferredJobs(db, clock, log),
    streams: new EventStreams(db, log),
    pipelines: new MemoryPipelines(db),
    usage: new UsageCounter(db, clock, log),
    quotas: new Quotas({ db, clock, log, defaults: config.quotas, countStored }),
    prompts,
    failedSignIns,
    forgetter,
  };
  const outbox = new Outbox(db, [queueForEmbedding(messageItems.kind), queueForExtraction, countNewMessages], config.eventsKeptMs > 0);
  const extraction = await createExtraction(context, outbox);
  const indexing = new BackgroundIndexing(db, searcher, clock, log, outbox, embeddedItems);
  const feed = new EventFeed(context, outbox);
  const warmStart = new WarmStart(db, searcher, keptSources, config.searchMemoryBytes, log);
  const webhooks = new WebhookDelivering({
    db,
    clock,
    log,
    sender: createSender(config),
    outbox,
    loadEvent: loadingEvents(db, clock, describeEvents),
  });
  const jobRunner = new JobRunner({ db, clock, log, handlers: jobHandlers(context, extraction, clearing, forgetter) });

  const server = await createServer(config, log);
  tracing?.instrument(server);
  // They would go on for ever, and the server waits for all that goes on.
  server.addHook('preClose', async () => context.streams.close());
  const parts = { ...(await acceptUploads(server)), ...(await acceptStreams(server)) };
  const metrics = new Metrics(db, {
    jobs: () => jobRunner.gauges(),
    search: async () => ({ ...(await searcher.gauges()), ...(await indexing.gauges()) }),
    extraction: async () => extraction.gauges(),
    requests: async () => api.limits.gauges(),
    refused: async () => ({ ...api.limits.refused(), ...quotaReasons(context.quotas.refused()) }),
    eventLoop: async () => watchdog.takeDelays(),
    blocked: async () => ({ total: watchdog.blockedTotal }),
  });
  const api = new Api(server, parts, context);
  metrics.serve(server);
  const watchdog = new Watchdog({ log, routesAtWork: (sinceMs) => api.limits.inFlight.routesAtWork(sinceMs) });
  const heapGrowth = new HeapGrowth();
  for (const slice of slices) slice(api, context);
  eventRoutes(api, context, outbox, feed);
  webhookRoutes(api, context, outbox);
  mcpEndpoint(server, api, context);
  api.refuseOtherMethods();
  openApiRoutes(server, api, config);
  dashboardRoutes(server, log);
  await context.quotas.load();
  await ensureFirstAccount(context);
  const formerModel = await startModelSwitch(db, searcher.embedder.model, clock.nowMs());
  const embedder = formerModel && createFormerEmbedder(formerModel, config, log);
  if (embedder) searcher.models.serveFormer({ db, clock, embedder });
  await server.ready();

  return {
    server,
    api,
    context,
    jobRunner,
    indexing,
    outbox,
    webhooks,
    start: () => {
      watchdog.start();
      heapGrowth.start();
      jobRunner.start();
      indexing.start();
      webhooks.start();
      indexes.prestartThreads();
      if (!config.searchWarmStart) return;
      warmStart.start();
      searcher.warming.start();
    },
    close: async () => {
      forgetter.stop();
      await server.close();
      await feed.close();
      await context.deferredJobs.flush();
      await jobRunner.stop();
      await webhooks.stop();
      await extraction.close();
      await indexing.stop();
      await warmStart.stop();
      await searcher.close();
      await context.callers.close();
      await context.usage.close();
      await context.quotas.close();
      await storedAmounts.close();
      await failedSignIns.close();
      await prompts.close();
      watchdog.stop();
      heapGrowth.stop();
      await tracing?.shutdown();
    },
  };
}

/** As the metric names them: quota_messages, quota_requests_per_minute. */
function quotaReasons(refused: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(refused).map(([quota, count]) => [`quota_${snakeCase(quota)}`, count]));
}

function jobHandlers(
  { config, db, clock, searcher, log }: Context,
  extraction: ExtractionService,
  clearing: SegmentClearing,
  forgetter: Forgetter,
) {
  const embedDocuments = embedDocumentsAnew(db, searcher, clock);
  const switchModel = modelSwitchJob(db, clock, { ownModel: searcher.embedder.model, items: embeddedItems, embedDocuments }, log);
  return {
    ...extraction.handlers,
    'index-document': indexDocument(db, searcher, clock, log),
    [MODEL_SWITCH]: switchModel,
    // As earlier nodes queue it.
    'switch-model': switchModel,
    'rescue-documents': rescueDocuments(db, clock, log),
    'retry-texts': retryRemainingTexts(db, searcher, clock),
    'purge-workspace': purgeWorkspace(db),
    'purge-agent': purgeAgent(db),
    'purge-session': purgeSession(db, clock),
    'purge-webhook': purgeWebhook(db),
    'wake-webhooks': wakeForgottenWebhooks(db, clock),
    'drop-staged-sessions': dropLeftovers(db, clock, log),
    'clear-changed-items': clearing.job(),
    'forget-by-age': forgetByAge(db, clock, forgetter, log),
    'drop-unneeded-snapshots': dropUnneededSnapshots(db, clock, log),
    'sample-workspaces': sampleWorkspaces(db, clock, countByStatus, log),
    'drop-expired': every(HOUR_MS, async (_job, signal) => {
      await dropExpiredDashboardSessions(db, clock.nowMs());
      await dropOldKnownAddresses(db, clock.nowMs());
      await dropFailedJobs(db, clock.nowMs() - FAILED_JOBS_KEPT_MS);
      await dropExpiredKeys(db, clock.nowMs(), log, signal);
      await dropOldValues(db, clock.nowMs(), log, signal);
      await dropOldEvents(db, clock.nowMs() - config.eventsKeptMs, log, signal);
      await dropOldRequestTotals(db, clock.nowMs() - HOUR_MS);
      await dropOldDeliveries(db, clock.nowMs() - Math.max(config.eventsKeptMs, DELIVERIES_KEPT_AT_LEAST_MS), log, signal);
    }),
  };
}
