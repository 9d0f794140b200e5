import { useId } from 'react';
import { Button, IconButton } from './button.tsx';
import { FieldError } from './field.tsx';
import { useFieldError, wrongGroup } from './form.tsx';
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
  const wrong = useFieldError(id, error);
  const change = (row: number, part: Partial<LabelRow>) => onChange(rows.map((each) => (each.row === row ? { ...each, ...part } : each)));
  return (
    <fieldset
      className="label-fields"
      aria-describedby={wrong ? `${id}-help ${id}-error` : `${id}-help`}
      disabled={disabled}
      {...(wrong && wrongGroup)}
    >
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
        {wrong && <FieldError id={`${id}-error`}>{wrong}</FieldError>}
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
