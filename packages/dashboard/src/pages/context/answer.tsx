import type { ModelContext } from '@commonplace/client';
import { Card } from '../../design/page.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { BudgetCard } from './budget-card.tsx';
import { type PiecePlace, PieceRow } from './piece-row.tsx';

interface AnswerProps {
  readonly context: ModelContext;
  readonly place: PiecePlace;
  readonly view: 'pieces' | 'messages';
  readonly onView: (view: 'pieces' | 'messages') => void;
  /** While a newer one is made. */
  readonly isOld: boolean;
}

export function Answer({ context, place, view, onView, isOld }: AnswerProps) {
  const { pieces, omitted, messages } = context;
  const largest = Math.max(0, ...[...pieces, ...omitted].map(({ tokens }) => tokens ?? 0));
  const views = (
    <Segmented
      label="Show"
      value={view}
      onChange={onView}
      items={[
        { value: 'pieces', label: 'Pieces' },
        { value: 'messages', label: 'Messages' },
      ]}
    />
  );
  return (
    <div className="stack context-answer" aria-busy={isOld} data-old={isOld || undefined}>
      <BudgetCard context={context} />
      {view === 'messages' ? (
        <Card title="As the model gets it" aside={views} flush>
          <ol className="context-messages">
            {messages.map(({ role, content }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no id
              <li key={at}>
                <div className="eyebrow">{role}</div>
                <pre dir="auto">{content}</pre>
              </li>
            ))}
          </ol>
          {messages.length === 0 && <p className="card-body soft">There is nothing to send.</p>}
        </Card>
      ) : (
        <>
          <Card title="Packed, in the order of the answer" aside={views} flush>
            <ul className="pieces">
              {pieces.map((piece) => (
                <PieceRow key={`${piece.type} ${piece.id}`} piece={piece} place={place} largest={largest} />
              ))}
            </ul>
            {pieces.length === 0 && (
              <p className="card-body soft">Nothing is known yet. A context is made of messages, memories, documents and a prompt.</p>
            )}
          </Card>
          <Card title="Left out, and why" flush>
            <ul className="pieces">
              {omitted.map((piece) => (
                <PieceRow key={`${piece.type} ${piece.id}`} piece={piece} place={place} largest={largest} />
              ))}
            </ul>
            {omitted.length === 0 && <p className="card-body soft">Nothing that bears on the question was left out.</p>}
          </Card>
        </>
      )}
    </div>
  );
}
