/** A service that takes bad requests from many: nothing but its own answers limits them. */
import { Processes } from '../processes.ts';
import { type KillableService, startService } from '../service.ts';

export interface SoakService extends AsyncDisposable {
  readonly service: KillableService;
}

export async function soakService(environment: Readonly<Record<string, string>>): Promise<SoakService> {
  const processes = new Processes();
  const service = await startService(processes, {
    COMMONPLACE_RATE_LIMIT: 'off',
    COMMONPLACE_REGISTRATION: 'open',
    // Whoever registers comes from an address of their own.
    COMMONPLACE_TRUSTED_PROXIES: '127.0.0.1',
    ...environment,
  });
  return { service, [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose]() };
}
