/** What was found, and the tables of it. */
import { ratioSpread, type Spread, spreadOf } from '../measure.ts';
import { type Aim, range, ratio, reportRates, reportRatios } from '../rates.ts';
import type { Effort, Round } from '../rounds.ts';
import { heading, row } from '../table.ts';
import { BATCH, CALLERS, type LeftOut, type Peer, SIZES } from './peer.ts';

export const labels = {
  write: 'write one text',
  batch: `write ${BATCH} texts at once, texts`,
  found: 'write until all can be found, texts',
  read: 'read by id',
} as const;

export function searchLabel(size: number): string {
  return `search of ${size.toLocaleString('en')} texts`;
}

type Figure = 'started' | 'idle' | 'installed';

export class Findings {
  readonly #rounds: number;
  readonly #measured = new Map<string, Map<string, Round[]>>();
  readonly #filled = new Map<string, number>();
  readonly #figures = new Map<string, number[]>();

  constructor(rounds: number) {
    this.#rounds = rounds;
  }

  measured({ name }: Peer, label: string, round: Round): void {
    const ofLabel = this.#measured.get(label) ?? new Map<string, Round[]>();
    this.#measured.set(label, ofLabel.set(name, [...(ofLabel.get(name) ?? []), round]));
  }

  filled({ name }: Peer, size: number, count: number): void {
    this.#filled.set(`${name} ${size}`, count);
  }

  filledOf({ name }: Peer, size: number): number | undefined {
    return this.#filled.get(`${name} ${size}`);
  }

  started(peer: Peer, seconds: number): void {
    this.#add('started', peer, seconds);
  }

  idle(peer: Peer, bytes: number): void {
    this.#add('idle', peer, bytes);
  }

  installed(peer: Peer, bytes: number): void {
    this.#add('installed', peer, bytes);
  }

  figures(figure: Figure, { name }: Peer): readonly number[] {
    return this.#figures.get(`${figure} ${name}`) ?? [];
  }

  /** By label, and then by peer; of those that went through all rounds. */
  complete(): Map<string, Map<string, readonly Round[]>> {
    const all = new Map<string, Map<string, readonly Round[]>>();
    for (const [label, ofLabel] of this.#measured)
      all.set(label, new Map([...ofLabel].filter(([, rounds]) => rounds.length === this.#rounds)));
    return all;
  }

  #add(figure: Figure, { name }: Peer, value: number): void {
    const key = `${figure} ${name}`;
    this.#figures.set(key, [...(this.#figures.get(key) ?? []), value]);
  }
}

/** The first peer is the one that the others are held against. */
export function reportFindings(findings: Findings, peers: readonly Peer[], leftOut: readonly LeftOut[], effort: Effort): void {
  const [ours, ...others] = peers as [Peer, ...Peer[]];
  console.log('\nCompared:\n');
  for (const { name, madeOf } of peers) console.log(`- ${name}: ${madeOf}.`);
  if (leftOut.length > 0) console.log('\nLeft out:\n');
  for (const { name, reason } of leftOut) console.log(`- ${name}: ${reason}.`);

  const rounds = new Map<string, readonly Round[]>();
  const ratios: Aim[] = [];
  for (const [label, ofLabel] of findings.complete()) {
    const rowName = (name: string) => `${label}, ${name}${fewer(findings, peers, label, name)}`;
    for (const [name, measured] of ofLabel) rounds.set(rowName(name), measured);
    for (const { name } of others)
      if (ofLabel.has(name)) ratios.push({ name: `${label}: ${ours.name} / ${name}`, of: rowName(ours.name), to: rowName(name) });
  }
  const callers = `${CALLERS} callers at once, one for batches`;
  reportRates(`compare: ${callers}, median of ${effort.rounds} interleaved rounds of ${effort.seconds} s`, rounds);
  reportRatios(rounds, ratios);
  reportFootprints(findings, ours, others);
}

/** Where a peer could not be filled in time, its searches went over less. */
function fewer(findings: Findings, peers: readonly Peer[], label: string, name: string): string {
  const size = SIZES.find((one) => searchLabel(one) === label);
  const peer = peers.find((one) => one.name === name);
  if (size === undefined || !peer) return '';
  const count = findings.filledOf(peer, size) ?? size;
  return count < size ? ` (${count.toLocaleString('en')} there)` : '';
}

function reportFootprints(findings: Findings, ours: Peer, others: readonly Peer[]): void {
  heading('compare: start, memory and disk', ['', 'start s', 'lowest–highest', 'idle MB', 'lowest–highest', 'on disk MB']);
  for (const peer of [ours, ...others]) {
    const spread = (figure: Figure) => spreadOf(findings.figures(figure, peer));
    const [started, idle] = [spread('started'), spread('idle')];
    row([peer.name, seconds(started.median), range(started, seconds), mb(idle.median), range(idle, mb), mb(spread('installed').median)]);
  }
  heading('The same, Commonplace / the other: less than 1 is less time, memory or disk', ['', 'start', 'idle memory', 'on disk']);
  for (const peer of others)
    row([peer.name, ...(['started', 'idle', 'installed'] as const).map((figure) => against(findings, figure, ours, peer))]);
}

function against(findings: Findings, figure: Figure, ours: Peer, theirs: Peer): string {
  const [of, to] = [findings.figures(figure, ours), findings.figures(figure, theirs)];
  if (of.length !== to.length || of.length === 0) return '–';
  const spread: Spread = ratioSpread(of, to, (value) => value);
  return of.length === 1 ? ratio(spread.median) : `${ratio(spread.median)} (${range(spread, ratio)})`;
}

function seconds(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : '–';
}

function mb(bytes: number): string {
  return Number.isFinite(bytes) ? Math.round(bytes / 1e6).toLocaleString('en') : '–';
}
