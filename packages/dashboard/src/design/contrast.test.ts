/** Every pair of tokens that stand on each other, in both themes, against WCAG 2.2 AA. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('./styles/tokens.css', import.meta.url), 'utf8');
const themes = ['light', 'dark'] as const;

/** The colour of a token in a theme, as red, green and blue. */
function colourOf(token: string, theme: (typeof themes)[number]): readonly number[] {
  const found = new RegExp(`--${token}:\\s*light-dark\\(\\s*#([0-9a-f]{6}),\\s*#([0-9a-f]{6})\\s*\\)`).exec(css);
  if (!found) throw new Error(`No colour --${token}`);
  const hex = found[theme === 'light' ? 1 : 2] as string;
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function luminanceOf(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: readonly number[], other: readonly number[]): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const grounds = ['paper', 'surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'surface-press'];
const kinds = ['preference', 'fact', 'long_lived', 'short_lived', 'summary'];

const texts: readonly (readonly [ink: string, grounds: readonly string[]])[] = [
  [
    'ink',
    [...grounds, 'accent-soft', 'mark-soft', 'warn-soft', 'danger-soft', 'ok-soft', 'code-bg', 'add-bg', 'del-bg', 'add-word', 'del-word'],
  ],
  ['ink-2', [...grounds, 'accent-soft', 'mark-soft', 'warn-soft', 'danger-soft', 'ok-soft']],
  ['ink-3', ['paper', 'surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'accent-soft', 'mark-soft']],
  ['accent', ['paper', 'surface', 'surface-raised', 'surface-hover', 'accent-soft', 'code-bg']],
  ['accent-ink', ['accent', 'accent-hover']],
  ['mark-ink', ['mark', 'mark-soft']],
  ['ok', ['surface', 'ok-soft']],
  ['warn', ['surface', 'warn-soft']],
  ['danger', ['paper', 'surface', 'surface-raised', 'danger-soft']],
  ...kinds.map((kind) => [`kind-${kind}`, ['surface', `kind-${kind}-soft`]] as const),
  ...['code-string', 'code-key', 'code-note'].map((token) => [token, ['code-bg']] as const),
];

const shapes: readonly (readonly [shape: string, grounds: readonly string[]])[] = [
  ['line-control', ['surface', 'paper']],
  ['focus', ['surface', 'paper', 'surface-raised']],
  ['mark-line', ['surface']],
  ...['words', 'meaning', 'neighbours', 'signals'].map((part) => [`part-${part}`, ['surface']] as const),
  ...['1', '2', '3', '4', 'quiet'].map((series) => [`series-${series}`, ['surface']] as const),
  ...kinds.slice(0, 4).map((kind) => [`fill-${kind}`, ['surface']] as const),
];

describe.each(themes)('in %s', (theme) => {
  test.each(texts.flatMap(([ink, on]) => on.map((ground) => [ink, ground] as const)))('text in %s on %s', (ink, ground) => {
    expect(contrastOf(colourOf(ink, theme), colourOf(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(shapes.flatMap(([shape, on]) => on.map((ground) => [shape, ground] as const)))('%s on %s', (shape, ground) => {
    expect(contrastOf(colourOf(shape, theme), colourOf(ground, theme))).toBeGreaterThanOrEqual(3);
  });
});
