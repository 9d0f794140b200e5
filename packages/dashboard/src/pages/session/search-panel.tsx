import type { MemoryHit, MessageHit } from '@commonplace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { Badge, KindBadge } from '../../design/badge.tsx';
import { excerptOf } from '../../design/excerpt.ts';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { SearchField } from '../../design/field.tsx';
import { Highlight } from '../../design/highlight.tsx';
import { formatMs, plural } from '../../design/numbers.ts';
import { Score } from '../../design/score.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { MessageLink } from './memories/message-link.tsx';
import type { SessionSearch } from './search-params.ts';
import { sessionKey, sourcesOf, useSessionView } from './session-view.ts';

const LIMIT = 20;
const LONGEST_SHOWN = 400;
const TYPED_MS = 250;

type Hit = ({ readonly type: 'message' } & MessageHit) | ({ readonly type: 'memory' } & MemoryHit);
type Where = NonNullable<SessionSearch['in']> | 'both';

/** By meaning and by words, with the reason of each place. Another number of `focused` gives its field the focus. */
export function SearchPanel({ focused }: { readonly focused: number }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused > 0) field.current?.focus();
  }, [focused]);
  const { place, search, filter, goToMessage, openMemory } = useSessionView();
  const [typed, setTyped] = useState(search.q ?? '');
  const [at, setAt] = useState(-1);
  // What is typed becomes the address after a while; an address that did not come from here becomes what is typed.
  const sent = useRef(search.q ?? '');
  useEffect(() => {
    if ((search.q ?? '') === sent.current) return;
    sent.current = search.q ?? '';
    setTyped(sent.current);
    setAt(-1);
  }, [search.q]);
  const where: Where = search.in ?? 'both';
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed becomes the address, once it rests
  useEffect(() => {
    if (typed === (search.q ?? '')) return;
    const timer = setTimeout(() => {
      const { q: _, ...rest } = search;
      sent.current = typed;
      filter({ ...rest, ...(typed && { q: typed }) });
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = (search.q ?? '').trim();
  const found = useQuery({
    queryKey: [...sessionKey(place), 'search', { query, where, asOf: search.asOf }],
    queryFn: async ({ signal }) => {
      const scope = client.workspace(place.workspaceId);
      const body = { query, limit: LIMIT, explain: true };
      const startedMs = performance.now();
      const [messages, memories] = await Promise.all([
        where === 'memories' ? [] : scope.messages.search(place.agentId, place.sessionId, body, { signal }),
        where === 'messages'
          ? []
          : scope.memories.search(place.agentId, place.sessionId, { ...body, ...(search.asOf && { asOf: search.asOf }) }, { signal }),
      ]);
      const hits: Hit[] = [
        ...memories.map((hit) => ({ ...hit, type: 'memory' as const })),
        ...messages.map((hit) => ({ ...hit, type: 'message' as const })),
      ];
      return { hits: hits.sort((one, other) => other.score - one.score), tookMs: performance.now() - startedMs };
    },
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });
  const hits = query === '' ? [] : (found.data?.hits ?? []);
  const open = (hit: Hit) => (hit.type === 'message' ? goToMessage(hit.id) : openMemory(hit.id));
  const step = (by: 1 | -1) => {
    const next = Math.min(Math.max(at + by, 0), hits.length - 1);
    const hit = hits[next];
    if (!hit) return;
    setAt(next);
    if (hit.type === 'message') goToMessage(hit.id);
  };
  useShortcuts({ ']': () => step(1), '[': () => step(-1) });
  const choose = (next: Where) => {
    const { in: _, ...rest } = search;
    filter({ ...rest, ...(next !== 'both' && { in: next }) });
  };
  return (
    <>
      <div className="panel-head stack tight">
        <SearchField
          ref={field}
          label="Search this session by meaning"
          dir="auto"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(-1);
          }}
        />
        <Segmented<Where>
          label="Where"
          value={where}
          onChange={choose}
          items={[
            { value: 'messages', label: 'Messages' },
            { value: 'both', label: 'Both' },
            { value: 'memories', label: 'Memories' },
          ]}
        />
      </div>
      {query === '' ? (
        <Empty icon="search" title="Ask in your own words">
          A hit says how much of its score came from its words, from its meaning, and from the messages beside it.
        </Empty>
      ) : (
        <Loaded query={found} skeletonLines={6}>
          {({ tookMs }) => (
            <>
              {hits.length === 0 && (
                <Empty icon="search" title="Nothing found">
                  No message or memory of this session comes near it.
                </Empty>
              )}
              <ol className="list hits" aria-label="Hits">
                {hits.map((hit, index) => (
                  <li key={hit.id} className="hit" data-chosen={index === at || undefined}>
                    <HitHead hit={hit} />
                    <button type="button" className="hit-open" onClick={() => open(hit)}>
                      <span className="hit-text as-written" dir="auto">
                        <Highlight text={excerpt(hit.text, query)} query={query} />
                      </span>
                    </button>
                    <Score score={hit.score} explain={hit.explain} />
                  </li>
                ))}
              </ol>
              {hits.length > 0 && (
                <p className="panel-note muted small" role="status">
                  {plural(hits.length, 'hit')} in {formatMs(tookMs)}. A message is judged with the ones beside it, so an answer is found by
                  its question. From 0.50 on a hit is more likely an answer than not.
                </p>
              )}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function HitHead({ hit }: { readonly hit: Hit }) {
  const { memories } = useSessionView();
  const memory = hit.type === 'memory' ? memories.find(({ id }) => id === hit.id) : undefined;
  const source = hit.type === 'message' ? hit.id : memory && sourcesOf(memory)[0];
  return (
    <div className="row">
      {hit.type === 'memory' ? <KindBadge kind={hit.kind} /> : <Badge>{hit.role}</Badge>}
      <span className="push muted small">{source && <MessageLink messageId={source} />}</span>
    </div>
  );
}

/** Of a long text a part, from shortly before the first word that was looked for. */
function excerpt(text: string, query: string): string {
  const found = excerptOf(text, query);
  return found.length <= LONGEST_SHOWN ? found : `${found.slice(0, LONGEST_SHOWN).toWellFormed()}…`;
}
