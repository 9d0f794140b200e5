import { EditorView } from '@codemirror/view';

/** Colours and sizes by the properties of the design, which reach into the shadow root. */
export const editorTheme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.7', overflow: 'auto', maxHeight: 'var(--editor-max, 36rem)' },
  '.cm-content': { padding: 'var(--s3) 0', minHeight: 'var(--editor-min, 15rem)', caretColor: 'var(--ink)' },
  // Lines in scripts that are read from the right begin at the right.
  '.cm-line': { padding: '0 var(--s4)', overflowWrap: 'anywhere', unicodeBidi: 'plaintext' },
  '.cm-content ::selection': { backgroundColor: 'var(--accent-line)' },
  '.cm-variable': { color: 'var(--accent)', backgroundColor: 'var(--accent-soft)', borderRadius: '3px' },
  '.cm-variable-unset': { color: 'var(--warn)', backgroundColor: 'var(--warn-soft)' },
});
