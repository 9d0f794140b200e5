/** What an entry of the log is about, in words. */
import type { Audit } from '@commonplace/client';
import { detailOf, type ResourceNames, recordedName } from './resource-names.ts';

export interface AuditSubject {
  /** "prompt version" */
  readonly kind: string;
  readonly name: string | undefined;
  /** "Deleted", where it is not there any more. */
  readonly fate: string | undefined;
}

export function subjectOf(entry: Audit, names: ResourceNames): AuditSubject {
  const { resourceType, resourceId, action } = entry;
  const kind = resourceType.replaceAll('_', ' ');
  const known = names.get(resourceId);
  const fate = action.endsWith('.delete') || known?.isGone ? 'Deleted' : undefined;
  if (resourceType === 'prompt_version') return { kind, ...versionOf(entry, names, fate) };
  if (resourceType === 'session') return { kind, name: agentOf(entry, names), fate };
  // Of a person the log keeps an address; their name says more.
  if (resourceType === 'member')
    return { kind, name: known?.name ?? recordedName(entry), fate: known?.isGone ? 'Not a member' : undefined };
  // As it was called then: a log is not rewritten.
  return { kind, name: recordedName(entry) ?? known?.name, fate };
}

function versionOf(entry: Audit, names: ResourceNames, fate: string | undefined): Omit<AuditSubject, 'kind'> {
  const { promptId, version } = detailOf(entry);
  const prompt = typeof promptId === 'string' ? names.get(promptId) : undefined;
  const number = typeof version === 'number' ? `v${version}` : undefined;
  const name = prompt?.name === undefined ? number : [prompt.name, number].filter(Boolean).join(' ');
  return { name, fate: fate ?? (prompt?.isGone ? 'Deleted' : undefined) };
}

function agentOf(entry: Audit, names: ResourceNames): string | undefined {
  const { agentId } = detailOf(entry);
  const agent = typeof agentId === 'string' ? names.get(agentId)?.name : undefined;
  return agent && `of ${agent}`;
}

/** Who did it, and whether they still could. */
export function actorOf(entry: Audit, names: ResourceNames): { readonly name: string; readonly badge: string | undefined } {
  const { actorType, actorId, actorName } = entry;
  const known = names.get(actorId);
  const name = actorName || known?.name || (actorType === 'system' ? 'The service' : 'Unknown');
  if (actorType === 'access-key') return { name, badge: known?.isGone ? 'Deleted key' : 'Key' };
  return { name, badge: actorType === 'user' && known?.isGone ? 'Not a member' : undefined };
}
