import type { PromptVersion } from '@commonplace/client';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Notice } from '../../design/feedback.tsx';
import { TextField } from '../../design/field.tsx';
import { plural } from '../../design/numbers.ts';
import { readTurns, writeTurns } from './chat.ts';
import { ChatEditor } from './chat-editor.tsx';
import { LazyEditor } from './lazy-editor.tsx';
import { VersionBadges } from './version-badges.tsx';

interface EditorCardProps {
  readonly version: PromptVersion;
  readonly content: string;
  readonly message: string;
  readonly changed: boolean;
  readonly variables: readonly string[];
  readonly setNames: ReadonlySet<string>;
  readonly readOnly: boolean;
  readonly onContent: (content: string) => void;
  readonly onMessage: (message: string) => void;
  readonly onSave: () => void;
  /** What can be done with the version. */
  readonly menu: ReactNode;
  /** Why it was not saved. */
  readonly failure: ReactNode;
}

export function EditorCard(props: EditorCardProps) {
  const { version, content, message, changed, variables, readOnly, onContent, onMessage, onSave, menu, failure } = props;
  const editing = { setNames: props.setNames, readOnly, onSubmit: onSave };
  const turns = version.type === 'chat' ? readTurns(content) : undefined;
  return (
    <section className="card" aria-labelledby="editor-title">
      <div className="card-head">
        <h2 className="section-title" id="editor-title">
          v{version.version}
        </h2>
        <Badge>{version.type}</Badge>
        <VersionBadges version={version} />
        {changed && <Badge tone="warn">edited</Badge>}
        <span className="push row">
          <span className="muted small num">
            {plural(content.length, 'character')}, {plural(variables.length, 'variable')}
          </span>
          {menu}
        </span>
      </div>
      <div className="card-body stack editor-body">
        {version.type === 'chat' && !turns && (
          <Notice tone="warn" icon="alert">
            This is no chat yet. A chat prompt is a JSON array of turns, each with a <code>role</code> and a <code>content</code>; until
            then it can't be rendered.
          </Notice>
        )}
        {turns ? (
          <ChatEditor {...editing} turns={turns} onChange={(next) => onContent(writeTurns(next))} />
        ) : (
          <LazyEditor
            {...editing}
            label={version.type === 'chat' ? 'Prompt content as JSON' : 'Prompt text'}
            value={content}
            onChange={onContent}
          />
        )}
        {!readOnly && (
          <TextField
            label="What changed?"
            help="Shown in the list of versions."
            value={message}
            maxLength={255}
            onChange={(event) => onMessage(event.target.value)}
          />
        )}
        {failure}
      </div>
    </section>
  );
}
