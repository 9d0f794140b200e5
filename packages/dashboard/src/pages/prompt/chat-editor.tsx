import { Button, IconButton } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { roles, type Turn } from './chat.ts';
import { LazyEditor } from './lazy-editor.tsx';

interface ChatEditorProps {
  readonly turns: readonly Turn[];
  readonly onChange: (turns: readonly Turn[]) => void;
  readonly onSubmit: () => void;
  readonly setNames: ReadonlySet<string>;
  readonly readOnly: boolean;
}

/** The turns of a chat, each with its role and an editor. */
export function ChatEditor({ turns, onChange, ...editing }: ChatEditorProps) {
  const replace = (at: number, turn: Turn) => onChange(turns.map((other, place) => (place === at ? turn : other)));
  const move = (at: number, by: -1 | 1) => {
    const [turn, other] = [turns[at], turns[at + by]];
    if (turn && other) onChange(turns.map((same, place) => (place === at ? other : place === at + by ? turn : same)));
  };
  const next = turns.at(-1)?.role === 'user' ? 'assistant' : 'user';
  return (
    <div className="stack">
      <ol className="stack turns">
        {turns.map((turn, at) => (
          // Turns have no name but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={at} className="turn" data-role={turn.role}>
            <div className="row">
              <Select
                label={`Role of turn ${at + 1}`}
                hideLabel
                className="auto"
                value={turn.role}
                disabled={editing.readOnly}
                onChange={(event) => replace(at, { ...turn, role: event.target.value })}
                options={[...new Set([...roles, turn.role])].map((role) => ({ value: role, label: role }))}
              />
              {!editing.readOnly && (
                <span className="push row">
                  <IconButton icon="up" label={`Move turn ${at + 1} up`} small disabled={at === 0} onClick={() => move(at, -1)} />
                  <IconButton
                    icon="down"
                    label={`Move turn ${at + 1} down`}
                    small
                    disabled={at === turns.length - 1}
                    onClick={() => move(at, 1)}
                  />
                  <IconButton
                    icon="trash"
                    label={`Remove turn ${at + 1}`}
                    small
                    disabled={turns.length === 1}
                    onClick={() => onChange(turns.filter((_, place) => place !== at))}
                  />
                </span>
              )}
            </div>
            <LazyEditor
              {...editing}
              small
              label={`Text of turn ${at + 1}`}
              value={turn.content}
              onChange={(content) => replace(at, { ...turn, content })}
            />
          </li>
        ))}
      </ol>
      {!editing.readOnly && (
        <div>
          <Button small icon="plus" onClick={() => onChange([...turns, { role: next, content: '' }])}>
            Add turn
          </Button>
        </div>
      )}
    </div>
  );
}
