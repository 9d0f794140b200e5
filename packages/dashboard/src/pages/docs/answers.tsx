import { Badge } from '../../design/badge.tsx';
import type { ApiResponse, Operation } from './document.ts';
import { InlineText } from './prose.tsx';
import { SchemaTree } from './schema-tree.tsx';

type Answer = ApiResponse & { readonly status: string };

const isError = ({ status }: Answer) => status >= '400';

/** What comes back: the good answers with their schema, then everything that can go wrong. */
export function Answers({ operation }: { readonly operation: Operation }) {
  const errors = operation.responses.filter(isError);
  const errorSchema = errors.map(({ content }) => content?.['application/json']?.schema).find(Boolean);
  return (
    <>
      <section className="docs-section" aria-labelledby="docs-answers">
        <h2 id="docs-answers" className="docs-heading">
          Responses
        </h2>
        {operation.responses
          .filter((answer) => !isError(answer))
          .map((answer) => (
            <GoodAnswer key={answer.status} answer={answer} />
          ))}
      </section>
      {errors.length > 0 && (
        <section className="docs-section" aria-labelledby="docs-errors">
          <h2 id="docs-errors" className="docs-heading">
            Errors
          </h2>
          <ul className="docs-errors">
            {errors.map(({ status, description }) => (
              <li key={status}>
                <Badge tone="danger">{status}</Badge>
                <span>
                  <InlineText text={description} />
                </span>
              </li>
            ))}
          </ul>
          {errorSchema && (
            <>
              <p className="docs-text">Each has this body:</p>
              <SchemaTree schema={errorSchema} side="response" />
            </>
          )}
        </section>
      )}
    </>
  );
}

function GoodAnswer({ answer }: { readonly answer: Answer }) {
  const [type, media] = Object.entries(answer.content ?? {})[0] ?? [];
  const types = Object.keys(answer.content ?? {}).join(', ');
  return (
    <div className="docs-answer">
      <div className="row wrap">
        <Badge {...(answer.status.startsWith('2') && { tone: 'ok' as const })}>{answer.status}</Badge>
        <span>
          <InlineText text={answer.description} />
        </span>
        <span className="docs-type push">{type ? types : 'no body'}</span>
      </div>
      {media && <SchemaTree schema={media.schema} side="response" />}
    </div>
  );
}
