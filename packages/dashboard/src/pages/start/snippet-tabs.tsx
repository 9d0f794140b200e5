import { CodeBlock } from '../../design/code.tsx';
import { Segmented, Tabs } from '../../design/tabs.tsx';
import { ColouredCode, ColouredJson } from './coloured-code.tsx';
import type { Language } from './search-params.ts';
import {
  clientSnippet,
  curlSnippet,
  type Editor,
  editors,
  fetchSnippet,
  mcpSnippet,
  pythonSnippet,
  type SnippetFacts,
} from './snippets.ts';

const tabs = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
  { value: 'mcp', label: 'MCP' },
] as const;

export interface SnippetChoice {
  readonly language?: Language;
  readonly editor?: Editor;
  readonly typescript?: 'fetch' | 'client';
}

interface SnippetTabsProps {
  readonly facts: SnippetFacts;
  readonly choice: SnippetChoice;
  readonly onChoose: (choice: SnippetChoice) => void;
}

export function SnippetTabs({ facts, choice, onChoose }: SnippetTabsProps) {
  const choose = (change: SnippetChoice) => onChoose({ ...choice, ...change });
  return (
    <Tabs label="Language" items={tabs} value={choice.language ?? 'curl'} onChange={(language) => choose({ language })}>
      {(language) => (
        <div className="stack tight snippet">
          {language === 'curl' && <Snippet label="curl example" text={curlSnippet(facts)} note="Paste it into a shell as it is." />}
          {language === 'typescript' && (
            <TypeScript facts={facts} using={choice.typescript ?? 'fetch'} onUse={(typescript) => choose({ typescript })} />
          )}
          {language === 'python' && (
            <Snippet label="Python example" text={pythonSnippet(facts)} note="Python 3.8 or newer; nothing to install." />
          )}
          {language === 'mcp' && (
            <EditorSettings facts={facts} editor={choice.editor ?? 'claude-code'} onChoose={(editor) => choose({ editor })} />
          )}
        </div>
      )}
    </Tabs>
  );
}

function Snippet({ label, text, note }: { readonly label: string; readonly text: string; readonly note: string }) {
  return (
    <>
      <p className="help">{note}</p>
      <CodeBlock label={label} text={text}>
        <ColouredCode text={text} />
      </CodeBlock>
    </>
  );
}

const ways = [
  { value: 'fetch', label: 'With fetch' },
  { value: 'client', label: 'With the client' },
] as const;

interface TypeScriptProps {
  readonly facts: SnippetFacts;
  readonly using: 'fetch' | 'client';
  readonly onUse: (using: 'fetch' | 'client') => void;
}

function TypeScript({ facts, using, onUse }: TypeScriptProps) {
  return (
    <>
      <div>
        <Segmented label="TypeScript" items={ways} value={using} onChange={onUse} />
      </div>
      {using === 'fetch' ? (
        <Snippet label="TypeScript example" text={fetchSnippet(facts)} note="Node, Bun, Deno or an edge runtime; nothing to install." />
      ) : (
        <>
          <p className="help">
            Runs as it is inside the Commonplace repository. For a project elsewhere, make the package there with{' '}
            <code>npm run build:packages</code> and install it by its path: <code>npm install path/to/packages/client/dist</code>.
          </p>
          <CodeBlock label="TypeScript example" text={clientSnippet(facts)}>
            <ColouredCode text={clientSnippet(facts)} />
          </CodeBlock>
        </>
      )}
    </>
  );
}

const editorItems = Object.entries(editors).map(([value, { label }]) => ({ value: value as Editor, label }));

interface EditorSettingsProps {
  readonly facts: SnippetFacts;
  readonly editor: Editor;
  readonly onChoose: (editor: Editor) => void;
}

function EditorSettings({ facts, editor, onChoose }: EditorSettingsProps) {
  const text = mcpSnippet(facts, editor);
  return (
    <>
      <div>
        <Segmented label="Editor" items={editorItems} value={editor} onChange={onChoose} />
      </div>
      <p className="help">
        Goes into {editors[editor].file}. Keep it out of version control: it holds the key. Then tell your editor something to remember.
      </p>
      <CodeBlock label={`MCP settings for ${editors[editor].label}`} text={text}>
        <ColouredJson text={text} />
      </CodeBlock>
    </>
  );
}
