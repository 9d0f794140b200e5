/** Waiting for a server that is starting. */
import { pause } from '../collections.ts';

const START_MS = 180_000;
const POLL_MS = 20;

/** `ended`: its last words, where it has ended. */
export async function untilOk(url: string, ended: () => string | undefined = () => undefined): Promise<void> {
  const endMs = performance.now() + START_MS;
  for (;;) {
    const isOk = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isOk) return;
    const lastWords = ended();
    if (lastWords !== undefined) throw new Error(`It ended before it answered. ${lastWords}`);
    if (performance.now() > endMs) throw new Error(`${url} did not answer in time`);
    await pause(POLL_MS);
  }
}
