import type { Agent, AgentChanges, AgentConfigChanges, AgentConfigs, AgentQuery, NewAgent } from '@commonplace/contract/agents';
import { recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { forShare, forUpdate, list, type Sql, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { handleOf, uniqueHandleOf } from '../handles.ts';
import { enqueue } from '../jobs/queue.ts';
import { recordAllEvents, recordEvent } from '../outbox/outbox.ts';
import { measureReplaced } from '../quotas/store.ts';
import { lockWorkspace } from '../workspaces/store.ts';
import { forgetPipeline } from './pipelines.ts';

const columns = shape<Agent>({
  id: 'text',
  workspaceId: 'text',
  name: 'text',
  kind: 'text',
  handle: 'text',
  description: 'text',
  status: 'text',
  configs: 'json',
  promptId: 'text',
  kbLabels: 'json',
  createdAt: 'time',
  updatedAt: 'time',
});

const configured = shape<Pick<Agent, 'configs'>>({ configs: 'json' });

/** The plain handle of the name, or one with a short end where another agent has it. */
export async function createAgent(db: Queryable, by: Actor, workspaceId: string, fields: NewAgent, nowMs: number): Promise<Agent> {
  const now = timestamp(nowMs);
  const agent: Agent = {
    id: newId(),
    workspaceId,
    name: fields.name,
    kind: 'unmanaged',
    handle: handleOf(fields.name) || uniqueHandleOf('agent'),
    description: fields.description,
    status: 'active',
    configs: configsAfter(defaults, fields.configs),
    promptId: fields.promptId ?? null,
    kbLabels: fields.kbLabels ?? {},
    createdAt: now,
    updatedAt: now,
  };
  const suffixed: Agent = { ...agent, handle: uniqueHandleOf(agent.handle) };
  // The second does nothing where the first has made the agent. No failure to recover from, so it holds inside a caller's transaction too.
  const recorded = [
    lockWorkspace(workspaceId),
    ...lockPrompt(workspaceId, agent.promptId),
    recordAudit(by, { workspaceId, action: 'agent.create', resourceId: agent.id, detail: { name: agent.name } }, nowMs),
    recordEvent({ workspaceId, type: 'agent.created', agentId: agent.id, subjectId: agent.id }, nowMs),
    sql`${columns.insertInto('agents', [agent])} on conflict (workspace_id, handle) do nothing`,
  ];
  const results = await db.batch([
    ...recorded,
    sql`${columns.insertInto('agents', [suffixed])} on conflict (workspace_id, id) do nothing returning id`,
    ...(agent.configs.retentionDays === undefined ? [] : [noteRetention(workspaceId, agent.id, agent.configs.retentionDays)]),
  ]);
  return results[recorded.length]?.length ? suffixed : agent;
}

export async function listAgents(
  db: Queryable,
  workspaceId: string,
  agentIds: readonly string[] | undefined,
  { handle, ...page }: AgentQuery,
): Promise<Listed<Agent>> {
  const agents = sql`from agents where workspace_id = ${workspaceId}
    ${handle === undefined ? sql`` : sql`and handle = ${handle}`} ${agentIds ? sql`and id in ${list(agentIds)}` : sql``}`;
  return listPage(db, page, {
    rows: sql<Agent>`select ${columns} ${agents}`,
    counted: agents,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: ['description', 'kb_labels'],
  });
}

export async function requireAgent(db: Queryable, workspaceId: string, agentId: string): Promise<Agent> {
  const agent = await db.maybeOne(sql<Agent>`select ${columns} from agents where workspace_id = ${workspaceId} and id = ${agentId}`);
  if (!agent) throw notFound('Agent');
  return agent;
}

/** What a change takes the place of. */
export function measureAgent(db: Queryable, workspaceId: string, agentId: string, changes: AgentChanges): Promise<number> {
  const from = sql`from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return measureReplaced(db, changes, ['name', 'description', 'status', 'configs', 'kb_labels'], from);
}

export async function updateAgent(
  db: Transactable,
  by: Actor,
  workspaceId: string,
  agentId: string,
  changes: AgentChanges,
  nowMs: number,
): Promise<Agent> {
  return db.transaction(async (tx) => {
    const before = await tx.one(
      sql<Pick<Agent, 'configs'>>`
        select ${configured} from agents where workspace_id = ${workspaceId} and id = ${agentId}${forUpdate}`.orElse(() =>
        notFound('Agent'),
      ),
    );
    const configs = changes.configs === undefined ? undefined : configsAfter(before.configs, changes.configs);
    const set = columns.assignments({
      ...changes,
      configs,
      kbLabels: changes.kbLabels === null ? {} : changes.kbLabels,
      updatedAt: timestamp(nowMs),
    });
    const [[agent]] = await tx.batch([
      sql<Agent>`update agents set ${set} where workspace_id = ${workspaceId} and id = ${agentId} returning ${columns}`.orElse(() =>
        notFound('Agent'),
      ),
      ...lockPrompt(workspaceId, changes.promptId),
      recordAudit(by, { workspaceId, action: 'agent.update', resourceId: agentId, detail: changes }, nowMs),
      recordEvent({ workspaceId, type: 'agent.updated', agentId, subjectId: agentId }, nowMs),
      ...(configs === undefined ? [] : [forgetPipeline(agentId), noteRetention(workspaceId, agentId, configs.retentionDays)]),
    ]);
    return agent;
  });
}

const defaults: AgentConfigs = { memoryPipeline: false };

/** What is left out keeps its value; null takes everything back. */
function configsAfter(before: AgentConfigs, changes: AgentConfigChanges | null | undefined): AgentConfigs {
  if (!changes) return defaults;
  const { memorySubject, retentionDays, ...kept } = before;
  const subject = changes.memorySubject === undefined ? memorySubject : changes.memorySubject;
  const days = changes.retentionDays === undefined ? retentionDays : changes.retentionDays;
  return {
    ...kept,
    memoryPipeline: changes.memoryPipeline ?? before.memoryPipeline,
    ...(subject && { memorySubject: subject }),
    ...(days && { retentionDays: days }),
  };
}

/** Where those are found who forget by age. */
export function noteRetention(workspaceId: string, agentId: string, days: number | undefined): Sql {
  if (days === undefined) return sql`delete from agent_retentions where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
  return sql`
    insert into agent_retentions (workspace_id, agent_id, days) values (${workspaceId}, ${agentId}, ${days})
    on conflict (workspace_id, agent_id) do update set days = excluded.days`;
}

export interface AgentRetention {
  readonly agentId: string;
  readonly days: number;
}
const retention = shape<AgentRetention>({ agentId: 'text', days: 'integer' });

/** Those agents of a workspace that keep sessions for so many days, from the one after `afterId` on. */
export async function listRetentions(db: Queryable, workspaceId: string, afterId: string, limit: number): Promise<AgentRetention[]> {
  return db.query(sql<AgentRetention>`
    select ${retention} from agent_retentions where workspace_id = ${workspaceId} and agent_id > ${afterId} order by agent_id limit ${limit}`);
}

/** Gone with its sessions at once, because every path to them leads through the agent; their rows follow in the background. */
export async function deleteAgent(db: Queryable, by: Actor, workspaceId: string, agentId: string, nowMs: number): Promise<void> {
  await db.batch([
    sql`delete from agents where workspace_id = ${workspaceId} and id = ${agentId}`.orElse(() => notFound('Agent')),
    recordAudit(by, { workspaceId, action: 'agent.delete', resourceId: agentId }, nowMs),
    recordEvent({ workspaceId, type: 'agent.deleted', agentId, subjectId: agentId }, nowMs),
    enqueue({ kind: 'purge-agent', key: `${workspaceId} ${agentId}`, workspaceId, payload: { agentId } }, nowMs),
  ]);
}

/** The statement that makes sure an agent is there, and stays until the transaction ends. */
export function lockAgent(workspaceId: string, agentId: string): Sql {
  return sql`select id from agents where workspace_id = ${workspaceId} and id = ${agentId}${forShare}`.orElse(() => notFound('Agent'));
}

/** True where the agent is there: what belongs to an agent that is gone is gone with it. */
export function agentExists(workspaceId: string, agentId: string): Sql {
  return sql`exists (select 1 from agents where workspace_id = ${workspaceId} and id = ${agentId})`;
}

/** Agents lose the reference to a prompt that is deleted. */
export async function detachPrompt(tx: Transaction, workspaceId: string, promptId: string, nowMs: number): Promise<void> {
  const detached = await tx.query(sql<{ id: string }>`
    update agents set prompt_id = ${null}, updated_at = ${timestamp(nowMs)} where workspace_id = ${workspaceId} and prompt_id = ${promptId}
    returning id`);
  const changes = detached.map(({ id }) => ({ workspaceId, type: 'agent.updated', agentId: id, subjectId: id }) as const);
  for (const statement of recordAllEvents(changes, nowMs)) await tx.run(statement);
}

function lockPrompt(workspaceId: string, promptId: string | null | undefined): Sql[] {
  if (!promptId) return [];
  return [sql`select id from prompts where workspace_id = ${workspaceId} and id = ${promptId}${forShare}`.orElse(() => notFound('Prompt'))];
}
