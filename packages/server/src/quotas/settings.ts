/** The environment's limits for every workspace. */
import type { QuotaLimits } from './rules.ts';

export const MOST_OF_QUOTA = 1_000_000_000_000;

const quotaSetting = <const Name extends string>(name: Name, least: number, meaning: string) => ({
  name,
  allowed: `a whole number from ${least} to ${MOST_OF_QUOTA}, or off`,
  fallback: 'off',
  meaning,
});

export const quotaSettings = [
  quotaSetting(
    'COMMONPLACE_QUOTA_MESSAGES',
    0,
    'Messages that a workspace may hold. One workspace gets another limit by `commonplace quota set`.',
  ),
  quotaSetting('COMMONPLACE_QUOTA_DOCUMENTS', 0, 'Documents that a workspace may hold.'),
  quotaSetting(
    'COMMONPLACE_QUOTA_BYTES',
    0,
    'Bytes that a workspace may hold of what callers write: messages, memories, prompts, files, sessions, agents.',
  ),
  quotaSetting('COMMONPLACE_QUOTA_REQUESTS_PER_MINUTE', 1, 'Requests to a workspace in a minute, of all its callers and on all nodes.'),
] as const;

type QuotaSettingName = (typeof quotaSettings)[number]['name'];

export function readQuotas(read: (name: QuotaSettingName, least: number) => number | 'off' | undefined): QuotaLimits {
  const limitOf = (name: QuotaSettingName, least: number) => {
    const limit = read(name, least);
    return limit === 'off' ? undefined : limit;
  };
  return {
    messages: limitOf('COMMONPLACE_QUOTA_MESSAGES', 0),
    documents: limitOf('COMMONPLACE_QUOTA_DOCUMENTS', 0),
    bytes: limitOf('COMMONPLACE_QUOTA_BYTES', 0),
    requestsPerMinute: limitOf('COMMONPLACE_QUOTA_REQUESTS_PER_MINUTE', 1),
  };
}
