import { TextArea } from '../../design/field.tsx';
import { promptValues } from './kept.ts';
import { givenValue, type Values } from './template.ts';

/** More than so many fields at once would hold up the page. */
const MOST_FIELDS = 100;

interface VariablesTabProps {
  readonly promptId: string;
  readonly variables: readonly string[];
  readonly values: Values;
}

export function VariablesTab({ promptId, variables, values }: VariablesTabProps) {
  if (variables.length === 0)
    return (
      <p className="soft">
        This prompt has no variables. Write <code>{'{{name}}'}</code> where a value should go.
      </p>
    );
  return (
    <div className="stack variables">
      {variables.slice(0, MOST_FIELDS).map((name) => (
        <TextArea
          key={name}
          rows={1}
          className="variable-value"
          label={name}
          placeholder="No value yet"
          value={givenValue(values, name)}
          dir="auto"
          onChange={(event) => promptValues.set(promptId, { ...values, [name]: event.target.value })}
        />
      ))}
      {variables.length > MOST_FIELDS && <p className="muted small">Only the first {MOST_FIELDS} variables can be tried here.</p>}
      <p className="muted small">For trying it here; not saved. Without a value, a variable stays as it stands.</p>
    </div>
  );
}
