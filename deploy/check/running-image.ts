/** The image and a container of it, whatever builds and runs them. */
import type { Command, Ended } from './commands.ts';

export interface RunningImage {
  readonly url: string;
  /** Runs a program of the image inside, as its user and with its settings. */
  run(command: Command): Promise<Ended>;
  /** Sends the image's stop signal and waits for the end. */
  stop(): Promise<Ended>;
}

export interface BuiltImage extends AsyncDisposable {
  readonly sizeBytes: number;
  /** Read-only but for its volumes and /tmp, without rights, on a port of loopback. */
  start(settings: Readonly<Record<string, string>>): Promise<RunningImage>;
}
