/** Logs by pino: for people on a terminal, JSON lines everywhere else. */
import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';

/** What the parts of the service need of a logger; pino's fits. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export async function createLogger(level: LogLevel, terminal: boolean): Promise<Logger> {
  // Nothing that could carry a secret is logged on purpose; this catches what slips in with a request or an error.
  const redact = ['*.password', '*.newPassword', '*.currentPassword', '*.key', '*.token', '*.headers', 'headers'];
  const options = { level, redact, base: null };
  if (!terminal) return pino(options, pino.destination({ fd: 1, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true }));
}
