/** How long work kept the processor, and not how long it took: what else runs on the machine makes no difference. */

/** Of the calling thread alone, in milliseconds. */
export function processorMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
