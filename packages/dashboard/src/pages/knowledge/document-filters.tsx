import type { Document } from '@commonplace/client';
import { useEffect, useState } from 'react';
import { SearchField, Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { documentStatuses, type KnowledgeChange, type KnowledgeSearch } from './search-params.ts';

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'indexed', label: 'Indexed' },
  { value: 'processing', label: 'Processing' },
  { value: 'failed', label: 'Failed' },
];

const MOST_SUGGESTIONS = 50;
interface DocumentFiltersProps {
  readonly search: KnowledgeSearch;
  /** Those in sight: their labels are suggested. */
  readonly documents: readonly Document[];
  readonly onSearch: (change: KnowledgeChange) => void;
}

/** A label counts when it is whole: on Enter, when it is one that is known, or when it is taken away. */
export function DocumentFilters({ search, documents, onSearch }: DocumentFiltersProps) {
  const [label, setLabel] = useState(search.label ?? '');
  useEffect(() => setLabel(search.label ?? ''), [search.label]);
  const known = [...new Set(documents.flatMap(({ labels }) => labels))].sort().slice(0, MOST_SUGGESTIONS);
  const filterBy = (text: string) => onSearch({ label: text.trim() || undefined, offset: undefined });
  return (
    <div className="row push document-filters">
      <Form
        onSubmit={() => {
          filterBy(label);
        }}
      >
        <SearchField
          label="Filter by label"
          value={label}
          list="known-labels"
          onChange={({ target: { value } }) => {
            setLabel(value);
            if (value === '' || known.includes(value)) filterBy(value);
          }}
          dir="auto"
        />
        <datalist id="known-labels">
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </Form>
      <Select
        label="Status"
        hideLabel
        className="auto"
        options={statuses}
        value={search.status ?? ''}
        onChange={({ target: { value } }) =>
          onSearch({ status: documentStatuses.find((status) => status === value) ?? undefined, offset: undefined })
        }
      />
    </div>
  );
}
