import type { Session } from '@commonplace/client';
import { useState } from 'react';
import { LabelChip } from '../../../design/badge.tsx';
import { Button, IconButton } from '../../../design/button.tsx';
import { TextField } from '../../../design/field.tsx';
import { Form } from '../../../design/form.tsx';
import { useChangeSession } from '../session-changes.ts';
import { parseLabel } from './parse-label.ts';

/** Each label with a button that takes it away, and a field for another. At once; what is refused comes back. */
export function LabelsEditor({ session, canEdit }: { readonly session: Session; readonly canEdit: boolean }) {
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string>();
  const change = useChangeSession(session);
  const entries = Object.entries(session.labels);
  const add = () => {
    const label = parseLabel(typed);
    if (!label) return setWrong('Write it as key=value.');
    setWrong(undefined);
    setTyped('');
    change.mutate({ labels: { ...session.labels, [label.name]: label.value } });
  };
  const remove = (name: string) => {
    const { [name]: _, ...labels } = session.labels;
    change.mutate({ labels });
  };
  return (
    <section className="stack tight" aria-label="Labels">
      <h2 className="section-title">Labels</h2>
      {entries.length === 0 && <p className="muted">None. Labels find sessions: by customer, by channel, by whatever you choose.</p>}
      <ul className="row wrap label-list">
        {entries.map(([name, value]) => (
          <li key={name} className="row label-entry">
            <LabelChip name={name} value={value} />
            {canEdit && <IconButton icon="x" label={`Remove label ${name}`} small onClick={() => remove(name)} />}
          </li>
        ))}
      </ul>
      {canEdit && (
        <Form
          className="row add-label"
          onSubmit={() => {
            add();
          }}
        >
          <div className="grow">
            <TextField
              label="Add a label"
              hideLabel
              placeholder="key=value"
              spellCheck={false}
              autoComplete="off"
              value={typed}
              error={wrong}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          <Button type="submit" disabled={typed.trim() === ''}>
            Add label
          </Button>
        </Form>
      )}
    </section>
  );
}
