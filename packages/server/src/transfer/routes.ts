import { ExportQuery, ImportQuery, ImportResult } from '@commonplace/contract/transfer';
import { recordAudit } from '../audits/store.ts';
import { users } from '../auth/access.ts';
import type { Actor } from '../auth/callers.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { StreamedLines } from '../http/route.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { exportWorkspace } from './exporting.ts';
import { Import } from './importing.ts';

/** Taking out and bringing in a workspace: …/workspaces/{workspaceId}/export and /import */
export function transferRoutes(api: Api, context: Context): void {
  const { db, searcher, clock } = context;
  api.tag('Export and import', 'All that is in a workspace, taken out and brought in.');
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/export',
    name: 'exportWorkspace',
    tag: 'Export and import',
    summary: 'Take out all that is in the workspace',
    description:
      'JSON Lines: a header, then prompts with their versions, documents with their bytes, agents, and behind each agent its sessions with messages, memories and their history; the last line is a footer with counts and a checksum. An answer without a footer is not whole.',
    access: users('CAN_EXPORT_WORKSPACE'),
    query: ExportQuery,
    isExpensive: true,
    answers: { status: 200, body: StreamedLines },
    handle: async ({ params: { workspaceId }, query, by, nowMs }) => ({
      filename: `commonplace-${workspaceId}.jsonl`,
      pieces: exported(workspaceId, query.vectors, by, nowMs),
    }),
  });
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/import',
    name: 'importWorkspace',
    tag: 'Export and import',
    summary: 'Bring in what was taken out',
    description:
      'Takes what `export` gives, of any size. Each resource comes in with all that belongs to it, or not at all; what is there already is passed over, so that the same stream twice changes nothing, and one that broke off goes on where it stopped.',
    access: users('CAN_IMPORT_WORKSPACE'),
    query: ImportQuery,
    receives: { contentType: 'application/x-ndjson', description: 'The lines of an export.' },
    // Held against the quota resource by resource: how much it is shows when it has come.
    stores: 'nothing',
    answers: { status: 200, body: ImportResult },
    handle: async ({ params: { workspaceId }, query: { mode }, by, incoming }) => {
      const work = new Import(context, workspaceId, mode);
      try {
        return await work.run(incoming);
      } finally {
        const { counts, skipped, errors } = work.result;
        const detail = { mode, counts, skipped, errors: errors.length };
        const nowMs = clock.nowMs();
        const isChanged = Object.values(counts).some((count) => count > 0);
        await db.batch([
          recordAudit(by, { workspaceId, action: 'workspace.import', resourceId: workspaceId, detail }, nowMs),
          // One for all of it: whoever follows reads the workspace anew.
          ...(isChanged ? [recordEvent({ workspaceId, type: 'workspace.imported', subjectId: workspaceId, data: { counts } }, nowMs)] : []),
        ]);
      }
    },
  });

  async function* exported(workspaceId: string, vectors: boolean, by: Actor, nowMs: number) {
    await db.run(recordAudit(by, { workspaceId, action: 'workspace.export', resourceId: workspaceId, detail: { vectors } }, nowMs));
    yield* exportWorkspace(db, { workspaceId, model: vectors ? searcher.embedder.model : undefined, nowMs });
  }
}
