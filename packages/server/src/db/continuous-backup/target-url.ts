/** The address of a target, as the setting and the command line take it. */
import { fileURLToPath } from 'node:url';

export type TargetAddress =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Empty, or ends with a slash. */
      readonly prefix: string;
      readonly region: string;
      /** Absent: Amazon's own. */
      readonly endpoint: string | undefined;
    };

const DEFAULT_REGION = 'us-east-1';
const PARAMETERS = ['endpoint', 'region'];

/** Undefined for what can't be used: another kind, a key or a password in it, a parameter that is not known. */
export function readTargetUrl(text: string): TargetAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username || url.password || url.hash) return undefined;
  if (url.protocol === 'file:') return readFolder(url);
  if (url.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) || url.port) return undefined;
  const parameters = [...url.searchParams];
  if (parameters.some(([name]) => !PARAMETERS.includes(name))) return undefined;
  const endpoint = url.searchParams.get('endpoint')?.replace(/\/+$/, '');
  if (endpoint !== undefined && !isPlainOrigin(endpoint)) return undefined;
  const region = url.searchParams.get('region') ?? DEFAULT_REGION;
  if (!/^[a-z0-9-]+$/.test(region)) return undefined;
  const path = decode(url.pathname)?.replace(/^\/+|\/+$/g, '');
  if (path === undefined) return undefined;
  return { kind: 's3', bucket: url.hostname, prefix: path && `${path}/`, region, endpoint };
}

function readFolder(url: URL): TargetAddress | undefined {
  if (url.host || url.search || url.pathname === '/') return undefined;
  // A slash that is written as %2F would be another folder.
  if (decode(url.pathname) === undefined || /%2f/i.test(url.pathname)) return undefined;
  return { kind: 'folder', folder: fileURLToPath(url).replace(/\/+$/, '') };
}

/** Undefined for a percent sign that begins no character. */
function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Whether two addresses that may be written differently are of the same place. */
export function isSameTarget(one: string, other: string): boolean {
  return one === other || JSON.stringify(readTargetUrl(one)) === JSON.stringify(readTargetUrl(other));
}

function isPlainOrigin(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return !username && !password && pathname === '/' && !search && !hash;
}
