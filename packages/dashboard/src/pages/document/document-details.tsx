import type { Document } from '@commonplace/client';
import { useState } from 'react';
import { curlOf } from '../../api/curl.ts';
import { IdText, KeyValues } from '../../design/code.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { formatCount } from '../../design/numbers.ts';
import { Card } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { DocumentStatus, describeChunks } from './document-status.tsx';

const MOST_LABELS = 12;

function Labels({ labels }: { readonly labels: readonly string[] }) {
  const [all, setAll] = useState(false);
  if (labels.length === 0) return <span className="muted">none</span>;
  return (
    <span className="row wrap label-chips">
      {labels.slice(0, all ? undefined : MOST_LABELS).map((label) => (
        <span key={label} className="label-chip" title={label}>
          <span className="truncate">{label}</span>
        </span>
      ))}
      {!all && labels.length > MOST_LABELS && (
        <button type="button" className="link small" onClick={() => setAll(true)}>
          Show all {labels.length}
        </button>
      )}
    </span>
  );
}

const cuts = { markdown: 'by headings and blocks', text: 'by paragraphs' } as const;

export function DocumentDetails({ document }: { readonly document: Document }) {
  const { id, workspaceId, externalId, labels, charCount, checksum, chunkingStrategy, chunkSize, chunkOverlap, createdAt, updatedAt } =
    document;
  const path = `/workspaces/${workspaceId}/documents/${id}`;
  return (
    <Card title="Details" aside={<CopyButton text={curlOf({ path })} label="Copy as curl" />}>
      <KeyValues
        items={[
          ['Status', <DocumentStatus key="status" document={document} />],
          ['Chunks', `${describeChunks(document)} indexed`],
          ['Cut', `${cuts[chunkingStrategy]}, about ${formatCount(chunkSize)} characters, ${formatCount(chunkOverlap)} of overlap`],
          ['Characters', formatCount(charCount)],
          ['Labels', <Labels key="labels" labels={labels} />],
          [
            'External id',
            externalId === undefined ? (
              <span key="none" className="muted">
                none, so that no other file can take its place
              </span>
            ) : (
              <IdText key="external" id={externalId} />
            ),
          ],
          ['Id', <IdText key="id" id={id} />],
          ['SHA-256', <IdText key="checksum" id={checksum} />],
          ['Added', <Time key="added" at={createdAt} />],
          ['Updated', <Time key="updated" at={updatedAt} />],
        ]}
      />
    </Card>
  );
}
