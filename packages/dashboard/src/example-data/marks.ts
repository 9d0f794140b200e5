/** How example data is told from what a team made itself. Small, since pages that only ask use it too. */
import type { Agent, Document, PromptVersion, Session } from '@commonplace/client';

/** Begins the description of every agent and prompt of the example. */
export const EXAMPLE_NOTE = 'Example data';
/** On sessions and documents, and what the example's agents may see of the knowledge. */
export const exampleLabels = { example: 'true' } as const;
export const EXAMPLE_ID_PREFIX = 'example-';
/** In the `meta` of what the service gives an id to. */
export const EXAMPLE_META_KEY = 'example';

export const exampleAgentHandles = ['order-desk-example', 'foreman-example'] as const;

const hasNote = (thing: { readonly description: string }) => thing.description.startsWith(EXAMPLE_NOTE);

/** The handle stays when an agent is renamed; an agent of that name that a person made has neither mark. */
export function isExampleAgent(agent: Agent): boolean {
  const isNamed = exampleAgentHandles.some((handle) => handle === agent.handle);
  return isNamed && (hasNote(agent) || agent.kbLabels.example === exampleLabels.example);
}

/** By the id that no one can change; a copy that a person made of it has another. */
export function isExampleSession({ externalId, meta, labels }: Session): boolean {
  return externalId.startsWith(EXAMPLE_ID_PREFIX) && (markOf(meta) !== undefined || labels.example === exampleLabels.example);
}

/** Of a document: anybody may give the id of one of the example to a document of theirs. */
export const EXAMPLE_DOCUMENT_LABEL = `example=${exampleLabels.example}`;
export const isExampleDocument = ({ labels }: Document): boolean => labels.includes(EXAMPLE_DOCUMENT_LABEL);

export const isExampleVersion = (version: PromptVersion): boolean => markOf(metaOf(version)) !== undefined;

/** The name of one piece of the example, from its `meta`. */
export function markOf(meta: unknown): string | undefined {
  if (typeof meta !== 'object' || meta === null || !(EXAMPLE_META_KEY in meta)) return undefined;
  return typeof meta.example === 'string' ? meta.example : undefined;
}

export const markedBy = (name: string) => ({ [EXAMPLE_META_KEY]: name });

/** Of what a person makes from a piece of the example: theirs, and not to be taken for it. */
export function withoutMark(meta: unknown): unknown {
  if (markOf(meta) === undefined) return meta;
  const { [EXAMPLE_META_KEY]: _, ...rest } = meta as Readonly<Record<string, unknown>>;
  return Object.keys(rest).length === 0 ? null : rest;
}

/** The `meta` of a version is text. */
export function metaOf({ meta }: PromptVersion): unknown {
  try {
    return meta === null ? null : JSON.parse(meta);
  } catch {
    return null;
  }
}
