import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Badge } from '../../design/badge.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { useWindowTitle } from '../../design/page.tsx';
import { Answers } from './answers.tsx';
import type { Operation, Reference } from './document.ts';
import { MethodBadge, PathText } from './method-badge.tsx';
import { Parameters } from './parameters.tsx';
import { Prose } from './prose.tsx';
import { AnswerCard, SamplesCard } from './samples/samples-card.tsx';
import { SchemaTree } from './schema-tree.tsx';
import type { TypedKeys } from './try/typed-keys.ts';
import { WhoMayCall } from './who-may-call.tsx';

const TryDialog = lazy(() => import('./try/try-dialog.tsx').then(({ TryDialog: component }) => ({ default: component })));

const route = getRouteApi('/docs');

interface OperationViewProps {
  readonly operation: Operation;
  readonly reference: Reference;
  readonly typedKeys: TypedKeys;
}

export function OperationView({ operation, reference, typedKeys }: OperationViewProps) {
  useWindowTitle(`${operation.summary} · API reference`);
  const { panel } = route.useSearch();
  const navigate = route.useNavigate();
  const setPanel = (next: 'try' | undefined) =>
    void navigate({
      search: ({ panel: _, ...before }) => (next ? { ...before, panel: next } : before),
      replace: next === undefined,
      resetScroll: false,
    });
  const { body } = operation;
  return (
    <div className="docs-columns">
      <div className="docs-column">
        <Link to="/docs" search={{ tag: operation.tag }} className="eyebrow">
          {operation.tag}
        </Link>
        <h1 className="page-title">{operation.summary}</h1>
        <div className="docs-endpoint">
          <MethodBadge method={operation.method} />
          <PathText path={operation.path} />
          <CopyButton text={operation.path} label="Copy the path" iconOnly />
        </div>
        <Prose text={operation.description} />
        <WhoMayCall operation={operation} reference={reference} />
      </div>
      <div className="docs-column docs-aside">
        <SamplesCard operation={operation} reference={reference} onTry={() => setPanel('try')} />
        <AnswerCard operation={operation} />
      </div>
      <div className="docs-column">
        <Parameters operation={operation} />
        {body && (
          <section className="docs-section" aria-labelledby="docs-body">
            <h2 id="docs-body" className="docs-heading">
              Body <span className="docs-type">{body.type}</span>
              {!body.required && <Badge>optional</Badge>}
            </h2>
            <SchemaTree schema={body.schema} side="request" />
          </section>
        )}
        <Answers operation={operation} />
        <Neighbours operation={operation} reference={reference} />
      </div>
      <Suspense>
        {panel === 'try' && (
          <TryDialog
            key={operation.id}
            operation={operation}
            reference={reference}
            typedKeys={typedKeys}
            onClose={() => setPanel(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}

function Neighbours({ operation, reference }: { readonly operation: Operation; readonly reference: Reference }) {
  const inOrder = reference.tags.flatMap(({ operations }) => operations);
  const at = inOrder.indexOf(operation);
  const [before, after] = [inOrder[at - 1], inOrder[at + 1]];
  return (
    <nav className="docs-neighbours" aria-label="Neighbouring operations">
      {before && (
        <Link from="/docs" to="/docs" search={({ language }) => ({ operation: before.id, ...(language && { language }) })}>
          <span className="muted small">Before</span>
          {before.summary}
        </Link>
      )}
      {after && (
        <Link from="/docs" to="/docs" search={({ language }) => ({ operation: after.id, ...(language && { language }) })} className="push">
          <span className="muted small">Next</span>
          {after.summary}
        </Link>
      )}
    </nav>
  );
}
