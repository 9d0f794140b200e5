/** What a workspace may have: its own limits before the service's, and what is said where one is met. */
import { AppError } from '../errors.ts';

/** What is stored and counted. */
export const storedQuotas = ['messages', 'documents', 'bytes'] as const;
export type StoredQuota = (typeof storedQuotas)[number];
export const quotas = [...storedQuotas, 'requestsPerMinute'] as const;
export type Quota = (typeof quotas)[number];

/** How much of each. What a request takes away from what there is counts below zero. */
export type Amounts = Readonly<Partial<Record<StoredQuota, number>>>;
export type Counts = Readonly<Record<StoredQuota, number>>;
export const noCounts: Counts = { messages: 0, documents: 0, bytes: 0 };

/** Undefined is no limit. */
export type QuotaLimits = Readonly<Record<Quota, number | undefined>>;

export const noLimits: QuotaLimits = { messages: undefined, documents: undefined, bytes: undefined, requestsPerMinute: undefined };

/** Of one workspace: null is the default of the service. */
export type OwnLimits = Readonly<Record<Quota, number | null>>;
export const NO_LIMIT = -1;

export function limitsFrom(defaults: QuotaLimits, own: OwnLimits | undefined): QuotaLimits {
  const limitOf = (quota: Quota) => {
    const value = own?.[quota] ?? null;
    return value === null ? defaults[quota] : value === NO_LIMIT ? undefined : value;
  };
  return {
    messages: limitOf('messages'),
    documents: limitOf('documents'),
    bytes: limitOf('bytes'),
    requestsPerMinute: limitOf('requestsPerMinute'),
  };
}

export function limitsStored(limits: QuotaLimits): boolean {
  return storedQuotas.some((quota) => limits[quota] !== undefined);
}

export function addCounts(one: Counts, other: Amounts): Counts {
  return {
    messages: one.messages + (other.messages ?? 0),
    documents: one.documents + (other.documents ?? 0),
    bytes: one.bytes + (other.bytes ?? 0),
  };
}

/** The first limit that would be passed. What takes nothing more is never refused, whatever there is. */
export function quotaPassed(limits: QuotaLimits, used: Counts, asked: Amounts): StoredQuota | undefined {
  return storedQuotas.find((quota) => {
    const [limit, more] = [limits[quota], asked[quota] ?? 0];
    return limit !== undefined && more > 0 && used[quota] + more > limit;
  });
}

export class QuotaExceeded extends AppError {
  readonly quota: StoredQuota;

  constructor(quota: StoredQuota, limit: number, used: number, asked: number) {
    const [most, there, more] = [limit, used, asked].map((count) => count.toLocaleString('en-US'));
    super(
      'quota_exceeded',
      `The workspace has reached its limit of ${most} ${quota} (${there} used, ${more} asked for). Delete some, or ask the operator for more.`,
    );
    this.quota = quota;
  }
}

export function tooManyRequests(limit: number, retryAfterSeconds: number): AppError {
  return new AppError(
    'too_many_requests',
    `The workspace has reached its limit of ${limit.toLocaleString('en-US')} requests a minute. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

/** What the fields of a request take where they are stored: texts as they are, objects as JSON. Names of fields are columns, and take nothing. */
export function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textBytes(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>(
    (sum, field) => sum + (isPlainObject(field) ? Buffer.byteLength(JSON.stringify(field)) : textBytes(field)),
    0,
  );
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
