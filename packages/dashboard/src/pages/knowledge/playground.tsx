import type { DocumentSearch } from '@commonplace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { curlOf } from '../../api/curl.ts';
import { agentsQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { SearchField, Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { formatMs, plural } from '../../design/numbers.ts';
import { DocumentHitItem } from './document-hit.tsx';
import { labelPairs } from './labels.ts';
import type { KnowledgeChange, KnowledgeSearch } from './search-params.ts';

const DEFAULT_LIMIT = 10;
const LARGEST_LIMIT = 100;

function requestOf(search: KnowledgeSearch): DocumentSearch {
  const labels = labelPairs(search.in ?? '');
  return {
    query: search.q ?? '',
    limit: Math.min(search.limit ?? DEFAULT_LIMIT, LARGEST_LIMIT),
    explain: true,
    ...(search.minScore && { minScore: search.minScore }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}

interface PlaygroundProps {
  readonly workspaceId: string;
  readonly search: KnowledgeSearch;
  readonly onSearch: (change: KnowledgeChange) => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

/** What an agent would be given for a question, and why. */
export function Playground({ workspaceId, search, onSearch, field }: PlaygroundProps) {
  const body = requestOf(search);
  const { agent } = search;
  const { documents } = client.workspace(workspaceId);
  const query = useQuery({
    queryKey: ['workspace', workspaceId, 'documents', 'search', agent, body],
    queryFn: async ({ signal }) => {
      const startedMs = performance.now();
      const hits = await (agent ? documents.searchAgent(agent, body, { signal }) : documents.search(body, { signal }));
      return { hits, query: body.query, tookMs: performance.now() - startedMs };
    },
    enabled: body.query !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const path = `/workspaces/${workspaceId}${agent ? `/agents/${agent}` : ''}/documents/search`;
  const asked = body.query !== '';
  return (
    <section className="card playground" aria-label="Try a search">
      <div className="card-head">
        <h2 className="section-title">Try a search</h2>
        <span className="muted small push num" role="status">
          {asked && query.data && `${plural(query.data.hits.length, 'hit')} in ${formatMs(query.data.tookMs)}`}
        </span>
      </div>
      <PlaygroundForm workspaceId={workspaceId} search={search} onSearch={onSearch} field={field} busy={asked && query.isFetching} />
      {asked ? (
        <Loaded query={query} skeletonLines={6}>
          {({ hits, query: answered }) =>
            hits.length === 0 ? (
              <Empty icon="search" title="Nothing found">
                No indexed document that it may look in says anything like it. Ask in other words, or take a filter away.
              </Empty>
            ) : (
              <ol className="list hits">
                {hits.map((hit) => (
                  <DocumentHitItem key={hit.chunkId} workspaceId={workspaceId} hit={hit} query={answered} />
                ))}
              </ol>
            )
          }
        </Loaded>
      ) : (
        <Empty icon="search" title="Ask as your agent would">
          You see the chunks that answer, how they score by words and by meaning, and where they stand.
        </Empty>
      )}
      <div className="card-foot">
        <span>From 0.50 on a hit is more likely an answer than not.</span>
        {asked && (
          <span className="push">
            <CopyButton text={curlOf({ method: 'POST', path, body })} label="Copy as curl" />
          </span>
        )}
      </div>
    </section>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly most: number;
  readonly step?: number;
  /** What holds where nothing is typed. */
  readonly placeholder: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

/** Keeps what is typed as it is typed: "0." is no number yet. */
function NumberField({ label, most, step = 1, placeholder, value, onChange }: NumberFieldProps) {
  const [text, setText] = useState(value === undefined ? '' : String(value));
  useEffect(() => setText((typed) => (Number(typed) === (value ?? 0) ? typed : String(value ?? ''))), [value]);
  return (
    <TextField
      label={label}
      inputMode="decimal"
      placeholder={placeholder}
      value={text}
      onChange={({ target }) => {
        const typed = Math.min(Number(target.value), most);
        setText(Number(target.value) > most ? String(most) : target.value);
        if (typed === 0) onChange(undefined);
        else if (typed > 0 && (step < 1 || Number.isInteger(typed))) onChange(typed);
      }}
    />
  );
}

function PlaygroundForm({ workspaceId, search, onSearch, field, busy }: PlaygroundProps & { readonly busy: boolean }) {
  const { data: agents } = useQuery(agentsQuery(workspaceId));
  const form = useRef<HTMLFormElement>(null);
  const [question, setQuestion] = useState(search.q ?? '');
  const [labels, setLabels] = useState(search.in ?? '');
  useEffect(() => setQuestion(search.q ?? ''), [search.q]);
  useEffect(() => setLabels(search.in ?? ''), [search.in]);
  const ask = () => {
    onSearch({ q: question.trim() || undefined, in: labels.trim() || undefined });
  };
  const viewers = [
    { value: '', label: 'All documents' },
    ...(agents ?? []).map(({ id, name }) => ({ value: id, label: `As ${name}` })),
    // An agent of the address that is not among the newest hundred.
    ...(search.agent && agents && !agents.some(({ id }) => id === search.agent) ? [{ value: search.agent, label: search.agent }] : []),
  ];
  return (
    <Form className="card-body stack tight" ref={form} onSubmit={ask}>
      <div className="row">
        <div className="grow">
          <SearchField
            label="Question"
            placeholder="Ask a question"
            ref={field}
            value={question}
            onChange={(event) => setQuestion(event.target.value)}
            maxLength={10_000}
            dir="auto"
          />
        </div>
        <Button type="submit" busy={busy && 'Searching'}>
          Search
        </Button>
      </div>
      <div className="playground-filters">
        <Select
          label="See as"
          options={viewers}
          value={search.agent ?? ''}
          onChange={({ target }) => onSearch({ agent: target.value || undefined })}
        />
        <TextField
          label="With labels"
          placeholder="lang=en"
          value={labels}
          onChange={(event) => setLabels(event.target.value)}
          onBlur={() => onSearch({ in: labels.trim() || undefined })}
          autoComplete="off"
          spellCheck={false}
        />
        <NumberField
          label="At most"
          most={LARGEST_LIMIT}
          placeholder={String(DEFAULT_LIMIT)}
          value={search.limit}
          onChange={(limit) => onSearch({ limit })}
        />
        <NumberField
          label="Min score"
          most={1}
          step={0.05}
          placeholder="0"
          value={search.minScore}
          onChange={(minScore) => onSearch({ minScore })}
        />
      </div>
    </Form>
  );
}
