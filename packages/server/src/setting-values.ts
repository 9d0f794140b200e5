/** The text of a setting into its value; undefined where it can't be used. */
import { BlockList, isIP } from 'node:net';
import { readHostList } from './db/postgres/host-list.ts';

export function wholeNumber(min: number, max: number) {
  return (text: string): number | undefined => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  };
}

export function oneOf<const T extends string>(allowed: readonly T[]) {
  return (text: string): T | undefined => allowed.find((value) => value === text);
}

export function lengthBetween(text: string, min: number, max: number): boolean {
  const length = [...text].length;
  return length >= min && length <= max;
}

export function databaseAddress(text: string): string | undefined {
  return /^postgres(ql)?:\/\/./.test(text) && readHostList(text) ? text : undefined;
}

export function webAddress(text: string): string | undefined {
  return /^https?:\/\/./.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

export function origins(text: string): readonly string[] | undefined {
  const values = commaSeparated(text);
  return values.every((value) => value === '*' || webAddress(value) !== undefined) ? values : undefined;
}

export function commaSeparated(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Networks such as 10.0.0.0/8 and single addresses, separated by commas. */
export function networks(text: string): readonly string[] | undefined {
  const values = commaSeparated(text);
  return networksOf(values) && values;
}

/** Undefined where one of them is no network. A single address is a network of one. */
export function networksOf(texts: readonly string[]): BlockList | undefined {
  const networks = new BlockList();
  for (const text of texts) {
    const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    if (version === 0 || Number(bits ?? most) > most) return undefined;
    networks.addSubnet(address, Number(bits ?? most), version === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}
