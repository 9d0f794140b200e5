/** What searches are measured on: sessions and documents that are sent by the API, and the engines that hold them. */
import { join } from 'node:path';
import { untilEmbedded } from './collections.ts';
import type { Postgres } from './postgres.ts';
import { call, type Service } from './service.ts';
import { chunkText, sentence } from './texts.ts';

export async function sessionOf(service: Service, count: number): Promise<string> {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: `${count} messages` });
  const agents = `/api/v1/workspaces/${workspaceId}/agents`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', agents, { name: 'Bench', description: 'Bench' });
  const { id } = await call<{ id: string }>(service, 'POST', `${agents}/${agentId}/sessions`);
  const messages = `${agents}/${agentId}/sessions/${id}/messages`;
  for (let start = 0; start < count; start += 100) {
    await call(service, 'POST', `${messages}/batch`, {
      messages: Array.from({ length: 100 }, (_, index) => ({ role: index % 2 ? 'assistant' : 'user', content: sentence(start + index) })),
    });
  }
  await untilEmbedded(service);
  return messages;
}

export async function upload(service: Service, workspace: string, text: string, title: string): Promise<string> {
  const form = new FormData();
  form.set('title', title);
  form.set('file', new Blob([text]), `${title}.md`);
  const answer = await fetch(`${service.url}${workspace}/documents`, {
    method: 'POST',
    headers: { 'x-api-key': service.apiKey },
    body: form,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { id: string }).id;
}

export function markdown(bytes: number): string {
  let text = '# A handbook\n';
  for (let section = 0; text.length < bytes; section++) text += `\n## Section ${section}\n\n${chunkText(section)}\n`;
  return text.slice(0, bytes);
}

export async function places(folder: string, name: string, postgres: Postgres | undefined): Promise<[string, Record<string, string>][]> {
  return [
    ['embedded', { COMMONPLACE_DATA_DIR: join(folder, name) }],
    ...(postgres ? [['PostgreSQL', { COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }] as [string, Record<string, string>]] : []),
  ];
}
