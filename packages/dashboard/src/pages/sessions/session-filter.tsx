import { type RefObject, useState } from 'react';
import { LabelChip } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Field } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Icon } from '../../design/icon.tsx';
import { parseLabel } from '../session/details/parse-label.ts';
import type { SessionsSearch } from './search-params.ts';

interface SessionFilterProps {
  readonly search: SessionsSearch;
  readonly onChange: (search: SessionsSearch) => void;
  readonly ref: RefObject<HTMLInputElement | null>;
}

/** What has an equals sign is a label; all else is an external id. Each becomes a chip. */
export function SessionFilter({ search, onChange, ref }: SessionFilterProps) {
  const [typed, setTyped] = useState('');
  const labels = search.label ?? [];
  const { id: _, label: __, offset: ___, ...rest } = search;
  const ask = (id: string | undefined, label: readonly string[]) =>
    onChange({ ...rest, ...(id && { id }), ...(label.length > 0 && { label: [...label] }) });
  const add = () => {
    const text = typed.trim();
    if (text === '') return;
    const label = parseLabel(text);
    setTyped('');
    if (!label) return ask(text, labels);
    // A label has one value: a second one takes the place of the first.
    ask(search.id, [...labels.filter((one) => parseLabel(one)?.name !== label.name), `${label.name}=${label.value}`]);
  };
  return (
    <Form
      className="session-filter"
      onSubmit={() => {
        add();
      }}
    >
      <Field label="Filter by label or external id">
        {(described) => (
          <div className="input-group">
            <Icon name="search" />
            <input
              {...described}
              ref={ref}
              type="search"
              className="input"
              placeholder="customer=42, or an external id, then Enter"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Backspace' || typed !== '') return;
                if (labels.length > 0) ask(search.id, labels.slice(0, -1));
                else if (search.id) ask(undefined, []);
              }}
            />
          </div>
        )}
      </Field>
      {(search.id || labels.length > 0) && (
        <ul className="row wrap filter-chips" aria-label="Filters">
          {search.id && (
            <li className="row filter-chip">
              <LabelChip name={`id: ${search.id}`} />
              <IconButton icon="x" label={`Remove filter id ${search.id}`} small onClick={() => ask(undefined, labels)} />
            </li>
          )}
          {labels.map((label) => (
            <li key={label} className="row filter-chip">
              <LabelChip name={label} />
              <IconButton
                icon="x"
                label={`Remove filter ${label}`}
                small
                onClick={() =>
                  ask(
                    search.id,
                    labels.filter((one) => one !== label),
                  )
                }
              />
            </li>
          ))}
        </ul>
      )}
    </Form>
  );
}
