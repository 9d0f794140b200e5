import { z } from 'zod';
import { filter, Moment, Time } from './wire.ts';

export const MOST_POINTS = 1_000;

export const SeriesMetric = z.enum(['messages', 'memories', 'searches', 'searchLatency', 'documents', 'jobsWaiting', 'calls']);
export type SeriesMetric = z.infer<typeof SeriesMetric>;

export const SeriesStep = z.enum(['hour', 'day']);
export type SeriesStep = z.infer<typeof SeriesStep>;

export const SeriesQuery = z.object({
  metric: SeriesMetric.meta({ examples: ['messages'] }),
  since: filter(Moment).describe('7 days before `until` unless told.'),
  until: filter(Moment.meta({ examples: ['2026-02-25T09:30:00Z'] })).describe('Now unless told.'),
  step: filter(SeriesStep).describe('Unless told, `hour` for up to 3 days, else `day`.'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

const SeriesPoint = z
  .object({
    at: Time.describe('The beginning of the step, in UTC.'),
    value: z.number().nullable().describe('Null where nothing was measured.'),
  })
  .meta({ id: 'SeriesPoint' });

const SeriesGroup = z
  .object({
    id: z.string().describe('A kind, a status, `p50` or `p95`; of calls the id of an access key, `users` or `other`.'),
    name: z.string().nullable().describe('Of an access key its name, and null where it was deleted.'),
    points: z.array(SeriesPoint),
  })
  .meta({ id: 'SeriesGroup' });
export type SeriesGroup = z.infer<typeof SeriesGroup>;

export const Series = z
  .object({
    metric: SeriesMetric,
    unit: z.enum(['count', 'milliseconds']),
    kind: z.enum(['sum', 'gauge']).describe('`sum`: what came in each step. `gauge`: what there was in it.'),
    since: Time,
    until: Time,
    step: SeriesStep,
    points: z.array(SeriesPoint).describe('The total of each step, oldest first, all of them; of `searchLatency` the median.'),
    groups: z.array(SeriesGroup).describe('Its parts, with the same steps. Empty where it has none.'),
  })
  .meta({
    id: 'Series',
    examples: [
      {
        metric: 'messages',
        unit: 'count',
        kind: 'sum',
        since: '2026-11-14T00:00:00.000Z',
        until: '2026-11-16T00:00:00.000Z',
        step: 'day',
        points: [
          { at: '2026-11-14T00:00:00.000Z', value: 1240 },
          { at: '2026-11-15T00:00:00.000Z', value: 982 },
        ],
        groups: [],
      },
    ],
  });
export type Series = z.infer<typeof Series>;

const count = z.int().min(0);
const ofLimit = z.object({ used: count, limit: count.nullable().describe('Null where there is none.') }).meta({ id: 'UsageOfLimit' });

export const Usage = z
  .object({
    month: z
      .string()
      .describe('Of `calls`, in UTC.')
      .meta({ examples: ['2026-11'] }),
    calls: ofLimit.describe('Requests to this workspace in the month, counted with a delay of seconds.'),
    llmTokens: z
      .object({ day: z.string().meta({ examples: ['2026-11-15'] }), used: count, limit: count.nullable() })
      .optional()
      .describe('What the language model read and wrote for this workspace in the day (UTC). Absent where none is configured.'),
    stored: z.object({
      agents: ofLimit,
      sessions: ofLimit,
      messages: ofLimit,
      memories: ofLimit,
      prompts: ofLimit,
      documents: ofLimit,
      chunks: ofLimit,
      bytes: ofLimit.describe(
        'Of what callers wrote: messages, memories, prompts, files, sessions and agents. What is made from it does not count.',
      ),
    }),
    requestsPerMinute: ofLimit.describe(
      'Requests to the workspace, of all callers: what is spent of the limit at the moment. It is given back evenly, all of it within a minute.',
    ),
    rate: z
      .object({
        perSecond: count.nullable().describe('Null where the rate is not limited.'),
        unit: z.enum(['requests', 'units']).describe('Of units, a read by key takes 1, a write 2, a page 5, a search or an upload 100.'),
      })
      .describe('What the caller may ask in a second: a user with all of their keys, or all access keys of the workspace together.'),
    atOnce: z
      .object({
        requests: count.describe('Of the caller. More wait for their turn.'),
        searches: count.describe('Of the workspace. More wait for their turn.'),
      })
      .describe('What is worked on at a time.'),
    largest: z
      .object({ contentBytes: count, metaBytes: count, fileBytes: count, bodyBytes: count })
      .describe('The most that one content, meta, file or body may have.'),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;
