import { useId } from 'react';
import './choices.css';

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly note: string;
}

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly items: readonly Choice<Value>[];
  /** Undefined where none of them fits. */
  readonly value: Value | undefined;
  readonly onChange: (value: Value) => void;
}

/** A few choices that each need a word of explanation: radio buttons, as cards. */
export function Choices<Value extends string>({ label, items, value, onChange }: ChoicesProps<Value>) {
  const name = useId();
  return (
    <fieldset className="choices-group">
      <legend className="label">{label}</legend>
      <div className="choices">
        {items.map((item) => (
          <label key={item.value} className="choice">
            <input type="radio" name={name} checked={item.value === value} onChange={() => onChange(item.value)} />
            <span className="title">{item.label}</span>
            <span className="small">{item.note}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
