import type { APIPromise } from '../api-promise.ts';
import type { RequestOptions } from '../transport.ts';
import type { Health as HealthAnswer } from '../types.ts';
import { Resource } from './resource.ts';

/** Asked once: who wants to know how the service is does not want to wait until it is well. */
export class Health extends Resource {
  /** Whether the process answers. */
  check(options?: RequestOptions): APIPromise<HealthAnswer> {
    return this.request('GET', '/_health', {}, { maxRetries: 0, ...options });
  }

  /** Whether the service can serve. */
  ready(options?: RequestOptions): APIPromise<HealthAnswer> {
    return this.request('GET', '/_ready', {}, { maxRetries: 0, ...options });
  }

  /** `check` at the address that a proxy may leave open. */
  checkPublic(options?: RequestOptions): APIPromise<HealthAnswer> {
    return this.request('GET', '/public/_health', {}, { maxRetries: 0, ...options });
  }

  /** `ready` at the address that a proxy may leave open. */
  readyPublic(options?: RequestOptions): APIPromise<HealthAnswer> {
    return this.request('GET', '/public/_ready', {}, { maxRetries: 0, ...options });
  }
}
