import type { Document } from '@commonplace/client';
import { curlOf } from '../../api/curl.ts';
import { IdText, KeyValues } from '../../design/code.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { formatCount } from '../../design/numbers.ts';
import { Card } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { DocumentStatus, describeChunks } from './document-status.tsx';

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
          [
            'Labels',
            labels.length === 0 ? (
              <span key="none" className="muted">
                none
              </span>
            ) : (
              <span key="labels" className="row wrap label-chips all-labels">
                {labels.map((label) => (
                  <span key={label} className="label-chip" title={label}>
                    <span className="truncate">{label}</span>
                  </span>
                ))}
              </span>
            ),
          ],
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
