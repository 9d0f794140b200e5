import type { ReactNode } from 'react';
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
  KEY_PLACEHOLDER,
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

const needsKey = ({ accessKey }: SnippetFacts): boolean => accessKey === KEY_PLACEHOLDER;

export function SnippetTabs({ facts, choice, onChoose }: SnippetTabsProps) {
  const choose = (change: SnippetChoice) => onChoose({ ...choice, ...change });
  return (
    <Tabs label="Language" items={tabs} value={choice.language ?? 'curl'} onChange={(language) => choose({ language })}>
      {(language) => (
        <div className="stack tight snippet">
          {language === 'curl' && (
            <Snippet label="curl example" text={curlSnippet(facts)}>
              {needsKey(facts) ? 'Put your access key in, then paste it into a shell.' : 'Paste it into a shell as it is.'}
            </Snippet>
          )}
          {language === 'typescript' && (
            <TypeScript facts={facts} using={choice.typescript ?? 'fetch'} onUse={(typescript) => choose({ typescript })} />
          )}
          {language === 'python' && (
            <Snippet label="Python example" text={pythonSnippet(facts)}>
              <SaveAndRun facts={facts} file="first.py" command="python3 first.py" /> Python 3.8 or newer; nothing to install.
            </Snippet>
          )}
          {language === 'mcp' && (
            <EditorSettings facts={facts} editor={choice.editor ?? 'claude-code'} onChoose={(editor) => choose({ editor })} />
          )}
        </div>
      )}
    </Tabs>
  );
}

/** What to do with a snippet that is a file. */
function SaveAndRun({ facts, file, command }: { readonly facts: SnippetFacts; readonly file: string; readonly command: string }) {
  return (
    <>
      {needsKey(facts) ? 'Put your access key in, save it' : 'Save it'} as <code>{file}</code> and run <code>{command}</code>.
    </>
  );
}

interface SnippetProps {
  readonly label: string;
  readonly text: string;
  /** How to run it. */
  readonly children: ReactNode;
}

function Snippet({ label, text, children }: SnippetProps) {
  return (
    <>
      <p className="help">{children}</p>
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
        <Snippet label="TypeScript example" text={fetchSnippet(facts)}>
          <SaveAndRun facts={facts} file="first.mjs" command="node first.mjs" /> Node 20 or newer; nothing to install.
        </Snippet>
      ) : (
        <Snippet label="TypeScript example" text={clientSnippet(facts)}>
          <SaveAndRun facts={facts} file="first.ts" command="npx node first.ts" /> That works at the top of the Commonplace repository,
          whose own Node takes TypeScript as it is. For a project elsewhere, make the package there with <code>npm run build:packages</code>{' '}
          and install it by its path: <code>npm install path/to/packages/client/dist</code>.
        </Snippet>
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
        {needsKey(facts) && 'Put your access key in. '}Goes into {editors[editor].file}. Keep it out of version control: it holds the key.
        Then tell your editor something to remember.
      </p>
      <CodeBlock label={`MCP settings for ${editors[editor].label}`} text={text}>
        <ColouredJson text={text} />
      </CodeBlock>
    </>
  );
}
