import { APIError } from '@commonplace/client';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { adviceFor } from './error-advice.ts';
import { Icon } from './icon.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** In place of what is said for its status. */
  readonly advice?: string;
}

/** A refusal: the API's own sentence, what to do, and what finds the request in the service's log. */
export function ErrorNotice({ error, onRetry, advice }: ErrorNoticeProps) {
  const known = error instanceof APIError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const facts = [known?.status, known?.code].filter((fact) => fact !== undefined).join(' ');
  return (
    <div className="notice danger" role="alert">
      <Icon name="alert" />
      <div className="grow stack tight">
        <div>
          <strong>{/[.!?]$/.test(message) ? message : `${message}.`}</strong> {advice ?? adviceFor(error)}
        </div>
        {known && known.details.length > 0 && (
          <ul className="error-details">
            {known.details.map(({ path, message: detail }) => (
              <li key={path + detail}>
                <code>{path}</code> {detail}
              </li>
            ))}
          </ul>
        )}
        {known?.requestId && (
          <div className="request-id">
            <span>
              {facts} · request {known.requestId}
            </span>
            <CopyButton text={known.requestId} label="Copy the request id" iconOnly />
          </div>
        )}
        {onRetry && (
          <div>
            <Button small icon="refresh" onClick={onRetry}>
              Try again
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
