/** How long work kept the processor, and not how long it took: what else runs on the machine makes no difference. */

/** Of the calling thread alone, in milliseconds. */
export function processorMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The least of several times: a machine that shares its processors with others counts what it is kept from as work. */
export function leastProcessorMsOf(work: () => unknown): number {
  return Math.min(...Array.from({ length: 4 }, () => processorMsOf(work)));
}
