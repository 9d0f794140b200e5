import type { PromptVersion } from '@commonplace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../design/error-notice.tsx';
import { readTurns, type Turn } from './chat.ts';
import { renderedQuery } from './queries.ts';
import { givenValue, isSet, type Values } from './template.ts';
import { FilledText } from './template-text.tsx';

interface PreviewTabProps {
  readonly workspaceId: string;
  readonly version: PromptVersion;
  readonly content: string;
  readonly changed: boolean;
  readonly variables: readonly string[];
  readonly values: Values;
}

/** By the service where it can: what is saved, with every value. While you type, by the same rules in the browser. */
export function PreviewTab({ workspaceId, version, content, changed, variables, values }: PreviewTabProps) {
  const unset = variables.filter((name) => !isSet(values, name));
  const used = Object.fromEntries(variables.map((name) => [name, givenValue(values, name)]));
  const byService = !changed && unset.length === 0 && (version.type === 'text' || readTurns(content) !== undefined);
  const rendered = useQuery({
    ...renderedQuery(workspaceId, version, used),
    enabled: byService,
    placeholderData: keepPreviousData,
  });
  const answer = byService && !rendered.isPlaceholderData ? rendered.data : undefined;
  return (
    <div className="stack">
      <p className="muted small" role="status">
        {answer ? `Rendered by the service from v${version.version}.` : reason(changed, unset)}
      </p>
      {byService && rendered.error && <ErrorNotice error={rendered.error} />}
      {answer ? (
        <Rendered type={version.type} text={answer.text ?? ''} turns={answer.messages} values={{}} plain />
      ) : (
        <Rendered type={version.type} text={content} turns={version.type === 'chat' ? readTurns(content) : undefined} values={values} />
      )}
    </div>
  );
}

function reason(changed: boolean, unset: readonly string[]): string {
  if (unset.length > 0)
    return `Without a value for ${unset.slice(0, 5).join(', ')}${unset.length > 5 ? ` and ${unset.length - 5} more` : ''}, the service refuses to render it.`;
  return changed ? 'A preview of your changes, by the rules of the service.' : 'A preview by the rules of the service.';
}

interface RenderedProps {
  readonly type: 'text' | 'chat';
  readonly text: string;
  readonly turns: readonly Turn[] | undefined;
  readonly values: Values;
  /** Nothing to fill in: what looks like a placeholder came from a value. */
  readonly plain?: boolean;
}

function Rendered({ type, text, turns, values, plain }: RenderedProps) {
  const filled = (said: string) => (plain ? said : <FilledText text={said} values={values} />);
  if (type === 'text' || !turns)
    return (
      <div className="preview" dir="auto">
        {filled(text)}
      </div>
    );
  return (
    <ol className="stack tight">
      {turns.map((turn, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns have no name but their place
        <li key={at}>
          <div className="eyebrow">{turn.role}</div>
          <div className="preview" dir="auto">
            {filled(turn.content)}
          </div>
        </li>
      ))}
    </ol>
  );
}
