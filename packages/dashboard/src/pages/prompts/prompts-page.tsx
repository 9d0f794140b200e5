import type { Prompt } from '@commonplace/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useCan } from '../../api/permissions.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty, Loaded } from '../../design/feedback.tsx';
import { SearchField } from '../../design/field.tsx';
import { formatCount } from '../../design/numbers.ts';
import { Page, Pager, Table } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { hasDraft } from '../prompt/kept.ts';
import { allPromptsQuery, type Few, MOST_LOOKED_AT } from '../prompt/queries.ts';
import { NewPromptDialog } from './new-prompt-dialog.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/prompts');
const ROWS = 50;

export function PromptsPage() {
  const { workspaceId } = route.useParams();
  const { q = '', page = 1, dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const goTo = useNavigate();
  const search = useRef<HTMLInputElement>(null);
  const query = useQuery(allPromptsQuery(workspaceId));
  const canCreate = useCan('CAN_CREATE_PROMPT');
  const openDialog = () => void navigate({ search: (before) => ({ ...before, dialog: 'new' }) });
  const filter = (text: string) => void navigate({ search: text === '' ? {} : { q: text }, replace: true });
  const nextRow = () => focusRow(1);
  const rowBefore = () => focusRow(-1);
  const createByKey = () => canCreate && openDialog();
  useShortcuts({ '/': () => search.current?.focus(), C: createByKey, J: nextRow, K: rowBefore });
  const create = (variant?: 'primary') => (
    <Button icon="plus" variant={variant} onClick={openDialog}>
      New prompt
    </Button>
  );
  return (
    <Page
      title="Prompts"
      lede="Named templates with numbered versions. Programs ask by name, and you decide which version they get."
      actions={canCreate && query.data?.total !== 0 && create('primary')}
    >
      <section className="card" aria-label="Prompts">
        <Loaded query={query} skeletonLines={6}>
          {(prompts) =>
            prompts.total === 0 ? (
              <Empty icon="prompts" title="No prompts yet" action={canCreate && create('primary')}>
                Write one here and fetch it from your code. Changing it then needs no deployment.
              </Empty>
            ) : (
              <>
                <div className="card-head">
                  <SearchField ref={search} label="Filter prompts" value={q} onChange={(event) => filter(event.target.value)} />
                  {prompts.total > prompts.items.length && (
                    <span className="muted small">Among the first {formatCount(MOST_LOOKED_AT)} by handle.</span>
                  )}
                </div>
                <PromptTable
                  workspaceId={workspaceId}
                  prompts={matching(prompts, q)}
                  offset={(page - 1) * ROWS}
                  q={q}
                  onClear={() => filter('')}
                  onMove={(offset) => void navigate({ search: (before) => ({ ...before, page: offset / ROWS + 1 }) })}
                />
              </>
            )
          }
        </Loaded>
      </section>
      {dialog === 'new' && canCreate && (
        <NewPromptDialog
          workspaceId={workspaceId}
          onClose={() => void navigate({ search: ({ dialog: _, ...before }) => before, replace: true })}
          onCreated={({ promptId }) => void goTo({ to: '/w/$workspaceId/prompts/$promptId', params: { workspaceId, promptId } })}
        />
      )}
    </Page>
  );
}

/** Enter opens it: it is a link. */
function focusRow(by: -1 | 1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#main .table a.title')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}

/** By name, handle or description. */
function matching({ items }: Few<Prompt>, q: string): readonly Prompt[] {
  const wanted = q.trim().toLowerCase();
  if (wanted === '') return items;
  return items.filter(({ name, handle, description }) => [name, handle, description].some((text) => text.toLowerCase().includes(wanted)));
}

interface PromptTableProps {
  readonly workspaceId: string;
  readonly prompts: readonly Prompt[];
  readonly offset: number;
  readonly q: string;
  readonly onClear: () => void;
  readonly onMove: (offset: number) => void;
}

function PromptTable({ workspaceId, prompts, offset, q, onClear, onMove }: PromptTableProps) {
  if (prompts.length === 0)
    return (
      <Empty icon="search" title="No prompt matches" action={<Button onClick={onClear}>Clear the filter</Button>}>
        Nothing has “{q}” in its name, handle or description.
      </Empty>
    );
  return (
    <>
      <Table label="Prompts" columns={['Name', 'Handle', 'Production', { name: 'Versions', end: true }, { name: 'Updated', end: true }]}>
        {prompts.slice(offset, offset + ROWS).map((prompt) => (
          <tr key={prompt.promptId}>
            <td className="prompt-name">
              <Link className="title" to="/w/$workspaceId/prompts/$promptId" params={{ workspaceId, promptId: prompt.promptId }}>
                <span dir="auto">{prompt.name}</span>
              </Link>{' '}
              {hasDraft(prompt.promptId) && <Badge tone="warn">edited</Badge>}
              {prompt.description && (
                <div className="muted small truncate" dir="auto">
                  {prompt.description}
                </div>
              )}
            </td>
            <td className="truncate">
              <code>{prompt.handle}</code>
            </td>
            <td>
              {prompt.productionVersion === null ? (
                <span className="muted">
                  None<span className="phone-only"> in production</span>
                </span>
              ) : (
                <Badge tone="ok" dot="still">
                  v{prompt.productionVersion}
                </Badge>
              )}
            </td>
            <td className="end">
              {formatCount(prompt.versionCount)}
              <span className="phone-only"> {prompt.versionCount === 1 ? 'version' : 'versions'}</span>
            </td>
            <td className="end nowrap">
              <Time at={prompt.updatedAt} className="muted" />
            </td>
          </tr>
        ))}
      </Table>
      <Pager offset={offset} limit={ROWS} total={prompts.length} onMove={onMove} />
    </>
  );
}
