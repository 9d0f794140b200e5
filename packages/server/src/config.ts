/** The environment, read once into one typed, frozen object. */
import { resolve } from 'node:path';
import { looksGenuine } from './auth/secrets.ts';
import { type BackupConfig, backupSettings, readBackupSettings } from './backup-settings.ts';
import type { QuotaLimits } from './quotas/rules.ts';
import { MOST_OF_QUOTA, quotaSettings, readQuotas } from './quotas/settings.ts';
import { commaSeparated, databaseAddress, lengthBetween, networks, oneOf, origins, webAddress, wholeNumber } from './setting-values.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Where browsers reach the service; decides whether cookies are Secure. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Absent: the embedded engine under `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
  readonly databasePoolSize: number;
  /** Where the embedded engine copies everything that is written, continuously. */
  readonly backup: BackupConfig | undefined;
  readonly logLevel: LogLevel;
  readonly admin: { readonly email: string; readonly password: string | undefined; readonly apiKey: string | undefined } | undefined;
  readonly registration: 'open' | 'invite';
  /** For each caller, a second: requests, or what requests cost. */
  readonly rateLimit: { readonly perSecond: number; readonly countsCost: boolean } | undefined;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly tracesUrl: string | undefined;
  /** An OpenAI-compatible endpoint in place of the model inside the process. */
  readonly embeddings: { readonly url: string; readonly model: string; readonly apiKey: string | undefined } | undefined;
  /** An OpenAI-compatible chat endpoint that extracts memories in place of the built-in extractor. */
  readonly llm:
    | { readonly url: string; readonly model: string; readonly apiKey: string | undefined; readonly dailyTokens: number | undefined }
    | undefined;
  /** What each workspace may have, unless it has limits of its own; undefined is no limit. */
  readonly quotas: QuotaLimits;
  /** How long an extracted `short_lived` memory holds that does not state until when. */
  readonly shortLivedMs: number;
  /** How long events are kept; 0 where none are. */
  readonly eventsKeptMs: number;
  /** What the search indexes may hold in memory. */
  readonly searchMemoryBytes: number;
  /** Whether those that were used last are loaded after a start. */
  readonly searchWarmStart: boolean;
  readonly tokenVectors: boolean;
  /** Private networks that webhooks may be sent to. */
  readonly webhooksAllow: readonly string[];
}

/** About one processor's worth of reads by key: more than a caller can use while the event loop serves anybody else. */
const DEFAULT_UNITS = 40_000;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting for the documentation, for `doctor` and for the reader below. */
export interface Setting {
  readonly name: string;
  readonly allowed: string;
  readonly fallback: string;
  readonly meaning: string;
}

