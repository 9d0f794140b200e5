import { type ComponentProps, type ReactNode, useId } from 'react';
import './switch.css';

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'role' | 'checked'> {
  readonly label: string;
  readonly checked: boolean;
  /** What it does when it is on. */
  readonly help?: ReactNode;
}

/** On or off, at once or with the form around it. */
export function Switch({ label, help, checked, ...input }: SwitchProps) {
  const id = useId();
  return (
    <div className="switch">
      <input
        {...input}
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        aria-describedby={help ? `${id}-help` : undefined}
      />
      <div>
        <label className="label" htmlFor={id}>
          {label}
        </label>
        {help && (
          <div className="help" id={`${id}-help`}>
            {help}
          </div>
        )}
      </div>
    </div>
  );
}
