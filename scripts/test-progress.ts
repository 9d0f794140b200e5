/** What `npm test` says: at its start what it will do and how long that takes, on the way how far it is, at its end the failures and the counts. */
import type { SerializedError, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { DefaultReporter } from 'vitest/node';

/** Where there is no terminal to redraw: a line at each tenth of the way. */
const LINES = 10;
/** Of a file that has not run here yet, with what it takes to load it. */
const USUAL_SECONDS = 7;
/** Loading and preparing a file, beside its tests. */
const SECONDS_TO_LOAD = 1;

export class TestProgress extends DefaultReporter {
  /** Where PostgreSQL comes from, or why there is none. */
  readonly #postgres: string;
  #files = 0;
  #done = 0;
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  constructor(postgres: string) {
    super({ summary: process.stdout.isTTY });
    this.#postgres = postgres;
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    this.#done = this.#passed = this.#failed = this.#skipped = 0;
    for (const line of planOf(this.ctx, specifications, this.#postgres)) this.log(line);
    super.onTestRunStart(specifications);
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#done++;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') this.#passed++;
      else if (state === 'failed') this.#failed++;
      else this.#skipped++;
    }
    const tenth = Math.floor((this.#done * LINES) / this.#files);
    if (!this.isTTY && tenth > Math.floor(((this.#done - 1) * LINES) / this.#files)) this.log(this.#progressLine());
  }

  override onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason): void {
    super.onTestRunEnd(modules, errors, reason);
    this.log(`${this.#passed} passed, ${this.#failed} failed${this.#skipped > 0 ? `, ${this.#skipped} not run` : ''}`);
  }

  /** Nothing of a file that passed; the whole of a failure comes at the end. */
  protected override printTestModule(module: TestModule): void {
    if (module.state() !== 'failed') return;
    this.log(`Failed on ${module.project.name}: ${module.relativeModuleId}`);
    for (const test of module.children.allTests('failed')) this.log(`  ${test.fullName}`);
  }

  #progressLine(): string {
    const minutes = ((performance.now() - this.start) / 60_000).toFixed(1);
    return `${this.#done} of ${this.#files} files after ${minutes} min: ${this.#passed} passed, ${this.#failed} failed`;
  }
}

export function planOf(vitest: Pick<Vitest, 'cache' | 'config'>, specifications: readonly TestSpecification[], postgres: string): string[] {
  const counts = new Map<string, number>();
  for (const { project } of specifications) {
    const [name = ''] = project.name.split(' by ');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const of = (name: string) => counts.get(name) ?? 0;
  let seconds = 0;
  for (const specification of specifications) {
    const durationMs = vitest.cache.getTestSpecificationResult(specification)?.duration;
    seconds += durationMs ? durationMs / 1000 + SECONDS_TO_LOAD : USUAL_SECONDS;
  }
  const minutes = Math.max(1, Math.round(seconds / Number(vitest.config.maxWorkers || 1) / 60));
  return [
    `${specifications.length} test ${specifications.length === 1 ? 'file' : 'files'}: ${of('embedded')} on SQLite, ${of('postgres')} on PostgreSQL, ${of('once') + of('unit')} once.`,
    `PostgreSQL: ${postgres}.`,
    `About ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} on a machine with two free cores.`,
  ];
}