export const settings = [
  {
    name: 'COMMONPLACE_HOST',
    allowed: 'an address or host name',
    fallback: '127.0.0.1',
    meaning: 'The address to listen on. `0.0.0.0` accepts connections from other machines.',
  },
  {
    name: 'COMMONPLACE_PORT',
    allowed: 'a whole number from 0 to 65535',
    fallback: '8080',
    meaning: 'The port to listen on; 0 takes a free one.',
  },
  {
    name: 'COMMONPLACE_PUBLIC_URL',
    allowed: 'an http:// or https:// address',
    fallback: 'http://HOST:PORT',
    meaning: 'Where browsers reach the service. With https, cookies are marked Secure.',
  },
  { name: 'COMMONPLACE_DATA_DIR', allowed: 'a folder', fallback: './data', meaning: 'Where the embedded engine keeps its files.' },
  {
    name: 'COMMONPLACE_DATABASE_URL',
    allowed: 'a postgres:// or postgresql:// address; several hosts are divided by commas',
    fallback: 'the embedded engine',
    meaning: 'The PostgreSQL (15 or later) to use instead of the embedded engine; `?sslmode=verify-full` at its end for TLS.',
  },
  {
    name: 'COMMONPLACE_DATABASE_DIRECT_URL',
    allowed: 'a postgres:// or postgresql:// address',
    fallback: 'the same as COMMONPLACE_DATABASE_URL',
    meaning: 'The way around a connection pooler in transaction mode, for notifications and migrations.',
  },
  {
    name: 'COMMONPLACE_DATABASE_POOL_SIZE',
    allowed: 'a whole number from 2 to 500',
    fallback: '20',
    meaning: 'Connections to PostgreSQL, at most, from this process.',
  },
  ...backupSettings,
  {
    name: 'COMMONPLACE_LOG_LEVEL',
    allowed: `one of: ${logLevels.join(' ')}`,
    fallback: 'info',
    meaning: 'What is logged. Each request is a line at `debug`.',
  },
  {
    name: 'COMMONPLACE_ADMIN_EMAIL',
    allowed: 'an e-mail address',
    fallback: 'admin@localhost where one of the next two is set',
    meaning: 'The first account, made once when the database is empty.',
  },
  {
    name: 'COMMONPLACE_ADMIN_PASSWORD',
    allowed: '10 to 200 characters',
    fallback: 'none: no sign-in by password',
    meaning: 'The password of the first account.',
  },
  {
    name: 'COMMONPLACE_ADMIN_API_KEY',
    allowed:
      '20 to 200 printable ASCII characters without spaces; one that begins with cpu_, cpa_, cps_ or cpi_ whole and unchanged, as a Commonplace made it',
    fallback: 'none',
    meaning: 'An API key of the first account, for automation.',
  },
  {
    name: 'COMMONPLACE_REGISTRATION',
    allowed: 'one of: open invite',
    fallback: 'invite',
    meaning: 'Who may make an account: anyone, or who was invited.',
  },
  {
    name: 'COMMONPLACE_RATE_LIMIT',
    allowed: 'requests a second (1 to 1000000), or off',
    fallback: '40000 units: a read by key is 1, a write 2, a page 5, a search, an upload or a sign-in 100',
    meaning:
      'The limit for each caller: a user with all of their keys, a workspace with all of its access keys, an address (IPv6: a /64) that sends none. Sign-in is throttled always.',
  },
  ...quotaSettings,
  {
    name: 'COMMONPLACE_TRUSTED_PROXIES',
    allowed: 'addresses or networks separated by commas',
    fallback: 'none',
    meaning: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.',
  },
  {
    name: 'COMMONPLACE_CORS_ORIGINS',
    allowed: 'origins separated by commas, or *',
    fallback: 'none: CORS is off',
    meaning: 'Pages of other origins that may call the API from a browser.',
  },
  {
    name: 'COMMONPLACE_EMBEDDINGS_URL',
    allowed: 'an http:// or https:// address',
    fallback: 'the model inside the process',
    meaning: 'An OpenAI-compatible API (its address up to and with `/v1`) that makes the vectors for search.',
  },
  {
    name: 'COMMONPLACE_EMBEDDINGS_MODEL',
    allowed: 'the name of a model',
    fallback: 'text-embedding-3-small',
    meaning: 'The model to ask that API for. When it changes, everything is embedded again in the background.',
  },
  { name: 'COMMONPLACE_EMBEDDINGS_API_KEY', allowed: 'a key', fallback: 'none', meaning: 'Sent to that API as a bearer token.' },
  {
    name: 'COMMONPLACE_LLM_URL',
    allowed: 'an http:// or https:// address',
    fallback: 'none: the built-in extractor',
    meaning: 'An OpenAI-compatible API (its address up to and with `/v1`) whose language model extracts memories from messages.',
  },
  {
    name: 'COMMONPLACE_LLM_MODEL',
    allowed: 'the name of a model',
    fallback: 'gpt-4o-mini',
    meaning: 'The model to ask that API for.',
  },
  { name: 'COMMONPLACE_LLM_API_KEY', allowed: 'a key', fallback: 'none', meaning: 'Sent to that API as a bearer token.' },
  {
    name: 'COMMONPLACE_LLM_DAILY_TOKENS',
    allowed: 'a whole number from 0 to 1000000000000, or off',
    fallback: '1000000',
    meaning: 'What a workspace may have that API read and write in a day (UTC); beyond it the built-in extractor works.',
  },
  {
    name: 'COMMONPLACE_SHORT_LIVED_DAYS',
    allowed: 'a whole number from 1 to 3650',
    fallback: '7',
    meaning: 'How many days an extracted `short_lived` memory holds, from when it was said, unless it states until when.',
  },
  {
    name: 'COMMONPLACE_EVENT_DAYS',
    allowed: 'a whole number from 0 to 365',
    fallback: '7',
    meaning: 'How many days events are kept, for those who read or are sent them later; 0 keeps none, and nobody is told of changes.',
  },
  {
    name: 'COMMONPLACE_SEARCH_MEMORY_MB',
    allowed: 'a whole number from 16 to 1000000',
    fallback: '512',
    meaning: 'What the search indexes may hold in memory, in megabytes; those used least make room.',
  },
  {
    name: 'COMMONPLACE_SEARCH_WARM_START',
    allowed: 'on or off',
    fallback: 'on',
    meaning:
      'Whether search indexes are loaded before anybody asks for them: those used last after a start, and that of documents while they are indexed.',
  },
  {
    name: 'COMMONPLACE_TOKEN_VECTORS',
    allowed: 'on or off',
    fallback: 'on',
    meaning:
      'Whether the model inside the process tells the meaning of single words beside that of the whole text: search finds more, and each message takes about 1 kB more. A change embeds everything again in the background.',
  },
  {
    name: 'COMMONPLACE_WEBHOOKS_ALLOW',
    allowed: 'addresses or networks separated by commas',
    fallback: 'none',
    meaning: 'Private addresses that webhooks may be sent to, such as `10.1.0.0/16`; those of the public internet always may.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    allowed: 'an http:// or https:// address',
    fallback: 'none: no traces',
    meaning: 'Where OpenTelemetry traces go (OTLP over HTTP).',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]['name'];

/** A setting that can't be used; the message names the variable, what it got and what is allowed. */
export class ConfigError extends Error {
  constructor(name: SettingName, got: string, fault?: string) {
    const setting = settings.find((candidate) => candidate.name === name);
    // What is wrong with an address may be a secret in it; that of the service itself has none.
    const shown =
      /PASSWORD|KEY|_TOKEN$|_URL$|_ENDPOINT$/.test(name) && name !== 'COMMONPLACE_PUBLIC_URL'
        ? `a value of ${[...got].length} characters`
        : JSON.stringify(got);
    super(`${name} is ${fault ?? shown}; allowed: ${setting?.allowed}.`);
    this.name = 'ConfigError';
  }
}

export function readConfig(environment: Environment): Config {
  const read = (name: SettingName) => environment[name]?.trim() || undefined;
  const checked = <T>(name: SettingName, parse: (text: string) => T | undefined): T | undefined => {
    const text = read(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) throw new ConfigError(name, text);
    return value;
  };
  const host = read('COMMONPLACE_HOST') ?? '127.0.0.1';
  const port = checked('COMMONPLACE_PORT', wholeNumber(0, 65_535)) ?? 8080;
  const adminPassword = checked('COMMONPLACE_ADMIN_PASSWORD', (text) => (lengthBetween(text, 10, 200) ? text : undefined));
  const adminApiKey = checked('COMMONPLACE_ADMIN_API_KEY', (text) => (/^[\x21-\x7e]{20,200}$/.test(text) ? text : undefined));
  if (adminApiKey !== undefined && !looksGenuine(adminApiKey)) {
    throw new ConfigError('COMMONPLACE_ADMIN_API_KEY', adminApiKey, `${adminApiKey.slice(0, 4)}… with a checksum that does not fit`);
  }
  const adminEmail = checked('COMMONPLACE_ADMIN_EMAIL', (text) => (/^[^\s@]+@[^\s@]+$/.test(text) ? text.toLowerCase() : undefined));
  const embeddingsUrl = checked('COMMONPLACE_EMBEDDINGS_URL', webAddress);
  const llmUrl = checked('COMMONPLACE_LLM_URL', webAddress);
  const dailyTokens = checked('COMMONPLACE_LLM_DAILY_TOKENS', (text) => (text === 'off' ? text : wholeNumber(0, 1e12)(text))) ?? 1_000_000;
  const rateLimit = checked('COMMONPLACE_RATE_LIMIT', (text) => (text === 'off' ? text : wholeNumber(1, 1_000_000)(text)));
  return Object.freeze({
    host,
    port,
    publicUrl: checked('COMMONPLACE_PUBLIC_URL', webAddress) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    dataDir: resolve(read('COMMONPLACE_DATA_DIR') ?? './data'),
    databaseUrl: checked('COMMONPLACE_DATABASE_URL', databaseAddress),
    databaseDirectUrl: checked('COMMONPLACE_DATABASE_DIRECT_URL', databaseAddress),
    databasePoolSize: checked('COMMONPLACE_DATABASE_POOL_SIZE', wholeNumber(2, 500)) ?? 20,
    backup: readBackupSettings(read, checked, wholeNumber),
    logLevel: checked('COMMONPLACE_LOG_LEVEL', oneOf(logLevels)) ?? 'info',
    admin:
      adminEmail || adminPassword || adminApiKey
        ? { email: adminEmail ?? 'admin@localhost', password: adminPassword, apiKey: adminApiKey }
        : undefined,
    registration: checked('COMMONPLACE_REGISTRATION', oneOf(['open', 'invite'] as const)) ?? 'invite',
    rateLimit: rateLimit === 'off' ? undefined : { perSecond: rateLimit ?? DEFAULT_UNITS, countsCost: rateLimit === undefined },
    trustedProxies: commaSeparated(read('COMMONPLACE_TRUSTED_PROXIES')),
    corsOrigins: checked('COMMONPLACE_CORS_ORIGINS', origins) ?? [],
    tracesUrl: checked('OTEL_EXPORTER_OTLP_ENDPOINT', webAddress),
    embeddings: embeddingsUrl
      ? {
          url: embeddingsUrl,
          model: read('COMMONPLACE_EMBEDDINGS_MODEL') ?? 'text-embedding-3-small',
          apiKey: read('COMMONPLACE_EMBEDDINGS_API_KEY'),
        }
      : undefined,
    llm: llmUrl
      ? {
          url: llmUrl,
          model: read('COMMONPLACE_LLM_MODEL') ?? 'gpt-4o-mini',
          apiKey: read('COMMONPLACE_LLM_API_KEY'),
          dailyTokens: dailyTokens === 'off' ? undefined : dailyTokens,
        }
      : undefined,
    quotas: readQuotas((name, least) => checked(name, (text) => (text === 'off' ? text : wholeNumber(least, MOST_OF_QUOTA)(text)))),
    shortLivedMs: (checked('COMMONPLACE_SHORT_LIVED_DAYS', wholeNumber(1, 3650)) ?? 7) * 24 * 60 * 60 * 1000,
    eventsKeptMs: (checked('COMMONPLACE_EVENT_DAYS', wholeNumber(0, 365)) ?? 7) * 24 * 60 * 60 * 1000,
    searchMemoryBytes: (checked('COMMONPLACE_SEARCH_MEMORY_MB', wholeNumber(16, 1_000_000)) ?? 512) * 1024 * 1024,
    searchWarmStart: checked('COMMONPLACE_SEARCH_WARM_START', oneOf(['on', 'off'] as const)) !== 'off',
    tokenVectors: checked('COMMONPLACE_TOKEN_VECTORS', oneOf(['on', 'off'] as const)) !== 'off',
    webhooksAllow: checked('COMMONPLACE_WEBHOOKS_ALLOW', networks) ?? [],
  });
}
