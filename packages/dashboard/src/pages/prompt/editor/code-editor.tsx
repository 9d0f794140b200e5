/** CodeMirror in a shadow root: there its rules are adopted style sheets, where a style element would be against the policy of the page. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { editorTheme } from './editor-theme.ts';
import { setNamesChanged, variableMarks } from './variable-marks.ts';

export interface CodeEditorProps {
  /** Read aloud. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Ctrl Enter, or ⌘ Enter. */
  readonly onSubmit: () => void;
  /** The variables that have a value. */
  readonly setNames: ReadonlySet<string>;
  readonly readOnly: boolean;
}

/** Tab leaves it, as it leaves every other field. */
function createEditor(host: HTMLElement, props: CodeEditorProps, current: { readonly current: CodeEditorProps }): EditorView {
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const submit = () => {
    current.current.onSubmit();
    return true;
  };
  const { label, value, readOnly, setNames } = props;
  // A text with Windows' line ends keeps them; otherwise each of its lines would count as changed.
  const windowsLines = value.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(value);
  return new EditorView({
    parent: shadow,
    root: shadow,
    state: EditorState.create({
      doc: value,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: submit }])),
        keymap.of([...historyKeymap, ...defaultKeymap]),
        history(),
        windowsLines ? EditorState.lineSeparator.of('\r\n') : [],
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': String(readOnly), tabindex: '0' }),
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) current.current.onChange(state.sliceDoc());
        }),
        variableMarks(setNames),
        editorTheme,
      ],
    }),
  });
}

export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const current = useRef(props);
  current.current = props;
  const { value, setNames, label, readOnly } = props;
  // Before anything is painted: an editor that is not there yet has no height.
  useLayoutEffect(() => {
    if (!host.current) return;
    const made = createEditor(host.current, { ...current.current, label, readOnly }, current);
    view.current = made;
    return () => made.destroy();
  }, [label, readOnly]);
  useEffect(() => {
    const { state } = view.current ?? {};
    if (!state || state.sliceDoc() === value) return;
    // Line ends that it made one of are no change.
    if (state.doc.eq(state.toText(value))) return;
    view.current?.dispatch({ changes: { from: 0, to: state.doc.length, insert: value } });
  }, [value]);
  const names = [...setNames].join(' ');
  useEffect(() => {
    view.current?.dispatch({ effects: setNamesChanged.of(new Set(names.split(' '))) });
  }, [names]);
  return <div ref={host} className="editor-host" />;
}
