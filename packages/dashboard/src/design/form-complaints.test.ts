import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ControlState, complaintAbout } from './form-complaints.ts';

const control = (state: Partial<ControlState>): ControlState => ({
  type: 'text',
  value: '',
  required: false,
  disabled: false,
  validity: { badInput: false, typeMismatch: false, valid: true },
  validationMessage: '',
  ...state,
});
const mismatch = { badInput: false, typeMismatch: true, valid: false };

test('what is missing, too short or no address is said with the name of the field', () => {
  expect(complaintAbout(control({ required: true }), 'Name')).toBe('Name is required');
  expect(complaintAbout(control({ required: true, value: '  ' }), 'Name')).toBe('Name is required');
  expect(complaintAbout(control({ value: 'short', minLength: 10 }), 'Password')).toBe('Password must be at least 10 characters');
  expect(complaintAbout(control({ type: 'email', value: 'ines', validity: mismatch }), 'E-mail')).toBe(
    'E-mail must be a valid e-mail address',
  );
});

test('a date that is half typed counts as wrong, and not as missing', () => {
  const validity = { badInput: true, typeMismatch: false, valid: false };
  expect(complaintAbout(control({ type: 'datetime-local', required: true, validity }), 'Expires')).toBe('Expires is not complete');
});

test('nothing is said of what is right, may be left out, or can’t be changed', () => {
  expect(complaintAbout(control({ required: true, value: 'Ines' }), 'Name')).toBeUndefined();
  expect(complaintAbout(control({ minLength: 10 }), 'Password')).toBeUndefined();
  expect(complaintAbout(control({ required: true, disabled: true }), 'Name')).toBeUndefined();
});

test('an emoji is one character, as it is for the service', () => {
  expect(complaintAbout(control({ value: '🥖🥖', minLength: 3 }), 'Name')).toBe('Name must be at least 3 characters');
});

test('every form is the one of the design system, which has no bubbles of the browser', () => {
  const sources = new URL('../', import.meta.url);
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'));
  const withForms = files.filter((path) => /<form\b/.test(readFileSync(new URL(path, sources), 'utf8')));
  expect(files.length).toBeGreaterThan(100);
  expect(withForms).toEqual(['design/form.tsx']);
  expect(readFileSync(new URL('design/form.tsx', sources), 'utf8')).toContain('noValidate');
});
