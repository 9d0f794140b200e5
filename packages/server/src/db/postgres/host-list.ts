/** A database URL with several hosts, as libpq reads it: postgres://ann@one:5432,two:5432/books?target_session_attrs=read-write */

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
const PARAMETER = 'target_session_attrs';
const DEFAULT_PORT = 5432;

export interface Host {
  readonly name: string;
  readonly port: number;
}

export interface HostList {
  /** The URL with its first host alone, and without what only several hosts need. */
  readonly url: string;
  /** In the order of the URL; empty where there is but one. */
  readonly hosts: readonly Host[];
  /** Which host to look for; undefined where the URL does not say. */
  readonly wanted: string | undefined;
}

/** Undefined where it is no address of a database. */
export function readHostList(address: string): HostList | undefined {
  const [, start, names, end] = PARTS.exec(address) ?? [];
  if (start === undefined || names === undefined || end === undefined) return undefined;
  const all = names.split(',');
  const first = start + all[0] + end;
  if (!URL.canParse(first)) return undefined;
  const url = new URL(first);
  const wanted = url.searchParams.get(PARAMETER) ?? undefined;
  url.searchParams.delete(PARAMETER);
  const hosts = all.length === 1 ? [] : all.map(hostOf);
  if (hosts.includes(undefined)) return undefined;
  return { url: wanted === undefined ? first : url.href, hosts: hosts as Host[], wanted };
}

function hostOf(text: string): Host | undefined {
  const [, name, port] = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name: name.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) };
}

/** The same change to a URL with several hosts as to one with a single one. */
export function changeUrl(address: string, change: (url: URL) => void): string {
  const [, start, names, end] = PARTS.exec(address) ?? [];
  const all = names?.split(',') ?? [];
  const first = all.length > 1 ? `${start}${all[0]}${end}` : address;
  if (!URL.canParse(first)) return address;
  const url = new URL(first);
  change(url);
  return all.length > 1 ? url.href.replace(PARTS, (_, before: string, _first: string, after: string) => before + names + after) : url.href;
}
