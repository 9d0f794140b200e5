import { z } from 'zod';
import { filter, Id, Page, PageMeta, Time } from './wire.ts';

export const JobKind = z.enum(['index-document', 'extract-memories', 'regenerate-memories', 'embed-texts']);
export type JobKind = z.infer<typeof JobKind>;

export const JobStatus = z.enum(['waiting', 'running', 'failed']);
export type JobStatus = z.infer<typeof JobStatus>;

const example = {
  id: '0199a7c4-3b1e-8c52-9d6f-2f4f0f6f1c70',
  kind: 'index-document',
  status: 'failed',
  subject: { type: 'document', id: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c70', title: 'Handbook' },
  attempts: 6,
  error: 'The embeddings endpoint did not answer within 30 seconds.',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:41:00.000Z',
};

export const Job = z
  .object({
    id: Id.describe('The same for the same work, however often it is done.'),
    kind: JobKind,
    status: JobStatus.describe(
      '`failed`: given up, in whole or in part, until somebody retries it. What is tried again by itself is `waiting`.',
    ),
    subject: z
      .object({
        type: z.enum(['document', 'session']),
        id: Id,
        agentId: Id.optional(),
        sessionId: Id.optional(),
        title: z.string().optional().describe('Absent where it has none.'),
      })
      .describe('What it is done for. The messages and memories of a session are one job of each kind, and not one each.'),
    attempts: z.int().describe('Those that failed, since it was last asked for or last came a step further.'),
    error: z.string().optional().describe('Why the last attempt failed.'),
    runAt: Time.optional().describe('Of one that waits: not before then.'),
    startedAt: Time.optional().describe('Of one that runs.'),
    createdAt: Time.describe('Since when there is this work.'),
    updatedAt: Time,
  })
  .meta({ id: 'Job', examples: [example] });
export type Job = z.infer<typeof Job>;

/** More jobs of a kind and status are not counted: whoever watches asks every few seconds. */
export const MOST_JOBS_COUNTED = 1_000;
/** By `offset`. */
export const MOST_JOBS_PASSED_OVER = 10_000;

export const JobCounts = z
  .object({
    waiting: z.int(),
    running: z.int(),
    failed: z.int(),
    capped: z.boolean().describe(`Counting ended at ${MOST_JOBS_COUNTED} of a kind and status: there are more than the numbers say.`),
  })
  .meta({ id: 'JobCounts', examples: [{ waiting: 12, running: 2, failed: 1, capped: false }] });
export type JobCounts = z.infer<typeof JobCounts>;

export const JobQuery = Page.extend({ status: filter(JobStatus), kind: filter(JobKind) });
export type JobQuery = z.infer<typeof JobQuery>;

export const Jobs = z
  .object({
    jobs: z.array(Job),
    counts: JobCounts.describe('Of all statuses, and of the kind that was asked for.'),
    _meta: PageMeta,
  })
  .meta({ id: 'JobPage' });
export type Jobs = z.infer<typeof Jobs>;
