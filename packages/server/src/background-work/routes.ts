import { Job, JobQuery, Jobs } from '@commonplace/contract/jobs';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { listJobs, retryJob } from './store.ts';

const jobsPath = '/workspaces/:workspaceId/jobs' as const;

/** What waits, runs and failed in the background: …/workspaces/{workspaceId}/jobs */
export function backgroundWorkRoutes(api: Api, { searcher }: Context): void {
  const placeOf = (workspaceId: string) => ({ workspaceId, model: searcher.embedder.model });
  api.tag('Background work', 'What waits, runs and failed of what is done after the answer: indexing, extraction, embedding.');
  api.route({
    method: 'GET',
    path: jobsPath,
    name: 'listJobs',
    tag: 'Background work',
    summary: 'List what waits, runs and failed',
    description:
      'What failed first, then what runs, then what waits. What failed or runs is ordered by its document or session, newest first; what waits oldest first. One job for each kind of work on a document or session. What is done leaves the list. Each number of `counts` is exact up to 1,000 of a kind, and so is `_meta.total`. What was written in the last moment may be missing, and a page may hold fewer than `limit` though there are more.',
    access: users('CAN_GET_WORKSPACE'),
    query: JobQuery,
    isExpensive: true,
    answers: { status: 200, body: Jobs },
    handle: ({ db, params, query }) => listJobs(db, placeOf(params.workspaceId), query),
  });
  api.route({
    method: 'POST',
    path: `${jobsPath}/:jobId/retry`,
    name: 'retryJob',
    tag: 'Background work',
    summary: 'Try again what failed',
    description:
      'A document is indexed again from its beginning. Of a session, the messages that were given up are looked at again, a regeneration begins anew, or the texts that the model refused are embedded again. 409 where it has not failed.',
    // Those of doing each kind of work by hand: reindex, regenerate, and an edit of a message.
    access: users('CAN_CREATE_WORKSPACE_DOCUMENT', 'CAN_CREATE_SESSION_MEMORY', 'CAN_DELETE_SESSION_MEMORY', 'CAN_UPDATE_SESSION_MESSAGE'),
    stores: 'nothing',
    answers: { status: 202, body: Job },
    fails: [409],
    handle: ({ db, by, params, nowMs }) => retryJob(db, by, placeOf(params.workspaceId), params.jobId, nowMs),
  });
}
