import { useId } from 'react';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { type LabelRow, newLabelRow } from './label-rows.ts';
import './label-fields.css';

interface LabelFieldsProps {
  readonly label: string;
  readonly help?: string;
  readonly error?: string | undefined;
  readonly rows: readonly LabelRow[];
  readonly disabled?: boolean;
  readonly onChange: (rows: readonly LabelRow[]) => void;
}

const MOST_LABELS = 32;

/** Labels, pair by pair. */
export function LabelFields({ label, help, error, rows, disabled, onChange }: LabelFieldsProps) {
  const id = useId();
  const change = (row: number, part: Partial<LabelRow>) => onChange(rows.map((each) => (each.row === row ? { ...each, ...part } : each)));
  return (
    <fieldset className="label-fields" aria-describedby={`${id}-help`} disabled={disabled}>
      <legend className="label">{label}</legend>
      <div className="stack tight">
        {help && (
          <div className="help" id={`${id}-help`}>
            {help}
          </div>
        )}
        {rows.map(({ row, name, value }, at) => (
          <div key={row} className="label-fields-row">
            <input
              className="input mono"
              aria-label={`Key ${at + 1}`}
              placeholder="key"
              value={name}
              maxLength={64}
              spellCheck={false}
              onChange={(event) => change(row, { name: event.target.value })}
            />
            <span aria-hidden="true">=</span>
            <input
              className="input mono"
              aria-label={`Value ${at + 1}`}
              placeholder="value"
              value={value}
              maxLength={255}
              spellCheck={false}
              onChange={(event) => change(row, { value: event.target.value })}
            />
            <IconButton
              icon="x"
              label={`Remove ${name || `label ${at + 1}`}`}
              onClick={() => onChange(rows.filter((each) => each.row !== row))}
            />
          </div>
        ))}
        {error && (
          <div className="error" role="alert">
            <Icon name="alert" />
            <span>{error}</span>
          </div>
        )}
        {!disabled && rows.length < MOST_LABELS && (
          <div>
            <Button small icon="plus" onClick={() => onChange([...rows, newLabelRow()])}>
              Add label
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  );
}
