/** Pages deep in a session of a million messages, by one caller. */
import { median } from './measure.ts';
import { many, newSession } from './message-work.ts';
import type { Generator } from './rounds.ts';
import { call, type Service } from './service.ts';
import { heading, row } from './table.ts';

const MILLION = 1_000_000;
const DEEP_OFFSET = 900_000;
const PAGES = 30;

export async function measureDeepPages(generator: Generator, name: string, service: Service): Promise<void> {
  const messages = await newSession(service);
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' };
  const count = async () => (await call<{ _meta: { total: number } }>(service, 'GET', `${messages}?limit=1`))._meta.total;
  for (let total = 0; total < MILLION; total = await count()) {
    await generator.ask({ url: service.url, headers, requests: [{ method: 'POST', path: `${messages}/batch`, body: many }], seconds: 5 });
  }
  const before = await call<{ _meta: { cursor: string } }>(service, 'GET', `${messages}?offset=${DEEP_OFFSET - 1}&limit=1`);
  const pages = {
    'offset 0': `${messages}?limit=50`,
    [`offset ${DEEP_OFFSET.toLocaleString('en')}`]: `${messages}?limit=50&offset=${DEEP_OFFSET}`,
    'the same place by cursor': `${messages}?limit=50&cursor=${before._meta.cursor}`,
  };
  heading(`${name}: a page of 50 in a session of ${(await count()).toLocaleString('en')} messages, one caller`, ['', 'p50 ms']);
  for (const [what, path] of Object.entries(pages)) {
    const times: number[] = [];
    for (let page = 0; page < PAGES; page++) {
      const start = performance.now();
      await call(service, 'GET', path);
      times.push(performance.now() - start);
    }
    row([what, median(times).toFixed(2)]);
  }
}
