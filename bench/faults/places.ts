/** Where a load works: a workspace with sessions, prompts and documents of its own, each with its ledger. */
import type { Caller } from './caller.ts';
import { Ledger } from './ledger.ts';

/** A list that keeps what is added to it, with the ledger of what should be in it. */
export interface Place {
  readonly path: string;
  readonly ledger: Ledger;
}

export interface Prompt extends Place {
  readonly byName: string;
}

export interface Places {
  readonly workspace: string;
  /** One for each writer that has one to itself. */
  readonly own: readonly Place[];
  /** One that several write to, whose messages are also read for memories. */
  readonly shared: Place;
  readonly prompts: readonly Prompt[];
  readonly documents: Place;
}

export async function newPlaces(caller: Caller, counts: { readonly own: number; readonly prompts: number }): Promise<Places> {
  const make = async (path: string, body: object, idName = 'id') => {
    const answer = await caller.insist('message', {
      method: 'POST',
      path,
      body,
      key: `${path}:${JSON.stringify(body)}`.replaceAll(/[^!-~]/g, '_'),
    });
    const id = answer?.body?.[idName];
    if (id === undefined) throw new Error(`POST ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    return `${path}/${id}`;
  };
  const workspace = await make('/workspaces', { name: `Load ${process.pid}-${Math.round(performance.now())}` });
  const plain = await make(`${workspace}/agents`, { name: 'Plain', description: 'Keeps what is said.' });
  const reading = await make(`${workspace}/agents`, { name: 'Reading', description: 'Remembers.', configs: { memoryPipeline: true } });
  const session = async (agent: string, externalId: string) => ({
    path: await make(`${agent}/sessions`, { externalId }),
    ledger: new Ledger(),
  });
  const prompt = async (name: string) => {
    const path = await make(`${workspace}/prompts`, { name, type: 'text', content: 'Hello' }, 'promptId');
    return { path, byName: `${workspace}/promptsByName/${name}`, ledger: new Ledger() };
  };
  return {
    workspace,
    own: await Promise.all(Array.from({ length: counts.own }, (_, index) => session(plain, `own-${index}`))),
    shared: await session(reading, 'shared'),
    prompts: await Promise.all(Array.from({ length: counts.prompts }, (_, index) => prompt(`prompt-${index}`))),
    documents: { path: `${workspace}/documents`, ledger: new Ledger() },
  };
}
