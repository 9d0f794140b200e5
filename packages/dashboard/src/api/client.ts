/** The one client of the app. The browser sends its session cookie along, and holds no other credential. */
import { Commonplace } from '@commonplace/client';

export const client = new Commonplace({ baseUrl: window.location.origin, maxRetries: 1, timeoutMs: 30_000 });

/** For what is sent while the page goes away: the browser finishes it. */
export const lastingClient = client.withOptions({ fetchOptions: { keepalive: true } });

/** Where the service is, for snippets that people copy. */
export const serviceUrl = window.location.origin;
