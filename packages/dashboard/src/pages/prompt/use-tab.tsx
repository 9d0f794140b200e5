import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { serviceUrl } from '../../api/client.ts';
import { CodeBlock } from '../../design/code.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { curlSnippet, pythonSnippet, type SnippetFacts, typescriptSnippet } from './snippets.ts';

const languages = [
  { value: 'curl', label: 'curl', write: curlSnippet },
  { value: 'typescript', label: 'TypeScript', write: typescriptSnippet },
  { value: 'python', label: 'Python', write: pythonSnippet },
] as const;

export function UseTab(facts: Omit<SnippetFacts, 'serviceUrl'>) {
  const [chosen, setChosen] = useState<(typeof languages)[number]['value']>('curl');
  const language = languages.find(({ value }) => value === chosen) ?? languages[0];
  return (
    <div className="stack">
      <Segmented label="Language" items={languages} value={chosen} onChange={setChosen} />
      <CodeBlock label={`Fetch with ${language.label}`} text={language.write({ ...facts, serviceUrl })} />
      <p className="muted small">
        Ask for <code>production</code>, <code>latest</code> or a number. Promoting changes what <code>production</code> answers from the
        next request on. Keys are made under{' '}
        <Link to="/w/$workspaceId/keys" params={{ workspaceId: facts.workspaceId }}>
          Access keys
        </Link>
        .
      </p>
    </div>
  );
}
