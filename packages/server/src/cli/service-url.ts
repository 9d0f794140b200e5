/** The address of a running service, as commands are told it. */
import { UsageError } from './command.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** By an option, else by COMMONPLACE_URL; undefined where neither says it. Without a slash or `/api/v1` at its end. */
export function readServiceUrl(given?: string): string | undefined {
  const url = given ?? process.env.COMMONPLACE_URL?.trim();
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new UsageError(`"${url}" is no http:// or https:// address`);
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** Unless told, where the service listens by default. */
export function requireServiceUrl(given?: string): string {
  return readServiceUrl(given) ?? DEFAULT_URL;
}
