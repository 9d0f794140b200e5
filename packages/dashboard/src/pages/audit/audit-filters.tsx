import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { membersQuery } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Select, type SelectOption, TextField } from '../../design/field.tsx';
import { workspaceActions } from './actions.ts';

export interface AuditFilter {
  readonly action?: string;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
}

interface AuditFiltersProps {
  readonly workspaceId: string;
  readonly filter: AuditFilter;
  /** Of the actor that is asked for, who may have left. */
  readonly actorName: string | undefined;
  readonly onChange: (filter: AuditFilter) => void;
}

/** What the address asks for is among the choices, known or not. */
function withChosen(options: readonly SelectOption[], chosen: string | undefined, label = chosen ?? ''): readonly SelectOption[] {
  return !chosen || options.some(({ value }) => value === chosen) ? options : [...options, { value: chosen, label }];
}

export function AuditFilters({ workspaceId, filter, actorName, onChange }: AuditFiltersProps) {
  const { data: members = [] } = useQuery(membersQuery(workspaceId));
  const { data: keys = [] } = useQuery({
    queryKey: ['workspace', workspaceId, 'keys', 'choices'],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).accessKeys.list({ limit: 100 }, { signal })).data,
  });
  const actions = withChosen(
    workspaceActions.map((action) => ({ value: action, label: action })),
    filter.action,
  );
  const actors = withChosen(
    [
      ...members.map(({ userId, name }) => ({ value: userId, label: name })),
      ...keys.map(({ id, name }) => ({ value: id, label: `${name} (key)` })),
    ],
    filter.actor,
    actorName,
  );
  const set = (part: { [Name in keyof AuditFilter]?: string | undefined }) => {
    const next = Object.entries({ ...filter, ...part }).filter(([, value]) => value);
    onChange(Object.fromEntries(next));
  };
  return (
    <search className="filters" aria-label="Filter the log">
      <Select
        label="Action"
        options={[{ value: '', label: 'Every action' }, ...actions]}
        value={filter.action ?? ''}
        onChange={(event) => set({ action: event.target.value })}
      />
      <Select
        label="By"
        options={[{ value: '', label: 'Everyone' }, ...actors]}
        value={filter.actor ?? ''}
        onChange={(event) => set({ actor: event.target.value })}
      />
      <TextField
        label="From"
        type="date"
        value={filter.since ?? ''}
        max={filter.until}
        onChange={(event) => set({ since: event.target.value })}
      />
      <TextField
        label="To"
        type="date"
        value={filter.until ?? ''}
        min={filter.since}
        onChange={(event) => set({ until: event.target.value })}
      />
      {Object.keys(filter).length > 0 && (
        <Button variant="ghost" icon="x" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  );
}
