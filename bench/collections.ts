/** Collections with judged questions, measured through the HTTP API as a client would. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { heldOutConversations, isHeldOut, ownMemories } from './learning/collections.ts';
import { call, type Service } from './service.ts';

/** `documents.json`: abstracts and questions with graded judgements. */
interface DocumentCollection {
  readonly documents: readonly { id: string; title: string; text: string }[];
  readonly queries: readonly { id: string; text: string; relevant: Readonly<Record<string, number>> }[];
}

/** `conversations.json`: turns of two speakers, and questions with the turns that answer them. */
type Conversations = readonly {
  readonly id: string;
  readonly turns: readonly { id: string; at: string; speaker: string; text: string }[];
  readonly questions: readonly { text: string; relevant: readonly string[] }[];
}[];

export interface Quality {
  /** Of those of `bench/recall` that nothing is learnt from; always there. */
  readonly memoriesRecall: number;
  readonly ownConversationsRecall: number;
  readonly conversationsRecall: number | undefined;
  readonly documentsNdcg: number | undefined;
  readonly documentsRecall: number | undefined;
}

export async function measureQuality(service: Service, folder: string | undefined): Promise<Quality> {
  const { id } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Quality' });
  const workspace = `/api/v1/workspaces/${id}`;
  const conversations = folder === undefined ? undefined : read<Conversations>(folder, 'conversations.json');
  const documents = folder === undefined ? undefined : read<DocumentCollection>(folder, 'documents.json');
  const judged = documents && (await measureDocuments(service, workspace, documents));
  return {
    memoriesRecall: await measureMemories(service, workspace),
    ownConversationsRecall: await measureConversations(service, workspace, heldOutConversations()),
    conversationsRecall: conversations && (await measureConversations(service, workspace, conversations)),
    documentsNdcg: judged?.ndcg,
    documentsRecall: judged?.recall,
  };
}

function read<T>(folder: string, file: string): T | undefined {
  const path = join(folder, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

/** A conversation as a session that is embedded. */
export interface StoredConversation {
  /** Its path. */
  readonly session: string;
  /** Of its messages, in their order: the id of the turn, and its text as it was written. */
  readonly turns: ReadonlyMap<string, { readonly turnId: string; readonly content: string }>;
  readonly questions: Conversations[number]['questions'];
}

export async function* storeConversations(service: Service, workspace: string, folder: string): AsyncGenerator<StoredConversation> {
  yield* storeAll(service, workspace, read<Conversations>(folder, 'conversations.json') ?? []);
}

const ROLES = ['user', 'assistant'];

async function* storeAll(service: Service, workspace: string, conversations: Conversations): AsyncGenerator<StoredConversation> {
  const agents = `${workspace}/agents`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, { name: 'Quality', description: 'Quality' });
  for (const { id, turns, questions } of conversations) {
    const made = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions?id=${encodeURIComponent(id)}`);
    const session = `${agents}/${agentId}/sessions/${made.id}`;
    const stored = new Map<string, { turnId: string; content: string }>();
    for (let start = 0; start < turns.length; start += 100) {
      const some = turns.slice(start, start + 100);
      const created = await call<{ messages: { id: string; content: string }[] }>(service, 'POST', `${session}/messages/batch`, {
        messages: some.map(({ at, speaker, text }) => ({
          role: ROLES.includes(speaker) ? speaker : speaker === turns[0]?.speaker ? 'user' : 'assistant',
          content: ROLES.includes(speaker) ? text : `${speaker}: ${text}`,
          createdAt: at,
        })),
      });
      created.messages.forEach((message, index) => {
        stored.set(message.id, { turnId: (some[index] as { id: string }).id, content: message.content });
      });
    }
    await untilEmbedded(service);
    yield { session, turns: stored, questions };
  }
}

/** recall@10, the mean over all questions. */
async function measureConversations(service: Service, workspace: string, conversations: Conversations): Promise<number> {
  const recalls: number[] = [];
  for await (const { session, turns, questions } of storeAll(service, workspace, conversations)) {
    for (const { text, relevant } of questions) {
      const { results } = await call<{ results: { id: string }[] }>(service, 'POST', `${session}/messages/search`, {
        query: text,
        limit: 10,
      });
      const found = new Set(results.map((hit) => turns.get(hit.id)?.turnId));
      recalls.push(relevant.filter((turn) => found.has(turn)).length / relevant.length);
    }
  }
  return mean(recalls);
}

/** recall@10 of what was extracted, as it were, in a session for each set. */
async function measureMemories(service: Service, workspace: string): Promise<number> {
  const agents = `${workspace}/agents`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, { name: 'Memories', description: 'Memories' });
  const recalls: number[] = [];
  for (const { items, questions } of ownMemories().filter(isHeldOut)) {
    const { id: sessionId } = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions`);
    const memories = `${agents}/${agentId}/sessions/${sessionId}/memories`;
    const created = await call<{ memories: { id: string }[] }>(service, 'POST', `${memories}/batch`, {
      memories: items.map(({ text, tags }) => ({ kind: tags[0]?.slice('kind:'.length), content: text })),
    });
    const nameOf = new Map(created.memories.map(({ id }, i) => [id, items[i]?.id]));
    await untilEmbedded(service);
    for (const { text, relevant } of questions.filter((question) => question.relevant.size > 0)) {
      const { results } = await call<{ results: { id: string }[] }>(service, 'POST', `${memories}/search`, { query: text, limit: 10 });
      const found = new Set(results.map(({ id }) => nameOf.get(id)));
      recalls.push([...relevant].filter((id) => found.has(id)).length / relevant.size);
    }
  }
  return mean(recalls);
}

async function measureDocuments(service: Service, workspace: string, { documents, queries }: DocumentCollection) {
  const originalIds = new Map<string, string>();
  for (const { id, title, text } of documents) {
    const form = new FormData();
    form.set('title', title || 'Untitled');
    form.set('file', new Blob([text || '-']), `${id}.txt`);
    const answer = await fetch(`${service.url}${workspace}/documents`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey },
      body: form,
    });
    if (!answer.ok) throw new Error(`The upload of ${id} was refused: ${await answer.text()}`);
    originalIds.set(((await answer.json()) as { id: string }).id, id);
  }
  while ((await call<{ _meta: { total: number } }>(service, 'GET', `${workspace}/documents?status=processing&limit=1`))._meta.total > 0)
    await pause(500);
  const [ndcgs, recalls]: [number[], number[]] = [[], []];
  for (const { text, relevant } of queries) {
    const { results } = await call<{ results: { documentId: string }[] }>(service, 'POST', `${workspace}/documents/search`, {
      query: text,
      limit: 100,
    });
    // Each document once, at its best chunk.
    const top = [...new Set(results.map((hit) => originalIds.get(hit.documentId) as string))].slice(0, 10);
    const gained = discounted(top.map((id) => relevant[id] ?? 0));
    const ideal = discounted(
      Object.values(relevant)
        .sort((a, b) => b - a)
        .slice(0, 10),
    );
    ndcgs.push(ideal === 0 ? 0 : gained / ideal);
    recalls.push(top.filter((id) => relevant[id]).length / Math.max(1, Object.keys(relevant).length));
  }
  return { ndcg: mean(ndcgs), recall: mean(recalls) };
}

export async function untilEmbedded(service: Service): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    if (/commonplace_search\{what="embedding_queue"\} 0\b/.test(metrics)) return;
    await pause(500);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
