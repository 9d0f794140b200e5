import type { Document } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useCan } from '../../api/permissions.ts';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { Notice, Progress, Skeleton } from '../../design/feedback.tsx';
import { formatBytes, plural } from '../../design/numbers.ts';
import { Page } from '../../design/page.tsx';
import { nameCrumb } from '../../shell/crumbs.tsx';
import { PageFailure } from '../../shell/page-failure.tsx';
import { FailureDetail } from '../knowledge/failure-detail.tsx';
import { documentQuery } from '../knowledge/queries.ts';
import { DocumentActions, useDocumentActions } from './document-actions.tsx';
import { DocumentDetails } from './document-details.tsx';
import { DocumentReader } from './document-reader.tsx';
import './document.css';

const route = getRouteApi('/signed-in/w/$workspaceId/knowledge/$documentId');

export function DocumentPage() {
  const { workspaceId, documentId } = route.useParams();
  const query = useQuery(documentQuery(workspaceId, documentId));
  const { data: document } = query;
  useEffect(() => {
    if (document) nameCrumb(document.id, document);
  }, [document]);
  if (document) return <LoadedDocument workspaceId={workspaceId} document={document} />;
  if (query.error) return <PageFailure error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Page title="Document">
      <Skeleton lines={10} />
    </Page>
  );
}

function LoadedDocument({ workspaceId, document }: { readonly workspaceId: string; readonly document: Document }) {
  const canChange = useCan('CAN_CREATE_WORKSPACE_DOCUMENT');
  const actions = useDocumentActions(workspaceId, document);
  const { title, filename, size, status, error, chunksIndexed, chunksTotal } = document;
  return (
    <Page
      title={title}
      lede={`${filename}, ${formatBytes(size.value)}, ${plural(chunksTotal, 'chunk')}`}
      actions={<DocumentActions document={document} actions={actions} canChange={canChange} />}
    >
      <div className="stack document-notices">
        {actions.error !== null && <ErrorNotice error={actions.error} />}
        {error && (
          <FailureDetail
            document={document}
            canChange={canChange}
            onReindex={() => actions.reindex()}
            onReplace={(_, file) => actions.replace(file)}
            onDelete={() => actions.askToDelete()}
          />
        )}
        {status === 'processing' && !error && (
          <Notice>
            <div className="stack tight">
              <span role="status">
                {chunksTotal === 0 ? 'Cutting it into chunks' : `Indexing: ${chunksIndexed} of ${plural(chunksTotal, 'chunk')}`}
              </span>
              <Progress label="Indexing" value={chunksTotal === 0 ? undefined : chunksIndexed / chunksTotal} />
            </div>
          </Notice>
        )}
      </div>
      <DocumentReader workspaceId={workspaceId} document={document} details={<DocumentDetails document={document} />} />
    </Page>
  );
}
