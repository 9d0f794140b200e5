/** Colours placeholders as they are typed: those without a value differently. */
import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { splitTemplate } from '../template.ts';

/** The names that have a value. */
export const setNamesChanged = StateEffect.define<ReadonlySet<string>>();

const setNames = StateField.define<ReadonlySet<string>>({
  create: () => new Set(),
  update: (before, transaction) =>
    transaction.effects.reduce((names, effect) => (effect.is(setNamesChanged) ? effect.value : names), before),
});

const known = Decoration.mark({ class: 'cm-variable' });
const unset = Decoration.mark({ class: 'cm-variable cm-variable-unset' });

/** A line of a hundred thousand characters is in sight as a whole until it is measured. */
const MOST_CHARACTERS = 50_000;

/** Of what is in sight alone: a prompt may be a megabyte. */
function marksOf({ state, visibleRanges }: EditorView): DecorationSet {
  const names = state.field(setNames);
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (const { name, text, at } of splitTemplate(state.doc.sliceString(from, Math.min(to, from + MOST_CHARACTERS)))) {
      if (name !== undefined) marks.add(from + at, from + at + text.length, names.has(name) ? known : unset);
    }
  }
  return marks.finish();
}

class VariableMarks {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = marksOf(view);
  }

  update(update: ViewUpdate): void {
    const namesChanged = update.startState.field(setNames) !== update.state.field(setNames);
    if (update.docChanged || update.viewportChanged || namesChanged) this.decorations = marksOf(update.view);
  }
}

export const variableMarks = (names: ReadonlySet<string>): Extension => [
  setNames.init(() => names),
  ViewPlugin.fromClass(VariableMarks, { decorations: (plugin) => plugin.decorations }),
];
