import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { useCan } from '../../api/permissions.ts';
import { Page } from '../../design/page.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { DocumentsCard } from './documents-card.tsx';
import { Playground } from './playground.tsx';
import { type KnowledgeChange, readKnowledgeSearch } from './search-params.ts';
import { UploadPanel } from './upload-panel.tsx';
import './knowledge.css';

const route = getRouteApi('/signed-in/w/$workspaceId/knowledge');

export function KnowledgePage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canUpload = useCan('CAN_CREATE_WORKSPACE_DOCUMENT');
  const question = useRef<HTMLInputElement>(null);
  /** A new question is a new look, which Back undoes; a filter is the same look, narrowed. */
  const change = (next: KnowledgeChange) =>
    void navigate({
      search: (before) => readKnowledgeSearch({ ...before, ...next }),
      replace: !('q' in next) || next.q === search.q,
      resetScroll: false,
    });
  useShortcuts({ '/': () => question.current?.focus() });
  return (
    <Page title="Knowledge" lede="Documents that your agents may look things up in. Cut into chunks, and searched by words and by meaning.">
      <div className="columns early knowledge-columns">
        <div className="stack">
          {canUpload && <UploadPanel workspaceId={workspaceId} />}
          <DocumentsCard workspaceId={workspaceId} search={search} onSearch={change} />
        </div>
        <Playground workspaceId={workspaceId} search={search} onSearch={change} field={question} />
      </div>
    </Page>
  );
}
