import { type RefObject, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { SearchField, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { readLabel } from './read-label.ts';

/** What is typed, until the address says otherwise: by a link, by Back, or by what was sent. */
function useTyped(told: string) {
  const [before, setBefore] = useState(told);
  const [text, setText] = useState(told);
  if (told !== before) {
    setBefore(told);
    setText(told);
  }
  return [text, setText] as const;
}

interface WhoFieldProps {
  /** The key of the label that names a person. */
  readonly subject: string | undefined;
  readonly label: string | undefined;
  readonly onChange: (label: string | undefined) => void;
}

/** One person by the label that names them, or any label. */
export function WhoField({ subject, label = '', onChange }: WhoFieldProps) {
  const ofSubject = subject !== undefined && (label === '' || label.startsWith(`${subject}=`));
  const [text, setText] = useTyped(ofSubject ? label.slice(subject.length + 1) : label);
  const send = () => {
    const typed = text.trim();
    const next = typed && ofSubject ? `${subject}=${typed}` : typed;
    if (next !== label) onChange(next || undefined);
  };
  return (
    <Form
      onSubmit={() => {
        send();
      }}
    >
      <TextField
        label={ofSubject ? `Who (${subject})` : 'Label of the sessions'}
        placeholder={ofSubject ? 'Everyone' : 'customer=holt'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={send}
        error={label && !readLabel(label) ? 'Write it as key=value' : undefined}
        className="mono"
        spellCheck={false}
        autoComplete="off"
      />
    </Form>
  );
}

interface QueryFieldProps {
  readonly query: string;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly onChange: (query: string | undefined) => void;
}

export function QueryField({ query, field, onChange }: QueryFieldProps) {
  const [text, setText] = useTyped(query);
  return (
    <Form
      className="memory-query"
      onSubmit={() => {
        onChange(text.trim() || undefined);
      }}
    >
      <SearchField ref={field} label="Search memories by meaning" value={text} onChange={(event) => setText(event.target.value)} />
      <Button type="submit">Search</Button>
    </Form>
  );
}
