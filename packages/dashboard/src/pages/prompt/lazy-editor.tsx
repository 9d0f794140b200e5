import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './editor/code-editor.tsx';

/** In a chunk of its own, which only this page loads. */
const CodeEditor = lazy(() => import('./editor/code-editor.tsx').then(({ CodeEditor: component }) => ({ default: component })));

/** The text stands in its place until the editor is there. */
export function LazyEditor({ small, ...props }: CodeEditorProps & { readonly small?: boolean }) {
  return (
    <div className={small ? 'editor turn-editor' : 'editor'}>
      <Suspense fallback={<pre aria-hidden="true">{props.value}</pre>}>
        <CodeEditor {...props} />
      </Suspense>
    </div>
  );
}
