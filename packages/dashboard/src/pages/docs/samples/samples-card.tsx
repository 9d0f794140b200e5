import { getRouteApi } from '@tanstack/react-router';
import { serviceUrl } from '../../../api/client.ts';
import { Button } from '../../../design/button.tsx';
import { CodeBlock } from '../../../design/code.tsx';
import { Segmented } from '../../../design/tabs.tsx';
import { rememberedWorkspace } from '../../../shell/last-workspace.ts';
import { Coloured } from '../coloured.tsx';
import type { Operation, Reference } from '../document.ts';
import type { Language } from '../search-params.ts';
import { type Call, exampleCall } from './call.ts';
import { curlSample } from './curl.ts';
import { pythonSample } from './python.ts';
import { typescriptSample } from './typescript.ts';

const route = getRouteApi('/docs');

const samples: Readonly<Record<Language, { readonly label: string; readonly write: (call: Call) => string }>> = {
  curl: { label: 'curl', write: curlSample },
  typescript: { label: 'TypeScript', write: typescriptSample },
  python: { label: 'Python', write: pythonSample },
};
const languageItems = Object.entries(samples).map(([value, { label }]) => ({ value: value as Language, label }));

interface SamplesProps {
  readonly operation: Operation;
  readonly reference: Reference;
  readonly onTry: () => void;
}

/** The same call in each language. Who is signed in finds the id of their workspace in it. */
export function SamplesCard({ operation, reference, onTry }: SamplesProps) {
  const { language = 'curl' } = route.useSearch();
  const navigate = route.useNavigate();
  const text = samples[language].write(exampleCall(operation, reference, serviceUrl, rememberedWorkspace()));
  const choose = (next: Language) =>
    void navigate({ search: (before) => ({ ...before, language: next }), replace: true, resetScroll: false });
  return (
    <section className="card" aria-label="Request">
      <div className="card-head">
        <h2 className="section-title">Request</h2>
        <div className="push row wrap">
          <Segmented label="Language" items={languageItems} value={language} onChange={choose} />
          <Button small onClick={onTry}>
            Try it
          </Button>
        </div>
      </div>
      <div className="docs-code">
        <CodeBlock label={`Request in ${samples[language].label}`} text={text}>
          <Coloured text={text} />
        </CodeBlock>
      </div>
    </section>
  );
}

export function AnswerCard({ operation }: { readonly operation: Operation }) {
  const good = operation.responses.find(({ status, content }) => status.startsWith('2') && content?.['application/json']);
  const example = good?.content?.['application/json']?.example;
  if (example === undefined) return null;
  const text = JSON.stringify(example, null, 2);
  return (
    <section className="card" aria-label="Response">
      <div className="card-head">
        <h2 className="section-title">Response</h2>
        <span className="push badge ok">{good?.status}</span>
      </div>
      <div className="docs-code tall">
        <CodeBlock label="Example of a response" text={text}>
          <Coloured text={text} />
        </CodeBlock>
      </div>
    </section>
  );
}
