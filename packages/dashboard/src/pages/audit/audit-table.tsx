import type { Audit } from '@commonplace/client';
import { Fragment } from 'react';
import { Badge } from '../../design/badge.tsx';
import { IdText, KeyValues } from '../../design/code.tsx';
import { Icon } from '../../design/icon.tsx';
import { Table } from '../../design/page.tsx';
import { formatExact, Time } from '../../design/time.tsx';
import './audit.css';

interface AuditTableProps {
  readonly label: string;
  readonly entries: readonly Audit[];
  /** The entry whose detail is shown. */
  readonly openId: string | undefined;
  readonly onOpen: (entryId: string | undefined) => void;
  /** Where everything was done by the reader, nobody needs to be told. */
  readonly hideActor?: boolean;
}

/** Who did what, newest first. A row opens to its detail. */
export function AuditTable({ label, entries, openId, onOpen, hideActor }: AuditTableProps) {
  const columns = ['Action', ...(hideActor ? [] : ['By']), 'What', 'Address', { name: 'When', end: true }];
  return (
    <Table label={label} columns={columns}>
      {entries.map((entry) => {
        const open = entry.id === openId;
        return (
          <Fragment key={entry.id}>
            <tr className={open ? 'has-detail' : undefined}>
              <td className="title">
                <button
                  type="button"
                  className="audit-toggle"
                  data-stop
                  aria-expanded={open}
                  onClick={() => onOpen(open ? undefined : entry.id)}
                >
                  <Icon name={open ? 'down' : 'right'} />
                  <code>{entry.action}</code>
                </button>
              </td>
              {!hideActor && (
                <td>
                  <span className="row">
                    <span className="truncate" dir="auto">
                      {entry.actorName || 'The service'}
                    </span>
                    {entry.actorType === 'access-key' && <Badge tone="outline">Key</Badge>}
                  </span>
                </td>
              )}
              <td className="audit-resource">
                {nameIn(entry) ?? (hideActor && entry.resourceType === 'user' ? 'your account' : entry.resourceType.replaceAll('_', ' '))}
              </td>
              <td className="mono muted nowrap hide-phone">{entry.address}</td>
              <td className="end nowrap">
                <Time at={entry.createdAt} />
              </td>
            </tr>
            {open && (
              <tr className="detail">
                <td colSpan={columns.length}>
                  <AuditDetail entry={entry} />
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </Table>
  );
}

/** The name that the detail gives to what it was done to, where it does. */
function nameIn({ detail, resourceType }: Audit): string | undefined {
  if (typeof detail !== 'object' || detail === null) return undefined;
  const { name, email } = detail as { readonly name?: unknown; readonly email?: unknown };
  const named = name ?? email;
  return typeof named === 'string' && named ? `${resourceType.replaceAll('_', ' ')} ${named}` : undefined;
}

function AuditDetail({ entry }: { readonly entry: Audit }) {
  const changes =
    typeof entry.detail === 'object' && entry.detail !== null ? Object.entries(entry.detail) : [['detail', entry.detail] as const];
  return (
    <div className="audit-detail">
      <KeyValues
        items={[
          ...changes.map(([name, value]) => [name, <DetailValue key={name} value={value} />] as const),
          [`${entry.resourceType.replaceAll('_', ' ')} id`, <IdText key="resource" id={entry.resourceId} />],
          ['Request id', entry.requestId ? <IdText key="request" id={entry.requestId} /> : 'None'],
          ['Address', entry.address || 'None'],
          ['Exactly', formatExact(entry.createdAt)],
        ]}
      />
    </div>
  );
}

function DetailValue({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span dir="auto">{value}</span>;
  return <code>{JSON.stringify(value)}</code>;
}
