import type { Audit } from '@commonplace/client';
import { Fragment } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Icon } from '../../design/icon.tsx';
import { Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { AuditDetail } from './audit-detail.tsx';
import { actorOf, subjectOf } from './audit-subject.ts';
import type { ResourceNames } from './resource-names.ts';
import './audit.css';

interface AuditTableProps {
  readonly label: string;
  readonly entries: readonly Audit[];
  /** The entry whose detail is shown. */
  readonly openId: string | undefined;
  readonly onOpen: (entryId: string | undefined) => void;
  /** Of what the entries name by an id. */
  readonly names?: ResourceNames;
  /** Where everything was done by the reader, nobody needs to be told. */
  readonly hideActor?: boolean;
}

const noNames: ResourceNames = new Map();

/** Who did what, newest first. A row opens to its detail. */
export function AuditTable({ label, entries, openId, onOpen, names = noNames, hideActor }: AuditTableProps) {
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
                  <ActorName entry={entry} names={names} />
                </td>
              )}
              <td className="audit-resource">
                {hideActor && entry.resourceType === 'user' ? 'your account' : <SubjectName entry={entry} names={names} />}
              </td>
              <td className="mono muted nowrap hide-phone">{entry.address}</td>
              <td className="end nowrap">
                <Time at={entry.createdAt} />
              </td>
            </tr>
            {open && (
              <tr className="detail">
                <td colSpan={columns.length}>
                  <AuditDetail entry={entry} names={names} hideActor={hideActor} />
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </Table>
  );
}

interface EntryProps {
  readonly entry: Audit;
  readonly names: ResourceNames;
}

function ActorName({ entry, names }: EntryProps) {
  const { name, badge } = actorOf(entry, names);
  return (
    <span className="row">
      <span className="truncate" dir="auto" title={entry.actorId || undefined}>
        {name}
      </span>
      {badge && <Badge tone="outline">{badge}</Badge>}
    </span>
  );
}

function SubjectName({ entry, names }: EntryProps) {
  const { kind, name, fate } = subjectOf(entry, names);
  return (
    <span className="audit-subject" title={entry.resourceId}>
      <span className={name && 'muted'}>{kind}</span>
      {name && <bdi>{name}</bdi>}
      {fate && <Badge tone="outline">{fate}</Badge>}
    </span>
  );
}
