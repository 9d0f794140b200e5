import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { curlOf } from '../../api/curl.ts';
import { agentsQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { SearchField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { formatMs, plural } from '../../design/numbers.ts';
import { Page } from '../../design/page.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { useListKeys } from '../../shell/list-keys.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { HitItem } from './hit-item.tsx';
import { hitTypes, readSearchPageParams } from './search-params.ts';
import './search.css';

const route = getRouteApi('/signed-in/w/$workspaceId/search');

/** The most that one search gives: kinds are told apart here. */
const MOST_HITS = 50;

const views = [
  { value: 'all', label: 'Everything' },
  { value: 'document', label: 'Documents' },
  { value: 'memory', label: 'Memories' },
  { value: 'message', label: 'Messages' },
] as const;

export function SearchPage() {
  const { workspaceId } = route.useParams();
  const { q = '', type } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [question, setQuestion] = useState(q);
  useEffect(() => setQuestion(q), [q]);
  const body = { query: q, limit: MOST_HITS, explain: true };
  const query = useQuery({
    queryKey: ['workspace', workspaceId, 'search', body],
    queryFn: async ({ signal }) => {
      const startedMs = performance.now();
      const hits = await client.workspaces.search(workspaceId, body, { signal });
      return { hits, query: q, tookMs: performance.now() - startedMs };
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const { data: agents } = useQuery(agentsQuery(workspaceId));
  const agentNames = new Map((agents ?? []).map(({ id, name }) => [id, name]));
  useListKeys(list);
  useShortcuts({ '/': () => field.current?.focus() });
  const curl = curlOf({ method: 'POST', path: `/workspaces/${workspaceId}/search`, body });
  return (
    <Page
      title="Search everything"
      lede="What was said, what was kept of it, and what your documents say: by words and by meaning."
      actions={q !== '' && <CopyButton text={curl} label="Copy as curl" />}
    >
      <div className="stack search-everything">
        <Form
          className="row"
          onSubmit={() => {
            void navigate({ search: (before) => readSearchPageParams({ ...before, q: question.trim() }) });
            list.current?.focus();
          }}
        >
          <div className="grow">
            <SearchField
              label="Search everything"
              ref={field}
              value={question}
              onChange={(event) => setQuestion(event.target.value)}
              maxLength={10_000}
              dir="auto"
            />
          </div>
          <Button type="submit" variant="primary" busy={q !== '' && query.isFetching && 'Searching'}>
            Search
          </Button>
        </Form>
        {q === '' ? (
          <Empty icon="search" title="Ask for anything that was said or written">
            Messages, memories and documents of this workspace are looked through together.
          </Empty>
        ) : (
          <>
            <div className="row wrap">
              <Segmented
                label="Show"
                items={views}
                value={type ?? 'all'}
                onChange={(value) =>
                  void navigate({
                    search: (before) => readSearchPageParams({ ...before, type: hitTypes.find((known) => known === value) }),
                    replace: true,
                  })
                }
              />
              <span className="muted small push num" role="status">
                {query.data && `${plural(query.data.hits.length, 'hit')} in ${formatMs(query.data.tookMs)}`}
              </span>
            </div>
            <section className="card" aria-label="Hits" ref={list} tabIndex={-1}>
              <Loaded query={query} skeletonLines={10}>
                {({ hits, query: answered }) => {
                  const shown = hits.filter((hit) => type === undefined || hit.type === type);
                  if (shown.length === 0) return <NothingFound type={type} of={hits.length} />;
                  return (
                    <ol className="list">
                      {shown.map((hit) => (
                        <HitItem
                          key={hit.type === 'document' ? hit.chunkId : hit.id}
                          workspaceId={workspaceId}
                          hit={hit}
                          query={answered}
                          agentNames={agentNames}
                        />
                      ))}
                    </ol>
                  );
                }}
              </Loaded>
            </section>
            <p className="muted small">A score says how likely a hit is an answer: from 0.50 on it is more likely than not.</p>
          </>
        )}
      </div>
    </Page>
  );
}

function NothingFound({ type, of }: { readonly type: string | undefined; readonly of: number }) {
  return (
    <Empty icon="search" title="Nothing found">
      {type && of > 0
        ? `None of the best ${plural(of, 'hit')} is a ${type}. Choose Everything to see them.`
        : 'No message, memory or indexed document says anything like it. Ask in other words.'}
    </Empty>
  );
}
