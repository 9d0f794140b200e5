/** What is wrong with a field before it is sent, in the words that the service would use. */

export type FormControl = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** What is read of a control. */
export interface ControlState {
  readonly type: string;
  readonly value: string;
  readonly required: boolean;
  readonly disabled: boolean;
  readonly minLength?: number;
  readonly validity: Pick<ValidityState, 'badInput' | 'typeMismatch' | 'valid'>;
  readonly validationMessage: string;
}

export function isControl(element: Element): element is FormControl {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
}

export function complaintAbout(control: ControlState, label: string): string | undefined {
  const { type, value, required, disabled, minLength = -1, validity } = control;
  if (disabled) return undefined;
  if (required && !validity.badInput && value.trim() === '') return `${label} is required`;
  // The browser looks at the length only of what was typed by hand, and not of what a password manager filled in.
  if (value !== '' && [...value].length < minLength) return `${label} must be at least ${minLength} characters`;
  if (type === 'email' && validity.typeMismatch) return `${label} must be a valid e-mail address`;
  if (validity.badInput) return `${label} is not complete`;
  // What is left is in the browser's own words, such as a number that is too large.
  return validity.valid ? undefined : control.validationMessage;
}
