import type { Audit } from '@commonplace/client';
import type { ReactNode } from 'react';
import { IdText, KeyValues } from '../../design/code.tsx';
import { formatExact } from '../../design/time.tsx';
import { actorOf } from './audit-subject.ts';
import type { ResourceNames } from './resource-names.ts';

interface AuditDetailProps {
  readonly entry: Audit;
  readonly names: ResourceNames;
  readonly hideActor: boolean | undefined;
}

export function AuditDetail({ entry, names, hideActor }: AuditDetailProps) {
  const changes =
    typeof entry.detail === 'object' && entry.detail !== null ? Object.entries(entry.detail) : [['detail', entry.detail] as const];
  const by: readonly (readonly [string, ReactNode])[] =
    hideActor || !entry.actorId ? [] : [['By', <NamedId key="by" id={entry.actorId} name={actorOf(entry, names).name} />]];
  return (
    <div className="audit-detail">
      <KeyValues
        items={[
          ...changes.map(([name, value]) => [name, <DetailValue key={name} value={value} names={names} />] as const),
          [`${entry.resourceType.replaceAll('_', ' ')} id`, <IdText key="resource" id={entry.resourceId} />],
          ...by,
          ['Request id', entry.requestId ? <IdText key="request" id={entry.requestId} /> : 'None'],
          ['Address', entry.address || 'None'],
          ['Exactly', formatExact(entry.createdAt)],
        ]}
      />
    </div>
  );
}

function NamedId({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <span className="row wrap">
      <span dir="auto">{name}</span>
      <IdText id={id} />
    </span>
  );
}

/** An id that stands for something has its name beside it. */
function DetailValue({ value, names }: { readonly value: unknown; readonly names: ResourceNames }) {
  if (typeof value === 'string') {
    const known = names.get(value);
    if (!known) return <span dir="auto">{value}</span>;
    return <NamedId id={value} name={[known.name, known.isGone && '(deleted)'].filter(Boolean).join(' ')} />;
  }
  if (Array.isArray(value) && value.length > 0 && value.every((each) => names.has(each)))
    return (
      <ul className="audit-ids">
        {value.map((each: string) => (
          <li key={each}>
            <DetailValue value={each} names={names} />
          </li>
        ))}
      </ul>
    );
  return <code>{JSON.stringify(value)}</code>;
}
