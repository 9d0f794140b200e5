import { type ComponentProps, type ReactNode, useId } from 'react';
import { useFieldError } from './form.tsx';
import { Icon } from './icon.tsx';

interface FieldText {
  readonly label: string;
  /** Read but not shown, where the place says it all. */
  readonly hideLabel?: boolean;
  readonly optional?: boolean;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** A control with its name, its help and what is wrong with it. */
export function Field({
  label,
  hideLabel,
  optional,
  help,
  error,
  children,
}: FieldText & { readonly children: (described: Described) => ReactNode }) {
  const id = useId();
  const wrong = useFieldError(id, error);
  const describedBy = [help && `${id}-help`, wrong && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className={hideLabel ? 'sr-only' : 'label'} htmlFor={id}>
        {label}
        {optional && <span className="muted"> (optional)</span>}
      </label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': wrong ? true : undefined })}
      {help && (
        <div className="help" id={`${id}-help`}>
          {help}
        </div>
      )}
      {wrong && <FieldError id={`${id}-error`}>{wrong}</FieldError>}
    </div>
  );
}

export function FieldError({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <div className="error" id={id} role="alert">
      <Icon name="alert" />
      <span>{children}</span>
    </div>
  );
}

export function TextField({ label, hideLabel, optional, help, error, className, ...input }: FieldText & ComponentProps<'input'>) {
  const text = { label, help, error, ...(hideLabel && { hideLabel }), ...(optional && { optional }) };
  return (
    <Field {...text}>{(described) => <input {...input} {...described} className={className ? `input ${className}` : 'input'} />}</Field>
  );
}

export function TextArea({ label, hideLabel, optional, help, error, className, ...area }: FieldText & ComponentProps<'textarea'>) {
  const text = { label, help, error, ...(hideLabel && { hideLabel }), ...(optional && { optional }) };
  return (
    <Field {...text}>
      {(described) => <textarea rows={3} {...area} {...described} className={className ? `textarea ${className}` : 'textarea'} />}
    </Field>
  );
}

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

interface SelectProps extends FieldText, Omit<ComponentProps<'select'>, 'children'> {
  readonly options: readonly SelectOption[];
}

/** The platform's own: it works with every keyboard, reader and phone. */
export function Select({ label, hideLabel, optional, help, error, options, className, ...select }: SelectProps) {
  const text = { label, help, error, ...(hideLabel && { hideLabel }), ...(optional && { optional }) };
  return (
    <Field {...text}>
      {(described) => (
        <select {...select} {...described} className={className ? `select ${className}` : 'select'}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  readonly label: ReactNode;
  readonly type?: 'checkbox' | 'radio';
}

export function Checkbox({ label, type = 'checkbox', ...input }: CheckboxProps) {
  return (
    <label className="check">
      <input type={type} {...input} />
      <span>{label}</span>
    </label>
  );
}

/** With the icon of a search in it. `/` gives it the focus where it is the page's (`useShortcuts`). */
export function SearchField({ label, ...input }: Omit<ComponentProps<'input'>, 'type'> & { readonly label: string }) {
  return (
    <div className="input-group">
      <Icon name="search" />
      <input type="search" className="input" aria-label={label} placeholder={label} autoComplete="off" spellCheck={false} {...input} />
    </div>
  );
}
